// Assembles the text of inline assembly with LLVM's assembler.
//
// Thread-compatible. Tested in tests/backend/llvm/llvm_text_assembler_test.cc.

#ifndef FIRSTCALL_BACKEND_LLVM_LLVM_TEXT_ASSEMBLER_H_
#define FIRSTCALL_BACKEND_LLVM_LLVM_TEXT_ASSEMBLER_H_

#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "backend/llvm/target.h"
#include "backend/text_assembler.h"
#include "llvm/Target/TargetMachine.h"

namespace firstcall {

class LlvmTextAssembler final : public TextAssembler {
 public:
  // `target` must outlive the assembler, and LLVM must have an assembler for the target.
  explicit LlvmTextAssembler(const Target& target) : target_(target) {}

  // InvalidArgument with LLVM's message if the text is not valid; Unimplemented if the text needs
  // more than the bytes of instructions; Internal if LLVM gives up.
  absl::StatusOr<std::string> Assemble(const std::string& text) override;

 private:
  absl::StatusOr<std::string> AssembleNew(const std::string& text);

  const Target& target_;
  std::unique_ptr<llvm::TargetMachine> machine_;  // Null until a text is assembled.
  // What became of each text: inline functions bring the same text many times.
  absl::flat_hash_map<std::string, absl::StatusOr<std::string>> known_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_BACKEND_LLVM_LLVM_TEXT_ASSEMBLER_H_
