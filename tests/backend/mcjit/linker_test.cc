// What both linkers promise (object/linker.h): ElfLinker and McjitLinker.

#include "object/linker.h"

#include <cxxabi.h>

#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/mcjit/mcjit_linker.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "memory/instruction_cache.h"
#include "memory/owned_code.h"
#include "memory/unwind_registry.h"
#include "object/elf_linker.h"
#include "tests/object/linking.h"
#include "tests/testing/object.h"
#include "tests/testing/status_matchers.h"

// Of the C++ runtime, which declares it nowhere.
extern "C" int __gxx_personality_v0(...);

namespace firstcall {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const Target& HostTarget() {
  static const auto* const target = new Target(MakeTarget());
  return *target;
}

struct Kind {
  const char* name;
  std::unique_ptr<Linker> (*make)();
};

constexpr Kind kKinds[] = {
    {"Elf", []() -> std::unique_ptr<Linker> { return std::make_unique<ElfLinker>(); }},
    {"Mcjit",
     []() -> std::unique_ptr<Linker> { return std::make_unique<McjitLinker>(HostTarget()); }},
};

class LinkerTest : public Linking,
                   public testing::WithParamInterface<std::tuple<Kind, Registrations>> {
 protected:
  LinkerTest() : Linking(std::get<0>(GetParam()).make(), std::get<1>(GetParam())) {}
};

INSTANTIATE_TEST_SUITE_P(
    Kinds, LinkerTest,
    testing::Combine(testing::ValuesIn(kKinds),
                     testing::Values(Registrations::kGroups, Registrations::kSingle)),
    [](const auto& info) {
      const bool is_grouped = std::get<1>(info.param) == Registrations::kGroups;
      return std::string(std::get<0>(info.param).name) + (is_grouped ? "Groups" : "Single");
    });

std::string NameOf(const testing::TestParamInfo<Kind>& info) { return info.param.name; }

// For what does not depend on how unwind tables are registered.
class LinkerOfKindTest : public Linking, public testing::WithParamInterface<Kind> {
 protected:
  explicit LinkerOfKindTest(const ArenaSizes& sizes = kSmallArenas)
      : Linking(GetParam().make(), Registrations::kOfProcess, sizes) {}
};

constexpr char kAddSeven[] = "define i32 @f(i32 %x) { %y = add i32 %x, 7  ret i32 %y }";

TEST_P(LinkerTest, LinkedCodeRuns) {
  EXPECT_EQ(Call(Link(kAddSeven), "f", 1), 8);
  EXPECT_GT(linker_.code_bytes(), 0u);
}

TEST_P(LinkerTest, CodeConstantsAndDataWork) {
  const SymbolAddresses defined = Link(R"(
    @table = internal constant [4 x i32] [i32 10, i32 20, i32 30, i32 40]
    @calls = global i32 5
    @zero = internal global i32 0
    @pointer = internal global ptr @zero
    define i32 @f(i32 %i) {
      %n = load i32, ptr @calls
      %m = add i32 %n, 1
      store i32 %m, ptr @calls
      %p = getelementptr [4 x i32], ptr @table, i32 0, i32 %i
      %t = load i32, ptr %p
      %q = load ptr, ptr @pointer
      %z = load i32, ptr %q
      %s = add i32 %t, %z
      ret i32 %s
    })");
  EXPECT_EQ(Call(defined, "f", 2), 30);
  EXPECT_EQ(Call(defined, "f", 0), 10);
  EXPECT_EQ(*defined.at("calls").InThisProcess<int*>(), 7);
  EXPECT_TRUE(arenas_->first().Contains(defined.at("f")));
  EXPECT_TRUE(arenas_->first().Contains(defined.at("calls")));
}

int host_variable = 3;
int HostFunction(int x) { return x * host_variable; }

// The host lies further away than the small code model reaches.
TEST_P(LinkerTest, ReferencesAreBoundToTheResolution) {
  const SymbolAddresses defined = Link(
      R"(
        @variable = external global i32
        declare i32 @function(i32)
        define i32 @f(i32 %x) {
          %v = load i32, ptr @variable
          %y = call i32 @function(i32 %x)
          %z = add i32 %v, %y
          ret i32 %z
        }
        @pointer = global ptr @function)",
      {{"variable", ExecutorAddress::Of(&host_variable)}, {"function", AddressOf(&HostFunction)}});
  EXPECT_EQ(Call(defined, "f", 10), 33);
  EXPECT_EQ(*defined.at("pointer").InThisProcess<int (**)(int)>(), &HostFunction);
}

TEST_P(LinkerTest, ReferenceToNothingIsZero) {
  ElfObject& object = Parse(R"(
      declare extern_weak i32 @maybe()
      @pointer = global ptr @maybe
      define i32 @f() {
        %is = icmp ne ptr @maybe, null
        br i1 %is, label %call, label %no
      call:
        %r = call i32 @maybe()
        ret i32 %r
      no:
        ret i32 -1
      })");
  object.DefineAsZero("maybe");
  ASSERT_OK_AND_ASSIGN(const SymbolAddresses defined, Load(object));
  ASSERT_THAT(linker_.Finish({}), IsOk());
  EXPECT_EQ(Call(defined, "f"), -1);
  EXPECT_EQ(*defined.at("pointer").InThisProcess<void**>(), nullptr);
}

// A variable of which only the debug information is left.
TEST_P(LinkerTest, DebugInformationMayNameWhatNobodyDefines) {
  const SymbolAddresses defined = Link(R"(
    @x = available_externally constant i32 5, !dbg !0
    define i32 @f(i32 %n) { ret i32 %n }
    !llvm.dbg.cu = !{!2}
    !llvm.module.flags = !{!5, !6}
    !0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
    !1 = distinct !DIGlobalVariable(name: "x", scope: !2, file: !3, line: 1, type: !4,
                                    isLocal: false, isDefinition: true)
    !2 = distinct !DICompileUnit(language: DW_LANG_C99, file: !3, producer: "test",
                                 isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug,
                                 globals: !{!0})
    !3 = !DIFile(filename: "test.c", directory: "/")
    !4 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
    !5 = !{i32 7, !"Dwarf Version", i32 5}
    !6 = !{i32 2, !"Debug Info Version", i32 3})");
  EXPECT_EQ(Call(defined, "f", 3), 3);
}

// Which definition counts is for the resolution to say.
TEST_P(LinkerTest, EarlierObjectDoesNotProvideForLaterOnes) {
  const SymbolAddresses first = Link(kAddSeven);
  const SymbolAddresses second = Link(R"(
      declare i32 @f(i32)
      define i32 @g(i32 %x) { %y = call i32 @f(i32 %x)  ret i32 %y })",
                                      {{"f", AddressOf(&HostFunction)}});
  EXPECT_EQ(Call(second, "g", 2), 6);
  EXPECT_EQ(Call(first, "f", 2), 9);
}

TEST_P(LinkerTest, SameNameMayBeDefinedTwice) {
  const SymbolAddresses first = Link(kAddSeven);
  const SymbolAddresses second = Link("define i32 @f(i32 %x) { ret i32 5 }");
  EXPECT_EQ(Call(first, "f", 2), 9);
  EXPECT_EQ(Call(second, "f", 2), 5);
}

TEST_P(LinkerTest, ManyObjectsStayLinked) {
  std::vector<SymbolAddresses> all;
  for (int i = 0; i < 300; ++i) {
    all.push_back(Link(absl::StrCat("define i32 @f", i, "() { ret i32 ", i, " }")));
  }
  for (int i = 0; i < 300; ++i) EXPECT_EQ(Call(all[i], absl::StrCat("f", i)), i);
}

// --- Exceptions: what unwind tables are registered for ---

void ThrowSeven() { throw 7; }

constexpr char kCallsThrower[] = R"(
  declare void @thrower()
  define void @f() uwtable {
    %space = alloca [100 x i8]
    store volatile i8 1, ptr %space
    call void @thrower()
    store volatile i8 2, ptr %space
    ret void
  })";

int CatchFrom(ExecutorAddress function) {
  try {
    function.InThisProcess<void (*)()>()();
  } catch (int value) {
    return value;
  }
  return 0;
}

TEST_P(LinkerTest, ExceptionsPassThroughLinkedCode) {
  std::vector<ExecutorAddress> functions;
  for (int i = 0; i < 20; ++i) {
    functions.push_back(Link(kCallsThrower, {{"thrower", AddressOf(&ThrowSeven)}}).at("f"));
    for (ExecutorAddress function : functions) EXPECT_EQ(CatchFrom(function), 7);
  }
  EXPECT_EQ(unwind_registry_->registration_count(),
            std::get<1>(GetParam()) == Registrations::kGroups ? 1u : 20u);
}

TEST_P(LinkerTest, LinkedCodeCatches) {
  const SymbolAddresses defined = Link(R"(
        declare void @thrower()
        declare i32 @__gxx_personality_v0(...)
        declare ptr @__cxa_begin_catch(ptr)
        declare void @__cxa_end_catch()
        define i32 @f() personality ptr @__gxx_personality_v0 {
          invoke void @thrower() to label %no unwind label %caught
        no:
          ret i32 1
        caught:
          %pad = landingpad { ptr, i32 } catch ptr null
          %exception = extractvalue { ptr, i32 } %pad, 0
          %object = call ptr @__cxa_begin_catch(ptr %exception)
          %value = load i32, ptr %object
          call void @__cxa_end_catch()
          ret i32 %value
        })",
                                       {{"thrower", AddressOf(&ThrowSeven)},
                                        {"__gxx_personality_v0", AddressOf(&__gxx_personality_v0)},
                                        {"__cxa_begin_catch", AddressOf(&abi::__cxa_begin_catch)},
                                        {"__cxa_end_catch", AddressOf(&abi::__cxa_end_catch)}});
  EXPECT_EQ(Call(defined, "f"), 7);
}

constexpr char kInSeveralSections[] = R"(
  declare void @thrower()
  define void @inner() uwtable section ".text.inner" { call void @thrower() ret void }
  define void @outer() uwtable section ".text.outer" align 64 {
    %space = alloca [100 x i8]
    store volatile i8 1, ptr %space
    call void @inner()
    store volatile i8 2, ptr %space
    ret void
  }
  define void @f() uwtable { call void @outer() ret void })";

TEST_P(LinkerTest, ExceptionsPassThroughSeveralSectionsOfCode) {
  for (int i = 0; i < 3; ++i) {
    const SymbolAddresses defined = Link(kInSeveralSections, {{"thrower", AddressOf(&ThrowSeven)}});
    EXPECT_EQ(defined.at("outer").value() % 64, 0u);
    for (const char* name : {"inner", "outer", "f"}) EXPECT_EQ(CatchFrom(defined.at(name)), 7);
  }
}

// The addresses of what was freed come again, while the linker remembers them from before.
TEST_P(LinkerTest, FreedMemoryIsLinkedIntoAgain) {
  uint64_t first_address = 0;
  for (int i = 0; i < 20; ++i) {
    const SymbolAddresses defined = Link(kAddSeven);
    ASSERT_EQ(Call(defined, "f", i), i + 7);
    if (i == 0) first_address = defined.at("f").value();
    if (NoticesRewrittenCode()) {
      ASSERT_EQ(defined.at("f").value(), first_address);
    }
    owner_ = std::make_unique<OwnedCode>(arenas_, unwind_registry_);
    ASSERT_EQ(arenas_->usage().used.total(), 0u);
    ASSERT_EQ(unwind_registry_->registration_count(), 0u);
  }
}

TEST_P(LinkerTest, WhatIsLoadedAndNotFinishedIsGivenBack) {
  ASSERT_THAT(Load(kAddSeven), IsOk());
  EXPECT_NE(arenas_->usage().used.total(), 0u);
  ASSERT_THAT(Load(kAddSeven), IsOk());
  EXPECT_EQ(Call(Link(kAddSeven), "f", 1), 8);
  owner_ = std::make_unique<OwnedCode>(arenas_, unwind_registry_);
  EXPECT_EQ(arenas_->usage().used.total(), 0u);
}

// --- Far away ---

// More code than AArch64's branches reach, in addresses that are reserved and never used.
class LinkerFarTest : public LinkerOfKindTest {
 protected:
  static constexpr size_t kMiB = size_t{1} << 20;
  LinkerFarTest() : LinkerOfKindTest({400 * kMiB, 16 * kMiB, 16 * kMiB}) {}

  void Skip(size_t size) {
    MemoryRequest request;
    request.segment = Segment::kCode;
    request.size = size;
    request.near = arenas_->near_first();
    ASSERT_THAT(arenas_->Allocate(request), IsOk());
  }
};

INSTANTIATE_TEST_SUITE_P(Kinds, LinkerFarTest, testing::ValuesIn(kKinds), &NameOf);

TEST_P(LinkerFarTest, CallsReachAcrossMoreThanABranchDoes) {
  const SymbolAddresses first = Link(kAddSeven);
  Skip(200 * kMiB);
  const SymbolAddresses caller = Link(R"(
      declare i32 @f(i32)
      define i32 @g(i32 %x) { %y = call i32 @f(i32 %x)  %z = mul i32 %y, 2  ret i32 %z })",
                                      SymbolResolution(first.begin(), first.end()));
  Skip(150 * kMiB);
  const SymbolAddresses last = Link(R"(
      declare i32 @f(i32)
      declare i32 @g(i32)
      define i32 @h(i32 %x) {
        %a = call i32 @f(i32 %x)
        %b = tail call i32 @g(i32 %a)
        ret i32 %b
      })",
                                    {{"f", first.at("f")}, {"g", caller.at("g")}});
  ASSERT_GT(caller.at("g") - first.at("f"), int64_t{200 * kMiB});
  ASSERT_GT(last.at("h") - caller.at("g"), int64_t{150 * kMiB});
  EXPECT_EQ(Call(caller, "g", 1), 16);
  EXPECT_EQ(Call(last, "h", 1), 30);
}

// --- Failures ---

using LinkerFailureTest = LinkerOfKindTest;
INSTANTIATE_TEST_SUITE_P(Kinds, LinkerFailureTest, testing::ValuesIn(kKinds), &NameOf);

TEST_P(LinkerFailureTest, UnresolvedReferenceIsAnErrorAndTheLinkerGoesOn) {
  ASSERT_THAT(Load(kCallsThrower), IsOk());
  EXPECT_THAT(linker_.Finish({}), StatusIs(absl::StatusCode::kInternal,
                                           AllOf(StartsWith("binding an object's references: "),
                                                 HasSubstr("thrower"))));
  EXPECT_EQ(Call(Link(kAddSeven), "f", 1), 8);
}

// What is found missing while an object is bound: by the linker itself, and by LLVM, for which it
// is fatal.
constexpr const char* kUnbound[] = {
    "@missing = external global i32 @f = global ptr @missing",
    "declare void @missing() define void @f() { call void @missing() ret void }"};

// Others may have bound to it already.
TEST_P(LinkerFailureTest, WhatCannotBeBoundIsTheOwnersWhenItIsKept) {
  for (absl::string_view text : kUnbound) {
    ASSERT_THAT(Load(text), IsOk());
    const size_t loaded = arenas_->usage().used.total();
    ASSERT_GT(loaded, 0u);
    ASSERT_THAT(linker_.Bind({}), StatusIs(absl::StatusCode::kInternal, HasSubstr("missing")));
    EXPECT_EQ(arenas_->usage().used.total(), loaded);
    linker_.Keep();
    EXPECT_EQ(Call(Link(kAddSeven), "f", 1), 8);
    EXPECT_GT(arenas_->usage().used.total(), loaded);
    owner_ = std::make_unique<OwnedCode>(arenas_, unwind_registry_);
    EXPECT_EQ(arenas_->usage().used.total(), 0u);
  }
}

TEST_P(LinkerFailureTest, WhatCannotBeBoundIsGivenBackWhenItIsDropped) {
  for (absl::string_view text : kUnbound) {
    ASSERT_THAT(Load(text), IsOk());
    ASSERT_THAT(linker_.Bind({}), StatusIs(absl::StatusCode::kInternal, HasSubstr("missing")));
    linker_.Drop();
    EXPECT_EQ(arenas_->usage().used.total(), 0u);
    EXPECT_EQ(Call(Link(kAddSeven), "f", 1), 8);
    owner_ = std::make_unique<OwnedCode>(arenas_, unwind_registry_);
  }
}

class LinkerMemoryTest : public LinkerOfKindTest {
 protected:
  LinkerMemoryTest() : LinkerOfKindTest({4096, 64 << 10, 64 << 10}) {}
};

INSTANTIATE_TEST_SUITE_P(Kinds, LinkerMemoryTest, testing::ValuesIn(kKinds), &NameOf);

TEST_P(LinkerMemoryTest, ExhaustedMemoryIsAnErrorAndTheLinkerGoesOn) {
  std::string large = "define void @large() { ";
  for (int i = 0; i < 2000; ++i) large += "store volatile i32 1, ptr null ";
  EXPECT_THAT(Load(large + "ret void }"),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       AllOf(StartsWith("loading an object: "), HasSubstr("no more slabs"))));
  EXPECT_EQ(Call(Link(kAddSeven), "f", 1), 8);
  EXPECT_THAT(Load("@large = global [100000 x i8] zeroinitializer"),
              StatusIs(absl::StatusCode::kResourceExhausted, StartsWith("loading an object: ")));
  EXPECT_EQ(Call(Link(kAddSeven), "f", 1), 8);
  owner_ = nullptr;
  EXPECT_EQ(arenas_->usage().used.total(), 0u);
}

}  // namespace
}  // namespace firstcall
