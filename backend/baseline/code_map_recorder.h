// Records a CodeMap (code_map.h) while a function is compiled.
//
// Thread-compatible. Tested in tests/backend/baseline/code_map_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_CODE_MAP_RECORDER_H_
#define FIRSTCALL_BACKEND_BASELINE_CODE_MAP_RECORDER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "backend/baseline/code_map.h"
#include "ir/instruction.h"

namespace firstcall::baseline {

struct FunctionCode;

class CodeMapRecorder {
 public:
  // Forgets what `map`, which must outlive the recorder, has of another function.
  explicit CodeMapRecorder(CodeMap& map);

  // Called before the code of `instruction` is emitted.
  void BeginInstruction(const FunctionCode& code, const ir::Instruction& instruction);

  // Called when the code of `instruction` was emitted, and its operands are still in use.
  void EndInstruction(const FunctionCode& code, const ir::Instruction& instruction);

  // Called when the poll of `loop` was emitted.
  void AtPoll(const FunctionCode& code, uint32_t loop);

  // Called when the code is complete. The function is the code between the offsets `begin` and
  // `end` in the assembler's buffer.
  void Finish(const FunctionCode& code, uint32_t begin, uint32_t end);

 private:
  // The watched value number `index` is at `location` from `offset` on.
  void Note(uint32_t offset, size_t index, const CodeMap::Location& location, bool is_incoming);

  CodeMap& map_;
  std::vector<CodeMap::Location> last_;  // Of the watched values.
  // The changes whose offset is relative to the incoming arguments, whose place is known at last.
  std::vector<uint32_t> incoming_;
  std::vector<uint32_t> incoming_parts_;  // The same of CodeMap::parts.
};

// For code that is not recorded.
struct NoRecorder {
  void BeginInstruction(const FunctionCode&, const ir::Instruction&) {}
  void EndInstruction(const FunctionCode&, const ir::Instruction&) {}
  void AtPoll(const FunctionCode&, uint32_t) {}
};

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_CODE_MAP_RECORDER_H_
