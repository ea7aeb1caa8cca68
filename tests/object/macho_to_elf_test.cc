// Most objects are assembled by LLVM, so that each relocation is there. What the code of such an
// object does is shown by the programs in tests/programs, and by linker_test.cc.

#include "object/macho_to_elf.h"

#include <elf.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "object/elf_linker.h"
#include "object/elf_object.h"
#include "object/macho_format.h"
#include "tests/testing/macho.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

// An ELF object that was made of a Mach-O object.
class Translated {
 public:
  explicit Translated(const std::string& macho, const MachoToElfOptions& options = {}) {
    absl::StatusOr<ObjectBytes> elf = MachoToElf(macho, options);
    EXPECT_THAT(elf, IsOk());
    if (elf.ok()) bytes_ = *std::move(elf);
    absl::StatusOr<std::unique_ptr<ElfObject>> object =
        ElfObject::Parse(absl::MakeSpan(bytes_), "test.o");
    EXPECT_THAT(object, IsOk());
    if (object.ok()) object_ = *std::move(object);
  }

  ElfObject& object() { return *object_; }

  // "NAME FLAGS", as readelf writes flags.
  std::vector<std::string> Sections() const {
    std::vector<std::string> all;
    for (const ElfObject::Section& section : object_->sections()) {
      if (section.type != SHT_PROGBITS && section.type != SHT_NOBITS) continue;
      all.push_back(absl::StrCat(section.name, " ", section.flags & SHF_ALLOC ? "A" : "",
                                 section.flags & SHF_WRITE ? "W" : "",
                                 section.flags & SHF_EXECINSTR ? "X" : "",
                                 section.type == SHT_NOBITS ? " zero" : ""));
    }
    return all;
  }

  // "TYPE SYMBOL+ADDEND" of each relocation of section `name`. A section's own symbol has the name
  // of the section.
  std::vector<std::string> Relocations(absl::string_view name) const {
    std::vector<std::string> all;
    for (const ElfObject::Section& table : object_->sections()) {
      if (!table.is_relocation_table() || object_->sections()[table.info].name != name) continue;
      for (size_t i = 0; i < object_->RelocationCount(table); ++i) {
        const ElfObject::Relocation relocation = object_->relocation(table, i);
        const ElfObject::Symbol symbol = object_->symbol(relocation.symbol);
        const absl::string_view target =
            symbol.type() == STT_SECTION
                ? object_->sections()[object_->SectionOf(symbol, relocation.symbol)].name
                : object_->NameOf(symbol);
        all.push_back(absl::StrCat(relocation.type, " ", target, "+", relocation.addend));
      }
    }
    return all;
  }

  // "NAME TYPE BINDING VISIBILITY SIZE" of the symbols that have names.
  std::vector<std::string> Symbols() const {
    const char* const types[] = {"none", "object", "function"};
    const char* const bindings[] = {"local", "global", "weak"};
    std::vector<std::string> all;
    for (size_t i = 0; i < object_->symbol_count(); ++i) {
      const ElfObject::Symbol symbol = object_->symbol(i);
      if (object_->NameOf(symbol).empty()) continue;
      all.push_back(absl::StrCat(object_->NameOf(symbol), " ",
                                 symbol.is_undefined() ? "undefined" : types[symbol.type()], " ",
                                 bindings[symbol.binding()],
                                 symbol.other == STV_HIDDEN ? " hidden" : "", " ", symbol.size));
    }
    return all;
  }

 private:
  ObjectBytes bytes_;
  std::unique_ptr<ElfObject> object_;
};

std::string Relocation(uint32_t type, absl::string_view target) {
  return absl::StrCat(type, " ", target);
}

absl::Status RefusalOf(absl::string_view assembly, absl::string_view triple = kX86_64Macho) {
  return MachoToElf(AssembleToMacho(assembly, triple)).status();
}

TEST(MachoToElfTest, NamesLoseOneUnderscore) {
  Translated translated(AssembleToMacho(R"(
    .globl _f
    .private_extern __hidden
    .globl _weak
    .weak_definition _weak
    .comm _tentative, 24, 3
    .weak_reference _maybe
  _f: nop
  __hidden: nop
  _weak: ret
  _local: nop
  raw: callq _outside
    callq _maybe
    callq _unused_label
  _unused_label:
    .data
  _value: .quad 0
  l_label: .quad 0
  )",
                                        kX86_64Macho));
  EXPECT_THAT(translated.Symbols(),
              UnorderedElementsAre("f function global 1", "_hidden function global hidden 1",
                                   "weak function weak 1", "tentative object global 24",
                                   "maybe undefined weak 0", "outside undefined global 0",
                                   "local function local 1", "raw function local 15",
                                   "unused_label function local 0", "value object local 16",
                                   "l_label none local 0"));
  for (size_t i = 0; i < translated.object().symbol_count(); ++i) {
    const ElfObject::Symbol symbol = translated.object().symbol(i);
    if (symbol.index == SHN_COMMON) {
      EXPECT_EQ(symbol.value, 8u);  // The alignment.
    }
  }
}

TEST(MachoToElfTest, NamesCanBeChosen) {
  MachoToElfOptions options;
  options.section_names = {{"given", ".init_array"}};
  options.symbol_names = {{"old", "new"}};
  options.comment = "who made it";
  Translated translated(AssembleToMacho(R"(
    .section __DATA,given
    .quad _old
  )",
                                        kX86_64Macho),
                        options);
  EXPECT_THAT(translated.Sections(), Contains(".init_array AW"));
  EXPECT_THAT(translated.Relocations(".init_array"), ElementsAre(Relocation(R_X86_64_64, "new+0")));
  EXPECT_THAT(
      absl::string_view(translated.object().bytes().data(), translated.object().bytes().size()),
      HasSubstr("who made it"));
}

TEST(MachoToElfTest, SectionsHaveNamesAndProtectionsOfElf) {
  Translated translated(AssembleToMacho(R"(
    nop
    .section __TEXT,__const
    .byte 1
    .section __TEXT,__cstring,cstring_literals
    .asciz "text"
    .section __TEXT,__literal16,16byte_literals
    .quad 1, 2
    .section __DATA,__data
    .byte 1
    .section __DATA,__const
    .byte 1
    .section __DATA_CONST,own
    .byte 1
    .section __DATA,named
    .byte 1
    .zerofill __DATA,__bss,_zero,16,4
    .section __DATA,__mod_init_func,mod_init_funcs
    .quad _f
    .section __DATA,__mod_term_func,mod_term_funcs
    .quad _f
    .section __TEXT,cold,regular,pure_instructions
    nop
    .section __DWARF,__debug_str_offs,regular,debug
    .byte 1
    .section __DWARF,__debug_info,regular,debug
    .byte 1
    .section __LD,__other,regular,debug
    .byte 1
  )",
                                        kX86_64Macho));
  EXPECT_THAT(
      translated.Sections(),
      UnorderedElementsAre(".text AX", ".rodata A", ".rodata.str A", ".rodata.cst16 A", ".data AW",
                           ".data.rel.ro A", "own A", "named AW", ".bss AW zero", ".init_array AW",
                           ".fini_array AW", "cold AX", ".debug_str_offsets ", ".debug_info "));
  EXPECT_TRUE(translated.object().has_debug_information());
  for (const ElfObject::Section& section : translated.object().sections()) {
    if (section.name == ".bss") {
      EXPECT_EQ(section.alignment, 16u);
    }
  }
}

TEST(MachoToElfTest, PointersToConstructorsAreFound) {
  Translated translated(AssembleToMacho(R"(
    nop
  l_begin: nop
    .section __DATA,__mod_init_func,mod_init_funcs
    .quad l_begin
    .section __DATA,__mod_term_func,mod_term_funcs
    .quad l_begin
  )",
                                        kX86_64Macho));
  absl::StatusOr<std::vector<ElfObject::LifecyclePointer>> pointers =
      translated.object().LifecyclePointers();
  ASSERT_THAT(pointers, IsOk());
  ASSERT_EQ(pointers->size(), 2u);
  EXPECT_EQ((*pointers)[0].phase, LifecyclePhase::kStart);
  EXPECT_EQ((*pointers)[0].offset, 1u);
  EXPECT_EQ((*pointers)[1].phase, LifecyclePhase::kEnd);
}

TEST(MachoToElfTest, RelocationsOfX86_64) {
  Translated translated(AssembleToMacho(R"(
    callq _f
    leaq _data+4(%rip), %rax
    movb $1, _data(%rip)
    movw $1, _data(%rip)
    movl $1, _data(%rip)
    movq _g@GOTPCREL(%rip), %rax
    pushq _g@GOTPCREL(%rip)
    leaq L_text(%rip), %rax
    movl $1, L_text+2(%rip)
    .data
  _data:
    .quad _f+8
    .quad L_text
    .long _here-_data
    .quad _here-_data+5
    .quad L_text-_data
    .long _data-_data
    .section __TEXT,cold,regular,pure_instructions
  _here: nop
    .section __TEXT,__const
    .quad 0
  L_text: .quad 0
  )",
                                        kX86_64Macho));
  EXPECT_THAT(
      translated.Relocations(".text"),
      ElementsAre(Relocation(R_X86_64_PLT32, "f+-4"), Relocation(R_X86_64_PC32, "data+0"),
                  Relocation(R_X86_64_PC32, "data+-5"), Relocation(R_X86_64_PC32, "data+-6"),
                  Relocation(R_X86_64_PC32, "data+-8"), Relocation(R_X86_64_REX_GOTPCRELX, "g+-4"),
                  Relocation(R_X86_64_GOTPCREL, "g+-4"), Relocation(R_X86_64_PC32, ".rodata+4"),
                  Relocation(R_X86_64_PC32, ".rodata+2")));
  EXPECT_THAT(
      translated.Relocations(".data"),
      ElementsAre(Relocation(R_X86_64_64, "f+8"), Relocation(R_X86_64_64, ".rodata+8"),
                  Relocation(R_X86_64_PC32, "here+16"), Relocation(R_X86_64_PC64, "here+25"),
                  Relocation(R_X86_64_PC64, ".rodata+36")));
}

TEST(MachoToElfTest, RelocationsOfAArch64) {
  Translated translated(AssembleToMacho(R"(
    bl _f
    b _f
    adrp x0, _data@PAGE
    add x0, x0, _data@PAGEOFF
    ldrb w1, [x0, _data@PAGEOFF]
    ldrh w1, [x0, _data@PAGEOFF]
    ldr w1, [x0, _data@PAGEOFF]
    str x1, [x0, _data@PAGEOFF]
    ldr q1, [x0, _data@PAGEOFF]
    ldr d1, [x0, _data@PAGEOFF]
    adrp x0, _data@PAGE+4096
    add x0, x0, _data@PAGEOFF+8
    adrp x0, _g@GOTPAGE
    ldr x0, [x0, _g@GOTPAGEOFF]
    .data
  _data:
    .quad _f+8
    .long _here-_data
    .long _g@GOT-.
    .quad _g@GOT
    .quad _h@GOT
    .section __TEXT,cold,regular,pure_instructions
  _here: nop
  )",
                                        kAArch64Macho));
  EXPECT_THAT(translated.Relocations(".text"),
              ElementsAre(Relocation(R_AARCH64_CALL26, "f+0"), Relocation(R_AARCH64_JUMP26, "f+0"),
                          Relocation(R_AARCH64_ADR_PREL_PG_HI21, "data+0"),
                          Relocation(R_AARCH64_ADD_ABS_LO12_NC, "data+0"),
                          Relocation(R_AARCH64_LDST8_ABS_LO12_NC, "data+0"),
                          Relocation(R_AARCH64_LDST16_ABS_LO12_NC, "data+0"),
                          Relocation(R_AARCH64_LDST32_ABS_LO12_NC, "data+0"),
                          Relocation(R_AARCH64_LDST64_ABS_LO12_NC, "data+0"),
                          Relocation(R_AARCH64_LDST128_ABS_LO12_NC, "data+0"),
                          Relocation(R_AARCH64_LDST64_ABS_LO12_NC, "data+0"),
                          Relocation(R_AARCH64_ADR_PREL_PG_HI21, "data+4096"),
                          Relocation(R_AARCH64_ADD_ABS_LO12_NC, "data+8"),
                          Relocation(R_AARCH64_ADR_GOT_PAGE, "g+0"),
                          Relocation(R_AARCH64_LD64_GOT_LO12_NC, "g+0")));
  // Pointers that the instructions do not reach through the offset table are in a section of their
  // own.
  EXPECT_THAT(
      translated.Relocations(".data"),
      ElementsAre(Relocation(R_AARCH64_ABS64, "f+8"), Relocation(R_AARCH64_PREL32, "here+8"),
                  Relocation(R_AARCH64_PREL32, ".data.rel.ro+0"),
                  Relocation(R_AARCH64_ABS64, ".data.rel.ro+0"),
                  Relocation(R_AARCH64_ABS64, ".data.rel.ro+8")));
  EXPECT_THAT(translated.Relocations(".data.rel.ro"),
              ElementsAre(Relocation(R_AARCH64_ABS64, "g+0"), Relocation(R_AARCH64_ABS64, "h+0")));
}

TEST(MachoToElfTest, PointersOfTheIndirectTableLeadToTheirSymbols) {
  Translated translated(AssembleToMacho(R"(
    .section __DATA,__pointers,non_lazy_symbol_pointers
  L_first:
    .indirect_symbol _outside
    .quad 0
  L_second:
    .indirect_symbol _more
    .quad 0
  )",
                                        kX86_64Macho));
  EXPECT_THAT(translated.Relocations("__pointers"),
              ElementsAre(Relocation(R_X86_64_64, "outside+0"), Relocation(R_X86_64_64, "more+0")));
}

constexpr char kThrowing[] = R"(
  declare void @g()
  declare i32 @__gxx_personality_v0(...)
  define weak void @weak() uwtable { call void @g() ret void }
  define i32 @f() uwtable personality ptr @__gxx_personality_v0 {
    invoke void @g() to label %fine unwind label %caught
  fine:
    ret i32 1
  caught:
    %x = landingpad { ptr, i32 } catch ptr null
    ret i32 2
  }
)";

// A function that gives way would take its description with it if that named the function.
TEST(MachoToElfTest, UnwindTablesReferToSections) {
  Translated x86_64(CompileToMacho(kThrowing, kX86_64Macho));
  EXPECT_THAT(x86_64.Relocations(".eh_frame"),
              UnorderedElementsAre(Relocation(R_X86_64_PC64, ".text+0"),
                                   Relocation(R_X86_64_GOTPCREL, "__gxx_personality_v0+0"),
                                   Relocation(R_X86_64_PC64, ".text+16"),
                                   Relocation(R_X86_64_PC64, ".gcc_except_table+0")));
  Translated aarch64(CompileToMacho(kThrowing, kAArch64Macho));
  EXPECT_THAT(aarch64.Relocations(".eh_frame"), Contains(HasSubstr(" .text+")).Times(2));
  EXPECT_THAT(aarch64.Relocations(".eh_frame"), Contains(HasSubstr(" .gcc_except_table+")));
  EXPECT_THAT(aarch64.Relocations(".eh_frame"), Not(Contains(HasSubstr("weak"))));
  EXPECT_THAT(aarch64.Relocations(".data.rel.ro"),
              Contains(Relocation(R_AARCH64_ABS64, "__gxx_personality_v0+0")));
}

TEST(MachoToElfTest, BytesHaveNoAddends) {
  Translated translated(AssembleToMacho(".data\n.quad _f+8\n", kX86_64Macho));
  for (const ElfObject::Section& section : translated.object().sections()) {
    if (section.name != ".data") continue;
    EXPECT_THAT(translated.object().BytesOf(section), testing::Each(0));
  }
}

TEST(MachoToElfTest, DistancesInOneSectionAreWritten) {
  Translated translated(AssembleToMacho(R"(
    .subsections_via_symbols
    nop
  _f: nop
    nop
  _g: nop
    .data
    .quad _g-_f
  )",
                                        kX86_64Macho));
  EXPECT_THAT(translated.Relocations(".data"), ElementsAre());
  for (const ElfObject::Section& section : translated.object().sections()) {
    if (section.name == ".data") {
      EXPECT_EQ(translated.object().BytesOf(section)[0], 2);
    }
  }
}

TEST(MachoToElfTest, WhatIsNotSupportedIsRefusedByName) {
  EXPECT_THAT(RefusalOf(R"(
    .section __DATA,__thread_vars,thread_local_variables
    .quad 0, 0, 0
  )"),
              StatusIs(absl::StatusCode::kUnimplemented,
                       "section '__DATA,__thread_vars': thread-local variables are not supported"));
  EXPECT_THAT(RefusalOf("movq _x@TLVP(%rip), %rdi"),
              StatusIs(absl::StatusCode::kUnimplemented,
                       "symbol '_x': thread-local variables are not supported"));
  EXPECT_THAT(RefusalOf("adrp x0, _x@TLVPPAGE", kAArch64Macho),
              StatusIs(absl::StatusCode::kUnimplemented,
                       "symbol '_x': thread-local variables are not supported"));
  EXPECT_THAT(RefusalOf(".section __TEXT,__stubs,symbol_stubs,pure_instructions,6\n"
                        ".indirect_symbol _x\n.space 6"),
              StatusIs(absl::StatusCode::kUnimplemented,
                       "section '__TEXT,__stubs': a linker's stubs are not supported"));
  // The assembler has no name for this kind of section.
  std::string offsets = AssembleToMacho(".section __TEXT,__init_offsets\n.long 0", kX86_64Macho);
  offsets[offsets.find("__init_offsets") + offsetof(macho::SectionRecord, flags)] =
      macho::kInitOffsets;
  EXPECT_THAT(MachoToElf(offsets),
              StatusIs(absl::StatusCode::kUnimplemented,
                       "section '__TEXT,__init_offsets': constructors by their offsets are not "
                       "supported"));
  EXPECT_THAT(RefusalOf("_f: nop\n.data\n_a: .quad _b-_f\n.section __TEXT,__const\n_b: nop"),
              StatusIs(absl::StatusCode::kUnimplemented,
                       "symbol '_b': its distance from '_f', which lies in another section, is not "
                       "supported"));
}

TEST(MachoToElfTest, FunctionsWithNothingButCompactUnwindTablesAreRefused) {
  constexpr absl::string_view kEntry = R"(
    .section __LD,__compact_unwind,regular,debug
    .quad _f
    .long 1, 0x02000000
    .quad 0, 0
  )";
  const absl::Status refused = RefusalOf(absl::StrCat("_f: nop\n", kEntry));
  EXPECT_THAT(refused, StatusIs(absl::StatusCode::kUnimplemented,
                                HasSubstr("compile it with -femit-dwarf-unwind=always")));
  EXPECT_THAT(RefusalOf(absl::StrCat("_f:\n.cfi_startproc\nnop\n.cfi_endproc\n", kEntry)), IsOk());
}

TEST(MachoToElfTest, OtherFilesAreRefused) {
  std::string object = AssembleToMacho("nop", kX86_64Macho);
  EXPECT_TRUE(IsMacho(object));
  EXPECT_FALSE(IsMacho(absl::string_view(object).substr(1)));
  EXPECT_FALSE(IsMacho(""));
  EXPECT_THAT(
      MachoToElf("\x7f"
                 "ELF"),
      StatusIs(absl::StatusCode::kInvalidArgument, "it is no 64-bit little-endian Mach-O object"));
  std::string program = object;
  program[offsetof(macho::Header, file_type)] = 2;  // MH_EXECUTE
  EXPECT_THAT(MachoToElf(program),
              StatusIs(absl::StatusCode::kInvalidArgument, "it is no relocatable Mach-O object"));
  std::string other = object;
  other[offsetof(macho::Header, machine)] = 18;  // PowerPC
  EXPECT_THAT(MachoToElf(other),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "it is for another architecture than x86-64 and AArch64"));
}

// Their calling convention is another one; on x86-64 it is the same.
TEST(MachoToElfTest, ObjectsOfApplesForAArch64AreRefused) {
  EXPECT_THAT(
      MachoToElf(AssembleToMacho("nop", "arm64-apple-macosx14")).status(),
      StatusIs(absl::StatusCode::kUnimplemented,
               "on AArch64, systems of Apple's pass arguments otherwise than this process"));
  EXPECT_THAT(MachoToElf(AssembleToMacho("nop", "x86_64-apple-macosx14")), IsOk());
}

}  // namespace
}  // namespace firstcall
