#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "backend/baseline/assembly_syntax.h"
#include "backend/baseline/registers_x86_64.h"

namespace firstcall::baseline {
namespace {

using namespace x86_64;  // NOLINT(google-build-using-namespace): the names of registers.

// The names of the first eight registers, and of their lowest 8, 16 and 32 bits. Those of the
// others are made of a number.
constexpr const char* kNames[][4] = {
    {"al", "ax", "eax", "rax"},  {"cl", "cx", "ecx", "rcx"},  {"dl", "dx", "edx", "rdx"},
    {"bl", "bx", "ebx", "rbx"},  {"spl", "sp", "esp", "rsp"}, {"bpl", "bp", "ebp", "rbp"},
    {"sil", "si", "esi", "rsi"}, {"dil", "di", "edi", "rdi"},
};
// Bits 8 to 15 of the first four.
constexpr const char* kHighNames[] = {"ah", "ch", "dh", "bh"};
constexpr const char* kSuffixes[] = {"b", "w", "d", ""};

// Not the scratch register. Those that functions preserve come last.
constexpr Register kGeneral[] = {kRax, kRcx, kRdx, kRsi, kRdi, kR8, kR9,
                                 kR10, kRbx, kR12, kR13, kR14, kR15};
constexpr Register kWithHighBytes[] = {kRax, kRcx, kRdx, kRbx};
constexpr Register kVectors[] = {kXmm0, kXmm1, kXmm2, kXmm3,  kXmm4,  kXmm5,  kXmm6,
                                 kXmm7, kXmm8, kXmm9, kXmm10, kXmm11, kXmm12, kXmm13};
constexpr Register kOnly[] = {kRax, kRcx, kRdx, kRbx, kRsi, kRdi};

// What is no value's place here: flags, control registers, and registers that hold nothing between
// two instructions of IR.
constexpr const char* kOthers[] = {"memory", "cc",   "flags",   "eflags", "dirflag", "df",
                                   "fpsr",   "fpcr", "fpsw",    "mxcsr",  "rflags",  "st",
                                   "st(0)",  "rip",  "redzone", ""};

// The number behind `prefix`, below `end`; -1 if `name` is no such name.
int NumberBehind(absl::string_view prefix, absl::string_view name, int end) {
  int number = 0;
  if (!absl::ConsumePrefix(&name, prefix) || name.empty() || name.size() > 2 ||
      !absl::SimpleAtoi(name, &number) || number < 0 || number >= end) {
    return -1;
  }
  return number;
}

Register GeneralRegisterOf(absl::string_view name) {
  for (unsigned number = 0; number < 8; ++number) {
    if (absl::c_linear_search(kNames[number], name)) return GeneralRegister(number);
    if (number < 4 && name == kHighNames[number]) return GeneralRegister(number);
  }
  if (!absl::StartsWith(name, "r")) return kNoRegister;
  for (const char* suffix : kSuffixes) {
    absl::string_view number = name;
    if (!absl::ConsumeSuffix(&number, suffix)) continue;
    const int found = NumberBehind("r", number, 16);
    if (found >= 8) return GeneralRegister(found);
  }
  return kNoRegister;
}

class Syntax final : public AssemblySyntax {
 public:
  Register RegisterOf(absl::string_view name) const override {
    if (const int number = NumberBehind("xmm", name, 14); number >= 0) return Xmm(number);
    const Register reg = GeneralRegisterOf(name);
    // Operands are in the lowest bits of a register.
    const bool is_high = absl::c_linear_search(kHighNames, name);
    return is_high || reg == kRsp || reg == kRbp || reg == kScratch ? kNoRegister : reg;
  }

  bool AddClobber(absl::string_view name, RegisterSet& clobbers) const override {
    if (const Register reg = GeneralRegisterOf(name); reg != kNoRegister) {
      clobbers |= SetOf(reg);
      return reg != kRsp && reg != kRbp;
    }
    for (const char* prefix : {"xmm", "ymm", "zmm"}) {
      const int number = NumberBehind(prefix, name, 32);
      if (number < 0) continue;
      if (number < 16) clobbers |= SetOf(Xmm(number));
      return true;
    }
    return absl::c_linear_search(kOthers, name) || NumberBehind("mm", name, 8) >= 0 ||
           NumberBehind("k", name, 8) >= 0 ||
           (name.size() == 5 && absl::StartsWith(name, "st(") && absl::EndsWith(name, ")"));
  }

  absl::Span<const Register> ClassOf(char letter) const override {
    switch (letter) {
      case 'r':
      case 'q':  // Any register has a lowest byte.
      case 'l':
        return kGeneral;
      case 'Q':
        return kWithHighBytes;
      case 'x':
      case 'v':
        return kVectors;
      case 'a':
        return absl::MakeConstSpan(kOnly, 1);
      case 'c':
        return absl::MakeConstSpan(kOnly + 1, 1);
      case 'd':
        return absl::MakeConstSpan(kOnly + 2, 1);
      case 'b':
        return absl::MakeConstSpan(kOnly + 3, 1);
      case 'S':
        return absl::MakeConstSpan(kOnly + 4, 1);
      case 'D':
        return absl::MakeConstSpan(kOnly + 5, 1);
      default:
        return {};
    }
  }

  bool AllowsMemory(char letter) const override { return letter == 'm' || letter == 'o'; }

  bool AllowsImmediate(char letter, int64_t value, uint64_t unsigned_value) const override {
    switch (letter) {
      case 'i':
      case 'n':
        return true;
      case 'e':
        return value == static_cast<int32_t>(value);
      case 'K':
        return value == static_cast<int8_t>(value);
      case 'L':
        return unsigned_value == 0xff || unsigned_value == 0xffff || unsigned_value == 0xffffffff;
      case 'I':
        return unsigned_value <= 31;
      case 'J':
        return unsigned_value <= 63;
      case 'M':
        return unsigned_value <= 3;
      case 'N':
        return unsigned_value <= 255;
      case 'O':
        return unsigned_value <= 127;
      case 'Z':
        return unsigned_value <= UINT32_MAX;
      default:
        return false;
    }
  }

  bool Write(const AssemblyOperand& operand, char modifier, std::string& text) const override {
    switch (operand.kind) {
      case AssemblyOperand::Kind::kImmediate:
        return WriteImmediate(operand.immediate, modifier, text);
      case AssemblyOperand::Kind::kMemory:
        return WriteMemory(operand.reg, modifier, text);
      case AssemblyOperand::Kind::kRegister:
        return IsVector(operand.reg) ? WriteVector(operand.reg, modifier, text)
                                     : WriteGeneral(operand, modifier, text);
    }
    return false;
  }

 private:
  // `size`: 0 for 8 bits to 3 for 64.
  static std::string NameOf(Register reg, unsigned size) {
    return reg < 8 ? kNames[reg][size] : absl::StrCat("r", reg, kSuffixes[size]);
  }

  static bool WriteImmediate(int64_t value, char modifier, std::string& text) {
    switch (modifier) {
      case 'c':
      case 'P':
        absl::StrAppend(&text, value);
        return true;
      case 'n':
        absl::StrAppend(&text, static_cast<int64_t>(uint64_t{0} - static_cast<uint64_t>(value)));
        return true;
      case 0:
      case 'b':
      case 'h':
      case 'w':
      case 'k':
      case 'q':
        absl::StrAppend(&text, "$", value);
        return true;
      default:
        return false;
    }
  }

  static bool WriteMemory(Register address, char modifier, std::string& text) {
    if (modifier != 0 && !absl::StrContains("bhwkqH", modifier)) return false;
    absl::StrAppend(&text, modifier == 'H' ? "8" : "", "(%", NameOf(address, 3), ")");
    return true;
  }

  static bool WriteVector(Register reg, char modifier, std::string& text) {
    if (modifier != 0 && modifier != 'x') return false;
    absl::StrAppend(&text, "%xmm", reg - kFirstVector);
    return true;
  }

  static bool WriteGeneral(const AssemblyOperand& operand, char modifier, std::string& text) {
    switch (modifier) {
      case 0:
        absl::StrAppend(&text, "%",
                        NameOf(operand.reg, operand.bits <= 8    ? 0
                                            : operand.bits <= 16 ? 1
                                            : operand.bits <= 32 ? 2
                                                                 : 3));
        return true;
      case 'a':
        if (operand.bits != 64) return false;
        absl::StrAppend(&text, "(%", NameOf(operand.reg, 3), ")");
        return true;
      case 'h':
        if (operand.reg >= 4) return false;
        absl::StrAppend(&text, "%", kHighNames[operand.reg]);
        return true;
      case 'b':
      case 'w':
      case 'k':
      case 'q': {
        constexpr absl::string_view kSizes = "bwkq";
        absl::StrAppend(&text, "%",
                        NameOf(operand.reg, static_cast<unsigned>(kSizes.find(modifier))));
        return true;
      }
      default:
        return false;
    }
  }
};

}  // namespace

const AssemblySyntax& AssemblySyntaxX86_64() {
  static const Syntax kSyntax;
  return kSyntax;
}

const AssemblySyntax& AssemblySyntaxOf(const Architecture& architecture) {
  return architecture.has_sse ? AssemblySyntaxX86_64() : AssemblySyntaxAArch64();
}

}  // namespace firstcall::baseline
