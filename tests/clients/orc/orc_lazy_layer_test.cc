#include "clients/orc/orc_lazy_layer.h"

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "clients/orc/orc_compiler.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/TargetSelect.h"
#include "tests/api/memory_cache.h"
#include "tests/clients/orc/runtime_dyld.h"
#include "tests/testing/ir.h"

namespace firstcall {
namespace {

using llvm::orc::ExecutorAddr;
using llvm::orc::JITDylib;
using llvm::orc::JITTargetMachineBuilder;
using llvm::orc::LLJIT;
using llvm::orc::LLJITBuilder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

int CannotBeCalled(int) { return -77; }

class OrcLazyLayerTest : public ::testing::TestWithParam<const char*> {
 protected:
  OrcLazyLayerTest() {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
    Create();
  }

  ~OrcLazyLayerTest() override {
    Destroy();
    if (!HasFailure()) return;
    for (const std::string& error : Errors()) ADD_FAILURE() << "reported: " << error;
  }

  void Destroy() {
    layer_ = nullptr;
    jit_ = nullptr;
  }

  void Create(OrcLazyLayerOptions options = {},
              llvm::CodeGenOptLevel level = llvm::CodeGenOptLevel::None) {
    JITTargetMachineBuilder target = llvm::cantFail(JITTargetMachineBuilder::detectHost());
    target.setCodeGenOptLevel(level);
    CreateFor(target, std::move(options));
  }

  void CreateFor(const JITTargetMachineBuilder& target, OrcLazyLayerOptions options = {}) {
    Destroy();
    {
      absl::MutexLock lock(&mutex_);
      errors_.clear();
    }
    LLJITBuilder builder;
    builder.setJITTargetMachineBuilder(target);
    builder.setCompileFunctionCreator(OrcCompileFunctionCreator());
    if (std::string(GetParam()) == "RuntimeDyld") {
      LinkByRuntimeDyld(builder);
    }
    jit_ = llvm::cantFail(builder.create());
    jit_->getExecutionSession().setErrorReporter([this](llvm::Error error) {
      const std::string message = llvm::toString(std::move(error));
      absl::MutexLock lock(&mutex_);
      errors_.push_back(message);
    });
    options.error_handler = ExecutorAddr::fromPtr(&CannotBeCalled);
    layer_ = llvm::cantFail(OrcLazyLayer::Create(*jit_, target, std::move(options)));
  }

  JITDylib& Main() { return jit_->getMainJITDylib(); }

  llvm::orc::ThreadSafeModule Parse(const std::string& text, const std::string& name) {
    auto context = std::make_unique<llvm::LLVMContext>();
    std::unique_ptr<llvm::Module> module = ParseModule(text, *context, name);
    module->setDataLayout(jit_->getDataLayout());
    return {std::move(module), std::move(context)};
  }

  void Add(const std::string& text, const std::string& name = "test", JITDylib* dylib = nullptr) {
    llvm::cantFail(layer_->add(dylib == nullptr ? Main() : *dylib, Parse(text, name)));
  }

  int Call(const std::string& name, int argument, JITDylib* dylib = nullptr) {
    llvm::Expected<ExecutorAddr> address = jit_->lookup(dylib == nullptr ? Main() : *dylib, name);
    if (!address) {
      ADD_FAILURE() << llvm::toString(address.takeError());
      return -1;
    }
    return address->toPtr<int (*)(int)>()(argument);
  }

  std::string ErrorOfLookup(const std::string& name) {
    llvm::Expected<ExecutorAddr> address = jit_->lookup(name);
    return address ? "" : llvm::toString(address.takeError());
  }

  std::vector<std::string> Errors() {
    absl::MutexLock lock(&mutex_);
    return errors_;
  }

  size_t CountCompiled() { return layer_->engine().stats().functions_compiled; }

  std::unique_ptr<LLJIT> jit_;
  std::unique_ptr<OrcLazyLayer> layer_;
  absl::Mutex mutex_;
  std::vector<std::string> errors_ ABSL_GUARDED_BY(mutex_);
};

constexpr char kCaller[] = R"(
  @n = global i32 5
  define i32 @f(i32 %x) {
    %is_zero = icmp eq i32 %x, 0
    br i1 %is_zero, label %zero, label %other
  zero:
    ret i32 0
  other:
    %r = call i32 @g(i32 %x)
    ret i32 %r
  }
  define i32 @g(i32 %x) {
    %n = load i32, ptr @n
    %sum = add i32 %n, %x
    ret i32 %sum
  })";

TEST_P(OrcLazyLayerTest, FunctionIsCompiledWhenItIsCalled) {
  Add(kCaller);
  EXPECT_EQ(ErrorOfLookup("g"), "");
  EXPECT_EQ(CountCompiled(), 0u);
  EXPECT_EQ(Call("f", 0), 0);
  EXPECT_EQ(CountCompiled(), 1u);
  EXPECT_EQ(Call("f", 3), 8);
  EXPECT_EQ(CountCompiled(), 2u);
}

TEST_P(OrcLazyLayerTest, FirstBodiesAreTheBaselinesAtEachLevel) {
  Create({}, llvm::CodeGenOptLevel::Aggressive);
  Add(kCaller);
  EXPECT_EQ(Call("f", 3), 8);
  EXPECT_EQ(layer_->engine().stats().functions_baseline, 2u);
}

// Neither a processor of another name, nor what LLVM's machines and most clients change, needs
// LLVM.
TEST_P(OrcLazyLayerTest, FirstBodiesNeedNoLlvm) {
  const JITTargetMachineBuilder host = llvm::cantFail(JITTargetMachineBuilder::detectHost());
  JITTargetMachineBuilder generic(host.getTargetTriple());
  generic.getOptions().FunctionSections = true;
  generic.getOptions().TrapUnreachable = true;
  JITTargetMachineBuilder unoptimized = host;
  unoptimized.setCodeGenOptLevel(llvm::CodeGenOptLevel::None);
  for (const JITTargetMachineBuilder& target : {host, generic, unoptimized}) {
    CreateFor(target);
    Add(absl::StrCat(kCaller, R"(
      @own = internal thread_local global i32 5
      declare ptr @llvm.threadlocal.address(ptr)
      define i32 @h(i32 %n) {
        %p = call ptr @llvm.threadlocal.address(ptr @own)
        %old = load i32, ptr %p
        %new = add i32 %old, %n
        store i32 %new, ptr %p
        ret i32 %new
      })"));
    EXPECT_EQ(Call("f", 3), 8);
    EXPECT_EQ(Call("h", 3), 8);
    const Stats stats = layer_->engine().stats();
    EXPECT_EQ(stats.functions_compiled, 3u);
    EXPECT_EQ(stats.functions_baseline, 3u);
    EXPECT_EQ(stats.compiler_made_for, "");
    EXPECT_TRUE(stats.refusals_without_llvm.empty());
  }
}

// Ten million calls fit on the stack only if they are jumps.
TEST_P(OrcLazyLayerTest, OptionsOfLlvmHold) {
  JITTargetMachineBuilder target = llvm::cantFail(JITTargetMachineBuilder::detectHost());
  target.getOptions().GuaranteedTailCallOpt = true;
  CreateFor(target);
  Add(R"(
    define fastcc i32 @count(i32 %n, i32 %sum) {
      %is_zero = icmp eq i32 %n, 0
      br i1 %is_zero, label %zero, label %other
    zero:
      ret i32 %sum
    other:
      %less = sub i32 %n, 1
      %more = add i32 %sum, 1
      %r = tail call fastcc i32 @count(i32 %less, i32 %more)
      ret i32 %r
    }
    define i32 @f(i32 %n) { %r = call fastcc i32 @count(i32 %n, i32 0) ret i32 %r })");
  EXPECT_EQ(Call("f", 10000000), 10000000);
  const Stats stats = layer_->engine().stats();
  EXPECT_EQ(stats.functions_baseline, 0u);
  EXPECT_NE(stats.compiler_made_for, "");
}

TEST_P(OrcLazyLayerTest, VariablesAreOrcs) {
  Add(kCaller);
  int* const n = llvm::cantFail(jit_->lookup("n")).toPtr<int*>();
  EXPECT_EQ(*n, 5);
  *n = 40;
  EXPECT_EQ(Call("f", 2), 42);
}

TEST_P(OrcLazyLayerTest, FunctionHasOneAddressForAll) {
  Add(R"(
    declare i32 @g(i32)
    define ptr @address(i32 %x) { ret ptr @g })",
      "first");
  Add(R"(
    @pointer = global ptr @g
    define i32 @g(i32 %x) { ret i32 %x })",
      "second");
  void* const g = llvm::cantFail(jit_->lookup("g")).toPtr<void*>();
  EXPECT_EQ(llvm::cantFail(jit_->lookup("address")).toPtr<void* (*)(int)>()(0), g);
  EXPECT_EQ(*llvm::cantFail(jit_->lookup("pointer")).toPtr<void**>(), g);
}

TEST_P(OrcLazyLayerTest, EagerAndLazyModulesCallEachOther) {
  llvm::cantFail(jit_->addIRModule(Parse(R"(
    declare i32 @lazy(i32)
    @count = global i32 30
    define i32 @eager(i32 %x) { %r = add i32 %x, 1 ret i32 %r }
    define i32 @start(i32 %x) { %r = call i32 @lazy(i32 %x) ret i32 %r })",
                                         "eager")));
  Add(R"(
    declare i32 @eager(i32)
    @count = external global i32
    define i32 @lazy(i32 %x) {
      %r = call i32 @eager(i32 %x)
      %c = load i32, ptr @count
      %s = add i32 %r, %c
      ret i32 %s
    })",
      "lazy");
  EXPECT_EQ(Call("start", 10), 41);
}

TEST_P(OrcLazyLayerTest, NamesResolveThroughTheLinkOrder) {
  JITDylib& first = llvm::cantFail(jit_->createJITDylib("first"));
  JITDylib& second = llvm::cantFail(jit_->createJITDylib("second"));
  JITDylib& library = llvm::cantFail(jit_->createJITDylib("library"));
  second.addToLinkOrder(library);
  first.addToLinkOrder(library);
  const char* const kUser = R"(
    @own = external global i32
    declare i32 @shared(i32)
    define i32 @f(i32 %x) {
      %own = load i32, ptr @own
      %r = call i32 @shared(i32 %own)
      ret i32 %r
    })";
  Add(kUser, "user", &first);
  Add(kUser, "user", &second);
  Add("@own = global i32 1", "variable", &first);
  Add("@own = global i32 2", "variable", &second);
  Add("define i32 @shared(i32 %x) { %r = mul i32 %x, 10 ret i32 %r }", "library", &library);
  // Nearer than the library.
  Add("define i32 @shared(i32 %x) { %r = mul i32 %x, 100 ret i32 %r }", "nearer", &second);
  EXPECT_EQ(Call("f", 0, &first), 10);
  EXPECT_EQ(Call("f", 0, &second), 200);
}

TEST_P(OrcLazyLayerTest, NamesInObjectsCount) {
  Add(R"(
    @"\01v" = global i32 2
    define i32 @"\01g"(i32 %x) { %n = load i32, ptr @"\01v" %r = mul i32 %x, %n ret i32 %r }
    define i32 @f(i32 %x) { %r = call i32 @"\01g"(i32 %x) ret i32 %r })");
  EXPECT_EQ(Call("f", 4), 8);
  EXPECT_EQ(Call("g", 5), 10);
}

TEST_P(OrcLazyLayerTest, WeakReferenceMayBeToNothing) {
  Add(R"(
    declare extern_weak i32 @maybe(i32)
    define i32 @f(i32 %x) {
      %is_there = icmp ne ptr @maybe, null
      %r = zext i1 %is_there to i32
      ret i32 %r
    })");
  EXPECT_EQ(Call("f", 0), 0);
}

TEST_P(OrcLazyLayerTest, HostDefinesSymbols) {
  Add(R"(
    declare i32 @hosts(i32)
    define i32 @f(i32 %x) { %r = call i32 @hosts(i32 %x) ret i32 %r })");
  int (*const hosts)(int) = [](int x) { return x * 3; };
  llvm::cantFail(Main().define(llvm::orc::absoluteSymbols(
      {{jit_->mangleAndIntern("hosts"),
        {ExecutorAddr::fromPtr(hosts), llvm::JITSymbolFlags::Exported}}})));
  EXPECT_EQ(Call("f", 5), 15);
}

TEST_P(OrcLazyLayerTest, WeakDefinitionsAreOne) {
  const char* const kModule = R"(
    $shared = comdat any
    @shared = linkonce_odr global i32 1, comdat
    @common = common global i32 0
    define weak i32 @choice() { ret i32 NUMBER }
    define i32 @fNUMBER(i32 %x) {
      %s = load i32, ptr @shared
      %t = add i32 %s, %x
      store i32 %t, ptr @shared
      store i32 %t, ptr @common
      %c = call i32 @choice()
      %p = mul i32 %t, %c
      ret i32 %p
    })";
  for (const char* number : {"1", "2"}) {
    std::string text = kModule;
    for (size_t at; (at = text.find("NUMBER")) != std::string::npos;) text.replace(at, 6, number);
    Add(text, absl::StrCat("module", number));
  }
  EXPECT_EQ(Call("f1", 4), 5);
  EXPECT_EQ(Call("f2", 4), 9);
  EXPECT_EQ(*llvm::cantFail(jit_->lookup("common")).toPtr<int*>(), 9);
}

TEST_P(OrcLazyLayerTest, StrongDefinitionTakesThePlaceOfAWeakOne) {
  Add(R"(
    define weak i32 @choice() { ret i32 1 }
    define i32 @f(i32 %x) { %c = call i32 @choice() ret i32 %c })",
      "weak");
  Add("define i32 @choice() { ret i32 2 }", "strong");
  EXPECT_EQ(Call("f", 0), 2);
}

TEST_P(OrcLazyLayerTest, InitializersAndExitHandlersRun) {
  static std::vector<int> reported;
  reported.clear();
  void (*const report)(int) = [](int number) { reported.push_back(number); };
  llvm::cantFail(Main().define(llvm::orc::absoluteSymbols(
      {{jit_->mangleAndIntern("report"),
        {ExecutorAddr::fromPtr(report), llvm::JITSymbolFlags::Exported}}})));
  Add(R"(
    @__dso_handle = external hidden global i8
    declare void @report(i32)
    declare i32 @__cxa_atexit(ptr, ptr, ptr)
    @llvm.global_ctors = appending global [2 x { i32, ptr, ptr }] [
        { i32, ptr, ptr } { i32 200, ptr @second, ptr null },
        { i32, ptr, ptr } { i32 100, ptr @first, ptr null }]
    @llvm.global_dtors = appending global [1 x { i32, ptr, ptr }] [
        { i32, ptr, ptr } { i32 100, ptr @last, ptr null }]
    define internal void @first() { call void @report(i32 1) ret void }
    define internal void @second() {
      call void @report(i32 2)
      %r = call i32 @__cxa_atexit(ptr @handler, ptr null, ptr @__dso_handle)
      ret void
    }
    define internal void @handler(ptr %p) { call void @report(i32 3) ret void }
    define internal void @last() { call void @report(i32 4) ret void })");
  llvm::cantFail(jit_->initialize(Main()));
  EXPECT_THAT(reported, ElementsAre(1, 2));
  llvm::cantFail(jit_->deinitialize(Main()));
  EXPECT_THAT(reported, ::testing::UnorderedElementsAre(1, 2, 3, 4));
}

TEST_P(OrcLazyLayerTest, EachThreadHasItsEmulatedVariables) {
  Add(R"(
    @own = internal thread_local global i32 5
    @public = thread_local global i32 0
    define i32 @f(i32 %n) {
      %p = call ptr @llvm.threadlocal.address(ptr @own)
      %old = load i32, ptr %p
      %new = add i32 %old, %n
      store i32 %new, ptr %p
      ret i32 %new
    }
    declare ptr @llvm.threadlocal.address(ptr))",
      "first");
  Add(R"(
    @public = external thread_local global i32
    define i32 @g(i32 %n) {
      %q = call ptr @llvm.threadlocal.address(ptr @public)
      %old = load i32, ptr %q
      %new = add i32 %old, %n
      store i32 %new, ptr %q
      ret i32 %new
    }
    declare ptr @llvm.threadlocal.address(ptr))",
      "second");
  EXPECT_EQ(Call("f", 1), 6);
  EXPECT_EQ(Call("g", 1), 1);
  std::thread([&] {
    EXPECT_EQ(Call("f", 10), 15);
    EXPECT_EQ(Call("g", 10), 10);
  }).join();
  EXPECT_EQ(Call("f", 1), 7);
  EXPECT_EQ(Call("g", 1), 2);
}

TEST_P(OrcLazyLayerTest, RemovedTrackerRemovesFunctions) {
  llvm::orc::ResourceTrackerSP tracker = Main().createResourceTracker();
  llvm::cantFail(layer_->add(tracker, Parse(kCaller, "first")));
  EXPECT_EQ(Call("f", 1), 6);
  llvm::cantFail(tracker->remove());
  EXPECT_EQ(layer_->engine().stats().modules_removed, 1u);
  EXPECT_THAT(ErrorOfLookup("f"), HasSubstr("f"));
  Add("define i32 @f(i32 %x) { ret i32 100 }", "second");
  EXPECT_EQ(Call("f", 1), 100);
}

TEST_P(OrcLazyLayerTest, TransferredTrackerKeepsFunctions) {
  llvm::orc::ResourceTrackerSP tracker = Main().createResourceTracker();
  llvm::cantFail(layer_->add(tracker, Parse(kCaller, "first")));
  EXPECT_EQ(Call("f", 1), 6);
  tracker->transferTo(*Main().getDefaultResourceTracker());
  EXPECT_EQ(Call("f", 2), 7);
  llvm::cantFail(Main().clear());
  EXPECT_EQ(layer_->engine().stats().modules_removed, 1u);
}

TEST_P(OrcLazyLayerTest, MissingNameIsReportedAtTheCall) {
  Add(R"(
    declare i32 @missing(i32)
    define i32 @g(i32 %x) { %r = call i32 @missing(i32 %x) ret i32 %r }
    define i32 @f(i32 %x) { ret i32 %x })");
  EXPECT_EQ(Call("f", 4), 4);
  EXPECT_TRUE(Errors().empty());
  EXPECT_EQ(Call("g", 4), -77);
  EXPECT_THAT(Errors(), ElementsAre(HasSubstr("missing")));
}

TEST_P(OrcLazyLayerTest, MissingNamesAreErrorsOfLookupOnRequest) {
  OrcLazyLayerOptions options;
  options.checks_names = true;
  Create(std::move(options));
  Add(R"(
    declare i32 @missing(i32)
    define i32 @g(i32 %x) { %r = call i32 @missing(i32 %x) ret i32 %r }
    define i32 @f(i32 %x) { ret i32 %x })");
  EXPECT_THAT(ErrorOfLookup("f"), HasSubstr("Failed to materialize"));
  EXPECT_THAT(Errors(), ElementsAre(HasSubstr("missing")));
}

TEST_P(OrcLazyLayerTest, NamesThatAreThereAreNoErrors) {
  OrcLazyLayerOptions options;
  options.checks_names = true;
  Create(std::move(options));
  Add(R"(
    @own = internal thread_local global i32 5
    @n = global i32 1
    declare extern_weak i32 @maybe(i32)
    declare i64 @strlen(ptr)
    declare ptr @llvm.threadlocal.address(ptr)
    define i32 @f(i32 %x) {
      %p = call ptr @llvm.threadlocal.address(ptr @own)
      %t = load i32, ptr %p
      %n = load i32, ptr @n
      %r = add i32 %t, %n
      %is_there = icmp ne ptr @maybe, null
      br i1 %is_there, label %there, label %end
    there:
      %s = call i64 @strlen(ptr null)
      br label %end
    end:
      ret i32 %r
    })");
  EXPECT_EQ(Call("f", 0), 6);
  EXPECT_THAT(Errors(), ElementsAre());
}

TEST_P(OrcLazyLayerTest, ModulesThatCannotBeDividedAreCompiledWhole) {
  Add(R"(
    module asm ".globl nothing"
    define i32 @f(i32 %x) { ret i32 7 })");
  EXPECT_EQ(Call("f", 0), 7);
  EXPECT_EQ(layer_->engine().stats().modules, 0u);
}

TEST_P(OrcLazyLayerTest, ModuleOfAnotherTargetIsRefused) {
  llvm::orc::ThreadSafeModule module = Parse("define void @f() { ret void }", "other");
  module.withModuleDo([](llvm::Module& other) { other.setDataLayout("e-p:32:32"); });
  EXPECT_THAT(llvm::toString(layer_->add(Main(), std::move(module))),
              HasSubstr("module 'other' has the data layout 'e-p:32:32'"));
}

TEST_P(OrcLazyLayerTest, CodeComesFromACache) {
  auto cache = std::make_shared<MemoryCache>();
  for (const bool is_second : {false, true}) {
    OrcLazyLayerOptions options;
    options.engine.object_cache = cache;
    Create(std::move(options));
    Add(R"(
      @table = global ptr @own
      define internal i32 @own(i32 %x) { %r = add i32 %x, 1 ret i32 %r }
      define i32 @f(i32 %x) { %r = call i32 @own(i32 %x) ret i32 %r })");
    EXPECT_EQ(Call("f", 1), 2);
    EXPECT_EQ(layer_->engine().stats().functions_cached, is_second ? 2u : 0u);
    EXPECT_EQ(CountCompiled(), is_second ? 0u : 2u);
  }
}

TEST_P(OrcLazyLayerTest, HotFunctionIsOptimizedWhileItRuns) {
  OrcLazyLayerOptions options;
  options.engine.promotion.threshold = 1;
  Create(std::move(options));
  Add(R"(
    @n = global i32 1
    define i32 @f(i32 %x) {
      br label %loop
    loop:
      %i = phi i32 [ 0, %0 ], [ %next, %loop ]
      %s = phi i32 [ 0, %0 ], [ %sum, %loop ]
      %n = load i32, ptr @n
      %sum = add i32 %s, %n
      %next = add i32 %i, 1
      %more = icmp slt i32 %next, %x
      br i1 %more, label %loop, label %end
    end:
      ret i32 %sum
    })");
  while (layer_->engine().stats().promotions_made == 0) ASSERT_EQ(Call("f", 1000), 1000);
  EXPECT_EQ(Call("f", 1000), 1000);
}

// Each thread adds modules of its own, which call a function that all of them need and that some
// thread is the first to need, and removes them again.
TEST_P(OrcLazyLayerTest, ThreadsAddLookUpAndRemove) {
  constexpr int kThreads = 16, kRounds = 8;
  for (int i = 0; i < kRounds; ++i) {
    Add(absl::StrCat("@n", i, " = global i32 ", i, "\n", "define i32 @shared", i,
                     "(i32 %x) { %n = load i32, ptr @n", i, " %r = add i32 %x, %n ret i32 %r }"),
        absl::StrCat("shared", i));
  }
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([this, thread] {
      for (int i = 0; i < kRounds; ++i) {
        const std::string name = absl::StrCat("f", thread, "_", i);
        llvm::orc::ResourceTrackerSP tracker = Main().createResourceTracker();
        llvm::cantFail(layer_->add(
            tracker,
            Parse(absl::StrCat("@own_", name, " = global i32 1000\n", "declare i32 @shared", i,
                               "(i32)\n", "define i32 @", name, "(i32 %x) {",
                               " %n = load i32, ptr @own_", name, " %s = call i32 @shared", i,
                               "(i32 %n)", " %r = add i32 %s, %x ret i32 %r }"),
                  name)));
        EXPECT_EQ(Call(name, thread), 1000 + i + thread);
        llvm::cantFail(tracker->remove());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(Errors(), ElementsAre());
  EXPECT_EQ(layer_->engine().stats().modules_removed, size_t{kThreads * kRounds});
}

INSTANTIATE_TEST_SUITE_P(Linkers, OrcLazyLayerTest, ::testing::Values("JITLink", "RuntimeDyld"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace firstcall
