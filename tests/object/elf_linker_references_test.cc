// References of every kind that LLVM emits, in all code models, and of the kinds that assembly can
// ask for. Also object/link_plan: its offset tables and jumps are used by code that is run.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "object/elf_linker.h"
#include "object/machine.h"
#include "tests/object/linking.h"
#include "tests/testing/object.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::HasSubstr;

int host_variable = 3;
int HostFunction(int x) { return x * host_variable; }
int ThrowSeven(int) { throw 7; }

// --- What LLVM emits ---

struct Models {
  RelocationModel relocation_model;
  CodeModel code_model;
  CodegenLevel level;
  bool is_near;  // Everything must be within 2 GiB, or, on AArch64's tiny model, within 1 MiB.
};

// All memory is within the reach of AArch64's tiny model.
class ElfLinkerModelsTest : public ElfLinking, public testing::WithParamInterface<Models> {
 protected:
  ElfLinkerModelsTest()
      : ElfLinking(Registrations::kOfProcess, {256 << 10, 256 << 10, 256 << 10}) {}
};

constexpr CodeModel kNearest =
    HostMachine() == Machine::kAArch64 ? CodeModel::kTiny : CodeModel::kMedium;

std::vector<Models> AllModels() {
  std::vector<Models> all;
  for (CodegenLevel level : {CodegenLevel::kO0, CodegenLevel::kO2}) {
    all.push_back({RelocationModel::kPic, CodeModel::kSmall, level, false});
    all.push_back({RelocationModel::kPic, CodeModel::kLarge, level, false});
    all.push_back({RelocationModel::kPic, kNearest, level, HostMachine() == Machine::kAArch64});
    all.push_back({RelocationModel::kStatic, CodeModel::kLarge, level, false});
    if (HostMachine() != Machine::kAArch64) continue;
    all.push_back({RelocationModel::kStatic, CodeModel::kSmall, level, true});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(AllModels, ElfLinkerModelsTest, testing::ValuesIn(AllModels()));

constexpr char kProgram[] = R"(
  @outside = external global i32
  @inside = global i32 5
  @hidden = internal global [4 x i32] [i32 10, i32 20, i32 30, i32 40]
  @constant = private unnamed_addr constant [4 x i64] [i64 1, i64 2, i64 3, i64 4]
  @functions = internal constant [2 x ptr] [ptr @double, ptr @function]
  @weak = extern_weak global i32
  declare i32 @function(i32)
  define internal i32 @double(i32 %x) noinline { %y = add i32 %x, %x  ret i32 %y }
  define i32 @shared(i32 %x) noinline { %y = add i32 %x, 1  ret i32 %y }
  define i32 @f(i32 %i) uwtable {
    %o = load i32, ptr @outside
    %n = load i32, ptr @inside
    %p = getelementptr [4 x i32], ptr @hidden, i32 0, i32 %i
    %h = load i32, ptr %p
    %q = getelementptr [4 x i64], ptr @constant, i32 0, i32 %i
    %c = load i64, ptr %q
    %c32 = trunc i64 %c to i32
    %r = getelementptr [2 x ptr], ptr @functions, i32 0, i32 %i
    %g = load ptr, ptr %r
    %called = call i32 %g(i32 %n)
    %direct = call i32 @function(i32 %o)
    %s = call i32 @shared(i32 %h)
    %is_weak = icmp ne ptr @weak, null
    %w = zext i1 %is_weak to i32
    %float = sitofp i32 %s to double
    %sum = fadd double %float, 0.75
    %t0 = fptosi double %sum to i32
    %t1 = add i32 %t0, %c32
    %t2 = add i32 %t1, %called
    %t3 = add i32 %t2, %direct
    %t4 = add i32 %t3, %w
    ret i32 %t4
  }
  define i32 @choose(i32 %i) {
    switch i32 %i, label %other [ i32 0, label %a i32 1, label %b i32 2, label %c i32 3, label %d
                                  i32 4, label %e ]
  a: ret i32 17
  b: ret i32 3
  c: ret i32 88
  d: ret i32 -5
  e: ret i32 40
  other: ret i32 0
  }
  define i32 @throws(i32 %x) uwtable { %y = call i32 @thrower(i32 %x) ret i32 %y }
  declare i32 @thrower(i32)
)";

TEST_P(ElfLinkerModelsTest, CodeWorks) {
  EngineOptions options;
  options.relocation_model = GetParam().relocation_model;
  options.code_model = GetParam().code_model;
  options.codegen_level = GetParam().level;
  // The host lies further away than some models reach.
  const SymbolAddresses near = Link(R"(
    @outside = global i32 3
    @host_function = external global ptr
    @host_thrower = external global ptr
    declare i32 @function_of_host(i32)
    declare i32 @thrower_of_host(i32)
    define i32 @function(i32 %x) uwtable { %y = call i32 @function_of_host(i32 %x) ret i32 %y }
    define i32 @thrower(i32 %x) uwtable { %y = call i32 @thrower_of_host(i32 %x) ret i32 %y })",
                                    {{"function_of_host", AddressOf(&HostFunction)},
                                     {"thrower_of_host", AddressOf(&ThrowSeven)}});
  SymbolResolution resolution(near.begin(), near.end());
  if (!GetParam().is_near) {
    resolution["outside"] = ExecutorAddress::Of(&host_variable);
    resolution["function"] = AddressOf(&HostFunction);
    resolution["thrower"] = AddressOf(&ThrowSeven);
  }
  ElfObject& object = Parse(kProgram, options);
  object.DefineAsZero("weak");
  ASSERT_OK_AND_ASSIGN(const SymbolAddresses defined, Load(object));
  ASSERT_THAT(linker_.Finish(resolution), IsOk());
  // 5 doubled, or times 3; 3 times 3.
  EXPECT_EQ(Call(defined, "f", 0), 11 + 1 + 10 + 9);
  EXPECT_EQ(Call(defined, "f", 1), 21 + 2 + 15 + 9);
  const int chosen[] = {17, 3, 88, -5, 40, 0};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(Call(defined, "choose", i), chosen[i]);
  EXPECT_THROW(Call(defined, "throws"), int);
}

// --- What assembly asks for ---

class ElfLinkerReferencesTest : public ElfLinking {
 protected:
  // A module of assembly that defines `value` (42), and `f` as `body`, which returns.
  static std::string Assembly(absl::string_view body, absl::string_view more = "") {
    std::string text = ".globl value, f, data\n.data\n.balign 16\nvalue: .long 42\n.balign 16\n";
    absl::StrAppend(&text, "data:\n", more, "\n.balign 16\n.text\nf:\n", body, "\n");
    std::string module;
    for (absl::string_view line : absl::StrSplit(text, '\n')) {
      absl::StrAppend(&module, "module asm \"", line, "\"\n");
    }
    return module;
  }

  // The result of `f`. Undefined are `outside`, a variable that contains 3, and `function`, which
  // returns three times its argument.
  int Run(absl::string_view body, absl::string_view more = "") {
    return Call(Link(Assembly(body, more), resolution_), "f", 14);
  }

  SymbolResolution resolution_ = {{"outside", ExecutorAddress::Of(&host_variable)},
                                  {"function", AddressOf(&HostFunction)}};
};

#if defined(__x86_64__)

TEST_F(ElfLinkerReferencesTest, ReachesItsOwnData) {
  EXPECT_EQ(Run("movl value(%rip), %eax; ret"), 42);
  EXPECT_EQ(Run("movabsq $value, %rax; movl (%rax), %eax; ret"), 42);
  EXPECT_EQ(Run("movq data(%rip), %rax; movl (%rax), %eax; ret", ".quad value"), 42);
  EXPECT_EQ(
      Run("leaq data(%rip), %rax; addq (%rax), %rax; movl (%rax), %eax; ret", ".quad value - ."),
      42);
}

TEST_F(ElfLinkerReferencesTest, ReachesTheOffsetTable) {
  EXPECT_EQ(Run("movq outside@GOTPCREL(%rip), %rax; movl (%rax), %eax; ret"), 3);
  EXPECT_EQ(Run("movq value@GOTPCREL(%rip), %r9; movl (%r9), %eax; ret"), 42);
  EXPECT_EQ(Run("pushq outside@GOTPCREL(%rip); popq %rax; movl (%rax), %eax; ret"), 3);
  EXPECT_EQ(Run("xorl %eax, %eax; leaq value(%rip), %rcx; cmpq value@GOTPCREL(%rip), %rcx; "
                "sete %al; ret"),
            1);
  EXPECT_EQ(Run("leaq data(%rip), %rax; movslq (%rax), %rcx; movq (%rax, %rcx), %rax; "
                "movl (%rax), %eax; ret",
                ".long outside@GOTPCREL"),
            3);
}

TEST_F(ElfLinkerReferencesTest, CallsAndJumpsThroughTheOffsetTable) {
  EXPECT_EQ(Run("subq $8, %rsp; call *function@GOTPCREL(%rip); addq $8, %rsp; ret"), 42);
  EXPECT_EQ(Run("jmp *function@GOTPCREL(%rip)"), 42);
  EXPECT_EQ(Run("subq $8, %rsp; call *g@GOTPCREL(%rip); addq $8, %rsp; ret; .globl g; "
                "g: leal 1(%rdi), %eax; ret"),
            15);
  EXPECT_EQ(Run("jmp *g@GOTPCREL(%rip); .globl g; g: leal 1(%rdi), %eax; ret"), 15);
}

TEST_F(ElfLinkerReferencesTest, CallsAndJumpsWhereverTheTargetIs) {
  EXPECT_EQ(Run("subq $8, %rsp; call function@PLT; addq $8, %rsp; ret"), 42);
  EXPECT_EQ(Run("jmp function@PLT"), 42);
  EXPECT_EQ(Run("testl %edi, %edi; jne function@PLT; ret"), 42);
  EXPECT_EQ(Run("leaq data(%rip), %rax; movslq (%rax), %rcx; addq %rcx, %rax; jmp *%rax",
                ".long function@PLT - ."),
            42);
}

constexpr char kTable[] =
    "1: leaq 1b(%rip), %rdx; movabsq $_GLOBAL_OFFSET_TABLE_-1b, %rcx; addq %rcx, %rdx; ";

TEST_F(ElfLinkerReferencesTest, ReachesEverythingInTheLargeModel) {
  EXPECT_EQ(Run(absl::StrCat(kTable,
                             "movabsq $outside@GOT, %rcx; movq (%rdx, %rcx), %rax; "
                             "movl (%rax), %eax; ret")),
            3);
  EXPECT_EQ(Run(absl::StrCat(kTable, "movabsq $value@GOTOFF, %rcx; movl (%rdx, %rcx), %eax; ret")),
            42);
  EXPECT_EQ(Run(absl::StrCat(kTable, "movabsq $function@PLTOFF, %rcx; addq %rcx, %rdx; jmp *%rdx")),
            42);
  EXPECT_EQ(Run("leaq _GLOBAL_OFFSET_TABLE_(%rip), %rdx; movabsq $outside@GOT, %rcx; "
                "movq (%rdx, %rcx), %rax; movl (%rax), %eax; ret"),
            3);
}

TEST_F(ElfLinkerReferencesTest, ShortAbsoluteAddressesAreForLowOnes) {
  resolution_["low"] = ExecutorAddress(0x41);
  EXPECT_EQ(Run("movl $low, %eax; ret"), 0x41);
  EXPECT_EQ(Run("movq $low, %rax; ret"), 0x41);
  EXPECT_EQ(Run("movl data(%rip), %eax; ret", ".long low + 0x10000"), 0x10041);
  EXPECT_EQ(Run("movl data(%rip), %eax; ret", ".short low\n.byte low + 2"), 0x430041);
  for (const char* high : {"movl $value, %eax; ret", "movq $value, %rax; ret"}) {
    ASSERT_THAT(Load(Assembly(high)), IsOk());
    EXPECT_THAT(linker_.Bind(resolution_),
                StatusIs(absl::StatusCode::kUnimplemented,
                         HasSubstr("binding an object's references: the address of 'value' does "
                                   "not fit into relocation 1")));
  }
}

TEST_F(ElfLinkerReferencesTest, DistanceThatIsTooLargeIsAnError) {
  ASSERT_THAT(Load(Assembly("movl outside(%rip), %eax; ret")), IsOk());
  EXPECT_THAT(linker_.Bind(resolution_), StatusIs(absl::StatusCode::kInternal,
                                                  "binding an object's references: 'outside' is "
                                                  "out of reach of relocation 2"));
  ASSERT_THAT(Load(Assembly("ret", ".short outside - .")), IsOk());
  EXPECT_THAT(linker_.Bind(resolution_),
              StatusIs(absl::StatusCode::kInternal, HasSubstr("is out of reach")));
}

TEST_F(ElfLinkerReferencesTest, CallThatIsBoundDirectlyNeedsNoRoom) {
  const SymbolAddresses near = Link(Assembly("leal 1(%rdi), %eax; ret"));
  constexpr char kCaller[] = "jmp function@PLT";
  ElfObject& indirect = Parse(Assembly(kCaller));
  ASSERT_THAT(Load(indirect), IsOk());
  const size_t with_room = linker_.code_bytes();
  ElfObject& direct = Parse(Assembly(kCaller));
  ASSERT_THAT(direct.BindCallsDirectly([](absl::string_view) { return true; }), IsOk());
  ASSERT_OK_AND_ASSIGN(const SymbolAddresses defined, Load(direct));
  EXPECT_LT(linker_.code_bytes(), with_room);
  ASSERT_THAT(linker_.Finish({{"function", near.at("f")}}), IsOk());
  EXPECT_EQ(Call(defined, "f", 1), 2);
}

#elif defined(__aarch64__)

TEST_F(ElfLinkerReferencesTest, ReachesItsOwnData) {
  EXPECT_EQ(Run("adrp x0, value; ldr w0, [x0, :lo12:value]; ret"), 42);
  EXPECT_EQ(Run("adrp x0, value; add x0, x0, :lo12:value; ldrh w0, [x0]; ret"), 42);
  EXPECT_EQ(Run("adrp x0, value; ldrb w0, [x0, :lo12:value]; ret"), 42);
  EXPECT_EQ(Run("adrp x0, value; ldrh w0, [x0, :lo12:value]; ret"), 42);
  EXPECT_EQ(Run("adrp x0, value; ldr x0, [x0, :lo12:value]; ret"), 42);
  EXPECT_EQ(Run("adrp x0, value; ldr q0, [x0, :lo12:value]; fmov w0, s0; ret"), 42);
  EXPECT_EQ(Run("movz x0, #:abs_g3:value; movk x0, #:abs_g2_nc:value; "
                "movk x0, #:abs_g1_nc:value; movk x0, #:abs_g0_nc:value; ldr w0, [x0]; ret"),
            42);
  EXPECT_EQ(Run("adrp x0, data; ldr x0, [x0, :lo12:data]; ldr w0, [x0]; ret", ".quad value"), 42);
  EXPECT_EQ(Run("adrp x0, data; add x0, x0, :lo12:data; ldr x1, [x0]; ldr w0, [x0, x1]; ret",
                ".quad value - ."),
            42);
  EXPECT_EQ(Run("adrp x0, data; add x0, x0, :lo12:data; ldrsw x1, [x0]; ldr w0, [x0, x1]; ret",
                ".word value - ."),
            42);
}

constexpr char kElsewhere[] =
    ".section .text.other,\\22ax\\22,%progbits; .globl g, number; g: mov w0, #15; ret; "
    "number: .word 16; .text";

TEST_F(ElfLinkerReferencesTest, ReachesItsOtherCode) {
  EXPECT_EQ(Run("adr x0, number; ldr w0, [x0]; ret", kElsewhere), 16);
  EXPECT_EQ(Run("ldr w0, number; ret", kElsewhere), 16);
  EXPECT_EQ(Run("cbnz w0, g; ret", kElsewhere), 15);
  EXPECT_EQ(Run("tbnz w0, #1, g; ret", kElsewhere), 15);
  EXPECT_EQ(Run("cmp w0, #14; b.eq g; ret", kElsewhere), 15);
  EXPECT_EQ(Run("b g", kElsewhere), 15);
}

TEST_F(ElfLinkerReferencesTest, ReachesTheOffsetTable) {
  EXPECT_EQ(Run("adrp x0, :got:outside; ldr x0, [x0, :got_lo12:outside]; ldr w0, [x0]; ret"), 3);
  EXPECT_EQ(Run("ldr x0, :got:outside; ldr w0, [x0]; ret"), 3);
  EXPECT_EQ(Run("adrp x0, _GLOBAL_OFFSET_TABLE_; ldr x0, [x0, :gotpage_lo15:outside]; "
                "ldr w0, [x0]; ret"),
            3);
}

TEST_F(ElfLinkerReferencesTest, CallsAndJumpsWhereverTheTargetIs) {
  EXPECT_EQ(Run("stp x29, x30, [sp, #-16]!; bl function; ldp x29, x30, [sp], #16; ret"), 42);
  EXPECT_EQ(Run("b function"), 42);
  EXPECT_EQ(Run("adrp x1, data; add x1, x1, :lo12:data; ldrsw x2, [x1]; add x1, x1, x2; br x1",
                ".word function@PLT - ."),
            42);
}

TEST_F(ElfLinkerReferencesTest, ShortAbsoluteAddressesAreForLowOnes) {
  resolution_["low"] = ExecutorAddress(0x41);
  EXPECT_EQ(Run("movz x0, #:abs_g0:low; ret"), 0x41);
  EXPECT_EQ(Run("adrp x0, data; ldr w0, [x0, :lo12:data]; ret", ".word low + 0x10000"), 0x10041);
  EXPECT_EQ(Run("adrp x0, data; ldr w0, [x0, :lo12:data]; ret", ".hword low"), 0x41);
  ASSERT_THAT(Load(Assembly("movz x0, #:abs_g1:value; ret")), IsOk());
  EXPECT_THAT(linker_.Bind(resolution_),
              StatusIs(absl::StatusCode::kUnimplemented,
                       HasSubstr("the address of 'value' does not fit into relocation 265")));
}

TEST_F(ElfLinkerReferencesTest, DistanceThatIsTooLargeIsAnError) {
  resolution_["outside"] = ExecutorAddress(1);
  ASSERT_THAT(Load(Assembly("adrp x0, outside; ret")), IsOk());
  EXPECT_THAT(linker_.Bind(resolution_), StatusIs(absl::StatusCode::kInternal,
                                                  "binding an object's references: 'outside' is "
                                                  "out of reach of relocation 275"));
}

TEST_F(ElfLinkerReferencesTest, TargetThatIsNotAlignedIsAnError) {
  resolution_["outside"] = ExecutorAddress(1);
  ASSERT_THAT(Load(Assembly("ldr w0, [x0, :lo12:outside]; ret")), IsOk());
  EXPECT_THAT(linker_.Bind(resolution_),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("'outside' is not aligned as relocation 285 demands")));
}

#endif

}  // namespace
}  // namespace firstcall
