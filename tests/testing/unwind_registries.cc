#include "tests/testing/unwind_registries.h"

#include <utility>
#include <vector>

#include "memory/single_unwind_tables.h"
#include "memory/unwind_groups.h"

extern "C" {
void __register_frame(void* table);
void __deregister_frame(void* table);
void __register_frame_info_table(void* tables, void* object);
void* __deregister_frame_info(const void* tables);
}

namespace firstcall {

std::shared_ptr<UnwindRegistry> MakeRegistry(Registrations registrations) {
  std::vector<std::unique_ptr<Unwinder>> unwinders;
  switch (registrations) {
    case Registrations::kOfProcess:
      return std::make_shared<UnwindRegistry>();
    case Registrations::kGroups:
      unwinders.push_back(std::make_unique<UnwindGroups>(
          UnwindGroups::Functions{&__register_frame_info_table, &__deregister_frame_info}));
      break;
    case Registrations::kSingle:
      unwinders.push_back(std::make_unique<SingleUnwindTables>(
          SingleUnwindTables::Unit::kTable,
          SingleUnwindTables::Functions{&__register_frame, &__deregister_frame}));
      break;
  }
  return std::make_shared<UnwindRegistry>(std::move(unwinders));
}

}  // namespace firstcall
