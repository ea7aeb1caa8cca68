// Does the machine have what the rest of the suite stands on? When these fail, look at ./setup.sh and
// third_party/, not at the engine.

#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
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

namespace firstcall {
namespace {

using ::testing::HasSubstr;

absl::StatusOr<std::unique_ptr<llvm::TargetMachine>> CreateTargetMachine(
    const std::string& triple) {
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (target == nullptr) return absl::NotFoundError(absl::StrCat("lookup ", triple, ": ", error));
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, llvm::sys::getHostCPUName(), /*Features=*/"", llvm::TargetOptions(),
      llvm::Reloc::PIC_, llvm::CodeModel::Small, llvm::CodeGenOptLevel::None, /*JIT=*/true));
}

TEST(ToolchainTest, HeadersAndLibraryAreLlvm19) {
  EXPECT_EQ(LLVM_VERSION_MAJOR, 19);
  // Asks the library, not the headers: it is what will be loaded at run time.
  llvm::LLVMContext context;
  llvm::Module module("toolchain_test", context);
  EXPECT_TRUE(module.empty());
}

TEST(ToolchainTest, CreatesTargetMachineForThisMachine) {
  ASSERT_FALSE(llvm::InitializeNativeTarget());
  ASSERT_FALSE(llvm::InitializeNativeTargetAsmPrinter());
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

}  // namespace
}  // namespace firstcall
