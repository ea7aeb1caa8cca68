#include "object/unwind_table.h"

#include "object/unwind_reader.h"

namespace firstcall {

absl::Status CheckUnwindTable(absl::Span<const uint8_t> table, ExecutorAddress run,
                              ExecutorAddress code, size_t code_size) {
  const auto is_sound = [&](UnwindReader entry, const CommonUnwindEntry& common) {
    const ExecutorAddress function(entry.Pointer(common.function, run.value()));
    const uint64_t size = entry.Pointer(common.function.Format(), 0);
    const uint64_t offset = function.value() - code.value();
    // What a linker leaves of a function that it has removed; the unwinder skips it.
    const bool is_removed = function.is_null();
    return entry.ok() && (is_removed || (offset <= code_size && size <= code_size - offset));
  };
  return ForEachUnwindEntry(table, is_sound)
             ? absl::OkStatus()
             : absl::InvalidArgumentError("its unwind table is damaged");
}

}  // namespace firstcall
