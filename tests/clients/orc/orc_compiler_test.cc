#include "clients/orc/orc_compiler.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "clients/orc/orc_c.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/ExecutionEngine/JITSymbol.h"
#include "llvm/ExecutionEngine/ObjectCache.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/TargetSelect.h"
#include "tests/clients/orc/runtime_dyld.h"
#include "tests/testing/ir.h"

namespace firstcall {
namespace {

using llvm::orc::JITTargetMachineBuilder;
using llvm::orc::LLJIT;
using llvm::orc::LLJITBuilder;

// The baseline code generator leaves a function with prefix data to LLVM. Here both refer to local
// functions and variables of each other.
constexpr char kDivided[] = R"(
  @count = internal global i32 100
  @unit = private constant i32 3
  @table = internal constant [2 x ptr] [ptr @by_baseline, ptr @by_llvm]
  define internal i32 @by_baseline(i32 %n) {
    %c = load i32, ptr @count
    %sum = add i32 %n, %c
    ret i32 %sum
  }
  define internal i32 @by_llvm(i32 %n) prefix i32 42 {
    %c = load i32, ptr @count
    %next = add i32 %c, 1
    store i32 %next, ptr @count
    %u = load i32, ptr @unit
    %product = mul i32 %n, %u
    %r = call i32 @by_baseline(i32 %product)
    ret i32 %r
  }
  define i32 @f(i32 %n) {
    %a = call i32 @by_llvm(i32 %n)
    %slot = getelementptr [2 x ptr], ptr @table, i32 0, i32 %n
    %function = load ptr, ptr %slot
    %b = call i32 %function(i32 1000)
    %p = getelementptr i32, ptr @by_llvm, i32 -1
    %prefix = load i32, ptr %p
    %c = add i32 %a, %b
    %d = add i32 %c, %prefix
    ret i32 %d
  })";

llvm::CodeGenOptLevel LevelOf(unsigned level) { return static_cast<llvm::CodeGenOptLevel>(level); }

class OrcCompilerTest : public ::testing::TestWithParam<const char*> {
 protected:
  OrcCompilerTest() {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
  }

  static JITTargetMachineBuilder Host(unsigned level = 0) {
    JITTargetMachineBuilder target = llvm::cantFail(JITTargetMachineBuilder::detectHost());
    target.setCodeGenOptLevel(LevelOf(level));
    return target;
  }

  static std::unique_ptr<LLJIT> Create(LLJITBuilder& builder,
                                       const OrcCompilerOptions& options = {}, unsigned level = 0) {
    builder.setJITTargetMachineBuilder(Host(level));
    builder.setCompileFunctionCreator(OrcCompileFunctionCreator(options));
    if (std::string(GetParam()) == "RuntimeDyld") {
      LinkByRuntimeDyld(builder);
    }
    return llvm::cantFail(builder.create());
  }

  static std::unique_ptr<LLJIT> Create(const OrcCompilerOptions& options = {}, unsigned level = 0) {
    LLJITBuilder builder;
    return Create(builder, options, level);
  }

  static llvm::orc::ThreadSafeModule Parse(const LLJIT& jit, const std::string& text,
                                           const std::string& name = "test") {
    auto context = std::make_unique<llvm::LLVMContext>();
    std::unique_ptr<llvm::Module> module = ParseModule(text, *context, name);
    module->setDataLayout(jit.getDataLayout());
    return {std::move(module), std::move(context)};
  }

  static int Call(LLJIT& jit, const char* name, int argument) {
    llvm::Expected<llvm::orc::ExecutorAddr> address = jit.lookup(name);
    if (!address) {
      ADD_FAILURE() << llvm::toString(address.takeError());
      return -1;
    }
    return address->toPtr<int (*)(int)>()(argument);
  }

  // What has been done since the last call.
  OrcStatistics Done() {
    const OrcStatistics now = GetOrcStatistics();
    OrcStatistics done;
    done.modules = now.modules - before_.modules;
    done.whole_modules = now.whole_modules - before_.whole_modules;
    done.cached_modules = now.cached_modules - before_.cached_modules;
    done.baseline_functions = now.baseline_functions - before_.baseline_functions;
    done.llvm_functions = now.llvm_functions - before_.llvm_functions;
    for (const auto& [reason, count] : now.whole_by_reason) {
      if (count > before_.whole_by_reason[reason]) {
        done.whole_by_reason[reason] = count - before_.whole_by_reason[reason];
      }
    }
    before_ = now;
    return done;
  }

 private:
  OrcStatistics before_ = GetOrcStatistics();
};

TEST_P(OrcCompilerTest, TheBaselineCompiles) {
  std::unique_ptr<LLJIT> jit = Create();
  llvm::cantFail(jit->addIRModule(Parse(*jit, R"(
    @n = global i32 5
    @text = private unnamed_addr constant [3 x i8] c"ab\00"
    declare i64 @strlen(ptr)
    define i32 @f(i32 %x) {
      %n = load i32, ptr @n
      %sum = add i32 %n, %x
      %length = call i64 @strlen(ptr @text)
      %small = trunc i64 %length to i32
      %all = add i32 %sum, %small
      ret i32 %all
    })")));
  EXPECT_EQ(Call(*jit, "f", 10), 17);
  EXPECT_EQ(*llvm::cantFail(jit->lookup("n")).toPtr<int*>(), 5);
  const OrcStatistics done = Done();
  EXPECT_EQ(done.baseline_functions, 1u);
  EXPECT_EQ(done.llvm_functions, 0u);
}

TEST_P(OrcCompilerTest, OneRefusedFunctionDoesNotTakeTheModule) {
  std::unique_ptr<LLJIT> jit = Create();
  llvm::cantFail(jit->addIRModule(Parse(*jit, kDivided)));
  EXPECT_EQ(Call(*jit, "f", 0), 101 + 0 + (1000 + 101) + 42);
  EXPECT_EQ(Call(*jit, "f", 1), (3 + 102) + (3000 + 103) + 42);
  const OrcStatistics done = Done();
  EXPECT_EQ(done.baseline_functions, 2u);
  EXPECT_EQ(done.llvm_functions, 1u);
  EXPECT_EQ(done.whole_modules, 0u);
  EXPECT_FALSE(jit->lookup("by_llvm") ? true : false);
}

TEST_P(OrcCompilerTest, WeakAndCommonDefinitionsAreOne) {
  std::unique_ptr<LLJIT> jit = Create();
  llvm::cantFail(jit->addIRModule(Parse(*jit, R"(
    $shared = comdat any
    @shared = linkonce_odr global i32 1, comdat
    @common = common global i32 0
    define weak i32 @choice() { ret i32 1 }
    define i32 @f(i32 %x) {
      store i32 7, ptr @common
      store i32 40, ptr @shared
      %c = call i32 @choice()
      %g = call i32 @g(i32 %c)
      ret i32 %g
    }
    declare i32 @g(i32))",
                                        "first")));
  llvm::cantFail(jit->addIRModule(Parse(*jit, R"(
    $shared = comdat any
    @shared = linkonce_odr global i32 1, comdat
    @common = common global i32 0
    define weak i32 @choice() { ret i32 2 }
    define i32 @g(i32 %x) {
      %c = load i32, ptr @common
      %s = load i32, ptr @shared
      %own = call i32 @choice()
      %same = icmp eq i32 %own, %x
      %n = zext i1 %same to i32
      %a = add i32 %c, %s
      %b = mul i32 %a, 10
      %r = add i32 %b, %n
      ret i32 %r
    })",
                                        "second")));
  EXPECT_EQ(Call(*jit, "f", 0), 471);
}

TEST_P(OrcCompilerTest, AliasesStandForEither) {
  std::unique_ptr<LLJIT> jit = Create();
  llvm::cantFail(jit->addIRModule(Parse(*jit, R"(
    @numbers = internal global [2 x i32] [i32 10, i32 20]
    @second = alias i32, getelementptr ([2 x i32], ptr @numbers, i32 0, i32 1)
    @f = alias i32 (i32), ptr @by_baseline
    @g = weak hidden alias i32 (i32), ptr @by_llvm
    define internal i32 @by_baseline(i32 %n) {
      %a = load i32, ptr @numbers
      %b = load i32, ptr @second
      %c = call i32 @g(i32 %b)
      %d = add i32 %a, %c
      %e = add i32 %d, %n
      ret i32 %e
    }
    define internal i32 @by_llvm(i32 %n) prefix i32 42 {
      %r = mul i32 %n, 100
      ret i32 %r
    })")));
  EXPECT_EQ(Call(*jit, "f", 1), 2011);
  EXPECT_EQ(*llvm::cantFail(jit->lookup("second")).toPtr<int*>(), 20);
  const OrcStatistics done = Done();
  EXPECT_EQ(done.whole_modules, 0u);
  EXPECT_EQ(done.llvm_functions, 1u);
}

TEST_P(OrcCompilerTest, EachThreadHasItsEmulatedVariables) {
  std::unique_ptr<LLJIT> jit = Create();
  llvm::cantFail(jit->addIRModule(Parse(*jit, R"(
    @own = internal thread_local global i32 5
    @public = thread_local global i32 0
    define i32 @f(i32 %n) {
      %p = call ptr @llvm.threadlocal.address(ptr @own)
      %old = load i32, ptr %p
      %new = add i32 %old, %n
      store i32 %new, ptr %p
      %q = call ptr @llvm.threadlocal.address(ptr @public)
      store i32 %new, ptr %q
      ret i32 %new
    }
    declare ptr @llvm.threadlocal.address(ptr))")));
  EXPECT_EQ(Call(*jit, "f", 1), 6);
  EXPECT_EQ(Call(*jit, "f", 1), 7);
  std::thread([&] { EXPECT_EQ(Call(*jit, "f", 10), 15); }).join();
  EXPECT_EQ(Done().baseline_functions, 1u);
}

TEST_P(OrcCompilerTest, InitializersRun) {
  std::unique_ptr<LLJIT> jit = Create();
  llvm::cantFail(jit->addIRModule(Parse(*jit, R"(
    @state = internal global i32 0
    @llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @start, ptr null }]
    define internal void @start() { store i32 9, ptr @state ret void }
    define i32 @f(i32 %n) { %s = load i32, ptr @state ret i32 %s })")));
  llvm::cantFail(jit->initialize(jit->getMainJITDylib()));
  EXPECT_EQ(Call(*jit, "f", 0), 9);
  llvm::cantFail(jit->deinitialize(jit->getMainJITDylib()));
}

TEST_P(OrcCompilerTest, LocalDefinitionsNeedNoNames) {
  std::unique_ptr<LLJIT> jit = Create();
  llvm::cantFail(jit->addIRModule(Parse(*jit, R"(
    @0 = internal global i32 4
    @1 = private constant i32 5
    define internal i32 @2(i32 %n) prefix i32 1 {
      %a = load i32, ptr @0
      %b = load i32, ptr @1
      %c = mul i32 %a, %b
      %d = add i32 %c, %n
      ret i32 %d
    }
    define i32 @f(i32 %n) { %r = call i32 @2(i32 %n) ret i32 %r })")));
  EXPECT_EQ(Call(*jit, "f", 3), 23);
  EXPECT_EQ(Done().baseline_functions, 1u);
}

// No module refers to another one: LLVM 19's JITLink, with its own compile functions, too, returns
// addresses too early if many threads materialize a chain of modules.
TEST_P(OrcCompilerTest, ManyThreadsCompile) {
  constexpr int kModules = 64, kThreads = 4;
  LLJITBuilder builder;
  builder.setNumCompileThreads(kThreads);
  std::unique_ptr<LLJIT> jit = Create(builder);
  for (int i = 0; i < kModules; ++i) {
    llvm::cantFail(jit->addIRModule(Parse(
        *jit,
        absl::StrCat("@n = internal global i32 ", i, "\ndefine internal i32 @own(i32 %x)",
                     i % 4 == 0 ? " prefix i32 1 " : "",
                     "{ %n = load i32, ptr @n %r = add i32 %x, %n ret i32 %r }\n", "define i32 @f",
                     i, "(i32 %n) { %x = call i32 @own(i32 %n) ret i32 %x }"),
        absl::StrCat("module", i))));
  }
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&jit, thread] {
      for (int i = thread; i < kModules; i += kThreads) {
        EXPECT_EQ(Call(*jit, absl::StrCat("f", i).c_str(), 1), 1 + i);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const OrcStatistics done = Done();
  EXPECT_EQ(done.baseline_functions, uint64_t{kModules * 7 / 4});
  EXPECT_EQ(done.llvm_functions, uint64_t{kModules / 4});
}

class Cache final : public llvm::ObjectCache {
 public:
  void notifyObjectCompiled(const llvm::Module* module, llvm::MemoryBufferRef object) override {
    absl::MutexLock lock(&mutex_);
    objects_[module->getModuleIdentifier()] = object.getBuffer().str();
  }
  std::unique_ptr<llvm::MemoryBuffer> getObject(const llvm::Module* module) override {
    absl::MutexLock lock(&mutex_);
    const auto found = objects_.find(module->getModuleIdentifier());
    return found == objects_.end() ? nullptr : llvm::MemoryBuffer::getMemBufferCopy(found->second);
  }

 private:
  absl::Mutex mutex_;
  std::map<std::string, std::string> objects_;
};

TEST_P(OrcCompilerTest, ObjectsAreKept) {
  Cache cache;
  OrcCompilerOptions options;
  options.object_cache = &cache;
  for (const bool is_kept : {false, true}) {
    std::unique_ptr<LLJIT> jit = Create(options);
    llvm::cantFail(jit->addIRModule(Parse(*jit, kDivided)));
    EXPECT_EQ(Call(*jit, "f", 0), 1244);
    const OrcStatistics done = Done();
    EXPECT_EQ(done.cached_modules, is_kept ? 1u : 0u);
    EXPECT_EQ(done.modules, is_kept ? 0u : 1u);
  }
}

TEST_P(OrcCompilerTest, ModulesCanBeRemoved) {
  std::unique_ptr<LLJIT> jit = Create();
  for (int i = 0; i < 3; ++i) {
    llvm::orc::ResourceTrackerSP tracker = jit->getMainJITDylib().createResourceTracker();
    llvm::cantFail(jit->addIRModule(
        tracker, Parse(*jit, absl::StrCat("define i32 @f(i32 %n) { ret i32 ", i, " }"))));
    EXPECT_EQ(Call(*jit, "f", 0), i);
    llvm::cantFail(tracker->remove());
    llvm::Expected<llvm::orc::ExecutorAddr> address = jit->lookup("f");
    EXPECT_FALSE(address ? true : false);
    llvm::consumeError(address.takeError());
  }
}

TEST_P(OrcCompilerTest, TheLevelDecides) {
  constexpr char kModule[] = "define i32 @f(i32 %n) { ret i32 3 }";
  for (const auto& [baseline, level, is_whole] :
       std::vector<std::tuple<OrcBaseline, unsigned, bool>>{{OrcBaseline::kAtLevelNone, 0, false},
                                                            {OrcBaseline::kAtLevelNone, 2, true},
                                                            {OrcBaseline::kAlways, 2, false},
                                                            {OrcBaseline::kNever, 0, true}}) {
    OrcCompilerOptions options;
    options.baseline = baseline;
    std::unique_ptr<LLJIT> jit = Create(options, level);
    llvm::cantFail(jit->addIRModule(Parse(*jit, kModule)));
    EXPECT_EQ(Call(*jit, "f", 0), 3);
    EXPECT_EQ(Done().whole_modules, is_whole ? 1u : 0u);
  }
}

TEST_P(OrcCompilerTest, LlvmCompilesWholeWhatCannotBeDivided) {
  const std::pair<const char*, const char*> kCases[] = {
      {"module asm \".globl in_assembly\"\nmodule asm \"in_assembly = 3\"\n"
       "define i32 @f(i32 %n) { ret i32 1 }",
       "assembly of the module"},
      {"@labels = global [1 x ptr] [ptr blockaddress(@f, %b)]\n"
       "define i32 @f(i32 %n) { br label %b b: ret i32 1 }",
       "addresses of blocks"},
      {"define i32 @f(i32 %n) { ret i32 1 }\n"
       "define i32 @other(i32 %n) prefix i32 1 { ret i32 1 }\n"
       "@distance = constant i64 sub (i64 ptrtoint (ptr @f to i64), i64 ptrtoint (ptr @other to "
       "i64))\n",
       nullptr},
  };
  for (const auto& [text, reason] : kCases) {
    llvm::Expected<std::unique_ptr<OrcCompiler>> compiler = OrcCompiler::Create(Host());
    ASSERT_TRUE(compiler ? true : false);
    llvm::LLVMContext context;
    std::unique_ptr<llvm::Module> module = ParseModule(text, context);
    module->setDataLayout(llvm::cantFail(Host().getDefaultDataLayoutForTarget()));
    Done();
    llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> object = (**compiler)(*module);
    ASSERT_TRUE(object ? true : false) << llvm::toString(object.takeError());
    const OrcStatistics done = Done();
    EXPECT_EQ(done.whole_modules, 1u) << text;
    if (reason == nullptr) continue;
    EXPECT_THAT(done.whole_by_reason, ::testing::Contains(::testing::Pair(reason, 1u)));
  }
}

// The names and flags of an object's symbols, as ORC sees them.
std::map<std::string, std::string> SymbolsOf(const llvm::MemoryBuffer& buffer) {
  std::map<std::string, std::string> symbols;
  auto object =
      llvm::cantFail(llvm::object::ObjectFile::createObjectFile(buffer.getMemBufferRef()));
  for (const llvm::object::SymbolRef& symbol : object->symbols()) {
    const uint32_t flags = llvm::cantFail(symbol.getFlags());
    if ((flags & llvm::object::SymbolRef::SF_Global) == 0 ||
        (flags & llvm::object::SymbolRef::SF_Undefined) != 0) {
      continue;
    }
    const auto of_jit = llvm::cantFail(llvm::JITSymbolFlags::fromObjectSymbol(symbol));
    symbols[llvm::cantFail(symbol.getName()).str()] =
        absl::StrCat(of_jit.isWeak() ? "weak " : "", of_jit.isCommon() ? "common " : "",
                     of_jit.isExported() ? "exported " : "", of_jit.isCallable() ? "code" : "data");
  }
  return symbols;
}

TEST_P(OrcCompilerTest, SymbolsAreThoseOfLlvm) {
  constexpr char kModule[] = R"(
    $group = comdat any
    @group = linkonce_odr hidden global i32 1, comdat
    @hidden = hidden global i32 1
    @protected = protected global i32 1
    @constant = constant i32 1
    @bound = constant ptr @hidden
    @zero = global i32 0
    @common = common global i32 0
    @weak = weak global i32 7
    @local = internal global i32 7
    @"\01unmangled" = global i32 7
    @one = thread_local global i32 1
    @none = hidden thread_local global i32 0
    @alias = alias i32, ptr @hidden
    @weak_alias = weak hidden alias i32 (i32), ptr @f
    define i32 @f(i32 %n) { %r = call i32 @h(i32 %n) ret i32 %r }
    define hidden i32 @g(i32 %n) { ret i32 1 }
    define internal i32 @h(i32 %n) prefix i32 4 { ret i32 1 }
    define hidden i32 @i(i32 %n) prefix i32 4 { ret i32 1 }
    define weak_odr protected i32 @j(i32 %n) { ret i32 1 }
    define available_externally i32 @k(i32 %n) { ret i32 1 })";
  for (const bool is_emulated : {true, false}) {
    JITTargetMachineBuilder target = Host();
    target.getOptions().EmulatedTLS = is_emulated;
    target.setRelocationModel(llvm::Reloc::PIC_);
    target.setCodeModel(llvm::CodeModel::Small);
    std::map<std::string, std::string> symbols[2];
    Done();
    for (const bool is_ours : {true, false}) {
      llvm::LLVMContext context;
      std::unique_ptr<llvm::Module> module = ParseModule(kModule, context);
      module->setDataLayout(llvm::cantFail(target.getDefaultDataLayoutForTarget()));
      std::unique_ptr<llvm::orc::IRCompileLayer::IRCompiler> compiler;
      if (is_ours) {
        compiler = llvm::cantFail(OrcCompiler::Create(target));
      } else {
        compiler = std::make_unique<llvm::orc::ConcurrentIRCompiler>(target);
      }
      EXPECT_EQ(compiler->getManglingOptions().EmulatedTLS, is_emulated);
      symbols[is_ours ? 0 : 1] = SymbolsOf(*llvm::cantFail((*compiler)(*module)));
    }
    EXPECT_EQ(Done().whole_modules, 0u);
    EXPECT_EQ(symbols[0], symbols[1]);
    EXPECT_EQ(symbols[0].count("__emutls_v.one"), is_emulated ? 1u : 0u);
  }
}

TEST_P(OrcCompilerTest, DebugInformationIsAChoice) {
  constexpr char kModule[] = R"(
    define i32 @f(i32 %n) !dbg !4 { ret i32 3, !dbg !6 }
    !llvm.dbg.cu = !{!0}
    !llvm.module.flags = !{!1}
    !0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !2, emissionKind: FullDebug)
    !1 = !{i32 2, !"Debug Info Version", i32 3}
    !2 = !DIFile(filename: "f.c", directory: "/")
    !3 = !DISubroutineType(types: !5)
    !4 = distinct !DISubprogram(name: "f", file: !2, line: 1, type: !3, unit: !0, spFlags: DISPFlagDefinition)
    !5 = !{}
    !6 = !DILocation(line: 1, scope: !4))";
  for (const bool keeps : {false, true}) {
    OrcCompilerOptions options;
    options.keeps_debug_information = keeps;
    std::unique_ptr<LLJIT> jit = Create(options);
    llvm::cantFail(jit->addIRModule(Parse(*jit, kModule)));
    EXPECT_EQ(Call(*jit, "f", 0), 3);
    EXPECT_EQ(Done().whole_modules, keeps ? 1u : 0u);
  }
}

TEST_P(OrcCompilerTest, ProgramsInCSetIt) {
  LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
  LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(
      builder,
      reinterpret_cast<LLVMOrcJITTargetMachineBuilderRef>(new JITTargetMachineBuilder(Host())));
  fc_orc_set_compile_function(builder, FC_ORC_BASELINE_AT_LEVEL_NONE);
  LLVMOrcLLJITRef jit = nullptr;
  ASSERT_EQ(LLVMOrcCreateLLJIT(&jit, builder), nullptr);
  auto& as_cpp = *reinterpret_cast<LLJIT*>(jit);
  llvm::cantFail(as_cpp.addIRModule(Parse(as_cpp, "define i32 @f(i32 %n) { ret i32 3 }")));
  uint64_t before = 0, after = 0, whole_before = 0, whole_after = 0;
  fc_orc_get_statistics(&before, nullptr, &whole_before);
  LLVMOrcExecutorAddress address = 0;
  ASSERT_EQ(LLVMOrcLLJITLookup(jit, &address, "f"), nullptr);
  EXPECT_EQ(reinterpret_cast<int (*)(int)>(address)(0), 3);
  fc_orc_get_statistics(&after, nullptr, &whole_after);
  EXPECT_EQ(after, before + 1);
  EXPECT_EQ(whole_after, whole_before);
  EXPECT_EQ(LLVMOrcDisposeLLJIT(jit), nullptr);
}

INSTANTIATE_TEST_SUITE_P(Linkers, OrcCompilerTest, ::testing::Values("JITLink", "RuntimeDyld"),
                         [](const auto& linker) { return std::string(linker.param); });

}  // namespace
}  // namespace firstcall
