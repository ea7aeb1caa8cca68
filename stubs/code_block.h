// Code that is encoded for the address where it runs, with data within its reach, in the engine's
// own memory.
//
// Thread-compatible. The code can run until the CodeBlock is destroyed. Tested in
// tests/stubs/call_counter_test.cc.

#ifndef FIRSTCALL_STUBS_CODE_BLOCK_H_
#define FIRSTCALL_STUBS_CODE_BLOCK_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "memory/arena_memory.h"
#include "memory/executor_address.h"
#include "memory/unwind_registry.h"

namespace firstcall {

class CodeBlock {
 public:
  struct Parts {
    size_t code_size = 0;
    size_t data_size = 0;
    // Encode the code, and an .eh_frame table for it, for the given addresses of code and data.
    using Encode =
        absl::FunctionRef<std::vector<uint8_t>(ExecutorAddress code, ExecutorAddress data)>;
    Encode code;
    Encode unwind_table;
    // Writes the data's initial contents.
    absl::FunctionRef<void(ExecutorAddress code, uint8_t* data)> fill;
  };

  // Is told of each new block: its code, and the bytes of its unwind table. Returns what is called
  // before the block is freed. May be empty.
  using Announce =
      std::function<std::function<void()>(ExecutorAddress code, size_t size, ExecutorAddress table,
                                          absl::Span<const uint8_t> unwind_table)>;

  // Makes a block that is ready to run and known to the unwinder. ResourceExhausted if memory runs
  // out.
  static absl::StatusOr<std::unique_ptr<CodeBlock>> Make(
      std::shared_ptr<ArenaMemory> memory, std::shared_ptr<UnwindRegistry> unwind_registry,
      const Announce& announce, const Parts& parts);

  ~CodeBlock();
  CodeBlock(const CodeBlock&) = delete;
  CodeBlock& operator=(const CodeBlock&) = delete;

  ExecutorAddress code() const { return code_; }
  uint8_t* data() const { return data_; }

 private:
  CodeBlock(std::shared_ptr<ArenaMemory> memory, std::shared_ptr<UnwindRegistry> unwind_registry)
      : memory_(std::move(memory)), unwind_registry_(std::move(unwind_registry)) {}

  absl::Status Fill(const Announce& announce, const Parts& parts);

  const std::shared_ptr<ArenaMemory> memory_;
  const std::shared_ptr<UnwindRegistry> unwind_registry_;
  std::vector<MemoryBlock> blocks_;
  ExecutorAddress code_;
  uint8_t* data_ = nullptr;
  bool is_registered_ = false;
  UnwindTable unwind_table_;
  std::function<void()> withdraw_;  // What was announced.
};

}  // namespace firstcall

#endif  // FIRSTCALL_STUBS_CODE_BLOCK_H_
