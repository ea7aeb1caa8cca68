// Unwind tables for unwinders that search well in many registrations, or that take each entry by
// itself: libgcc since version 13, which keeps a tree of tables, and LLVM's libunwind, which keeps
// a list of entries. A registration is read by threads only while they run code that it describes,
// so it is withdrawn with its code.
//
// Thread-compatible.

#ifndef FIRSTCALL_MEMORY_SINGLE_UNWIND_TABLES_H_
#define FIRSTCALL_MEMORY_SINGLE_UNWIND_TABLES_H_

#include <cstddef>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "memory/unwinder.h"

namespace firstcall {

class SingleUnwindTables : public Unwinder {
 public:
  enum class Unit {
    kTable,  // libgcc's __register_frame takes a table.
    kEntry,  // LLVM's __unw_add_dynamic_fde takes an entry that describes code (an FDE).
  };
  struct Functions {
    void (*add)(void* unit);
    void (*remove)(void* unit);
  };

  SingleUnwindTables(Unit unit, const Functions& functions) : unit_(unit), functions_(functions) {}
  ~SingleUnwindTables() override;

  void Register(const UnwindTable& table) override;
  void Withdraw(absl::Span<const UnwindTable> tables) override;
  size_t registration_count() const override { return tables_.size(); }

 private:
  void ForEachUnit(void* table, void (*function)(void* unit)) const;

  const Unit unit_;
  const Functions functions_;
  absl::flat_hash_set<void*> tables_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_MEMORY_SINGLE_UNWIND_TABLES_H_
