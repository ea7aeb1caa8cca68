#include <cstdint>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "backend/baseline/assembly_syntax.h"
#include "backend/baseline/registers_aarch64.h"

namespace firstcall::baseline {
namespace {

using aarch64::V;
using aarch64::X;

// Not the scratch registers, and not x18, which some systems keep for themselves. Those that
// functions preserve come last.
constexpr Register kGeneral[] = {X(0),  X(1),  X(2),  X(3),  X(4),  X(5),  X(6),  X(7),
                                 X(8),  X(9),  X(10), X(11), X(12), X(13), X(14), X(19),
                                 X(20), X(21), X(22), X(23), X(24), X(25), X(26), X(27)};
constexpr Register kVectors[] = {V(0),  V(1),  V(2),  V(3),  V(4),  V(5),  V(6),  V(7),
                                 V(16), V(17), V(18), V(19), V(20), V(21), V(22), V(23)};
constexpr unsigned kLowVectors = 8;  // How many of these are below v16, and below v8.

// What is no value's place.
constexpr const char* kOthers[] = {"memory", "cc", "nzcv", "flags", "fpcr", "fpsr", "ffr", ""};

// The number of the register behind the letter of its size. -1 if `name` is none.
int NumberIn(absl::string_view name, absl::string_view letters) {
  int number = 0;
  if (name.size() < 2 || name.size() > 3 || letters.find(name[0]) == letters.npos ||
      !absl::SimpleAtoi(name.substr(1), &number) || number < 0 || number > 31) {
    return -1;
  }
  return number;
}

class Syntax final : public AssemblySyntax {
 public:
  Register RegisterOf(absl::string_view name) const override {
    const int number = NumberIn(name, "xwr");
    if (number >= 0) return number < 15 || (number > 18 && number < 29) ? X(number) : kNoRegister;
    const int vector = NumberIn(name, "vqdshb");
    return vector >= 0 && vector < 29 ? V(vector) : kNoRegister;
  }

  // The return address is in the frame of every function that has assembly.
  bool AddClobber(absl::string_view name, RegisterSet& clobbers) const override {
    if (name == "lr") return true;
    if (const int number = NumberIn(name, "xwr"); number >= 0) {
      if (number < 29) clobbers |= SetOf(X(number));
      return number < 29 || number == 30;
    }
    if (const int number = NumberIn(name, "vqdshbz"); number >= 0) {
      clobbers |= SetOf(V(number));
      return true;
    }
    return absl::c_linear_search(kOthers, name) || NumberIn(name, "p") >= 0;
  }

  absl::Span<const Register> ClassOf(char letter) const override {
    switch (letter) {
      case 'r':
        return kGeneral;
      case 'w':
        return kVectors;
      case 'x':
      case 'y':
        return absl::MakeConstSpan(kVectors, kLowVectors);
      default:
        return {};
    }
  }

  bool AllowsMemory(char letter) const override {
    return letter == 'm' || letter == 'o' || letter == 'Q';
  }

  bool AllowsImmediate(char letter, int64_t value, uint64_t /*unsigned_value*/) const override {
    // 12 bits, perhaps shifted by 12.
    const auto fits_addition = [](int64_t number) {
      return number >= 0 && (number < 4096 || (number % 4096 == 0 && number < 4096 * 4096));
    };
    switch (letter) {
      case 'i':
      case 'n':
        return true;
      case 'I':
        return fits_addition(value);
      case 'J':
        return value < 0 && value > -4096 * 4096 && fits_addition(-value);
      default:
        return false;
    }
  }

  bool Write(const AssemblyOperand& operand, char modifier, std::string& text) const override {
    switch (operand.kind) {
      case AssemblyOperand::Kind::kImmediate:
        if (modifier != 0 && modifier != 'c') return false;
        absl::StrAppend(&text, operand.immediate);
        return true;
      case AssemblyOperand::Kind::kMemory:
        if (modifier != 0 && modifier != 'a') return false;
        absl::StrAppend(&text, "[x", operand.reg, "]");
        return true;
      case AssemblyOperand::Kind::kRegister:
        if (modifier == 'a' && operand.bits != 64) return false;
        return WriteRegister(operand.reg, modifier, text);
    }
    return false;
  }

 private:
  // Without a modifier, a register is written whole.
  static bool WriteRegister(Register reg, char modifier, std::string& text) {
    if (IsVector(reg)) {
      if (modifier != 0 && absl::string_view("bhsdq").find(modifier) == absl::string_view::npos) {
        return false;
      }
      absl::StrAppend(&text, absl::string_view(modifier == 0 ? "v" : &modifier, 1),
                      reg - kFirstVector);
      return true;
    }
    if (modifier == 'a') {
      absl::StrAppend(&text, "[x", reg, "]");
      return true;
    }
    if (modifier != 0 && modifier != 'w' && modifier != 'x') return false;
    absl::StrAppend(&text, modifier == 'w' ? "w" : "x", reg);
    return true;
  }
};

}  // namespace

const AssemblySyntax& AssemblySyntaxAArch64() {
  static const Syntax kSyntax;
  return kSyntax;
}

}  // namespace firstcall::baseline
