#include "backend/baseline/assembler_aarch64.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/stubs/disassembler.h"

namespace firstcall::baseline::aarch64 {
namespace {

using A = AssemblerAArch64;

constexpr Register kSp = kStackPointer;

// What LLVM's disassembler makes of code that lies at address 0, instruction by instruction.
std::vector<std::string> Lines(const std::vector<uint8_t>& code) {
  static const auto* const disassembler =
      new testing::Disassembler("aarch64-linux-gnu", "+v8.5a,+fp-armv8,+neon");
  std::vector<std::string> lines;
  for (const testing::Instruction& instruction : disassembler->Range(code, 0, 0, code.size())) {
    lines.push_back(disassembler->Text(instruction));
  }
  return lines;
}

std::string Joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "; ") + line;
  return text;
}

std::vector<uint8_t> CodeOf(A& assembler) {
  return std::vector<uint8_t>(assembler.buffer().data(),
                              assembler.buffer().data() + assembler.size());
}

std::string Disassemble(void (*emit)(A&), bool is_large = false) {
  A assembler;
  assembler.set_is_large(is_large);
  emit(assembler);
  return Joined(Lines(CodeOf(assembler)));
}

struct Encoding {
  const char* text;
  void (*emit)(A&);
};

void ExpectEncodings(std::initializer_list<Encoding> encodings) {
  for (const Encoding& encoding : encodings) EXPECT_EQ(Disassemble(encoding.emit), encoding.text);
}

Mem Indexed(Register base, Register index, uint8_t scale, int32_t disp) {
  Mem mem = Mem::At(base, disp);
  mem.index = index;
  mem.scale = scale;
  return mem;
}

// The number behind the last '#' of an instruction.
uint64_t LastNumber(const std::string& text) {
  const char* number = text.c_str() + text.rfind('#') + 1;
  return *number == '-' ? static_cast<uint64_t>(std::strtoll(number, nullptr, 0))
                        : std::strtoull(number, nullptr, 0);
}

// ---- Immediates ----

// Everything that LLVM finds encodable in `mov x0, #imm` with ORR, from all valid fields N, immr
// and imms.
std::set<uint64_t> LogicalImmediatesOfLlvm() {
  std::vector<uint8_t> code;
  for (uint32_t width = 2; width <= 64; width *= 2) {
    for (uint32_t ones = 1; ones < width; ++ones) {
      for (uint32_t rotation = 0; rotation < width; ++rotation) {
        // The width is given by the position of the highest 0 in NOT(N):imms.
        const uint32_t imms = width == 64 ? ones - 1 : (0x3f & ~(2 * width - 1)) | (ones - 1);
        const uint32_t word = 0x92000020 | (width == 64 ? 1 << 22 : 0) | rotation << 16 |
                              imms << 10;  // and x0, x1, #imm
        const size_t end = code.size();
        code.resize(end + 4);
        std::memcpy(code.data() + end, &word, 4);
      }
    }
  }
  std::set<uint64_t> values;
  for (const std::string& line : Lines(code)) {
    EXPECT_EQ(line.rfind("and x0, x1, #", 0), 0u) << line;
    values.insert(LastNumber(line));
  }
  EXPECT_EQ(values.size(), code.size() / 4);
  return values;
}

const std::set<uint64_t>& LogicalImmediates() {
  static const auto* const values = new std::set<uint64_t>(LogicalImmediatesOfLlvm());
  return *values;
}

TEST(AssemblerAArch64Test, EncodesEveryLogicalImmediateOf8Bytes) {
  ASSERT_EQ(LogicalImmediates().size(), 5334u);
  A assembler;
  std::vector<uint64_t> values;
  for (uint64_t value : LogicalImmediates()) {
    const size_t begin = assembler.size();
    assembler.MovImmediate(X(0), value, false);
    ASSERT_EQ(assembler.size(), begin + 4) << testing::Hex(value);
    values.push_back(value);
  }
  const std::vector<std::string> lines = Lines(CodeOf(assembler));
  for (size_t i = 0; i < values.size(); ++i) {
    const uint64_t mask = lines[i].find(" w0") != std::string::npos ? 0xffffffff : ~uint64_t{0};
    EXPECT_EQ(LastNumber(lines[i]) & mask, values[i]) << lines[i];
  }
}

TEST(AssemblerAArch64Test, EncodesEveryLogicalImmediateOf4Bytes) {
  A assembler;
  std::vector<uint32_t> values;
  for (uint64_t value : LogicalImmediates()) {
    if (value >> 32 != (value & 0xffffffff)) continue;
    values.push_back(static_cast<uint32_t>(value));
    for (Alu alu : {Alu::kAnd, Alu::kOr, Alu::kXor}) {
      assembler.AluRi(alu, 4, X(0), static_cast<int32_t>(value));
    }
    assembler.TestRi(4, X(0), static_cast<int32_t>(value));
  }
  EXPECT_EQ(values.size(), 5334u - 64 * 63);
  const std::vector<std::string> lines = Lines(CodeOf(assembler));
  ASSERT_EQ(lines.size(), 4 * values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const std::string immediate = "#" + testing::Hex(values[i]);
    EXPECT_EQ(lines[4 * i], "ands w0, w0, " + immediate);
    EXPECT_EQ(lines[4 * i + 1], "orr w0, w0, " + immediate);
    EXPECT_EQ(lines[4 * i + 2], "eor w0, w0, " + immediate);
    EXPECT_EQ(lines[4 * i + 3], "tst w0, " + immediate);
  }
}

TEST(AssemblerAArch64Test, EncodesTheLogicalImmediatesThatLlvmDoesAndNoOthers) {
  std::mt19937 random(1);
  std::vector<int32_t> values = {0, -1, 5, 1, 0x7fffffff, INT32_MIN, 0x12345678, -2};
  for (int i = 0; i < 3000; ++i) {
    // Runs of ones, with a few other bits.
    uint32_t value = random();
    if (i % 2 == 0) value = (value | value << 1 | value << 2) >> (random() % 32);
    values.push_back(static_cast<int32_t>(value));
  }
  unsigned encodable = 0;
  for (int32_t value : values) {
    for (unsigned size : {4u, 8u}) {
      const uint64_t bits = size == 8 ? static_cast<uint64_t>(int64_t{value})
                                      : static_cast<uint32_t>(value) * uint64_t{0x100000001};
      const bool is_encodable = LogicalImmediates().count(bits) != 0;
      A assembler;
      assembler.AluRi(Alu::kOr, size, X(0), value);
      const std::vector<std::string> lines = Lines(CodeOf(assembler));
      if (is_encodable) {
        ++encodable;
        ASSERT_EQ(lines.size(), 1u) << testing::Hex(bits);
        EXPECT_EQ(LastNumber(lines[0]), size == 8 ? bits : bits & 0xffffffff) << lines[0];
      } else {
        ASSERT_GE(lines.size(), 2u) << testing::Hex(bits);
        EXPECT_EQ(lines.back(), size == 8 ? "orr x0, x0, x17" : "orr w0, w0, w17");
      }
    }
  }
  EXPECT_GT(encodable, 50u);
}

// What x0 holds after instructions that make a constant, by LLVM's reading of them.
uint64_t ConstantMadeBy(const std::vector<std::string>& lines) {
  uint64_t value = 0;
  bool is_first = true;
  for (const std::string& line : lines) {
    if (line.rfind("movk ", 0) == 0) {
      EXPECT_FALSE(is_first) << line;
      const size_t shift = line.find(", lsl #");
      const unsigned count =
          shift == std::string::npos ? 0 : std::strtoul(line.c_str() + shift + 7, nullptr, 0);
      const uint64_t piece = LastNumber(line.substr(0, shift));
      value = (value & ~(uint64_t{0xffff} << count)) | piece << count;
    } else {
      EXPECT_TRUE(is_first) << line;
      EXPECT_TRUE(line.rfind("mov ", 0) == 0 || line.rfind("orr ", 0) == 0) << line;
      value = LastNumber(line);
    }
    if (line.find(" w0") != std::string::npos) value &= 0xffffffff;
    is_first = false;
  }
  return value;
}

// The fewest instructions, by a rule that does not look like the assembler's.
size_t FewestInstructions(uint64_t value) {
  size_t fewest = 4;
  for (unsigned size : {4u, 8u}) {
    if (size == 4 && value >> 32 != 0) continue;
    if (LogicalImmediates().count(size == 8 ? value : value * 0x100000001) != 0) return 1;
    for (uint64_t filler : {0x0000u, 0xffffu}) {
      size_t count = 0;
      for (unsigned bit = 0; bit < 8 * size; bit += 16) {
        count += (value >> bit & 0xffff) != filler;
      }
      fewest = std::min(fewest, std::max<size_t>(count, 1));
    }
  }
  return fewest;
}

TEST(AssemblerAArch64Test, MakesAnyConstantInTheFewestInstructions) {
  std::vector<uint64_t> values = {0, 1, ~uint64_t{0}, 0xffffffff, 0x80000000, 0xffffffff80000000};
  // All mixtures of four pieces.
  const uint64_t pieces[] = {0, 0xffff, 0x1234, 0xfffe, 0x00ff};
  for (uint64_t a : pieces) {
    for (uint64_t b : pieces) {
      for (uint64_t c : pieces) {
        for (uint64_t d : pieces) values.push_back(a << 48 | b << 32 | c << 16 | d);
      }
    }
  }
  std::mt19937_64 random(2);
  for (int i = 0; i < 3000; ++i) values.push_back(random() >> (random() % 64));
  for (int i = 0; i < 1000; ++i) values.push_back(~(random() >> (random() % 64)));
  for (uint64_t value : values) {
    A assembler;
    assembler.MovImmediate(X(0), value, true);
    const std::vector<std::string> lines = Lines(CodeOf(assembler));
    EXPECT_EQ(ConstantMadeBy(lines), value) << Joined(lines);
    EXPECT_EQ(lines.size(), FewestInstructions(value)) << Joined(lines);
  }
}

TEST(AssemblerAArch64Test, EncodesConstants) {
  ExpectEncodings({
      {"mov w0, #0x0", [](A& a) { a.MovImmediate(X(0), 0, true); }},
      {"mov w9, #0xffff", [](A& a) { a.MovImmediate(X(9), 0xffff, false); }},
      {"mov w9, #0x10000", [](A& a) { a.MovImmediate(X(9), 0x10000, false); }},
      {"mov w9, #-0x1", [](A& a) { a.MovImmediate(X(9), 0xffffffff, false); }},
      {"mov x9, #-0x1", [](A& a) { a.MovImmediate(X(9), ~uint64_t{0}, false); }},
      {"mov x30, #-0x2", [](A& a) { a.MovImmediate(X(30), ~uint64_t{1}, false); }},
      {"mov w1, #0x5678; movk w1, #0x1234, lsl #16",
       [](A& a) { a.MovImmediate(X(1), 0x12345678, false); }},
      {"mov x1, #0x5678; movk x1, #0x1234, lsl #48",
       [](A& a) { a.MovImmediate(X(1), 0x1234000000005678, false); }},
      {"mov x1, #-0x1235; movk x1, #0x7, lsl #32",
       [](A& a) { a.MovImmediate(X(1), 0xffff0007ffffedcb, false); }},
      {"mov x1, #0x5555555555555555",
       [](A& a) { a.MovImmediate(X(1), 0x5555555555555555, false); }},
  });
}

// ---- Integers ----

TEST(AssemblerAArch64Test, EncodesArithmeticInRegisters) {
  ExpectEncodings({
      {"adds w0, w0, w5", [](A& a) { a.AluRr(Alu::kAdd, 4, X(0), X(5)); }},
      {"orr x0, x0, x30", [](A& a) { a.AluRr(Alu::kOr, 8, X(0), X(30)); }},
      {"adcs x9, x9, x1", [](A& a) { a.AluRr(Alu::kAdc, 8, X(9), X(1)); }},
      {"sbcs w9, w9, w1", [](A& a) { a.AluRr(Alu::kSbb, 4, X(9), X(1)); }},
      {"ands x0, x0, x1", [](A& a) { a.AluRr(Alu::kAnd, 8, X(0), X(1)); }},
      {"subs x0, x0, x1", [](A& a) { a.AluRr(Alu::kSub, 8, X(0), X(1)); }},
      {"eor w0, w0, w1", [](A& a) { a.AluRr(Alu::kXor, 4, X(0), X(1)); }},
      {"cmp x0, x1", [](A& a) { a.AluRr(Alu::kCmp, 8, X(0), X(1)); }},
      {"cmp w0, w1", [](A& a) { a.AluRr(Alu::kCmp, 4, X(0), X(1)); }},
      {"negs x7, x7", [](A& a) { a.Negate(8, X(7)); }},
      {"negs w7, w7", [](A& a) { a.Negate(4, X(7)); }},
      {"mvn x7, x7", [](A& a) { a.Not(8, X(7)); }},
      {"mvn w7, w7", [](A& a) { a.Not(4, X(7)); }},
      {"mul x1, x1, x2", [](A& a) { a.MultiplyRr(8, X(1), X(2)); }},
      {"mul w1, w1, w2", [](A& a) { a.MultiplyRr(4, X(1), X(2)); }},
      {"rev x1, x1", [](A& a) { a.SwapBytes(8, X(1)); }},
      {"rev w1, w1", [](A& a) { a.SwapBytes(4, X(1)); }},
  });
}

TEST(AssemblerAArch64Test, EncodesArithmeticWithImmediates) {
  ExpectEncodings({
      {"adds x0, x0, #0xfff", [](A& a) { a.AluRi(Alu::kAdd, 8, X(0), 0xfff); }},
      {"adds w0, w0, #0x1, lsl #12", [](A& a) { a.AluRi(Alu::kAdd, 4, X(0), 0x1000); }},
      {"adds w0, w0, #0xfff, lsl #12", [](A& a) { a.AluRi(Alu::kAdd, 4, X(0), 0xfff000); }},
      {"subs x0, x0, #0x1", [](A& a) { a.AluRi(Alu::kAdd, 8, X(0), -1); }},
      {"adds x0, x0, #0x1, lsl #12", [](A& a) { a.AluRi(Alu::kSub, 8, X(0), -4096); }},
      {"adds x0, x0, #0x0", [](A& a) { a.AluRi(Alu::kAdd, 8, X(0), 0); }},
      {"subs x0, x0, #0x0", [](A& a) { a.AluRi(Alu::kSub, 8, X(0), 0); }},
      {"mov w17, #0x1001; adds x0, x0, x17", [](A& a) { a.AluRi(Alu::kAdd, 8, X(0), 0x1001); }},
      {"mov w17, #0x1000000; subs w0, w0, w17",
       [](A& a) { a.AluRi(Alu::kSub, 4, X(0), 0x1000000); }},
      {"mov x17, #-0x1001; adds x0, x0, x17", [](A& a) { a.AluRi(Alu::kAdd, 8, X(0), -0x1001); }},
      {"mov w17, #-0x1001; adds w0, w0, w17", [](A& a) { a.AluRi(Alu::kAdd, 4, X(0), -0x1001); }},
      {"mov x17, #-0x80000000; adds x0, x0, x17",
       [](A& a) { a.AluRi(Alu::kAdd, 8, X(0), INT32_MIN); }},
      {"mov w17, #-0x80000000; subs w0, w0, w17",
       [](A& a) { a.AluRi(Alu::kSub, 4, X(0), INT32_MIN); }},
      {"cmp x0, #0x5", [](A& a) { a.AluRi(Alu::kCmp, 8, X(0), 5); }},
      {"cmp x0, #0x0", [](A& a) { a.AluRi(Alu::kCmp, 8, X(0), 0); }},
      {"cmn w0, #0x5", [](A& a) { a.AluRi(Alu::kCmp, 4, X(0), -5); }},
      {"cmn w0, #0x5, lsl #12", [](A& a) { a.AluRi(Alu::kCmp, 4, X(0), -0x5000); }},
      {"mov w17, #0x2345; movk w17, #0x1, lsl #16; cmp x0, x17",
       [](A& a) { a.AluRi(Alu::kCmp, 8, X(0), 0x12345); }},
      {"mov w17, #-0x80000000; cmp w0, w17", [](A& a) { a.AluRi(Alu::kCmp, 4, X(0), INT32_MIN); }},
      {"ands x0, x0, #0xfffffffffffffff0", [](A& a) { a.AluRi(Alu::kAnd, 8, X(0), -16); }},
      {"ands w0, w0, #0xfffffff0", [](A& a) { a.AluRi(Alu::kAnd, 4, X(0), -16); }},
      {"mov w17, #0x5; ands w0, w0, w17", [](A& a) { a.AluRi(Alu::kAnd, 4, X(0), 5); }},
      {"mov w17, #0x0; ands w0, w0, w17", [](A& a) { a.AluRi(Alu::kAnd, 4, X(0), 0); }},
      {"orr x3, x3, #0x1", [](A& a) { a.AluRi(Alu::kOr, 8, X(3), 1); }},
      {"mov x17, #-0x1; orr x3, x3, x17", [](A& a) { a.AluRi(Alu::kOr, 8, X(3), -1); }},
      {"eor x3, x3, #0xf", [](A& a) { a.AluRi(Alu::kXor, 8, X(3), 15); }},
      {"mvn x3, x3", [](A& a) { a.AluRi(Alu::kXor, 8, X(3), -1); }},
      {"mvn w3, w3", [](A& a) { a.AluRi(Alu::kXor, 4, X(3), -1); }},
      {"adcs x3, x3, xzr", [](A& a) { a.AluRi(Alu::kAdc, 8, X(3), 0); }},
      {"sbcs w3, w3, wzr", [](A& a) { a.AluRi(Alu::kSbb, 4, X(3), 0); }},
      {"mov x17, #-0x1; adcs x3, x3, x17", [](A& a) { a.AluRi(Alu::kAdc, 8, X(3), -1); }},
      {"mov w17, #0x7; sbcs w3, w3, w17", [](A& a) { a.AluRi(Alu::kSbb, 4, X(3), 7); }},
      {"mov w17, #0x64; mul x1, x2, x17", [](A& a) { a.MultiplyRri(8, X(1), X(2), 100); }},
      {"mov x17, #-0x3; mul x1, x2, x17", [](A& a) { a.MultiplyRri(8, X(1), X(2), -3); }},
      {"mov w17, #-0x3; mul w1, w2, w17", [](A& a) { a.MultiplyRri(4, X(1), X(2), -3); }},
  });
}

TEST(AssemblerAArch64Test, AddsToAndMasksTheStackPointerWithoutFlags) {
  ExpectEncodings({
      {"add sp, sp, x1", [](A& a) { a.AluRr(Alu::kAdd, 8, kSp, X(1)); }},
      {"sub sp, sp, x1", [](A& a) { a.AluRr(Alu::kSub, 8, kSp, X(1)); }},
      {"cmp sp, x1", [](A& a) { a.AluRr(Alu::kCmp, 8, kSp, X(1)); }},
      {"ldr x17, [x0]; cmp sp, x17", [](A& a) { a.AluRm(Alu::kCmp, 8, kSp, Mem::At(X(0))); }},
      {"add sp, sp, #0x10", [](A& a) { a.AluRi(Alu::kAdd, 8, kSp, 16); }},
      {"sub sp, sp, #0x10", [](A& a) { a.AluRi(Alu::kAdd, 8, kSp, -16); }},
      {"sub sp, sp, #0x1, lsl #12", [](A& a) { a.AluRi(Alu::kSub, 8, kSp, 4096); }},
      {"cmp sp, #0x10", [](A& a) { a.AluRi(Alu::kCmp, 8, kSp, 16); }},
      {"cmn sp, #0x10", [](A& a) { a.AluRi(Alu::kCmp, 8, kSp, -16); }},
      {"mov w17, #0x1010; sub sp, sp, x17", [](A& a) { a.AluRi(Alu::kSub, 8, kSp, 0x1010); }},
      {"mov x17, sp; and sp, x17, #0xffffffffffffffe0",
       [](A& a) { a.AluRi(Alu::kAnd, 8, kSp, -32); }},
      {"mov x17, sp; mov x16, #-0x60; and x17, x17, x16; mov sp, x17",
       [](A& a) { a.AluRi(Alu::kAnd, 8, kSp, -96); }},
      {"mov x1, sp", [](A& a) { a.Mov(8, X(1), kSp); }},
      {"mov sp, x29", [](A& a) { a.Mov(8, kSp, X(29)); }},
      {"mov w1, wsp", [](A& a) { a.Mov(4, X(1), kSp); }},
      {"add sp, sp, #0x12, lsl #12; add sp, sp, #0x340",
       [](A& a) { a.AddWide(kSp, kSp, 0x12340); }},
      {"sub sp, x29, #0x20", [](A& a) { a.SubWide(kSp, X(29), 32); }},
      {"mov x29, sp", [](A& a) { a.AddWide(X(29), kSp, 0); }},
  });
}

TEST(AssemblerAArch64Test, EncodesArithmeticWithMemory) {
  ExpectEncodings({
      {"ldr w17, [x1, #0x8]; adds w0, w0, w17",
       [](A& a) { a.AluRm(Alu::kAdd, 4, X(0), Mem::At(X(1), 8)); }},
      {"add x16, x1, #0x10, lsl #12; ldr x17, [x16]; sbcs x0, x0, x17",
       [](A& a) { a.AluRm(Alu::kSbb, 8, X(0), Mem::At(X(1), 0x10000)); }},
      {"ldr x17, [x1]; mul x0, x0, x17", [](A& a) { a.MultiplyRm(8, X(0), Mem::At(X(1))); }},
      {"ldr w17, [x1]; mul w0, w0, w17", [](A& a) { a.MultiplyRm(4, X(0), Mem::At(X(1))); }},
      {"ldr w17, [x1]; adds w17, w17, w0; str w17, [x1]",
       [](A& a) { a.AluMr(Alu::kAdd, 4, Mem::At(X(1)), X(0)); }},
      {"ldr x17, [x1, x2, lsl #3]; ands x17, x17, x0; str x17, [x1, x2, lsl #3]",
       [](A& a) { a.AluMr(Alu::kAnd, 8, Indexed(X(1), X(2), 3, 0), X(0)); }},
      {"add x16, x1, x2, lsl #2; ldr x17, [x16, #0x8]; subs x17, x17, x0; str x17, [x16, #0x8]",
       [](A& a) { a.AluMr(Alu::kSub, 8, Indexed(X(1), X(2), 2, 8), X(0)); }},
      {"ldr x17, [x1]; orr x17, x17, x0; str x17, [x1]; cmp x17, #0x0",
       [](A& a) { a.AluMr(Alu::kOr, 8, Mem::At(X(1)), X(0)); }},
      {"ldr w17, [x1]; eor w17, w17, w0; str w17, [x1]; cmp w17, #0x0",
       [](A& a) { a.AluMr(Alu::kXor, 4, Mem::At(X(1)), X(0)); }},
      {"ldrb w17, [x1]; adds w17, w17, w0; strb w17, [x1]; sxtb w17, w17; cmp w17, #0x0",
       [](A& a) { a.AluMr(Alu::kAdd, 1, Mem::At(X(1)), X(0)); }},
      {"ldrh w17, [x1]; eor w17, w17, w0; strh w17, [x1]; sxth w17, w17; cmp w17, #0x0",
       [](A& a) { a.AluMr(Alu::kXor, 2, Mem::At(X(1)), X(0)); }},
      {"ldr x17, [x1]; cmp x17, x0", [](A& a) { a.AluMr(Alu::kCmp, 8, Mem::At(X(1)), X(0)); }},
      {"ldr w17, [x1]; cmp w17, w0", [](A& a) { a.AluMr(Alu::kCmp, 4, Mem::At(X(1)), X(0)); }},
      {"ldrb w17, [x1]; cmp w17, w0, uxtb",
       [](A& a) { a.AluMr(Alu::kCmp, 1, Mem::At(X(1)), X(0)); }},
      {"ldrh w17, [x1]; cmp w17, w0, uxth",
       [](A& a) { a.AluMr(Alu::kCmp, 2, Mem::At(X(1)), X(0)); }},
  });
}

TEST(AssemblerAArch64Test, EncodesArithmeticOfMemoryAndImmediates) {
  ExpectEncodings({
      {"ldr x17, [x1]; adds x17, x17, #0x1; str x17, [x1]",
       [](A& a) { a.AluMi(Alu::kAdd, 8, Mem::At(X(1)), 1); }},
      {"ldr w17, [x1]; subs w17, w17, #0x1; str w17, [x1]",
       [](A& a) { a.AluMi(Alu::kAdd, 4, Mem::At(X(1)), -1); }},
      {"ldr w17, [x1]; orr w17, w17, #0x10; str w17, [x1]; cmp w17, #0x0",
       [](A& a) { a.AluMi(Alu::kOr, 4, Mem::At(X(1)), 16); }},
      {"ldr x17, [x1]; mvn x17, x17; str x17, [x1]; cmp x17, #0x0",
       [](A& a) { a.AluMi(Alu::kXor, 8, Mem::At(X(1)), -1); }},
      {"ldrb w17, [x1]; ands w17, w17, #0xfffffff0; strb w17, [x1]; sxtb w17, w17; cmp w17, #0x0",
       [](A& a) { a.AluMi(Alu::kAnd, 1, Mem::At(X(1)), 0xf0); }},
      {"ldrh w17, [x1]; subs w17, w17, #0x2; strh w17, [x1]; sxth w17, w17; cmp w17, #0x0",
       [](A& a) { a.AluMi(Alu::kAdd, 2, Mem::At(X(1)), 0xfffe); }},
      {"ldr x17, [x1]; cmp x17, #0x7", [](A& a) { a.AluMi(Alu::kCmp, 8, Mem::At(X(1)), 7); }},
      {"ldr w17, [x1]; cmn w17, #0x7", [](A& a) { a.AluMi(Alu::kCmp, 4, Mem::At(X(1)), -7); }},
      {"ldrb w17, [x1]; cmp w17, #0xff", [](A& a) { a.AluMi(Alu::kCmp, 1, Mem::At(X(1)), -1); }},
      {"ldrh w17, [x1]; mov w16, #0xffff; cmp w17, w16",
       [](A& a) { a.AluMi(Alu::kCmp, 2, Mem::At(X(1)), -1); }},
      {"ldr x17, [x1]; adcs x17, x17, xzr; str x17, [x1]",
       [](A& a) { a.AluMi(Alu::kAdc, 8, Mem::At(X(1)), 0); }},
  });
}

TEST(AssemblerAArch64Test, KeepsTheAddressWhereAnImmediateTakesItsRegister) {
  ExpectEncodings({
      // The address is in other registers.
      {"ldr x17, [x1]; mov x16, #-0x2345; movk x16, #0xfffe, lsl #16; adds x17, x17, x16; str x17, "
       "[x1]",
       [](A& a) { a.AluMi(Alu::kAdd, 8, Mem::At(X(1)), -0x12345); }},
      {"ldr w17, [x1, x2, lsl #2]; mov w16, #0x1001; adds w17, w17, w16; "
       "str w17, [x1, x2, lsl #2]",
       [](A& a) { a.AluMi(Alu::kAdd, 4, Indexed(X(1), X(2), 2, 0), 0x1001); }},
      {"ldr w17, [x1]; mov w16, #-0x1001; adds w17, w17, w16; str w17, [x1]",
       [](A& a) { a.AluMi(Alu::kAdd, 4, Mem::At(X(1)), -0x1001); }},
      // x16 in the fields of a displacement is no register.
      {"ldr w17, [x1, #0x840]; mov w16, #0x1001; adds w17, w17, w16; str w17, [x1, #0x840]",
       [](A& a) { a.AluMi(Alu::kAdd, 4, Mem::At(X(1), 0x840), 0x1001); }},
      // It is the base.
      {"add x16, x1, #0x10, lsl #12; ldr w17, [x16]; fmov d29, x16; mov w16, #0x1001; "
       "orr w17, w17, w16; fmov x16, d29; str w17, [x16]; cmp w17, #0x0",
       [](A& a) { a.AluMi(Alu::kOr, 4, Mem::At(X(1), 0x10000), 0x1001); }},
      // It is the index.
      {"mov w16, #0x1000000; ldrh w17, [x1, x16]; fmov d29, x16; mov w16, #0x1001; "
       "adds w17, w17, w16; fmov x16, d29; strh w17, [x1, x16]; sxth w17, w17; cmp w17, #0x0",
       [](A& a) { a.AluMi(Alu::kAdd, 2, Mem::At(X(1), 0x1000000), 0x1001); }},
      // It is not needed any more.
      {"add x16, x1, #0x10, lsl #12; ldr w17, [x16]; mov w16, #0x1001; cmp w17, w16",
       [](A& a) { a.AluMi(Alu::kCmp, 4, Mem::At(X(1), 0x10000), 0x1001); }},
  });
}

TEST(AssemblerAArch64Test, EncodesComparisonsWithZeroAndTests) {
  ExpectEncodings({
      {"cmp x0, #0x0", [](A& a) { a.CompareWithZero(8, X(0)); }},
      {"cmp w0, #0x0", [](A& a) { a.CompareWithZero(4, X(0)); }},
      {"tst w0, #0xffff", [](A& a) { a.CompareWithZero(2, X(0)); }},
      {"tst w0, #0xff", [](A& a) { a.CompareWithZero(1, X(0)); }},
      {"tst w0, #0x1", [](A& a) { a.TestRi(1, X(0), 1); }},
      {"tst w0, #0xf0", [](A& a) { a.TestRi(1, X(0), -16); }},
      {"tst w0, #0xfff0", [](A& a) { a.TestRi(2, X(0), -16); }},
      {"tst w0, #0xfffffff0", [](A& a) { a.TestRi(4, X(0), -16); }},
      {"tst x0, #0xfffffffffffffff0", [](A& a) { a.TestRi(8, X(0), -16); }},
      {"mov w17, #0x5; tst w0, w17", [](A& a) { a.TestRi(4, X(0), 5); }},
      {"mov x17, #-0x6; tst x0, x17", [](A& a) { a.TestRi(8, X(0), -6); }},
      {"mov w17, #0x81; tst w0, w17", [](A& a) { a.TestRi(1, X(0), 0x181); }},
  });
}

TEST(AssemblerAArch64Test, EncodesShifts) {
  ExpectEncodings({
      {"lsl w0, w0, #3", [](A& a) { a.ShiftRi(Shift::kShl, 4, X(0), 3); }},
      {"lsl x0, x0, #63", [](A& a) { a.ShiftRi(Shift::kShl, 8, X(0), 63); }},
      {"lsr w0, w0, #3", [](A& a) { a.ShiftRi(Shift::kShr, 4, X(0), 3); }},
      {"lsr x0, x0, #3", [](A& a) { a.ShiftRi(Shift::kShr, 8, X(0), 3); }},
      {"asr w0, w0, #31", [](A& a) { a.ShiftRi(Shift::kSar, 4, X(0), 31); }},
      {"asr x0, x0, #3", [](A& a) { a.ShiftRi(Shift::kSar, 8, X(0), 3); }},
      {"ror w0, w0, #0x3", [](A& a) { a.ShiftRi(Shift::kRor, 4, X(0), 3); }},
      {"ror x0, x0, #0x3", [](A& a) { a.ShiftRi(Shift::kRor, 8, X(0), 3); }},
      {"ror w0, w0, #0x1d", [](A& a) { a.ShiftRi(Shift::kRol, 4, X(0), 3); }},
      {"ror x0, x0, #0x3d", [](A& a) { a.ShiftRi(Shift::kRol, 8, X(0), 3); }},
      {"lsr w0, w0, #0; lsr x0, x0, #0; asr x0, x0, #0; ror w0, w0, #0x0; ror x0, x0, #0x0",
       [](A& a) {
         a.ShiftRi(Shift::kShl, 4, X(0), 0);
         a.ShiftRi(Shift::kShr, 8, X(0), 0);
         a.ShiftRi(Shift::kSar, 8, X(0), 0);
         a.ShiftRi(Shift::kRol, 4, X(0), 0);
         a.ShiftRi(Shift::kRor, 8, X(0), 0);
       }},
      {"lsl w0, w0, w1", [](A& a) { a.ShiftRr(Shift::kShl, 4, X(0), X(1)); }},
      {"lsr x0, x0, x1", [](A& a) { a.ShiftRr(Shift::kShr, 8, X(0), X(1)); }},
      {"asr w0, w0, w1", [](A& a) { a.ShiftRr(Shift::kSar, 4, X(0), X(1)); }},
      {"ror x0, x0, x1", [](A& a) { a.ShiftRr(Shift::kRor, 8, X(0), X(1)); }},
      {"neg w17, w1; ror x0, x0, x17", [](A& a) { a.ShiftRr(Shift::kRol, 8, X(0), X(1)); }},
      {"neg w17, w1; ror w0, w0, w17", [](A& a) { a.ShiftRr(Shift::kRol, 4, X(0), X(1)); }},
  });
}

TEST(AssemblerAArch64Test, EncodesEveryCondition) {
  const struct {
    Cond cond;
    const char* name;
  } kConditions[] = {
      {Cond::kO, "vs"}, {Cond::kNo, "vc"}, {Cond::kB, "lo"},  {Cond::kAe, "hs"},
      {Cond::kE, "eq"}, {Cond::kNe, "ne"}, {Cond::kBe, "ls"}, {Cond::kA, "hi"},
      {Cond::kS, "mi"}, {Cond::kNs, "pl"}, {Cond::kP, "vs"},  {Cond::kNp, "vc"},
      {Cond::kL, "lt"}, {Cond::kGe, "ge"}, {Cond::kLe, "le"}, {Cond::kG, "gt"},

  };
  for (const auto& condition : kConditions) {
    const std::string name = condition.name;
    A assembler;
    assembler.Set(condition.cond, X(3));
    assembler.Select(condition.cond, 8, X(3), X(4));
    assembler.Select(condition.cond, 4, X(3), X(4));
    assembler.SelectInto(4, condition.cond, X(3), X(4), X(5));
    assembler.Jcc(condition.cond, 0);
    EXPECT_EQ(Joined(Lines(CodeOf(assembler))),
              "cset w3, " + name + "; csel x3, x4, x3, " + name + "; csel w3, w4, w3, " + name +
                  "; csel w3, w4, w5, " + name + "; b." + name + " 0x10");
  }
}

TEST(AssemblerAArch64Test, EncodesIntegerInstructionsOfItsOwn) {
  ExpectEncodings({
      {"mul x0, x1, x2", [](A& a) { a.Multiply(8, X(0), X(1), X(2)); }},
      {"mul w0, w1, w2", [](A& a) { a.Multiply(4, X(0), X(1), X(2)); }},
      {"madd x0, x1, x2, x3", [](A& a) { a.MultiplyAdd(8, X(0), X(1), X(2), X(3)); }},
      {"msub w0, w1, w2, w3", [](A& a) { a.MultiplySubtract(4, X(0), X(1), X(2), X(3)); }},
      {"smulh x0, x1, x2", [](A& a) { a.SignedMultiplyHigh(X(0), X(1), X(2)); }},
      {"umulh x0, x1, x2", [](A& a) { a.UnsignedMultiplyHigh(X(0), X(1), X(2)); }},
      {"smull x0, w1, w2", [](A& a) { a.SignedMultiplyLong(X(0), X(1), X(2)); }},
      {"umull x0, w1, w2", [](A& a) { a.UnsignedMultiplyLong(X(0), X(1), X(2)); }},
      {"sdiv x0, x1, x2", [](A& a) { a.SignedDivide(8, X(0), X(1), X(2)); }},
      {"sdiv w0, w1, w2", [](A& a) { a.SignedDivide(4, X(0), X(1), X(2)); }},
      {"udiv x0, x1, x2", [](A& a) { a.UnsignedDivide(8, X(0), X(1), X(2)); }},
      {"udiv w0, w1, w2", [](A& a) { a.UnsignedDivide(4, X(0), X(1), X(2)); }},
      {"extr x0, x1, x2, #0x5", [](A& a) { a.Extract(8, X(0), X(1), X(2), 5); }},
      {"extr w0, w1, w2, #0x5", [](A& a) { a.Extract(4, X(0), X(1), X(2), 5); }},
      {"clz x0, x1", [](A& a) { a.CountLeadingZeros(8, X(0), X(1)); }},
      {"clz w0, w1", [](A& a) { a.CountLeadingZeros(4, X(0), X(1)); }},
      {"rbit x0, x1", [](A& a) { a.ReverseBits(8, X(0), X(1)); }},
      {"rbit w0, w1", [](A& a) { a.ReverseBits(4, X(0), X(1)); }},
      {"cmp x0, x1, asr #63", [](A& a) { a.CompareShifted(8, X(0), X(1), Shift::kSar, 63); }},
      {"cmp w0, w1, lsr #7", [](A& a) { a.CompareShifted(4, X(0), X(1), Shift::kShr, 7); }},
      {"cmp w0, w1, lsl #24", [](A& a) { a.CompareShifted(4, X(0), X(1), Shift::kShl, 24); }},
      {"cmp w0, w1, sxtb", [](A& a) { a.CompareExtended(4, X(0), X(1), true, 1); }},
      {"cmp w0, w1, sxth", [](A& a) { a.CompareExtended(4, X(0), X(1), true, 2); }},
      {"cmp x0, w1, sxtw", [](A& a) { a.CompareExtended(8, X(0), X(1), true, 4); }},
      {"cmp w0, w1, uxtb", [](A& a) { a.CompareExtended(4, X(0), X(1), false, 1); }},
      {"cmp x0, w1, uxth", [](A& a) { a.CompareExtended(8, X(0), X(1), false, 2); }},
      {"cmp x0, w1, uxtw", [](A& a) { a.CompareExtended(8, X(0), X(1), false, 4); }},
      {"csel x0, x1, x2, lt", [](A& a) { a.SelectInto(8, Cond::kL, X(0), X(1), X(2)); }},
      {"add x0, x1, #0x123, lsl #12; add x0, x0, #0x456",
       [](A& a) { a.AddWide(X(0), X(1), 0x123456); }},
      {"add x0, x1, #0x123, lsl #12", [](A& a) { a.AddWide(X(0), X(1), 0x123000); }},
      {"add x0, x0, #0x456", [](A& a) { a.AddWide(X(0), X(0), 0x456); }},
      {"", [](A& a) { a.AddWide(X(0), X(0), 0); }},
      {"", [](A& a) { a.SubWide(kSp, kSp, 0); }},
      {"sub x0, x1, #0xfff, lsl #12; sub x0, x0, #0xfff",
       [](A& a) { a.SubWide(X(0), X(1), 0xffffff); }},
  });
}

// ---- Moves ----

TEST(AssemblerAArch64Test, EncodesMoves) {
  ExpectEncodings({
      {"mov w0, w1", [](A& a) { a.Mov(4, X(0), X(1)); }},
      {"mov x0, x30", [](A& a) { a.Mov(8, X(0), X(30)); }},
      {"ldrb w0, [x1]", [](A& a) { a.Load(1, X(0), Mem::At(X(1))); }},
      {"ldrh w0, [x1]", [](A& a) { a.Load(2, X(0), Mem::At(X(1))); }},
      {"ldr w0, [x1]", [](A& a) { a.Load(4, X(0), Mem::At(X(1))); }},
      {"ldr x0, [x1]", [](A& a) { a.Load(8, X(0), Mem::At(X(1))); }},
      {"ldrsb w0, [x1]", [](A& a) { a.LoadSigned(1, 4, X(0), Mem::At(X(1))); }},
      {"ldrsb x0, [x1]", [](A& a) { a.LoadSigned(1, 8, X(0), Mem::At(X(1))); }},
      {"ldrsh w0, [x1]", [](A& a) { a.LoadSigned(2, 4, X(0), Mem::At(X(1))); }},
      {"ldrsh x0, [x1]", [](A& a) { a.LoadSigned(2, 8, X(0), Mem::At(X(1))); }},
      {"ldrsw x0, [x1]", [](A& a) { a.LoadSigned(4, 8, X(0), Mem::At(X(1))); }},
      {"ldr w0, [x1]", [](A& a) { a.LoadSigned(4, 4, X(0), Mem::At(X(1))); }},
      {"strb w0, [x1]", [](A& a) { a.Store(1, Mem::At(X(1)), X(0)); }},
      {"strh w0, [x1]", [](A& a) { a.Store(2, Mem::At(X(1)), X(0)); }},
      {"str w0, [x1]", [](A& a) { a.Store(4, Mem::At(X(1)), X(0)); }},
      {"str x0, [x1]", [](A& a) { a.Store(8, Mem::At(X(1)), X(0)); }},
      {"strb wzr, [x1]", [](A& a) { a.StoreImmediate(1, Mem::At(X(1)), 0); }},
      {"strb wzr, [x1]", [](A& a) { a.StoreImmediate(1, Mem::At(X(1)), 0x100); }},
      {"str xzr, [x1]", [](A& a) { a.StoreImmediate(8, Mem::At(X(1)), 0); }},
      {"mov w17, #0xff; strb w17, [x1]", [](A& a) { a.StoreImmediate(1, Mem::At(X(1)), -1); }},
      {"mov w17, #0xfffe; strh w17, [x1]", [](A& a) { a.StoreImmediate(2, Mem::At(X(1)), -2); }},
      {"mov w17, #-0x2; str w17, [x1]", [](A& a) { a.StoreImmediate(4, Mem::At(X(1)), -2); }},
      {"mov x17, #-0x2; str x17, [x1]", [](A& a) { a.StoreImmediate(8, Mem::At(X(1)), -2); }},
      {"mov w17, #0x1; add x16, x1, #0x10, lsl #12; str w17, [x16]",
       [](A& a) { a.StoreImmediate(4, Mem::At(X(1), 0x10000), 1); }},
      {"uxtb w0, w1", [](A& a) { a.ZeroExtend(1, X(0), X(1)); }},
      {"uxth w0, w1", [](A& a) { a.ZeroExtend(2, X(0), X(1)); }},
      {"mov w0, w1", [](A& a) { a.ZeroExtend(4, X(0), X(1)); }},
      {"sxtb w0, w1", [](A& a) { a.SignExtend(1, 4, X(0), X(1)); }},
      {"sxth w0, w1", [](A& a) { a.SignExtend(2, 4, X(0), X(1)); }},
      {"sxtb x0, w1", [](A& a) { a.SignExtend(1, 8, X(0), X(1)); }},
      {"sxth x0, w1", [](A& a) { a.SignExtend(2, 8, X(0), X(1)); }},
      {"sxtw x0, w1", [](A& a) { a.SignExtend(4, 8, X(0), X(1)); }},
      {"ldp x0, x1, [sp, #0x10]", [](A& a) { a.LoadPair(X(0), X(1), kSp, 16); }},
      {"ldp x29, x30, [sp, #-0x200]", [](A& a) { a.LoadPair(X(29), X(30), kSp, -512); }},
      {"stp x0, x1, [x2, #0x1f8]", [](A& a) { a.StorePair(X(0), X(1), X(2), 504); }},
      {"ldp d8, d9, [x29, #-0x10]", [](A& a) { a.LoadPair(V(8), V(9), X(29), -16); }},
      {"stp d30, d31, [sp]", [](A& a) { a.StorePair(V(30), V(31), kSp, 0); }},
  });
}

TEST(AssemblerAArch64Test, EncodesDisplacementsInTheAccessOrAddsThemInTheScratchRegister) {
  ExpectEncodings({
      {"ldr x0, [sp, #0x7ff8]", [](A& a) { a.Load(8, X(0), Mem::At(kSp, 0x7ff8)); }},
      {"ldrb w0, [x1, #0xfff]", [](A& a) { a.Load(1, X(0), Mem::At(X(1), 0xfff)); }},
      {"ldr q0, [x1, #0xfff0]", [](A& a) { a.VectorLoad(16, V(0), Mem::At(X(1), 0xfff0)); }},
      {"ldur x0, [x1, #-0x8]", [](A& a) { a.Load(8, X(0), Mem::At(X(1), -8)); }},
      {"ldur x0, [x1, #-0x100]", [](A& a) { a.Load(8, X(0), Mem::At(X(1), -256)); }},
      {"ldur x0, [x1, #0xff]", [](A& a) { a.Load(8, X(0), Mem::At(X(1), 255)); }},
      {"sturh w0, [x1, #0x1]", [](A& a) { a.Store(2, Mem::At(X(1), 1), X(0)); }},
      {"ldursw x0, [x1, #-0x4]", [](A& a) { a.LoadSigned(4, 8, X(0), Mem::At(X(1), -4)); }},
      // The rest of the displacement remains in the access.
      {"add x16, x1, #0x8, lsl #12; ldr x0, [x16]",
       [](A& a) { a.Load(8, X(0), Mem::At(X(1), 0x8000)); }},
      {"add x16, sp, #0x123, lsl #12; ldr x0, [x16, #0x450]",
       [](A& a) { a.Load(8, X(0), Mem::At(kSp, 0x123450)); }},
      {"sub x16, x1, #0x1, lsl #12; ldr x0, [x16, #0xef8]",
       [](A& a) { a.Load(8, X(0), Mem::At(X(1), -264)); }},
      {"sub x16, x1, #0xfff, lsl #12; ldr w0, [x16]",
       [](A& a) { a.Load(4, X(0), Mem::At(X(1), -0xfff000)); }},
      {"add x16, x1, #0xfff, lsl #12; ldur w0, [x16, #0xfd]",
       [](A& a) { a.Load(4, X(0), Mem::At(X(1), 0xfff0fd)); }},
      // It cannot.
      {"add x16, x1, #0x101; ldr x0, [x16]", [](A& a) { a.Load(8, X(0), Mem::At(X(1), 0x101)); }},
      {"sub x16, x1, #0x101; str x0, [x16]", [](A& a) { a.Store(8, Mem::At(X(1), -0x101), X(0)); }},
      {"add x16, x1, #0x12, lsl #12; add x16, x16, #0x345; ldr x0, [x16]",
       [](A& a) { a.Load(8, X(0), Mem::At(X(1), 0x12345)); }},
      {"sub x16, x1, #0x12, lsl #12; sub x16, x16, #0x345; ldr x0, [x16]",
       [](A& a) { a.Load(8, X(0), Mem::At(X(1), -0x12345)); }},
      // It is too big.
      {"mov w16, #0x1000000; ldr x0, [x1, x16]",
       [](A& a) { a.Load(8, X(0), Mem::At(X(1), 0x1000000)); }},
      {"mov x16, #-0x1000000; ldr x0, [sp, x16]",
       [](A& a) { a.Load(8, X(0), Mem::At(kSp, -0x1000000)); }},
      {"mov x16, #-0x80000000; ldr x0, [x1, x16]",
       [](A& a) { a.Load(8, X(0), Mem::At(X(1), INT32_MIN)); }},
      // There is nothing else.
      {"mov w16, #0x10; ldr w0, [x16]", [](A& a) { a.Load(4, X(0), Mem::At(kNoRegister, 16)); }},
      {"mov x16, #-0x10; ldr w0, [x16]", [](A& a) { a.Load(4, X(0), Mem::At(kNoRegister, -16)); }},
  });
}

TEST(AssemblerAArch64Test, EncodesIndicesInTheAccessOrAddsThemInTheScratchRegister) {
  ExpectEncodings({
      {"ldr x0, [x1, x2]", [](A& a) { a.Load(8, X(0), Indexed(X(1), X(2), 0, 0)); }},
      {"ldr x0, [x1, x2, lsl #3]", [](A& a) { a.Load(8, X(0), Indexed(X(1), X(2), 3, 0)); }},
      {"ldr w0, [sp, x2, lsl #2]", [](A& a) { a.Load(4, X(0), Indexed(kSp, X(2), 2, 0)); }},
      {"ldrb w0, [x1, x2]", [](A& a) { a.Load(1, X(0), Indexed(X(1), X(2), 0, 0)); }},
      {"strh w0, [x1, x2, lsl #1]", [](A& a) { a.Store(2, Indexed(X(1), X(2), 1, 0), X(0)); }},
      {"ldr q0, [x1, x2]", [](A& a) { a.VectorLoad(16, V(0), Indexed(X(1), X(2), 0, 0)); }},
      {"add x16, x1, x2, lsl #2; ldr x0, [x16]",
       [](A& a) { a.Load(8, X(0), Indexed(X(1), X(2), 2, 0)); }},
      {"add x16, x1, x2; ldur x0, [x16, #-0x8]",
       [](A& a) { a.Load(8, X(0), Indexed(X(1), X(2), 0, -8)); }},
      {"add x16, sp, x2, lsl #3; ldr x0, [x16, #0x10]",
       [](A& a) { a.Load(8, X(0), Indexed(kSp, X(2), 3, 16)); }},
      {"add x16, sp, x2; ldr x0, [x16, #0x10]",
       [](A& a) { a.Load(8, X(0), Indexed(kSp, X(2), 0, 16)); }},
      {"lsl x16, x2, #3; ldr x0, [x16, #0x10]",
       [](A& a) { a.Load(8, X(0), Indexed(kNoRegister, X(2), 3, 16)); }},
      {"lsl x16, x2, #3; ldr x0, [x16]",
       [](A& a) { a.Load(8, X(0), Indexed(kNoRegister, X(2), 3, 0)); }},
      // Displacements that do not fit are added first.
      {"add x16, x1, #0x10, lsl #12; ldr x0, [x16, x2, lsl #3]",
       [](A& a) { a.Load(8, X(0), Indexed(X(1), X(2), 3, 0x10000)); }},
      {"add x16, x1, #0x10, lsl #12; add x16, x16, x2, lsl #1; ldr x0, [x16]",
       [](A& a) { a.Load(8, X(0), Indexed(X(1), X(2), 1, 0x10000)); }},
      {"mov x16, #-0x1000000; add x16, x1, x16; add x16, x16, x2, lsl #1; ldr x0, [x16]",
       [](A& a) { a.Load(8, X(0), Indexed(X(1), X(2), 1, -0x1000000)); }},
      {"mov w16, #0x1000000; add x16, sp, x16; ldr x0, [x16, x2]",
       [](A& a) { a.Load(8, X(0), Indexed(kSp, X(2), 0, 0x1000000)); }},
      {"mov w16, #0x10000; ldr x0, [x16, x2, lsl #3]",
       [](A& a) { a.Load(8, X(0), Indexed(kNoRegister, X(2), 3, 0x10000)); }},
      {"mov w16, #0x10000; add x16, x16, x2, lsl #2; strb w0, [x16]",
       [](A& a) { a.Store(1, Indexed(kNoRegister, X(2), 2, 0x10000), X(0)); }},
  });
}

TEST(AssemblerAArch64Test, ComputesAddresses) {
  ExpectEncodings({
      {"", [](A& a) { a.Lea(X(1), Mem::At(X(1))); }},
      {"mov x0, x1", [](A& a) { a.Lea(X(0), Mem::At(X(1))); }},
      {"mov x0, sp", [](A& a) { a.Lea(X(0), Mem::At(kSp)); }},
      {"add x0, sp, #0x10", [](A& a) { a.Lea(X(0), Mem::At(kSp, 16)); }},
      {"add x0, x1, #0x1; sub x0, x1, #0x1",
       [](A& a) {
         a.Lea(X(0), Mem::At(X(1), 1));
         a.Lea(X(0), Mem::At(X(1), -1));
       }},
      {"sub x0, x1, #0x10", [](A& a) { a.Lea(X(0), Mem::At(X(1), -16)); }},
      {"add x1, x1, #0x12, lsl #12; add x1, x1, #0x345",
       [](A& a) { a.Lea(X(1), Mem::At(X(1), 0x12345)); }},
      {"mov w0, #0x1000000; add x0, x1, x0", [](A& a) { a.Lea(X(0), Mem::At(X(1), 0x1000000)); }},
      {"mov w16, #0x1000000; add x1, x1, x16", [](A& a) { a.Lea(X(1), Mem::At(X(1), 0x1000000)); }},
      {"mov x0, #-0x1000000; add x0, sp, x0", [](A& a) { a.Lea(X(0), Mem::At(kSp, -0x1000000)); }},
      {"add x0, x1, x2", [](A& a) { a.Lea(X(0), Indexed(X(1), X(2), 0, 0)); }},
      {"add x2, x1, x2, lsl #3; add x2, x2, #0x10",
       [](A& a) { a.Lea(X(2), Indexed(X(1), X(2), 3, 16)); }},
      {"add x1, sp, x1, lsl #1; sub x1, x1, #0x10",
       [](A& a) { a.Lea(X(1), Indexed(kSp, X(1), 1, -16)); }},
      {"add x0, x1, x2, lsl #3; mov w16, #0x1000000; add x0, x0, x16",
       [](A& a) { a.Lea(X(0), Indexed(X(1), X(2), 3, 0x1000000)); }},
      {"lsl x0, x2, #3; add x0, x0, #0x10",
       [](A& a) { a.Lea(X(0), Indexed(kNoRegister, X(2), 3, 16)); }},
      {"mov w0, #0x10", [](A& a) { a.Lea(X(0), Mem::At(kNoRegister, 16)); }},
      {"mov x0, #-0x10", [](A& a) { a.Lea(X(0), Mem::At(kNoRegister, -16)); }},
  });
}

TEST(AssemblerAArch64Test, ComputesLowerHalvesOfAddressesAndClearsTheUpper) {
  ExpectEncodings({
      {"mov w1, w1", [](A& a) { a.Lea32(X(1), Mem::At(X(1))); }},
      {"add w0, w1, #0x10", [](A& a) { a.Lea32(X(0), Mem::At(X(1), 16)); }},
      {"sub w0, w1, #0x10", [](A& a) { a.Lea32(X(0), Mem::At(X(1), -16)); }},
      {"mov w0, #-0x1000000; add w0, w1, w0",
       [](A& a) { a.Lea32(X(0), Mem::At(X(1), -0x1000000)); }},
      {"mov w16, #-0x80000000; add w0, w0, w16",
       [](A& a) { a.Lea32(X(0), Mem::At(X(0), INT32_MIN)); }},
      {"add w0, w1, w2, lsl #3; sub w0, w0, #0x1",
       [](A& a) { a.Lea32(X(0), Indexed(X(1), X(2), 3, -1)); }},
      {"lsl w0, w2, #3", [](A& a) { a.Lea32(X(0), Indexed(kNoRegister, X(2), 3, 0)); }},
      {"mov w0, #-0x2", [](A& a) { a.Lea32(X(0), Mem::At(kNoRegister, -2)); }},
  });
}

// ---- Atomic accesses ----

TEST(AssemblerAArch64Test, EncodesAtomicAccesses) {
  ExpectEncodings({
      {"ldarb w0, [x1]; ldarh w0, [x1]; ldar w0, [x1]; ldar x0, [sp]",
       [](A& a) {
         a.LoadAcquire(1, X(0), X(1));
         a.LoadAcquire(2, X(0), X(1));
         a.LoadAcquire(4, X(0), X(1));
         a.LoadAcquire(8, X(0), kSp);
       }},
      {"stlrb w0, [x1]; stlrh w0, [x1]; stlr w0, [x1]; stlr x0, [x1]",
       [](A& a) {
         for (unsigned size : {1, 2, 4, 8}) a.StoreRelease(size, X(0), X(1));
       }},
      {"ldaxrb w0, [x1]; ldaxrh w0, [x1]; ldaxr w0, [x1]; ldaxr x0, [x1]",
       [](A& a) {
         for (unsigned size : {1, 2, 4, 8}) a.LoadExclusive(size, X(0), X(1));
       }},
      {"stlxrb w2, w0, [x1]; stlxrh w2, w0, [x1]; stlxr w2, w0, [x1]; stlxr w2, x0, [x1]",
       [](A& a) {
         for (unsigned size : {1, 2, 4, 8}) a.StoreExclusive(size, X(2), X(0), X(1));
       }},
      {"ldaxp x3, x0, [x1]; stlxp w2, x3, x0, [x1]",
       [](A& a) {
         a.LoadExclusivePair(X(3), X(0), X(1));
         a.StoreExclusivePair(X(2), X(3), X(0), X(1));
       }},
      {"swpalb w2, w0, [x1]; swpalh w2, w0, [x1]; swpal w2, w0, [x1]; swpal x2, x0, [x1]",
       [](A& a) {
         for (unsigned size : {1, 2, 4, 8}) a.Swap(size, X(0), X(2), X(1));
       }},
      {"casalb w2, w0, [x1]; casalh w2, w0, [x1]; casal w2, w0, [x1]; casal x2, x0, [x1]",
       [](A& a) {
         for (unsigned size : {1, 2, 4, 8}) a.CompareAndSwap(size, X(2), X(0), X(1));
       }},
      {"ldaddalb w2, w0, [x1]; ldaddalh w2, w0, [x1]; ldaddal w2, w0, [x1]; ldaddal x2, x0, [x1]",
       [](A& a) {
         for (unsigned size : {1, 2, 4, 8}) {
           a.AtomicUpdate(AtomicOp::kAdd, size, X(0), X(2), X(1));
         }
       }},
      {"ldclral x2, x0, [x1]", [](A& a) { a.AtomicUpdate(AtomicOp::kClear, 8, X(0), X(2), X(1)); }},
      {"ldeoral x2, x0, [x1]", [](A& a) { a.AtomicUpdate(AtomicOp::kXor, 8, X(0), X(2), X(1)); }},
      {"ldsetal x2, x0, [x1]", [](A& a) { a.AtomicUpdate(AtomicOp::kSet, 8, X(0), X(2), X(1)); }},
      {"ldsmaxalb w2, w0, [x1]",
       [](A& a) { a.AtomicUpdate(AtomicOp::kSignedMax, 1, X(0), X(2), X(1)); }},
      {"ldsminalh w2, w0, [x1]",
       [](A& a) { a.AtomicUpdate(AtomicOp::kSignedMin, 2, X(0), X(2), X(1)); }},
      {"ldumaxal w2, w0, [x1]",
       [](A& a) { a.AtomicUpdate(AtomicOp::kUnsignedMax, 4, X(0), X(2), X(1)); }},
      {"lduminal x2, x0, [x1]",
       [](A& a) { a.AtomicUpdate(AtomicOp::kUnsignedMin, 8, X(0), X(2), X(1)); }},
      {"dmb ish", [](A& a) { a.DataBarrier(false); }},
      {"dmb ishld", [](A& a) { a.DataBarrier(true); }},
  });
}

// ---- Vector registers ----

TEST(AssemblerAArch64Test, EncodesMovesOfVectorRegisters) {
  ExpectEncodings({
      {"mov v0.16b, v31.16b", [](A& a) { a.VectorMov(V(0), V(31)); }},
      {"movi v9.2d, #0000000000000000", [](A& a) { a.VectorZero(V(9)); }},
      {"ldr h0, [x1, #0x2]", [](A& a) { a.VectorLoad(2, V(0), Mem::At(X(1), 2)); }},
      {"ldr s0, [x1, #0x4]", [](A& a) { a.VectorLoad(4, V(0), Mem::At(X(1), 4)); }},
      {"ldr d0, [x1, #0x8]", [](A& a) { a.VectorLoad(8, V(0), Mem::At(X(1), 8)); }},
      {"ldr q0, [x1, #0x10]", [](A& a) { a.VectorLoad(16, V(0), Mem::At(X(1), 16)); }},
      {"ldur q0, [x1, #0x8]", [](A& a) { a.VectorLoad(16, V(0), Mem::At(X(1), 8)); }},
      {"str h0, [x1, #0x2]", [](A& a) { a.VectorStore(2, Mem::At(X(1), 2), V(0)); }},
      {"str s0, [x1, #0x4]", [](A& a) { a.VectorStore(4, Mem::At(X(1), 4), V(0)); }},
      {"str d0, [x1, #0x8]", [](A& a) { a.VectorStore(8, Mem::At(X(1), 8), V(0)); }},
      {"str q0, [x1, #0x10]", [](A& a) { a.VectorStore(16, Mem::At(X(1), 16), V(0)); }},
      {"stur q0, [sp, #-0x10]", [](A& a) { a.VectorStore(16, Mem::At(kSp, -16), V(0)); }},
      {"str d0, [x1, x2, lsl #3]", [](A& a) { a.VectorStore(8, Indexed(X(1), X(2), 3, 0), V(0)); }},
      {"fmov s0, w1", [](A& a) { a.ToVector(4, V(0), X(1)); }},
      {"fmov d0, x1", [](A& a) { a.ToVector(8, V(0), X(1)); }},
      {"fmov w0, s1", [](A& a) { a.FromVector(4, X(0), V(1)); }},
      {"fmov x0, d1", [](A& a) { a.FromVector(8, X(0), V(1)); }},
  });
}

TEST(AssemblerAArch64Test, EncodesArithmeticOfFloatsAndLanes) {
  ExpectEncodings({
      {"fadd s0, s0, s1", [](A& a) { a.FloatRr(FloatOp::kAdd, FloatKind::kFloat, V(0), V(1)); }},
      {"fsub s0, s0, s1", [](A& a) { a.FloatRr(FloatOp::kSub, FloatKind::kFloat, V(0), V(1)); }},
      {"fmul s0, s0, s1", [](A& a) { a.FloatRr(FloatOp::kMul, FloatKind::kFloat, V(0), V(1)); }},
      {"fdiv s0, s0, s1", [](A& a) { a.FloatRr(FloatOp::kDiv, FloatKind::kFloat, V(0), V(1)); }},
      {"fadd d0, d0, d1", [](A& a) { a.FloatRr(FloatOp::kAdd, FloatKind::kDouble, V(0), V(1)); }},
      {"fdiv d0, d0, d1", [](A& a) { a.FloatRr(FloatOp::kDiv, FloatKind::kDouble, V(0), V(1)); }},
      {"fadd v0.4s, v0.4s, v1.4s",
       [](A& a) { a.FloatRr(FloatOp::kAdd, FloatKind::kFloats, V(0), V(1)); }},
      {"fsub v0.4s, v0.4s, v1.4s",
       [](A& a) { a.FloatRr(FloatOp::kSub, FloatKind::kFloats, V(0), V(1)); }},
      {"fmul v0.4s, v0.4s, v1.4s",
       [](A& a) { a.FloatRr(FloatOp::kMul, FloatKind::kFloats, V(0), V(1)); }},
      {"fdiv v0.4s, v0.4s, v1.4s",
       [](A& a) { a.FloatRr(FloatOp::kDiv, FloatKind::kFloats, V(0), V(1)); }},
      {"fadd v0.2d, v0.2d, v1.2d",
       [](A& a) { a.FloatRr(FloatOp::kAdd, FloatKind::kDoubles, V(0), V(1)); }},
      {"fsub v0.2d, v0.2d, v1.2d",
       [](A& a) { a.FloatRr(FloatOp::kSub, FloatKind::kDoubles, V(0), V(1)); }},
      {"fmul v0.2d, v0.2d, v1.2d",
       [](A& a) { a.FloatRr(FloatOp::kMul, FloatKind::kDoubles, V(0), V(1)); }},
      {"fdiv v0.2d, v0.2d, v1.2d",
       [](A& a) { a.FloatRr(FloatOp::kDiv, FloatKind::kDoubles, V(0), V(1)); }},
      {"ldr s29, [x1]; fmul s0, s0, s29",
       [](A& a) { a.FloatRm(FloatOp::kMul, FloatKind::kFloat, V(0), Mem::At(X(1))); }},
      {"ldr d29, [x1]; fsub d0, d0, d29",
       [](A& a) { a.FloatRm(FloatOp::kSub, FloatKind::kDouble, V(0), Mem::At(X(1))); }},
      {"ldr q29, [x1]; fsub v0.2d, v0.2d, v29.2d",
       [](A& a) { a.FloatRm(FloatOp::kSub, FloatKind::kDoubles, V(0), Mem::At(X(1))); }},
      {"mov v31.16b, v2.16b; fmla v31.4s, v0.4s, v1.4s; mov v0.16b, v31.16b",
       [](A& a) { a.LanesMultiplyAdd(FloatKind::kFloats, V(0), V(1), V(2)); }},
      {"mov v31.16b, v2.16b; fmla v31.2d, v0.2d, v1.2d; mov v0.16b, v31.16b",
       [](A& a) { a.LanesMultiplyAdd(FloatKind::kDoubles, V(0), V(1), V(2)); }},
      {"add v0.16b, v0.16b, v1.16b", [](A& a) { a.LanesRr(LaneOp::kAdd, 1, V(0), V(1)); }},
      {"add v0.8h, v0.8h, v1.8h", [](A& a) { a.LanesRr(LaneOp::kAdd, 2, V(0), V(1)); }},
      {"add v0.4s, v0.4s, v1.4s", [](A& a) { a.LanesRr(LaneOp::kAdd, 4, V(0), V(1)); }},
      {"add v0.2d, v0.2d, v1.2d", [](A& a) { a.LanesRr(LaneOp::kAdd, 8, V(0), V(1)); }},
      {"sub v0.16b, v0.16b, v1.16b", [](A& a) { a.LanesRr(LaneOp::kSub, 1, V(0), V(1)); }},
      {"sub v0.4s, v0.4s, v1.4s", [](A& a) { a.LanesRr(LaneOp::kSub, 4, V(0), V(1)); }},
      {"sub v0.2d, v0.2d, v1.2d", [](A& a) { a.LanesRr(LaneOp::kSub, 8, V(0), V(1)); }},
      {"sub v0.8h, v0.8h, v1.8h", [](A& a) { a.LanesRr(LaneOp::kSub, 2, V(0), V(1)); }},
      {"and v0.16b, v0.16b, v1.16b", [](A& a) { a.LanesRr(LaneOp::kAnd, 8, V(0), V(1)); }},
      {"orr v0.16b, v0.16b, v1.16b", [](A& a) { a.LanesRr(LaneOp::kOr, 4, V(0), V(1)); }},
      {"eor v0.16b, v0.16b, v1.16b", [](A& a) { a.LanesRr(LaneOp::kXor, 1, V(0), V(1)); }},
  });
}

TEST(AssemblerAArch64Test, EncodesConversions) {
  ExpectEncodings({
      {"fcvt d0, s1", [](A& a) { a.ConvertFloat(true, V(0), V(1)); }},
      {"fcvt s0, d1", [](A& a) { a.ConvertFloat(false, V(0), V(1)); }},
      {"fcvt s0, h1", [](A& a) { a.HalfToFloat(V(0), V(1)); }},
      {"fcvt h0, s1", [](A& a) { a.FloatToHalf(false, V(0), V(1)); }},
      {"fcvt h0, d1", [](A& a) { a.FloatToHalf(true, V(0), V(1)); }},
      {"scvtf s0, w1", [](A& a) { a.IntegerToFloat(4, false, V(0), X(1)); }},
      {"scvtf d0, w1", [](A& a) { a.IntegerToFloat(4, true, V(0), X(1)); }},
      {"scvtf s0, x1", [](A& a) { a.IntegerToFloat(8, false, V(0), X(1)); }},
      {"scvtf d0, x1", [](A& a) { a.IntegerToFloat(8, true, V(0), X(1)); }},
      {"fcvtzs w0, s1", [](A& a) { a.FloatToInteger(4, false, X(0), V(1)); }},
      {"fcvtzs w0, d1", [](A& a) { a.FloatToInteger(4, true, X(0), V(1)); }},
      {"fcvtzs x0, s1", [](A& a) { a.FloatToInteger(8, false, X(0), V(1)); }},
      {"fcvtzs x0, d1", [](A& a) { a.FloatToInteger(8, true, X(0), V(1)); }},
      {"ucvtf s0, w1", [](A& a) { a.UnsignedToFloat(4, false, V(0), X(1)); }},
      {"ucvtf d0, x1", [](A& a) { a.UnsignedToFloat(8, true, V(0), X(1)); }},
      {"fcvtzu w0, s1", [](A& a) { a.FloatToUnsigned(4, false, X(0), V(1)); }},
      {"fcvtzu x0, d1", [](A& a) { a.FloatToUnsigned(8, true, X(0), V(1)); }},
  });
}

TEST(AssemblerAArch64Test, EncodesFloatInstructionsOfItsOwn) {
  ExpectEncodings({
      {"fneg s0, s1; fneg d0, d1; fneg v0.4s, v1.4s; fneg v0.2d, v1.2d",
       [](A& a) {
         a.FloatNegate(FloatKind::kFloat, V(0), V(1));
         a.FloatNegate(FloatKind::kDouble, V(0), V(1));
         a.FloatNegate(FloatKind::kFloats, V(0), V(1));
         a.FloatNegate(FloatKind::kDoubles, V(0), V(1));
       }},
      {"fabs s0, s1; fabs d0, d1; fabs v0.4s, v1.4s; fabs v0.2d, v1.2d",
       [](A& a) {
         a.FloatAbsolute(FloatKind::kFloat, V(0), V(1));
         a.FloatAbsolute(FloatKind::kDouble, V(0), V(1));
         a.FloatAbsolute(FloatKind::kFloats, V(0), V(1));
         a.FloatAbsolute(FloatKind::kDoubles, V(0), V(1));
       }},
      {"fsqrt s0, s1; fsqrt d0, d1; fsqrt v0.4s, v1.4s; fsqrt v0.2d, v1.2d",
       [](A& a) {
         a.FloatSquareRoot(FloatKind::kFloat, V(0), V(1));
         a.FloatSquareRoot(FloatKind::kDouble, V(0), V(1));
         a.FloatSquareRoot(FloatKind::kFloats, V(0), V(1));
         a.FloatSquareRoot(FloatKind::kDoubles, V(0), V(1));
       }},
      {"frintn s0, s1", [](A& a) { a.FloatRound(Rounding::kToNearestEven, false, V(0), V(1)); }},
      {"frintp d0, d1", [](A& a) { a.FloatRound(Rounding::kUp, true, V(0), V(1)); }},
      {"frintm s0, s1", [](A& a) { a.FloatRound(Rounding::kDown, false, V(0), V(1)); }},
      {"frintz d0, d1", [](A& a) { a.FloatRound(Rounding::kToZero, true, V(0), V(1)); }},
      {"frinta s0, s1", [](A& a) { a.FloatRound(Rounding::kAway, false, V(0), V(1)); }},
      {"frinti d0, d1", [](A& a) { a.FloatRound(Rounding::kCurrent, true, V(0), V(1)); }},
      {"frintx s0, s1", [](A& a) { a.FloatRound(Rounding::kCurrentExact, false, V(0), V(1)); }},
      {"fmadd s0, s1, s2, s3", [](A& a) { a.FloatMultiplyAdd(false, V(0), V(1), V(2), V(3)); }},
      {"fmadd d0, d1, d2, d3", [](A& a) { a.FloatMultiplyAdd(true, V(0), V(1), V(2), V(3)); }},
      {"fminnm s0, s1, s2", [](A& a) { a.FloatMinimumNumber(false, V(0), V(1), V(2)); }},
      {"fminnm d0, d1, d2", [](A& a) { a.FloatMinimumNumber(true, V(0), V(1), V(2)); }},
      {"fmaxnm s0, s1, s2", [](A& a) { a.FloatMaximumNumber(false, V(0), V(1), V(2)); }},
      {"fmaxnm d0, d1, d2", [](A& a) { a.FloatMaximumNumber(true, V(0), V(1), V(2)); }},
      {"fcmp s1, s2", [](A& a) { a.FloatCompare(false, V(1), V(2)); }},
      {"fcmp d1, d2", [](A& a) { a.FloatCompare(true, V(1), V(2)); }},
      {"fcmpe s1, s2", [](A& a) { a.FloatCompare(false, V(1), V(2), /*is_signaling=*/true); }},
      {"fcmpe d1, d2", [](A& a) { a.FloatCompare(true, V(1), V(2), /*is_signaling=*/true); }},
  });
}

TEST(AssemblerAArch64Test, EncodesAllFloatImmediatesThatThereAre) {
  unsigned floats = 0, doubles = 0;
  // Candidates: all numbers whose bits below the upper 16, or 13 of floats, are zero.
  for (uint64_t top = 0; top < 0x10000; ++top) {
    A assembler;
    const uint64_t double_bits = top << 48;
    if (assembler.FloatImmediate(true, V(7), double_bits)) {
      ++doubles;
      double value;
      std::memcpy(&value, &double_bits, 8);
      const std::string text = Joined(Lines(CodeOf(assembler)));
      ASSERT_EQ(text.rfind("fmov d7, #", 0), 0u) << text;
      EXPECT_EQ(std::strtod(text.c_str() + 10, nullptr), value);
    } else {
      EXPECT_EQ(assembler.size(), 0u);
    }
    assembler.Clear();
    const uint32_t float_bits = static_cast<uint32_t>(top) << 16;
    if (assembler.FloatImmediate(false, V(7), float_bits)) {
      ++floats;
      float value;
      std::memcpy(&value, &float_bits, 4);
      const std::string text = Joined(Lines(CodeOf(assembler)));
      ASSERT_EQ(text.rfind("fmov s7, #", 0), 0u) << text;
      EXPECT_EQ(std::strtof(text.c_str() + 10, nullptr), value);
    }
  }
  EXPECT_EQ(doubles, 256u);
  EXPECT_EQ(floats, 256u);
  A assembler;
  EXPECT_FALSE(assembler.FloatImmediate(true, V(0), 0x3ff0000000000001));
  EXPECT_FALSE(assembler.FloatImmediate(false, V(0), 0x3f800001));
  EXPECT_FALSE(assembler.FloatImmediate(false, V(0), 0));
  EXPECT_EQ(assembler.size(), 0u);
}

TEST(AssemblerAArch64Test, EncodesVectorInstructionsOfItsOwn) {
  ExpectEncodings({
      {"fcmeq v0.4s, v1.4s, v2.4s; fcmgt v0.4s, v1.4s, v2.4s; fcmge v0.4s, v1.4s, v2.4s",
       [](A& a) {
         a.VectorFloatCompare(FloatTest::kEqual, false, V(0), V(1), V(2));
         a.VectorFloatCompare(FloatTest::kGreater, false, V(0), V(1), V(2));
         a.VectorFloatCompare(FloatTest::kGreaterEqual, false, V(0), V(1), V(2));
       }},
      {"fcmeq v0.2d, v1.2d, v2.2d; fcmgt v0.2d, v1.2d, v2.2d; fcmge v0.2d, v1.2d, v2.2d",
       [](A& a) {
         a.VectorFloatCompare(FloatTest::kEqual, true, V(0), V(1), V(2));
         a.VectorFloatCompare(FloatTest::kGreater, true, V(0), V(1), V(2));
         a.VectorFloatCompare(FloatTest::kGreaterEqual, true, V(0), V(1), V(2));
       }},
      {"mvn v0.16b, v1.16b", [](A& a) { a.VectorNot(V(0), V(1)); }},
      {"bsl v0.16b, v1.16b, v2.16b", [](A& a) { a.VectorSelect(V(0), V(1), V(2)); }},
      {"cnt v0.8b, v1.8b", [](A& a) { a.CountBits8(V(0), V(1)); }},
      {"addv b0, v1.16b", [](A& a) { a.AddAcross(1, V(0), V(1)); }},
      {"addv h0, v1.8h", [](A& a) { a.AddAcross(2, V(0), V(1)); }},
      {"addv s0, v1.4s", [](A& a) { a.AddAcross(4, V(0), V(1)); }},
      {"addv b0, v1.8b", [](A& a) { a.AddAcross8(V(0), V(1)); }},
      {"addp v0.16b, v1.16b, v2.16b", [](A& a) { a.AddPairs(1, V(0), V(1), V(2)); }},
      {"addp v0.8h, v1.8h, v2.8h", [](A& a) { a.AddPairs(2, V(0), V(1), V(2)); }},
      {"addp v0.4s, v1.4s, v2.4s", [](A& a) { a.AddPairs(4, V(0), V(1), V(2)); }},
      {"addp v0.2d, v1.2d, v2.2d", [](A& a) { a.AddPairs(8, V(0), V(1), V(2)); }},
      {"umov w0, v1.b[15]", [](A& a) { a.FromLane(1, 15, X(0), V(1)); }},
      {"umov w0, v1.h[3]", [](A& a) { a.FromLane(2, 3, X(0), V(1)); }},
      {"mov w0, v1.s[2]", [](A& a) { a.FromLane(4, 2, X(0), V(1)); }},
      {"mov x0, v1.d[1]", [](A& a) { a.FromLane(8, 1, X(0), V(1)); }},
      {"mov v0.b[15], w1", [](A& a) { a.ToLane(1, 15, V(0), X(1)); }},
      {"mov v0.h[3], w1", [](A& a) { a.ToLane(2, 3, V(0), X(1)); }},
      {"mov v0.s[2], w1", [](A& a) { a.ToLane(4, 2, V(0), X(1)); }},
      {"mov v0.d[1], x1", [](A& a) { a.ToLane(8, 1, V(0), X(1)); }},
      {"zip1 v0.16b, v1.16b, v2.16b", [](A& a) { a.InterleaveLow(1, V(0), V(1), V(2)); }},
      {"zip1 v0.8h, v1.8h, v2.8h", [](A& a) { a.InterleaveLow(2, V(0), V(1), V(2)); }},
      {"zip1 v0.4s, v1.4s, v2.4s", [](A& a) { a.InterleaveLow(4, V(0), V(1), V(2)); }},
      {"zip1 v0.2d, v1.2d, v2.2d", [](A& a) { a.InterleaveLow(8, V(0), V(1), V(2)); }},
  });
}

// ---- Control flow, and what is completed later ----

TEST(AssemblerAArch64Test, EncodesControlFlow) {
  ExpectEncodings({
      {"br x16", [](A& a) { a.JmpR(X(16)); }},
      {"blr x30", [](A& a) { a.CallR(X(30)); }},
      {"ldr x16, [x1, #0x8]; blr x16", [](A& a) { a.CallM(Mem::At(X(1), 8)); }},
      {"ret", [](A& a) { a.Ret(); }},
      {"brk #0x1", [](A& a) { a.Trap(); }},
      {"brk #0xf000", [](A& a) { a.Breakpoint(); }},
      {"bti j", [](A& a) { a.LandingMark(); }},
      {"bti c", [](A& a) { a.BranchTarget(true, false); }},
      {"bti j", [](A& a) { a.BranchTarget(false, true); }},
      {"bti jc", [](A& a) { a.BranchTarget(true, true); }},
      {"paciasp", [](A& a) { a.SignReturnAddress(); }},
      {"autiasp", [](A& a) { a.AuthenticateReturnAddress(); }},
      {"nop", [](A& a) { a.Nop(); }},
  });
}

// A function of `emit`'s code, behind 0x40 bytes of other functions in the assembler's buffer,
// whose labels 0, 1, ... lie at `labels` of the function and whose pool at `pool`.
struct Resolved {
  bool is_within_reach;
  std::string text;
  std::vector<CodeRelocation> relocations;
};

struct Places {
  std::vector<uint32_t> labels = {};
  uint32_t pool = 0;
  int64_t incoming = 0;
  bool is_large = false;
};

Resolved Resolve(const Places& places, void (*emit)(A&)) {
  constexpr uint32_t kBegin = 0x40;
  A assembler;
  assembler.set_is_large(places.is_large);
  for (uint32_t i = 0; i < kBegin; i += 4) assembler.Nop();
  emit(assembler);
  std::vector<uint32_t> labels;
  for (uint32_t label : places.labels) labels.push_back(kBegin + label);
  std::vector<uint8_t> bytes = CodeOf(assembler);
  CompiledCode code;
  code.sections.emplace_back();
  code.sections[0].bytes.assign(bytes.begin() + kBegin, bytes.end());
  Resolved resolved;
  const CodeLayout layout = {kBegin, places.pool, labels, places.incoming};
  resolved.is_within_reach = assembler.Resolve(layout, code);
  resolved.text = Joined(Lines(code.sections[0].bytes));
  resolved.relocations = code.relocations;
  return resolved;
}

// Where both hold: `emit`'s code is `text`, and there are no relocations.
void ExpectResolved(const Places& places, void (*emit)(A&), const std::string& text) {
  const Resolved resolved = Resolve(places, emit);
  EXPECT_TRUE(resolved.is_within_reach) << text;
  EXPECT_EQ(resolved.text, text);
  EXPECT_TRUE(resolved.relocations.empty()) << text;
}

void ExpectRelocation(const CodeRelocation& relocation, uint32_t offset, uint32_t symbol,
                      RelocationKind kind, int64_t addend) {
  EXPECT_EQ(relocation.section, 0u);
  EXPECT_EQ(relocation.offset, offset);
  EXPECT_EQ(relocation.symbol, symbol);
  EXPECT_EQ(relocation.kind, kind);
  EXPECT_EQ(relocation.addend, addend);
}

constexpr uint32_t kMiB = 1 << 20;

TEST(AssemblerAArch64Test, JumpsReachTheirLabels) {
  const auto jump = [](A& a) {
    a.Nop();
    a.Jmp(0);
  };
  ExpectResolved({{0}}, jump, "nop; b 0x0");
  ExpectResolved({{0x100}}, jump, "nop; b 0x100");
  ExpectResolved({{128 * kMiB}}, jump, "nop; b 0x8000000");
  EXPECT_FALSE(Resolve({{128 * kMiB + 4}}, jump).is_within_reach);
  const auto conditional = [](A& a) {
    a.Nop();
    a.Jcc(Cond::kNe, 1);
  };
  ExpectResolved({{0x100, 0}}, conditional, "nop; b.ne 0x0");
  ExpectResolved({{0x100, kMiB}}, conditional, "nop; b.ne 0x100000");
  EXPECT_FALSE(Resolve({{0x100, kMiB + 4}}, conditional).is_within_reach);
  const auto compare = [](A& a) {
    a.CompareBranchNonZero(8, X(3), 0);
    a.CompareBranchNonZero(4, X(3), 0);
  };
  ExpectResolved({{0x100}}, compare, "cbnz x3, 0x100; cbnz w3, 0x100");
  ExpectResolved({{kMiB - 4}}, compare, "cbnz x3, 0xffffc; cbnz w3, 0xffffc");
  EXPECT_FALSE(Resolve({{kMiB}}, compare).is_within_reach);
}

TEST(AssemblerAArch64Test, JumpsReachLabelsFarBehind) {
  A assembler;
  while (assembler.size() < kMiB) assembler.Nop();
  assembler.Jcc(Cond::kE, 0);
  const std::vector<uint32_t> labels = {0};
  CompiledCode code;
  code.sections.emplace_back();
  code.sections[0].bytes = CodeOf(assembler);
  EXPECT_TRUE(assembler.Resolve({0, 0, labels, 0}, code));
  const std::vector<uint8_t>& bytes = code.sections[0].bytes;
  EXPECT_EQ(Lines({bytes.end() - 4, bytes.end()})[0], "b.eq 0xfffffffffff00000");
  assembler.Jcc(Cond::kE, 0);
  code.sections[0].bytes = CodeOf(assembler);
  EXPECT_FALSE(assembler.Resolve({0, 0, labels, 0}, code));
}

TEST(AssemblerAArch64Test, ConditionalJumpsOfLargeFunctionsReach128MiB) {
  const auto jumps = [](A& a) {
    a.Jcc(Cond::kNe, 0);
    a.CompareBranchNonZero(8, X(3), 0);
    a.CompareBranchNonZero(4, X(3), 0);
  };
  Places places = {{0x2000000}};
  places.is_large = true;
  ExpectResolved(places, jumps,
                 "b.eq 0x8; b 0x2000000; cbz x3, 0x10; b 0x2000000; cbz w3, 0x18; b 0x2000000");
  places.labels = {128 * kMiB + 4};
  EXPECT_FALSE(Resolve(places, jumps).is_within_reach);
}

TEST(AssemblerAArch64Test, ClearKeepsWhetherFunctionsAreLarge) {
  A assembler;
  assembler.set_is_large(true);
  assembler.Clear();
  assembler.Jcc(Cond::kE, 0);
  EXPECT_EQ(assembler.size(), 8u);
  assembler.Clear();
  EXPECT_TRUE(assembler.fixups().empty());
  assembler.set_is_large(false);
  assembler.Jcc(Cond::kE, 0);
  EXPECT_EQ(assembler.size(), 4u);
}

TEST(AssemblerAArch64Test, CallsOfSymbolsAreRelocations) {
  const Resolved resolved = Resolve({}, [](A& a) {
    a.Nop();
    a.CallSymbol(7);
  });
  EXPECT_TRUE(resolved.is_within_reach);
  EXPECT_EQ(resolved.text, "nop; bl 0x4");
  ASSERT_EQ(resolved.relocations.size(), 1u);
  ExpectRelocation(resolved.relocations[0], 4, 8, RelocationKind::kCall26, 0);
}

TEST(AssemblerAArch64Test, AddressesOfSymbolsAreRelocations) {
  const Resolved resolved = Resolve({}, [](A& a) {
    a.Lea(X(3), Mem::Relative(RelativeTo::kSymbol, 5, 12));
    a.Load(2, X(4), Mem::Relative(RelativeTo::kSymbol, 0, -1));
    a.VectorStore(16, Mem::Relative(RelativeTo::kSymbol, 1), V(2));
  });
  EXPECT_TRUE(resolved.is_within_reach);
  EXPECT_EQ(resolved.text,
            "adrp x3, 0x0; add x3, x3, #0x0; adrp x16, 0x0; add x16, x16, #0x0; ldrh w4, [x16]; "
            "adrp x16, 0x0; add x16, x16, #0x0; str q2, [x16]");
  ASSERT_EQ(resolved.relocations.size(), 6u);
  ExpectRelocation(resolved.relocations[0], 0, 6, RelocationKind::kPage21, 12);
  ExpectRelocation(resolved.relocations[1], 4, 6, RelocationKind::kPageOffset12, 12);
  ExpectRelocation(resolved.relocations[2], 8, 1, RelocationKind::kPage21, -1);
  ExpectRelocation(resolved.relocations[3], 12, 1, RelocationKind::kPageOffset12, -1);
  ExpectRelocation(resolved.relocations[4], 20, 2, RelocationKind::kPage21, 0);
  ExpectRelocation(resolved.relocations[5], 24, 2, RelocationKind::kPageOffset12, 0);
}

TEST(AssemblerAArch64Test, LoadsWordsOfThePoolAsLiterals) {
  ExpectResolved(
      {{}, 0x100},
      [](A& a) {
        const Mem mem = Mem::Relative(RelativeTo::kPool, 8, 4);
        a.Load(4, X(1), mem);
        a.Load(8, X(1), mem);
        a.LoadSigned(4, 8, X(1), mem);
        a.LoadSigned(4, 4, X(1), mem);
        a.VectorLoad(4, V(1), mem);
        a.VectorLoad(8, V(1), mem);
        a.VectorLoad(16, V(1), mem);
        a.CallM(mem);
        a.AluRm(Alu::kAdd, 8, X(1), mem);
        a.FloatRm(FloatOp::kAdd, FloatKind::kDouble, V(1), mem);
      },
      "ldr w1, 0x10c; ldr x1, 0x10c; ldrsw x1, 0x10c; ldr w1, 0x10c; ldr s1, 0x10c; "
      "ldr d1, 0x10c; ldr q1, 0x10c; ldr x16, 0x10c; blr x16; ldr x17, 0x10c; adds x1, x1, x17; "
      "ldr d29, 0x10c; fadd d1, d1, d29");
  const auto load = [](A& a) { a.Load(8, X(1), Mem::Relative(RelativeTo::kPool, 16)); };
  ExpectResolved({{}, kMiB - 20}, load, "ldr x1, 0xffffc");
  EXPECT_FALSE(Resolve({{}, kMiB - 16}, load).is_within_reach);
}

TEST(AssemblerAArch64Test, LoadsLabelledWordsAsLiterals) {
  ExpectResolved(
      {{0x20, 0x30}}, [](A& a) { a.Load(8, X(1), Mem::Relative(RelativeTo::kLabel, 1)); },
      "ldr x1, 0x30");
}

TEST(AssemblerAArch64Test, ReachesOtherPlacesOfThePoolByTheirAddresses) {
  ExpectResolved(
      {{}, 0x100},
      [](A& a) {
        a.Load(1, X(1), Mem::Relative(RelativeTo::kPool, 8));
        a.Load(8, X(1), Mem::Relative(RelativeTo::kPool, 8, 1));
        a.LoadSigned(2, 8, X(1), Mem::Relative(RelativeTo::kPool, 8));
        a.VectorLoad(2, V(1), Mem::Relative(RelativeTo::kPool, 8));
        a.AluMr(Alu::kAdd, 8, Mem::Relative(RelativeTo::kPool, 8), X(1));
      },
      "adr x16, 0x108; ldrb w1, [x16]; adr x16, 0x109; ldr x1, [x16]; adr x16, 0x108; "
      "ldrsh x1, [x16]; adr x16, 0x108; ldr h1, [x16]; adr x16, 0x108; ldr x17, [x16]; "
      "adds x17, x17, x1; str x17, [x16]");
}

TEST(AssemblerAArch64Test, ComputesAddressesOfLabelsAndThePool) {
  const auto lea = [](A& a) {
    a.Nop();
    a.Lea(X(2), Mem::Relative(RelativeTo::kLabel, 1, 4));
    a.Lea(X(3), Mem::Relative(RelativeTo::kPool, 3, -2));
  };
  ExpectResolved({{0x20, 0x30}, 0x100}, lea, "nop; adr x2, 0x34; adr x3, 0x101");
  ExpectResolved({{0x20, 0x34}, 0x104}, lea, "nop; adr x2, 0x38; adr x3, 0x105");
  ExpectResolved({{0x20, 0}, 0}, lea, "nop; adr x2, 0x4; adr x3, 0x1");
  ExpectResolved({{0x20, 0}, kMiB}, lea, "nop; adr x2, 0x4; adr x3, 0x100001");
  EXPECT_FALSE(Resolve({{0x20, 0}, kMiB + 7}, lea).is_within_reach);
  EXPECT_FALSE(Resolve({{0x20, kMiB}, 0}, lea).is_within_reach);
}

TEST(AssemblerAArch64Test, PlacesInLargeFunctionsAreRelocationsAgainstTheFunction) {
  Places places = {{0x20, 0x3000000}, 0x4000000};
  places.is_large = true;
  const Resolved resolved = Resolve(places, [](A& a) {
    a.Lea(X(2), Mem::Relative(RelativeTo::kLabel, 1, 4));
    a.Load(8, X(3), Mem::Relative(RelativeTo::kPool, 16));
    a.CallM(Mem::Relative(RelativeTo::kPool, 24));
  });
  EXPECT_TRUE(resolved.is_within_reach);
  EXPECT_EQ(resolved.text,
            "adrp x2, 0x0; add x2, x2, #0x0; adrp x16, 0x0; add x16, x16, #0x0; ldr x3, [x16]; "
            "adrp x16, 0x0; add x16, x16, #0x0; ldr x16, [x16]; blr x16");
  ASSERT_EQ(resolved.relocations.size(), 6u);
  ExpectRelocation(resolved.relocations[0], 0, 0, RelocationKind::kPage21, 0x3000004);
  ExpectRelocation(resolved.relocations[1], 4, 0, RelocationKind::kPageOffset12, 0x3000004);
  ExpectRelocation(resolved.relocations[2], 8, 0, RelocationKind::kPage21, 0x4000010);
  ExpectRelocation(resolved.relocations[3], 12, 0, RelocationKind::kPageOffset12, 0x4000010);
  ExpectRelocation(resolved.relocations[4], 20, 0, RelocationKind::kPage21, 0x4000018);
  ExpectRelocation(resolved.relocations[5], 24, 0, RelocationKind::kPageOffset12, 0x4000018);
}

TEST(AssemblerAArch64Test, ArgumentsOnTheStackLieAboveTheFramePointer) {
  Places places;
  places.incoming = 0x12345670;
  ExpectResolved(
      places,
      [](A& a) {
        a.Load(8, X(1), Mem::Relative(RelativeTo::kIncoming, 0, 8));
        a.Lea(X(2), Mem::Relative(RelativeTo::kIncoming, 0));
        a.AluMi(Alu::kAdd, 1, Mem::Relative(RelativeTo::kIncoming, 0), 1);
      },
      "mov x16, #0x5678; movk x16, #0x1234, lsl #16; add x16, x29, x16; ldr x1, [x16]; "
      "mov x2, #0x5670; movk x2, #0x1234, lsl #16; add x2, x29, x2; "
      "mov x16, #0x5670; movk x16, #0x1234, lsl #16; add x16, x29, x16; "
      "ldrb w17, [x16]; adds w17, w17, #0x1; strb w17, [x16]; sxtb w17, w17; "
      "cmp w17, #0x0");
  const auto lea = [](A& a) { a.Lea(X(2), Mem::Relative(RelativeTo::kIncoming, 0, 1)); };
  places.incoming = 0x7ffffffe;
  ExpectResolved(places, lea, "mov x2, #0xffff; movk x2, #0x7fff, lsl #16; add x2, x29, x2");
  places.incoming = 0x7fffffff;
  EXPECT_FALSE(Resolve(places, lea).is_within_reach);
  places.incoming = -1;
  ExpectResolved(places, lea, "mov x2, #0x0; movk x2, #0x0, lsl #16; add x2, x29, x2");
  places.incoming = -2;
  EXPECT_FALSE(Resolve(places, lea).is_within_reach);
}

}  // namespace
}  // namespace firstcall::baseline::aarch64
