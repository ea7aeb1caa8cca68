// What LLVM's code generator was compared on: the attributes, types, instructions and intrinsics of
// which code for another CPU than the program's was run and compared with native code
// (tests/differential, --attribute-seeds). LLVM has faults that only show on some CPUs, so a
// function with anything else is compiled for the CPU that it asks for.
//
// Pure functions, therefore thread-safe. Tested in tests/backend/llvm/compared_constructs_test.cc.

#ifndef FIRSTCALL_BACKEND_LLVM_COMPARED_CONSTRUCTS_H_
#define FIRSTCALL_BACKEND_LLVM_COMPARED_CONSTRUCTS_H_

#include "absl/types/span.h"
#include "llvm/IR/Attributes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Intrinsics.h"

namespace firstcall {

// Whether `function`, which has a body, has nothing but what was compared. Takes time in proportion
// to its size.
bool HasOnlyCompared(const llvm::Function& function);

// The lists, from which tests/differential makes its functions.
absl::Span<const llvm::Attribute::AttrKind> ComparedFunctionAttributes();
absl::Span<const llvm::Attribute::AttrKind> ComparedValueAttributes();  // Arguments and results.
absl::Span<const llvm::StringLiteral> ComparedAttributeNames();         // Those that are strings.
absl::Span<const llvm::Intrinsic::ID> ComparedIntrinsics();

}  // namespace firstcall

#endif  // FIRSTCALL_BACKEND_LLVM_COMPARED_CONSTRUCTS_H_
