// Programs of IR text, whose function `f` the baseline code generator and LLVM compile: both must
// compute the same.

#ifndef FIRSTCALL_TESTS_BACKEND_BASELINE_EXPECT_SAME_H_
#define FIRSTCALL_TESTS_BACKEND_BASELINE_EXPECT_SAME_H_

#include <cstdint>
#include <memory>
#include <string>

#include "engine/engine.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace firstcall {

inline constexpr int64_t kInputs[] = {
    0,   1,   -1,   2,    3,       7,     31,        32,        63,        64,        127,    128,
    255, 256, -128, -129, 1 << 15, 65535, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, 1000003};

// Null, and a failure of the test, if the text has an error. With this machine's data layout.
std::unique_ptr<llvm::Module> Parse(const std::string& text, llvm::LLVMContext& context);

// An engine that refuses to let LLVM generate code, for this machine's CPU if `features` is empty.
// One serves all programs, because the emulator of another architecture never gives memory back.
// If it is not strict: one that lets LLVM compile what is refused.
Engine& StrictEngine(bool is_near, const std::string& features, bool is_strict = true);

// Compares `i64 f(i64, i64)`, near and far, for all pairs of kInputs; every function must be
// covered, but for those with assembly that asks for an aligned stack, which LLVM compiles. LLVM
// also compiles `reference`, if that is not empty, a text whose `f` is to compute the same.
void ExpectSame(const std::string& text, const std::string& features = "",
                const std::string& reference = "");

}  // namespace firstcall

#endif  // FIRSTCALL_TESTS_BACKEND_BASELINE_EXPECT_SAME_H_
