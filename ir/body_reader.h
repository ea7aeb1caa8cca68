// Where bodies of functions come from, such as functions of LLVM (ir/from_llvm).
//
// Thread-compatible.

#ifndef FIRSTCALL_IR_BODY_READER_H_
#define FIRSTCALL_IR_BODY_READER_H_

#include <cstdint>

#include "absl/status/status.h"
#include "ir/function.h"
#include "ir/module.h"

namespace firstcall::ir {

class BodyReader {
 public:
  virtual ~BodyReader() = default;

  virtual const Module& module() const = 0;
  // Replaces `function` by the body of global number `global`, a defined function. Unimplemented
  // for what this reader does not know, and LLVM may; InvalidArgument for what is no valid IR.
  virtual absl::Status Read(uint32_t global, Function& function) = 0;
};

}  // namespace firstcall::ir

#endif  // FIRSTCALL_IR_BODY_READER_H_
