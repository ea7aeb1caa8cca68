// Does the machine have what the rest of the suite stands on? When these fail, look at ./setup.sh
// and third_party/, not at the engine.

#include <memory>
#include <string>
#include <thread>

#include "absl/base/call_once.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/blocking_counter.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include "third_party/llvm/version/target_machine.h"
#include "third_party/llvm/version/version.h"

namespace firstcall {
namespace {

using ::testing::HasSubstr;

absl::StatusOr<std::unique_ptr<llvm::TargetMachine>> CreateTargetMachine(
    const std::string& triple) {
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (target == nullptr) return absl::NotFoundError(absl::StrCat("lookup ", triple, ": ", error));
  return llvm_version::CreateJitMachine(*target, llvm::Triple(triple),
                                        llvm::sys::getHostCPUName().str(), /*features=*/"",
                                        llvm::TargetOptions(), llvm::Reloc::PIC_,
                                        llvm::CodeModel::Small, llvm::CodeGenOptLevel::None);
}

TEST(ToolchainTest, HeadersAreOfASupportedVersion) {
  EXPECT_TRUE(llvm_version::kMajor == 19 || llvm_version::kMajor == 22) << llvm_version::kVersion;
  // Asks the library, not the headers: it is what will be loaded at run time.
  llvm::LLVMContext context;
  llvm::Module module("toolchain_test", context);
  EXPECT_TRUE(module.empty());
}

TEST(ToolchainTest, CreatesTargetMachineForThisMachine) {
  // The native one by name would be that of the machine LLVM's headers are for, which need not be
  // the one this is compiled for.
  llvm::InitializeAllTargetInfos();
  llvm::InitializeAllTargets();
  llvm::InitializeAllTargetMCs();
  llvm::InitializeAllAsmPrinters();
  auto machine = CreateTargetMachine(llvm::sys::getProcessTriple());
  ASSERT_TRUE(machine.ok()) << machine.status();
  ASSERT_NE(*machine, nullptr);
  EXPECT_TRUE((*machine)->getTargetTriple().isArch64Bit());
  EXPECT_EQ((*machine)->createDataLayout().getPointerSize(), 8u);
}

TEST(ToolchainTest, UnknownTargetIsAnErrorOfAbseilsKind) {
  auto machine = CreateTargetMachine("abacus-none-none");
  EXPECT_EQ(machine.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(machine.status().message(), HasSubstr("abacus-none-none"));
}

// Its hash seed and its mutex live in Abseil's compiled part, so this proves more than headers.
TEST(ToolchainTest, LinksAbseilContainersAndMutexes) {
  absl::Mutex mutex;
  absl::flat_hash_map<std::string, int> ordinals;
  absl::MutexLock lock(&mutex);
  for (int i = 0; i < 100; ++i) ordinals[absl::StrCat("f$", i)] = i;
  EXPECT_EQ(ordinals.size(), 100u);
  EXPECT_EQ(ordinals["f$42"], 42);
}

// Under --config=tsan these fail unless the sanitizer is told about Abseil's synchronization.
TEST(ToolchainTest, MutexOrdersAccessesOfTwoThreads) {
  absl::Mutex mutex;
  int count = 0;
  bool first_is_done = false;
  auto add = [&] {
    for (int i = 0; i < 1000; ++i) {
      absl::MutexLock lock(&mutex);
      ++count;
    }
  };
  std::thread first([&] {
    add();
    absl::MutexLock lock(&mutex);
    first_is_done = true;
  });
  std::thread second([&] {
    add();
    mutex.LockWhen(absl::Condition(&first_is_done));
    ++count;
    mutex.Unlock();
  });
  first.join();
  second.join();
  absl::ReaderMutexLock lock(&mutex);
  EXPECT_EQ(count, 2001);
}

TEST(ToolchainTest, CondVarOrdersAccessesOfTwoThreads) {
  absl::Mutex mutex;
  absl::CondVar changed;
  int turn = 0;
  auto take_turns = [&](int parity) {
    absl::MutexLock lock(&mutex);
    while (turn < 100) {
      if (turn % 2 == parity) {
        ++turn;
        changed.SignalAll();
      } else {
        changed.WaitWithTimeout(&mutex, absl::Milliseconds(50));
      }
    }
  };
  std::thread odd([&] { take_turns(1); });
  take_turns(0);
  odd.join();
  EXPECT_EQ(turn, 100);
}

TEST(ToolchainTest, OneTimeEventsPublishWhatCameBefore) {
  absl::Notification notified;
  absl::BlockingCounter counter(1);
  absl::once_flag once;
  int before_notify = 0;
  int before_decrement = 0;
  int in_once = 0;
  auto set_once = [&] { absl::call_once(once, [&] { in_once = 3; }); };
  std::thread other([&] {
    before_notify = 1;
    notified.Notify();
    before_decrement = 2;
    counter.DecrementCount();
    set_once();
  });
  notified.WaitForNotification();
  EXPECT_EQ(before_notify, 1);
  counter.Wait();
  EXPECT_EQ(before_decrement, 2);
  set_once();
  EXPECT_EQ(in_once, 3);
  other.join();
}

}  // namespace
}  // namespace firstcall
