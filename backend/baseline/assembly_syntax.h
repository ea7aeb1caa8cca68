// How the inline assembly of an architecture names registers, chooses places for operands, and
// writes operands. What LLVM does for the architecture is the reference (its getConstraintType,
// getRegForInlineAsmConstraint and PrintAsmOperand).
//
// Thread-safe: constants. Tested in tests/backend/baseline/inline_assembly_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_ASSEMBLY_SYNTAX_H_
#define FIRSTCALL_BACKEND_BASELINE_ASSEMBLY_SYNTAX_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "backend/baseline/architecture.h"
#include "backend/baseline/registers.h"

namespace firstcall::baseline {

// An operand of inline assembly, and the place that it has got.
struct AssemblyOperand {
  enum class Kind : uint8_t {
    kRegister,
    kMemory,     // At the address in `reg`.
    kImmediate,  // `immediate`
  };

  Kind kind = Kind::kRegister;
  Register reg = kNoRegister;
  int64_t immediate = 0;
  // The size of the operand's type: 8, 16, 32 or 64, or 128 for vectors.
  uint16_t bits = 64;
};

class AssemblySyntax {
 public:
  virtual ~AssemblySyntax() = default;

  // The register whose name, or the name of whose part, this is. kNoRegister if the name is unknown
  // or no operand can be in the register.
  virtual Register RegisterOf(absl::string_view name) const = 0;

  // Adds what a clobber of this name changes. False if assembly that changes this is not covered.
  virtual bool AddClobber(absl::string_view name, RegisterSet& clobbers) const = 0;

  // The registers that a constraint of this letter allows, the best ones first. Empty if the letter
  // has another meaning.
  virtual absl::Span<const Register> ClassOf(char letter) const = 0;

  // Whether the letter allows a place in memory.
  virtual bool AllowsMemory(char letter) const = 0;

  // Whether the letter allows a constant, which is given sign-extended and zero-extended.
  virtual bool AllowsImmediate(char letter, int64_t value, uint64_t unsigned_value) const = 0;

  // Appends the operand as the assembler reads it. `modifier`: the letter with which the template
  // asks for another form, or 0. False if the form is not covered.
  virtual bool Write(const AssemblyOperand& operand, char modifier, std::string& text) const = 0;
};

const AssemblySyntax& AssemblySyntaxOf(const Architecture& architecture);

// ---- For the implementations ----
const AssemblySyntax& AssemblySyntaxX86_64();
const AssemblySyntax& AssemblySyntaxAArch64();

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_ASSEMBLY_SYNTAX_H_
