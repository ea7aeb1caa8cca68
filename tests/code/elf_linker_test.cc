// Objects come from the engine's emitter, and what is linked is run.

#include "code/elf_linker.h"

#include <cxxabi.h>

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "memory/instruction_cache.h"
#include "memory/memory_manager.h"
#include "memory/owned_code.h"
#include "memory/unwind_registry.h"
#include "tests/code/elf_linking.h"
#include "tests/testing/object.h"
#include "tests/testing/status_matchers.h"

// Of the C++ runtime, which declares it nowhere.
extern "C" int __gxx_personality_v0(...);

namespace firstcall {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const ArenaSizes kSizes = {1 << 20, 1 << 20, 1 << 20};

class ElfLinkerTest : public ElfLinking,
                      public testing::WithParamInterface<UnwindRegistry::Grouping> {
 protected:
  explicit ElfLinkerTest(UnwindRegistry::Grouping grouping = GetParam(),
                         const ArenaSizes& sizes = kSizes)
      : ElfLinking(grouping, sizes) {}
};

INSTANTIATE_TEST_SUITE_P(Groupings, ElfLinkerTest,
                         testing::Values(UnwindRegistry::Grouping::kMerge,
                                         UnwindRegistry::Grouping::kIndividual),
                         [](const auto& info) {
                           return info.param == UnwindRegistry::Grouping::kMerge ? "Merge"
                                                                                 : "Individual";
                         });

constexpr char kAddSeven[] = "define i32 @f(i32 %x) { %y = add i32 %x, 7  ret i32 %y }";

TEST_P(ElfLinkerTest, LinkedCodeRuns) {
  EXPECT_EQ(Call(Link(kAddSeven), "f", 1), 8);
  EXPECT_GT(linker_.code_bytes(), 0u);
}

TEST_P(ElfLinkerTest, CodeConstantsAndDataWork) {
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
TEST_P(ElfLinkerTest, ReferencesAreBoundToTheResolution) {
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

TEST_P(ElfLinkerTest, ReferenceToNothingIsZero) {
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
  ASSERT_THAT(linker_.Finish(SymbolAddresses()), IsOk());
  EXPECT_EQ(Call(defined, "f"), -1);
  EXPECT_EQ(*defined.at("pointer").InThisProcess<void**>(), nullptr);
}

// One instance serves many objects; which definition counts is for the resolution to say, even if
// the instance has one of that name itself.
TEST_P(ElfLinkerTest, EarlierObjectDoesNotProvideForLaterOnes) {
  const SymbolAddresses first = Link(kAddSeven);
  const SymbolAddresses second = Link(R"(
      declare i32 @f(i32)
      define i32 @g(i32 %x) { %y = call i32 @f(i32 %x)  ret i32 %y })",
                                      {{"f", AddressOf(&HostFunction)}});
  EXPECT_EQ(Call(second, "g", 2), 6);
  EXPECT_EQ(Call(first, "f", 2), 9);
}

TEST_P(ElfLinkerTest, SameNameMayBeDefinedTwice) {
  const SymbolAddresses first = Link(kAddSeven);
  const SymbolAddresses second = Link("define i32 @f(i32 %x) { ret i32 5 }");
  EXPECT_EQ(Call(first, "f", 2), 9);
  EXPECT_EQ(Call(second, "f", 2), 5);
}

// More than one instance links before it is replaced (128).
TEST_P(ElfLinkerTest, ManyObjectsStayLinked) {
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

TEST_P(ElfLinkerTest, ExceptionsPassThroughLinkedCode) {
  std::vector<ExecutorAddress> functions;
  for (int i = 0; i < 20; ++i) {
    functions.push_back(Link(kCallsThrower, {{"thrower", AddressOf(&ThrowSeven)}}).at("f"));
    for (ExecutorAddress function : functions) EXPECT_EQ(CatchFrom(function), 7);
  }
  EXPECT_EQ(unwind_registry_->group_count(),
            GetParam() == UnwindRegistry::Grouping::kMerge ? 1u : 20u);
}

TEST_P(ElfLinkerTest, LinkedCodeCatches) {
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

TEST_P(ElfLinkerTest, ExceptionsPassThroughSeveralSectionsOfCode) {
  for (int i = 0; i < 3; ++i) {
    const SymbolAddresses defined = Link(kInSeveralSections, {{"thrower", AddressOf(&ThrowSeven)}});
    EXPECT_EQ(defined.at("outer").value() % 64, 0u);
    for (const char* name : {"inner", "outer", "f"}) EXPECT_EQ(CatchFrom(defined.at(name)), 7);
  }
}

// --- Sections ---

TEST_P(ElfLinkerTest, DataOfEveryKindIsLoaded) {
  const SymbolAddresses defined = Link(R"(
    $group = comdat any
    @tentative = common global [5 x i64] zeroinitializer, align 32
    @zeros = global [70 x i64] zeroinitializer, align 64
    @group = linkonce_odr global i32 11, comdat
    @text = constant [3 x i8] c"ab\00"
    @pointers = constant [2 x ptr] [ptr @text, ptr @group]
    define i32 @f() { ret i32 1 })");
  EXPECT_EQ(Call(defined, "f"), 1);
  EXPECT_EQ(defined.at("tentative").value() % 32, 0u);
  EXPECT_EQ(defined.at("zeros").value() % 64, 0u);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(defined.at("tentative").InThisProcess<int64_t*>()[i], 0);
  for (int i = 0; i < 70; ++i) EXPECT_EQ(defined.at("zeros").InThisProcess<int64_t*>()[i], 0);
  defined.at("tentative").InThisProcess<int64_t*>()[4] = 1;
  EXPECT_EQ(*defined.at("group").InThisProcess<int*>(), 11);
  EXPECT_STREQ(defined.at("text").InThisProcess<const char*>(), "ab");
  EXPECT_EQ(defined.at("pointers").InThisProcess<void**>()[0],
            defined.at("text").InThisProcess<void*>());
  EXPECT_EQ(defined.at("pointers").InThisProcess<void**>()[1],
            defined.at("group").InThisProcess<void*>());
}

TEST_P(ElfLinkerTest, TellsWhereNamedSectionsAndConstructorsAre) {
  ElfObject& object = Parse(R"(
    @count = global i32 0
    @first = constant i32 5, section "my_list"
    @second = constant i32 6, section "my_list"
    @llvm.global_ctors = appending global [1 x { i32, ptr, ptr }]
        [{ i32, ptr, ptr } { i32 7, ptr @construct, ptr null }]
    define internal void @construct() {
      %n = load i32, ptr @count
      %m = add i32 %n, 1
      store i32 %m, ptr @count
      ret void
    })");
  const std::vector<ElfObject::NamedSection> named = object.NamedSections();
  ASSERT_EQ(named.size(), 1u);
  EXPECT_EQ(named[0].name, "my_list");
  EXPECT_EQ(named[0].size, 8u);
  ASSERT_OK_AND_ASSIGN(const auto pointers, object.LifecyclePointers());
  ASSERT_EQ(pointers.size(), 1u);
  EXPECT_EQ(pointers[0].phase, LifecyclePhase::kStart);
  EXPECT_EQ(pointers[0].priority, 7);
  ASSERT_OK_AND_ASSIGN(const SymbolAddresses defined, Load(object));
  ASSERT_THAT(linker_.Finish({}), IsOk());
  const int* const list = linker_.AddressOf(named[0].section).InThisProcess<const int*>();
  EXPECT_EQ(list[0] + list[1], 11);
  (linker_.AddressOf(pointers[0].section) + pointers[0].offset).InThisProcess<void (*)()>()();
  EXPECT_EQ(*defined.at("count").InThisProcess<int*>(), 1);
  EXPECT_TRUE(linker_.AddressOf(0).is_null());
  EXPECT_TRUE(linker_.AddressOf(1000).is_null());
}

TEST_P(ElfLinkerTest, SymbolsOfEmptyAndOfNoSectionsHaveAddresses) {
  const SymbolAddresses defined = Link(R"(
    module asm ".globl absolute, nothing"
    module asm "absolute = 0x1234"
    module asm "nothing:")");
  EXPECT_EQ(defined.at("absolute").value(), 0x1234u);
  EXPECT_FALSE(defined.at("nothing").is_null());
}

// The addresses of what was freed come again, while the linker remembers them from before.
TEST_P(ElfLinkerTest, FreedMemoryIsLinkedIntoAgain) {
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
    ASSERT_EQ(unwind_registry_->group_count(), 0u);
  }
}

TEST_P(ElfLinkerTest, WhatIsLoadedAndNotFinishedIsGivenBack) {
  ASSERT_THAT(Load(kAddSeven), IsOk());
  EXPECT_NE(arenas_->usage().used.total(), 0u);
  ASSERT_THAT(Load(kAddSeven), IsOk());
  EXPECT_EQ(Call(Link(kAddSeven), "f", 1), 8);
  owner_ = std::make_unique<OwnedCode>(arenas_, unwind_registry_);
  EXPECT_EQ(arenas_->usage().used.total(), 0u);
}

// --- Far away ---

// More code than AArch64's branches reach, in addresses that are reserved and never used.
class ElfLinkerFarTest : public ElfLinkerTest {
 protected:
  static constexpr size_t kMiB = size_t{1} << 20;
  ElfLinkerFarTest()
      : ElfLinkerTest(UnwindRegistry::DefaultGrouping(), {400 * kMiB, 16 * kMiB, 16 * kMiB}) {}

  void Skip(size_t size) {
    MemoryRequest request;
    request.segment = Segment::kCode;
    request.size = size;
    request.near = arenas_->near_first();
    ASSERT_THAT(arenas_->Allocate(request), IsOk());
  }
};

TEST_F(ElfLinkerFarTest, CallsReachAcrossMoreThanABranchDoes) {
  const SymbolAddresses first = Link(kAddSeven);
  Skip(200 * kMiB);
  const SymbolAddresses caller = Link(R"(
      declare i32 @f(i32)
      define i32 @g(i32 %x) { %y = call i32 @f(i32 %x)  %z = mul i32 %y, 2  ret i32 %z })",
                                      first);
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

class ElfLinkerFailureTest : public ElfLinkerTest {
 protected:
  explicit ElfLinkerFailureTest(const ArenaSizes& sizes = kSizes)
      : ElfLinkerTest(UnwindRegistry::DefaultGrouping(), sizes) {}
};

TEST_F(ElfLinkerFailureTest, UnresolvedReferenceIsAnErrorAndTheLinkerGoesOn) {
  ASSERT_THAT(Load(kCallsThrower), IsOk());
  EXPECT_THAT(
      linker_.Finish(SymbolAddresses()),
      StatusIs(absl::StatusCode::kInternal,
               AllOf(StartsWith("binding an object's references: "), HasSubstr("thrower"))));
  EXPECT_EQ(Call(Link(kAddSeven), "f", 1), 8);
}

// What is found missing while an object is bound: by the linker itself, and by LLVM, for which it
// is fatal.
constexpr const char* kUnbound[] = {
    "@missing = external global i32 @f = global ptr @missing",
    "declare void @missing() define void @f() { call void @missing() ret void }"};

// Others may have bound to it already.
TEST_F(ElfLinkerFailureTest, WhatCannotBeBoundIsTheOwnersWhenItIsKept) {
  for (absl::string_view text : kUnbound) {
    ASSERT_THAT(Load(text), IsOk());
    const size_t loaded = arenas_->usage().used.total();
    ASSERT_GT(loaded, 0u);
    ASSERT_THAT(linker_.Bind(SymbolAddresses()),
                StatusIs(absl::StatusCode::kInternal, HasSubstr("missing")));
    EXPECT_EQ(arenas_->usage().used.total(), loaded);
    linker_.Keep();
    EXPECT_EQ(Call(Link(kAddSeven), "f", 1), 8);
    EXPECT_GT(arenas_->usage().used.total(), loaded);
    owner_ = std::make_unique<OwnedCode>(arenas_, unwind_registry_);
    EXPECT_EQ(arenas_->usage().used.total(), 0u);
  }
}

TEST_F(ElfLinkerFailureTest, WhatCannotBeBoundIsGivenBackWhenItIsDropped) {
  for (absl::string_view text : kUnbound) {
    ASSERT_THAT(Load(text), IsOk());
    ASSERT_THAT(linker_.Bind(SymbolAddresses()),
                StatusIs(absl::StatusCode::kInternal, HasSubstr("missing")));
    linker_.Drop();
    EXPECT_EQ(arenas_->usage().used.total(), 0u);
    EXPECT_EQ(Call(Link(kAddSeven), "f", 1), 8);
    owner_ = std::make_unique<OwnedCode>(arenas_, unwind_registry_);
  }
}

// LLVM's code generator is made to emulate thread-local variables; assembly may use them.
#if defined(__aarch64__)
constexpr char kUsesThreadLocal[] = R"(module asm "adrp x0, :gottprel:variable")";
#else
constexpr char kUsesThreadLocal[] = R"(module asm "movq variable@GOTTPOFF(%rip), %rax")";
#endif

// An object that refers to `missing` by a thread-local variable, an ifunc, or an unknown
// relocation.
TEST_F(ElfLinkerFailureTest, WhatIsNotSupportedIsRefusedBeforeAnythingChanges) {
  const struct {
    const char* text;
    const char* reason;
  } cases[] = {
      {R"(module asm ".section .tdata,\22awT\22,%progbits"
          module asm ".long 5")",
       "section '.tdata': thread-local variables are not supported"},
      {kUsesThreadLocal, "symbol 'variable': thread-local variables are not supported"},
      {"@chosen = ifunc void (), ptr @choose define ptr @choose() { ret ptr null }",
       "symbol 'chosen': indirect functions are not supported"},
  };
  for (const auto& c : cases) {
    ElfObject& object = Parse(c.text);
    const std::string before(object.bytes().begin(), object.bytes().end());
    EXPECT_THAT(ElfLinker::CanLink(object), StatusIs(absl::StatusCode::kUnimplemented, c.reason));
    EXPECT_THAT(Load(object), StatusIs(absl::StatusCode::kUnimplemented,
                                       absl::StrCat("loading an object: ", c.reason)));
    EXPECT_EQ(std::string(object.bytes().begin(), object.bytes().end()), before);
    EXPECT_EQ(arenas_->usage().used.total(), 0u);
  }
}

TEST_F(ElfLinkerFailureTest, UnknownRelocationIsRefusedWithItsNumberAndSymbol) {
  ElfObject& object = Parse("@missing = external global i32 @f = global ptr @missing");
  for (const ElfObject::Section& section : object.sections()) {
    if (section.name != ".rela.data") continue;
    ElfObject::Relocation relocation = object.relocation(section, 0);
    relocation.type = 999;
    std::memcpy(object.bytes().data() + section.offset, &relocation, sizeof(relocation));
  }
  EXPECT_THAT(ElfLinker::CanLink(object),
              StatusIs(absl::StatusCode::kUnimplemented,
                       "symbol 'missing': relocation 999 is not supported"));
  EXPECT_THAT(Load(object), StatusIs(absl::StatusCode::kUnimplemented));
}

TEST_F(ElfLinkerFailureTest, WhatIsOutOfReachCanBeBoundAgainToWhatIsNot) {
  ElfObject& object = Parse(R"(
    @elsewhere = external global i32
    @near = external global i32
    @distances = global i32 trunc (i64 sub (i64 ptrtoint (ptr @near to i64),
                                            i64 ptrtoint (ptr @distances to i64)) to i32)
    define ptr @f() { ret ptr @elsewhere })");
  const SymbolAddresses other = Link("@variable = global i32 7");
  const ExecutorAddress close = other.at("variable");
  const ExecutorAddress far = close + (uint64_t{5} << 30);
  ASSERT_OK_AND_ASSIGN(const SymbolAddresses defined, Load(object));
  // Whether code reads an address from the table or computes it is decided each time.
  for (ExecutorAddress elsewhere : {close, far, close}) {
    EXPECT_THAT(linker_.Bind({{"elsewhere", elsewhere}, {"near", far}}),
                StatusIs(absl::StatusCode::kInternal,
                         HasSubstr("binding an object's references: 'near' is out of reach")));
  }
  ASSERT_THAT(linker_.Bind({{"elsewhere", far}, {"near", close}}), IsOk());
  ASSERT_THAT(linker_.Finalize(), IsOk());
  EXPECT_EQ(defined.at("f").InThisProcess<uint64_t (*)()>()(), far.value());
  EXPECT_EQ(defined.at("distances").value() +
                static_cast<uint64_t>(*defined.at("distances").InThisProcess<int32_t*>()),
            close.value());
}

TEST_F(ElfLinkerFailureTest, BindingNothingIsAnError) {
  EXPECT_THAT(linker_.Bind({}),
              StatusIs(absl::StatusCode::kInternal, HasSubstr("no object is loaded")));
}

// Memory of the arenas, of which one request fails.
class FailingMemory final : public MemoryManager {
 public:
  explicit FailingMemory(std::shared_ptr<MemoryManager> memory) : memory_(std::move(memory)) {}
  absl::StatusOr<MemoryBlock> Allocate(const MemoryRequest& request) override {
    if (allowed_requests-- == 0) return absl::ResourceExhaustedError("request refused");
    return memory_->Allocate(request);
  }
  absl::Status Finalize(absl::Span<const MemoryBlock> blocks) override {
    if (allowed_requests-- == 0) return absl::ResourceExhaustedError("request refused");
    return memory_->Finalize(blocks);
  }
  void Free(absl::Span<const MemoryBlock> blocks) override { memory_->Free(blocks); }

  int allowed_requests = 0;

 private:
  const std::shared_ptr<MemoryManager> memory_;
};

constexpr char kInAllSegments[] = R"(
  @table = internal constant [4 x i32] [i32 10, i32 20, i32 30, i32 40]
  @variable = global i32 2
  define i32 @f(i32 %i) {
    %p = getelementptr [4 x i32], ptr @table, i32 0, i32 %i
    %t = load i32, ptr %p
    %v = load i32, ptr @variable
    %s = add i32 %t, %v
    ret i32 %s
  })";

TEST_F(ElfLinkerFailureTest, AfterAnyRequestHasFailedTheObjectCanBeLinkedAgain) {
  auto memory = std::make_shared<FailingMemory>(arenas_);
  auto owner = std::make_unique<OwnedCode>(memory, unwind_registry_);
  ElfObject& object = Parse(kInAllSegments);
  SymbolAddresses defined;
  int failures = 0;
  for (bool is_linked = false; !is_linked; ++failures) {
    memory->allowed_requests = failures;
    absl::StatusOr<SymbolAddresses> loaded = linker_.Load(object, *owner, arenas_->near_first());
    const absl::Status status = loaded.ok() ? linker_.Finish({}) : loaded.status();
    is_linked = status.ok();
    if (is_linked) {
      defined = *loaded;
    } else {
      EXPECT_THAT(status,
                  StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("request refused")));
      EXPECT_EQ(arenas_->usage().used.total(), 0u);
      EXPECT_EQ(unwind_registry_->group_count(), 0u);
    }
  }
  EXPECT_EQ(failures, 5);  // Three blocks, and Finalize; then none.
  EXPECT_EQ(Call(defined, "f", 2), 32);
}

TEST_F(ElfLinkerFailureTest, FinalizeCanBeRepeated) {
  auto memory = std::make_shared<FailingMemory>(arenas_);
  auto owner = std::make_unique<OwnedCode>(memory, unwind_registry_);
  memory->allowed_requests = 3;
  ASSERT_OK_AND_ASSIGN(const SymbolAddresses defined,
                       linker_.Load(Parse(kInAllSegments), *owner, arenas_->near_first()));
  ASSERT_THAT(linker_.Bind({}), IsOk());
  EXPECT_THAT(linker_.Finalize(), StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_THAT(linker_.Finalize(), IsOk());
  EXPECT_EQ(Call(defined, "f", 2), 32);
}

// A client's memory without an address to be near: the first block decides.
TEST_F(ElfLinkerFailureTest, ObjectMayLieAnywhere) {
  ElfObject& object = Parse(kInAllSegments);
  ASSERT_OK_AND_ASSIGN(const SymbolAddresses defined,
                       linker_.Load(object, *owner_, ExecutorAddress()));
  ASSERT_THAT(linker_.Finish({}), IsOk());
  EXPECT_EQ(Call(defined, "f", 2), 32);
}

class ElfLinkerMemoryTest : public ElfLinkerFailureTest {
 protected:
  ElfLinkerMemoryTest() : ElfLinkerFailureTest({4096, 64 << 10, 64 << 10}) {}
};

TEST_F(ElfLinkerMemoryTest, ExhaustedMemoryIsAnErrorAndTheLinkerGoesOn) {
  std::string large = "define void @large() { ";
  for (int i = 0; i < 2000; ++i) large += "store volatile i32 1, ptr null ";
  EXPECT_THAT(Load(large + "ret void }"),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       AllOf(StartsWith("loading an object: code memory: "),
                             HasSubstr("do not fit in what is left of an arena segment"))));
  EXPECT_EQ(Call(Link(kAddSeven), "f", 1), 8);
  EXPECT_THAT(Load("@large = global [100000 x i8] zeroinitializer"),
              StatusIs(absl::StatusCode::kResourceExhausted, StartsWith("loading an object: ")));
  EXPECT_EQ(Call(Link(kAddSeven), "f", 1), 8);
  owner_ = nullptr;
  EXPECT_EQ(arenas_->usage().used.total(), 0u);
}

}  // namespace
}  // namespace firstcall
