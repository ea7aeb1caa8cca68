// MCJIT's engines in a program that has called InstallAsMcjit.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "clients/mcjit/install.h"
#include "clients/orc/orc_statistics.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/ExecutionEngine/ExecutionEngine.h"
#include "llvm/ExecutionEngine/GenericValue.h"
#include "llvm/ExecutionEngine/JITEventListener.h"
#include "llvm/ExecutionEngine/JITSymbol.h"
#include "llvm/ExecutionEngine/MCJIT.h"
#include "llvm/ExecutionEngine/ObjectCache.h"
#include "llvm/ExecutionEngine/SectionMemoryManager.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "tests/testing/ir.h"
#include "tests/testing/object.h"

namespace firstcall {
namespace {

constexpr char kTwoFunctions[] = R"(
  define i32 @one() {
    ret i32 1
  }
  define i32 @two() {
    ret i32 2
  })";

int Seven() { return 7; }

// Remembers the functions that it is told of.
class CountingListener final : public llvm::JITEventListener {
 public:
  void notifyObjectLoaded(ObjectKey key, const llvm::object::ObjectFile& object,
                          const llvm::RuntimeDyld::LoadedObjectInfo& info) override {
    ++loaded_;
    std::vector<uint64_t>& code = code_[key];
    llvm::object::OwningBinary<llvm::object::ObjectFile> debug = info.getObjectForDebug(object);
    for (const llvm::object::SymbolRef& symbol : debug.getBinary()->symbols()) {
      llvm::Expected<llvm::StringRef> name = symbol.getName();
      llvm::Expected<uint64_t> address = symbol.getAddress();
      if (name && address && !name->empty()) {
        addresses_[name->str()] = *address;
        const bool is_loaded = *address > 0x10000;  // Of others it is an offset.
        if (is_loaded) code.push_back(*address);
      }
      llvm::consumeError(name.takeError());
      llvm::consumeError(address.takeError());
    }
  }
  void notifyFreeingObject(ObjectKey key) override {
    ++freed_;
    // The memory is still there.
    for (const uint64_t address : code_[key]) {
      (void)*reinterpret_cast<const volatile char*>(address);
    }
    code_.erase(key);
  }

  int loaded() const { return loaded_; }
  size_t known() const { return code_.size(); }
  int freed() const { return freed_; }
  uint64_t AddressOf(const std::string& name) const {
    auto found = addresses_.find(name);
    return found == addresses_.end() ? 0 : found->second;
  }

 private:
  int loaded_ = 0;
  int freed_ = 0;
  std::map<ObjectKey, std::vector<uint64_t>> code_;  // Of objects that were not freed.
  std::map<std::string, uint64_t> addresses_;
};

class CountingMemory final : public llvm::SectionMemoryManager {
 public:
  explicit CountingMemory(int& sections) : sections_(sections) {}
  uint8_t* allocateCodeSection(uintptr_t size, unsigned alignment, unsigned id,
                               llvm::StringRef name) override {
    ++sections_;
    return SectionMemoryManager::allocateCodeSection(size, alignment, id, name);
  }

 private:
  int& sections_;
};

class CountingCache final : public llvm::ObjectCache {
 public:
  void notifyObjectCompiled(const llvm::Module*, llvm::MemoryBufferRef) override { ++compiled; }
  std::unique_ptr<llvm::MemoryBuffer> getObject(const llvm::Module*) override { return nullptr; }
  int compiled = 0;
};

// Keeps the object of the last module that was compiled, and has it for all modules.
class KeepingCache final : public llvm::ObjectCache {
 public:
  void notifyObjectCompiled(const llvm::Module*, llvm::MemoryBufferRef object) override {
    kept_ = object.getBuffer().str();
  }
  std::unique_ptr<llvm::MemoryBuffer> getObject(const llvm::Module*) override {
    return kept_.empty() ? nullptr : llvm::MemoryBuffer::getMemBufferCopy(kept_);
  }

 private:
  std::string kept_;
};

// The functions of which the baseline code generator has made code for whole modules.
uint64_t CountOfBaseline() { return GetOrcStatistics().baseline_functions; }

class LazyEngineTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    // All, because LLVM's headers call that the native one for which they were installed, which is
    // another one if this test was cross-compiled.
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargets();
    llvm::InitializeAllTargetMCs();
    llvm::InitializeAllAsmPrinters();
    ASSERT_TRUE(InstallAsMcjit());
    ASSERT_TRUE(InstallAsMcjit());
  }

  std::unique_ptr<llvm::Module> Parse(const std::string& text, const std::string& name = "test") {
    return ParseModule(text, context_, name);
  }

  void Create(std::unique_ptr<llvm::Module> module,
              std::unique_ptr<llvm::RTDyldMemoryManager> memory = nullptr,
              llvm::CodeGenOptLevel level = llvm::CodeGenOptLevel::None) {
    std::string error;
    llvm::EngineBuilder builder(std::move(module));
    builder.setErrorStr(&error).setOptLevel(level);
    if (memory != nullptr) builder.setMCJITMemoryManager(std::move(memory));
    engine_.reset(builder.create());
    ASSERT_NE(engine_, nullptr) << error;
    engine_->RegisterJITEventListener(&listener_);
  }
  void Create(const std::string& text) { Create(Parse(text)); }

  int Call(const std::string& function) {
    const uint64_t address = engine_->getFunctionAddress(function);
    if (address == 0) {
      ADD_FAILURE() << function << " is not there";
      return -1;
    }
    return reinterpret_cast<int (*)()>(address)();
  }

  llvm::LLVMContext context_;
  CountingListener listener_;
  std::unique_ptr<llvm::ExecutionEngine> engine_;
};

TEST_F(LazyEngineTest, CompilesOnlyWhatIsCalled) {
  Create(kTwoFunctions);
  EXPECT_NE(engine_->getFunctionAddress("two"), 0);
  EXPECT_EQ(listener_.loaded(), 0);
  EXPECT_EQ(Call("one"), 1);
  EXPECT_EQ(Call("one"), 1);
  EXPECT_EQ(listener_.loaded(), 1);
}

TEST_F(LazyEngineTest, TellsListenersWhereCodeIs) {
  Create(kTwoFunctions);
  EXPECT_EQ(Call("two"), 2);
  const uint64_t body = listener_.AddressOf("two");
  ASSERT_NE(body, 0);
  EXPECT_EQ(reinterpret_cast<int (*)()>(body)(), 2);
  engine_.reset();
  EXPECT_EQ(listener_.freed(), listener_.loaded());
}

TEST_F(LazyEngineTest, ObjectsOfSeveralEnginesHaveDifferentKeys) {
  Create(kTwoFunctions);
  EXPECT_EQ(Call("two"), 2);
  const std::unique_ptr<llvm::ExecutionEngine> first = std::move(engine_);
  Create(kTwoFunctions);
  EXPECT_EQ(Call("two"), 2);
  EXPECT_EQ(listener_.known(), 2u);
  engine_.reset();
  EXPECT_EQ(listener_.known(), 1u);
}

TEST_F(LazyEngineTest, TakesTheModuleWhenItsCodeIsWanted) {
  std::unique_ptr<llvm::Module> module = Parse(kTwoFunctions);
  llvm::Function* const one = module->getFunction("one");
  Create(std::move(module));
  const auto set_result = [&](int value) {
    auto* const result = llvm::cast<llvm::ReturnInst>(one->getEntryBlock().getTerminator());
    result->setOperand(0, llvm::ConstantInt::get(llvm::Type::getInt32Ty(context_), value));
  };
  set_result(11);  // The client's, until now.
  EXPECT_NE(engine_->getFunctionAddress("one"), 0);
  set_result(12);
  EXPECT_EQ(Call("one"), 11);
}

TEST_F(LazyEngineTest, CodeStaysWhenItsModuleIsRemoved) {
  Create(kTwoFunctions);
  llvm::Module* const module = engine_->FindFunctionNamed("one")->getParent();
  EXPECT_EQ(Call("one"), 1);
  ASSERT_TRUE(engine_->removeModule(module));
  delete module;
  EXPECT_EQ(Call("two"), 2);
  EXPECT_EQ(engine_->FindFunctionNamed("one"), nullptr);
  EXPECT_FALSE(engine_->removeModule(module));
}

TEST_F(LazyEngineTest, ModulesFindEachOther) {
  Create(R"(
    declare i32 @other()
    @shared = global i32 5
    define i32 @start() {
      %1 = call i32 @other()
      ret i32 %1
    })");
  engine_->addModule(Parse(R"(
    @shared = external global i32
    define i32 @other() {
      %1 = load i32, ptr @shared
      ret i32 %1
    })"));
  EXPECT_EQ(Call("start"), 5);
}

TEST_F(LazyEngineTest, TheLastDefinitionWins) {
  Create("define i32 @f() { ret i32 1 }");
  EXPECT_EQ(Call("f"), 1);
  engine_->addModule(Parse("define i32 @f() { ret i32 2 }"));
  engine_->finalizeObject();
  EXPECT_EQ(Call("f"), 2);
}

TEST_F(LazyEngineTest, AWeakDefinitionGivesWay) {
  Create("define i32 @f() { ret i32 1 }");
  engine_->addModule(Parse(R"(
    $f = comdat any
    define weak_odr i32 @f() comdat { ret i32 2 }
    define i32 @g() {
      %1 = call i32 @f()
      ret i32 %1
    })"));
  engine_->finalizeObject();
  EXPECT_EQ(Call("f"), 1);
  EXPECT_EQ(Call("g"), 1);
}

TEST_F(LazyEngineTest, AVariableHasOneCopy) {
  std::unique_ptr<llvm::Module> module = Parse(R"(
    @counter = global i32 40
    define i32 @next() {
      %1 = load i32, ptr @counter
      %2 = add i32 %1, 1
      store i32 %2, ptr @counter
      ret i32 %2
    })");
  llvm::GlobalVariable* const counter = module->getGlobalVariable("counter");
  Create(std::move(module));
  EXPECT_EQ(Call("next"), 41);
  auto* const value = static_cast<int*>(engine_->getPointerToGlobal(counter));
  ASSERT_NE(value, nullptr);
  EXPECT_EQ(*value, 41);
  *value = 99;
  EXPECT_EQ(Call("next"), 100);
  EXPECT_EQ(reinterpret_cast<int*>(engine_->getGlobalValueAddress("counter")), value);
}

TEST_F(LazyEngineTest, MappingsAreAskedWhenANameIsResolved) {
  Create(R"(
    declare i32 @mapped()
    define i32 @f() {
      %1 = call i32 @mapped()
      ret i32 %1
    })");
  EXPECT_NE(engine_->getFunctionAddress("f"), 0);
  engine_->addGlobalMapping("mapped", reinterpret_cast<uint64_t>(&Seven));
  EXPECT_EQ(Call("f"), 7);
}

TEST_F(LazyEngineTest, TheCreatorIsAskedOnceForAName) {
  Create(R"(
    declare i32 @made()
    define i32 @f() {
      %1 = call i32 @made()
      ret i32 %1
    })");
  std::vector<std::string> asked;
  engine_->InstallLazyFunctionCreator([&](const std::string& name) {
    asked.push_back(name);
    return reinterpret_cast<void*>(&Seven);
  });
  engine_->finalizeObject();
  EXPECT_THAT(asked, testing::ElementsAre("made"));
  EXPECT_EQ(Call("f"), 7);
  EXPECT_THAT(asked, testing::ElementsAre("made"));
}

TEST_F(LazyEngineTest, SymbolSearchingCanBeDisabled) {
  Create(R"(
    declare i32 @getpid()
    define i32 @f() {
      %1 = call i32 @getpid()
      ret i32 %1
    })");
  EXPECT_NE(engine_->getPointerToNamedFunction("getpid", false), nullptr);
  engine_->DisableSymbolSearching();
  EXPECT_EQ(engine_->getPointerToNamedFunction("getpid", false), nullptr);
  EXPECT_EXIT(Call("f"), testing::ExitedWithCode(1), "LLVM ERROR: .*getpid");
}

TEST_F(LazyEngineTest, RunsConstructorsOnceAndOnlyWhenAsked) {
  Create(R"(
    @llvm.global_ctors = appending global [1 x { i32, ptr, ptr }]
      [{ i32, ptr, ptr } { i32 65535, ptr @construct, ptr null }]
    @value = internal global i32 0
    define internal void @construct() {
      %1 = load i32, ptr @value
      %2 = add i32 %1, 1
      store i32 %2, ptr @value
      ret void
    }
    define i32 @get() {
      %1 = load i32, ptr @value
      ret i32 %1
    })");
  EXPECT_EQ(Call("get"), 0);
  engine_->runStaticConstructorsDestructors(false);
  EXPECT_EQ(Call("get"), 1);
}

TEST_F(LazyEngineTest, RunsFunctions) {
  std::unique_ptr<llvm::Module> module = Parse(R"(
    define i32 @half(i32 %n) {
      %1 = sdiv i32 %n, 2
      ret i32 %1
    }
    define i32 @main(i32 %count, ptr %arguments) {
      ret i32 %count
    }
    define double @pi() {
      ret double 3.0
    })");
  llvm::Module& test = *module;
  Create(std::move(module));
  llvm::GenericValue argument;
  argument.IntVal = llvm::APInt(32, 84);
  EXPECT_EQ(engine_->runFunction(test.getFunction("half"), {argument}).IntVal, 42);
  EXPECT_EQ(engine_->runFunction(test.getFunction("pi"), {}).DoubleVal, 3.0);
  EXPECT_EQ(engine_->runFunctionAsMain(test.getFunction("main"), {"a", "b"}, nullptr), 2);
}

TEST_F(LazyEngineTest, AClientsMemoryManagerGetsWholeModules) {
  int sections = 0;
  const uint64_t before = CountOfBaseline();
  Create(Parse(kTwoFunctions), std::make_unique<CountingMemory>(sections));
  EXPECT_EQ(Call("one"), 1);
  EXPECT_EQ(sections, 1);
  EXPECT_EQ(listener_.loaded(), 1);
  EXPECT_NE(listener_.AddressOf("two"), 0);
  EXPECT_EQ(CountOfBaseline(), before + 2);
}

TEST_F(LazyEngineTest, WithAMemoryManagerLlvmGeneratesOptimizedCode) {
  int sections = 0;
  const uint64_t before = CountOfBaseline();
  Create(Parse(kTwoFunctions), std::make_unique<CountingMemory>(sections),
         llvm::CodeGenOptLevel::Default);
  EXPECT_EQ(Call("two"), 2);
  EXPECT_EQ(sections, 1);
  EXPECT_EQ(CountOfBaseline(), before);
}

TEST_F(LazyEngineTest, WithAMemoryManagerObjectCachesWork) {
  KeepingCache cache;
  for (int i = 0; i < 2; ++i) {
    int sections = 0;
    Create(Parse(kTwoFunctions), std::make_unique<CountingMemory>(sections));
    engine_->setObjectCache(&cache);
    EXPECT_EQ(Call("two"), 2);
    engine_->setObjectCache(nullptr);
  }
}

TEST_F(LazyEngineTest, PlainMemoryManagersAreLazy) {
  Create(Parse(kTwoFunctions), std::make_unique<llvm::SectionMemoryManager>());
  EXPECT_EQ(Call("one"), 1);
  EXPECT_EQ(listener_.AddressOf("two"), 0);
}

TEST_F(LazyEngineTest, WithAnObjectCacheModulesAreWholeAndCallLazyOnes) {
  Create(R"(
    declare i32 @whole()
    define i32 @lazy() {
      ret i32 20
    }
    define i32 @call_whole() {
      %1 = call i32 @whole()
      ret i32 %1
    })");
  EXPECT_EQ(Call("lazy"), 20);
  CountingCache cache;
  const uint64_t before = CountOfBaseline();
  engine_->setObjectCache(&cache);
  engine_->addModule(Parse(R"(
    declare i32 @lazy()
    define i32 @whole() {
      %1 = call i32 @lazy()
      %2 = add i32 %1, 3
      ret i32 %2
    })"));
  engine_->finalizeObject();
  EXPECT_EQ(cache.compiled, 1);
  EXPECT_EQ(CountOfBaseline(), before + 1);
  EXPECT_EQ(Call("call_whole"), 23);
  EXPECT_EQ(Call("whole"), 23);
  engine_->setObjectCache(nullptr);
}

TEST_F(LazyEngineTest, AnObjectCacheHasWhatTheBaselineHasMade) {
  KeepingCache cache;
  for (int i = 0; i < 2; ++i) {
    Create(Parse(kTwoFunctions));
    engine_->setObjectCache(&cache);
    const uint64_t before = CountOfBaseline();
    EXPECT_EQ(Call("two"), 2);
    EXPECT_EQ(CountOfBaseline(), before + (i == 0 ? 2 : 0));
    engine_->setObjectCache(nullptr);
  }
}

TEST_F(LazyEngineTest, WhoWantsAllSectionsGetsThemFromLlvm) {
  Create(Parse(kTwoFunctions));
  engine_->setProcessAllSections(true);
  const uint64_t before = CountOfBaseline();
  EXPECT_EQ(Call("two"), 2);
  EXPECT_EQ(CountOfBaseline(), before);
}

TEST_F(LazyEngineTest, ExitHandlersRunBeforeTheCodeGoes) {
  static int calls;
  calls = 0;
  Create(R"(
    declare i32 @__cxa_atexit(ptr, ptr, ptr)
    declare void @note(ptr)
    @__dso_handle = external hidden global i8
    define i32 @f() {
      %1 = call i32 @__cxa_atexit(ptr @handler, ptr null, ptr @__dso_handle)
      ret i32 %1
    }
    define internal void @handler(ptr %p) {
      call void @note(ptr %p)
      ret void
    })");
  void (*note)(void*) = [](void*) { ++calls; };
  engine_->addGlobalMapping("note", reinterpret_cast<uint64_t>(note));
  EXPECT_EQ(Call("f"), 0);
  EXPECT_EQ(calls, 0);
  engine_.reset();
  EXPECT_EQ(calls, 1);
}

TEST_F(LazyEngineTest, ExitHandlersOfThreadsRunBeforeTheCodeGoes) {
  static int calls;
  calls = 0;
  Create(R"(
    declare i32 @__cxa_thread_atexit(ptr, ptr, ptr)
    declare void @note(ptr)
    @__dso_handle = external hidden global i8
    define i32 @f() {
      %1 = call i32 @__cxa_thread_atexit(ptr @handler, ptr null, ptr @__dso_handle)
      ret i32 %1
    }
    define internal void @handler(ptr %p) {
      call void @note(ptr %p)
      ret void
    })");
  void (*note)(void*) = [](void*) { ++calls; };
  engine_->addGlobalMapping("note", reinterpret_cast<uint64_t>(note));
  std::thread([&] {
    EXPECT_EQ(Call("f"), 0);
    engine_.reset();
    EXPECT_EQ(calls, 1);
  }).join();
  EXPECT_EQ(calls, 1);
}

// What the context of a test does once when the engine gives way to other work.
class OnYield {
 public:
  OnYield(llvm::LLVMContext& context, std::function<void()> action)
      : context_(context), action_(std::move(action)) {
    context_.setYieldCallback(
        [](llvm::LLVMContext*, void* self) {
          const auto action = std::exchange(static_cast<OnYield*>(self)->action_, nullptr);
          if (action) action();
        },
        this);
  }
  ~OnYield() { context_.setYieldCallback(nullptr, nullptr); }
  OnYield(const OnYield&) = delete;
  OnYield& operator=(const OnYield&) = delete;

 private:
  llvm::LLVMContext& context_;
  std::function<void()> action_;
};

TEST_F(LazyEngineTest, AModuleMayBeRemovedAndDestroyedWhileItIsTaken) {
  for (const bool is_function : {true, false}) {
    std::unique_ptr<llvm::Module> owned = Parse(R"(
      define i32 @f() { ret i32 1 }
      @v = global i32 2)");
    llvm::Module* const module = owned.get();
    Create(std::move(owned));
    engine_->addModule(Parse("define i32 @g() { ret i32 3 }"));
    const OnYield remove(context_, [&] { ASSERT_TRUE(engine_->removeModule(module)); });
    if (is_function) {
      EXPECT_EQ(engine_->getPointerToFunction(module->getFunction("f")), nullptr);
    } else {
      EXPECT_EQ(engine_->getPointerToGlobal(module->getGlobalVariable("v")), nullptr);
    }
    delete module;
    EXPECT_EQ(Call("g"), 3);
  }
}

TEST_F(LazyEngineTest, FinalizingTakesAllModulesThoughOneIsRemovedMeanwhile) {
  std::unique_ptr<llvm::Module> first = Parse("define i32 @f() { ret i32 1 }");
  llvm::Module* const module = first.get();
  Create(std::move(first));
  std::unique_ptr<llvm::Module> second = Parse("define i32 @g() { ret i32 2 }");
  auto* const result =
      llvm::cast<llvm::ReturnInst>(second->getFunction("g")->getEntryBlock().getTerminator());
  engine_->addModule(std::move(second));
  const OnYield remove(context_, [&] { ASSERT_TRUE(engine_->removeModule(module)); });
  engine_->finalizeObject();
  delete module;
  // The module was taken before.
  result->setOperand(0, llvm::ConstantInt::get(llvm::Type::getInt32Ty(context_), 5));
  EXPECT_EQ(Call("g"), 2);
}

// Finds a variable of the test for two names; for the first one only after the test has allowed it.
class WaitingResolver final : public llvm::LegacyJITSymbolResolver {
 public:
  llvm::JITSymbol findSymbol(const std::string& name) override {
    if (name != "late" && name != "later") return nullptr;
    std::unique_lock<std::mutex> lock(mutex_);
    if (!std::exchange(is_asked_, true)) {
      changed_.notify_all();
      // The other thread may have to wait for this one.
      changed_.wait_for(lock, std::chrono::seconds(2), [this] { return is_allowed_; });
    }
    return {reinterpret_cast<uint64_t>(&variable_), llvm::JITSymbolFlags::Exported};
  }
  llvm::JITSymbol findSymbolInLogicalDylib(const std::string&) override { return nullptr; }

  void AwaitQuestion() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return is_asked_; });
  }
  void Allow() {
    const std::unique_lock<std::mutex> lock(mutex_);
    is_allowed_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_asked_ = false;
  bool is_allowed_ = false;
  int variable_ = 0;
};

// One thread links data in a first call, and asks for names meanwhile. MCJIT, on another thread,
// asks for an address of other data.
TEST_F(LazyEngineTest, MCJITBindsReferencesWhileAnotherThreadLinksData) {
  auto owned_resolver = std::make_unique<WaitingResolver>();
  WaitingResolver& resolver = *owned_resolver;
  std::string error;
  llvm::EngineBuilder builder(Parse("@v = global i32 5  define i32 @f() { ret i32 1 }"));
  builder.setErrorStr(&error).setOptLevel(llvm::CodeGenOptLevel::None);
  builder.setSymbolResolver(std::move(owned_resolver));
  engine_.reset(builder.create());
  ASSERT_NE(engine_, nullptr) << error;
  engine_->addModule(Parse(R"(
    @late = external global i32
    @later = external global i32
    @table = global [2 x ptr] [ptr @late, ptr @later]
    define i32 @g() {
      %1 = load ptr, ptr @table
      %2 = icmp ne ptr %1, null
      %3 = zext i1 %2 to i32
      ret i32 %3
    })"));
  const auto g = reinterpret_cast<int (*)()>(engine_->getFunctionAddress("g"));
  EXPECT_EQ(Call("f"), 1);
  std::thread other([&] { EXPECT_EQ(g(), 1); });
  resolver.AwaitQuestion();
  engine_->setProcessAllSections(true);
  engine_->addModule(Parse(R"(
    @v = external global i32
    @where = global ptr @v)"));
  // No code of MCJIT's looks at it: on AArch64 MCJIT may put its data out of the code's reach.
  const auto* where = reinterpret_cast<int**>(engine_->getGlobalValueAddress("where"));
  EXPECT_TRUE(where != nullptr && **where == 5);
  resolver.Allow();
  other.join();
}

llvm::object::OwningBinary<llvm::object::Archive> ArchiveOf(const std::vector<std::string>& texts) {
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(MakeArchive(texts));
  auto archive = llvm::cantFail(llvm::object::Archive::create(buffer->getMemBufferRef()));
  return {std::move(archive), std::move(buffer)};
}

TEST_F(LazyEngineTest, MembersOfArchivesReferToModules) {
  Create("@v = global i32 5  define i32 @f() { ret i32 1 }");
  engine_->addArchive(ArchiveOf({"@v = external global i32  @where = global ptr @v",
                                 "@nowhere = external global i32  @unused = global ptr @nowhere"}));
  const auto* where = reinterpret_cast<int**>(engine_->getGlobalValueAddress("where"));
  ASSERT_NE(where, nullptr);
  EXPECT_EQ(**where, 5);
  EXPECT_EQ(Call("f"), 1);
}

// As above, but only a member of an archive, which another member needs, refers to the data.
TEST_F(LazyEngineTest, MCJITLinksMembersWhileAnotherThreadLinksData) {
  auto owned_resolver = std::make_unique<WaitingResolver>();
  WaitingResolver& resolver = *owned_resolver;
  std::string error;
  llvm::EngineBuilder builder(Parse("@v = global i32 5  define i32 @f() { ret i32 1 }"));
  builder.setErrorStr(&error).setOptLevel(llvm::CodeGenOptLevel::None);
  builder.setSymbolResolver(std::move(owned_resolver));
  engine_.reset(builder.create());
  ASSERT_NE(engine_, nullptr) << error;
  engine_->addModule(Parse(R"(
    @late = external global i32
    @later = external global i32
    @table = global [2 x ptr] [ptr @late, ptr @later]
    define i32 @g() {
      %1 = load ptr, ptr @table
      %2 = icmp ne ptr %1, null
      %3 = zext i1 %2 to i32
      ret i32 %3
    })"));
  const auto g = reinterpret_cast<int (*)()>(engine_->getFunctionAddress("g"));
  EXPECT_EQ(Call("f"), 1);
  std::thread other([&] { EXPECT_EQ(g(), 1); });
  resolver.AwaitQuestion();
  engine_->addArchive(ArchiveOf({"@where = external global ptr  @first = global ptr @where",
                                 "@v = external global i32  @where = global ptr @v"}));
  const auto* first = reinterpret_cast<int***>(engine_->getGlobalValueAddress("first"));
  EXPECT_TRUE(first != nullptr && ***first == 5);
  resolver.Allow();
  other.join();
}

// The bytes of addresses that this process has mapped or reserved.
size_t MappedBytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    size_t kilobytes = 0;
    if (std::sscanf(line.c_str(), "VmSize: %zu kB", &kilobytes) == 1) return kilobytes * 1024;
  }
  return 0;
}

TEST_F(LazyEngineTest, ManySmallEnginesAreSmall) {
  constexpr size_t kEngines = 50;
  std::vector<std::unique_ptr<llvm::ExecutionEngine>> engines;
  const size_t before = MappedBytes();
  ASSERT_GT(before, 0u);
  for (size_t i = 0; i < kEngines; ++i) {
    Create(kTwoFunctions);
    EXPECT_EQ(Call("two"), 2);
    engines.push_back(std::move(engine_));
  }
  EXPECT_LT((MappedBytes() - before) / kEngines, size_t{200} << 20);
}

// More of everything than the first reservation of an engine.
TEST_F(LazyEngineTest, AnEngineGrows) {
  Create(R"(
    @large = global [100000000 x i8] zeroinitializer
    @constants = constant [40000000 x i8] zeroinitializer
    define i32 @use(i32 %at) {
      %1 = getelementptr i8, ptr @large, i32 %at
      store i8 5, ptr %1
      %2 = load i8, ptr %1
      %3 = getelementptr i8, ptr @constants, i32 %at
      %4 = load i8, ptr %3
      %5 = add i8 %2, %4
      %6 = zext i8 %5 to i32
      ret i32 %6
    }
    define i32 @first() {
      %1 = call i32 @use(i32 39999999)
      ret i32 %1
    })");
  engine_->addModule(Parse(R"(
    @further = global [100000000 x i8] zeroinitializer
    declare i32 @use(i32)
    define i32 @second() {
      %1 = getelementptr i8, ptr @further, i32 99999999
      store i8 3, ptr %1
      %2 = call i32 @use(i32 1)
      %3 = load i8, ptr %1
      %4 = zext i8 %3 to i32
      %5 = add i32 %2, %4
      ret i32 %5
    })"));
  EXPECT_EQ(Call("first"), 5);
  EXPECT_EQ(Call("second"), 8);
}

TEST_F(LazyEngineTest, ThreadLocalVariablesAreSharedByModules) {
  Create(R"(
    @value = thread_local global i32 6
    define i32 @get() {
      %1 = load i32, ptr @value
      ret i32 %1
    })");
  engine_->addModule(Parse(R"(
    @value = external thread_local global i32
    define i32 @get_and_change() {
      %1 = load i32, ptr @value
      store i32 8, ptr @value
      ret i32 %1
    })"));
  engine_->finalizeObject();
  EXPECT_EQ(Call("get_and_change"), 6);
  EXPECT_EQ(Call("get"), 8);
}

}  // namespace
}  // namespace firstcall
