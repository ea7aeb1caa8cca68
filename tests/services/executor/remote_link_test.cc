// An object of LLVM's is linked here, for the addresses of another process, and runs there.

#include <unistd.h>

#include <memory>
#include <string>
#include <utility>

#include "backend/mcjit/section_memory.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/ExecutionEngine/RuntimeDyld.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "memory/arena_memory.h"
#include "memory/owned_code.h"
#include "memory/unwind_registry.h"
#include "tests/memory/memory_maps.h"
#include "tests/services/executor/remote_executor.h"
#include "tests/testing/host.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"
#include "third_party/llvm/version/target_machine.h"
#include "third_party/llvm/version/triple.h"

namespace firstcall {
namespace {

// Code, constants that it reads, data that it writes and initialized with an address, and a call of
// a function of the executing process.
constexpr char kModule[] = R"(
  @numbers = constant [4 x i32] [i32 10, i32 20, i32 30, i32 40]
  @sum = global i32 1000
  @place = global ptr @sum
  declare i32 @getpid()

  define internal i32 @second() noinline nounwind {
    %p = getelementptr [4 x i32], ptr @numbers, i32 0, i32 1
    %n = load volatile i32, ptr %p
    ret i32 %n
  }
  define i32 @add(ptr %unused) nounwind {
    %n = call i32 @second()
    %place = load volatile ptr, ptr @place
    %before = load i32, ptr %place
    %after = add i32 %before, %n
    store i32 %after, ptr %place
    %process = call i32 @getpid()
    ret i32 %process
  }
)";

llvm::SmallVector<char, 0> Compile(absl::string_view text) {
  // The native one is to LLVM's headers the machine that builds.
  llvm::InitializeAllTargetInfos();
  llvm::InitializeAllTargets();
  llvm::InitializeAllTargetMCs();
  llvm::InitializeAllAsmPrinters();
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module = ParseModule(text, context);
  const std::string triple = llvm::sys::getProcessTriple();
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  EXPECT_NE(target, nullptr) << error;
  const std::unique_ptr<llvm::TargetMachine> machine =
      llvm_version::CreateJitMachine(*target, llvm::Triple(triple), "", "", {}, llvm::Reloc::PIC_,
                                     llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default);
  llvm_version::SetTriple(*module, triple);
  module->setDataLayout(machine->createDataLayout());
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager passes;
  EXPECT_FALSE(
      machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile));
  passes.run(*module);
  return object;
}

TEST(RemoteLinkTest, ObjectRunsAtTheAddressesItWasLinkedFor) {
  RemoteExecutor executor;
  ASSERT_OK_AND_ASSIGN(std::shared_ptr<ArenaMemory> arenas,
                       ArenaMemory::Create(executor.mapper(), {{1 << 20, 1 << 20, 1 << 20}}));
  auto owner = std::make_unique<OwnedCode>(arenas, std::make_shared<UnwindRegistry>());
  SectionMemory memory;
  const absl::string_view symbols[] = {"add", "numbers", "sum"};
  memory.BeginObject(symbols, {owner.get(), arenas->near_first(), {}, false});

  const llvm::SmallVector<char, 0> bytes = Compile(kModule);
  auto object = llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(llvm::StringRef(bytes.data(), bytes.size()), "object"));
  ASSERT_TRUE(static_cast<bool>(object));
  // The executing process was forked, so what this one has is there at the same addresses.
  llvm::sys::DynamicLibrary::LoadLibraryPermanently(nullptr);
  llvm::RuntimeDyld linker(memory, memory);
  linker.loadObject(**object);
  linker.resolveRelocations();
  ASSERT_FALSE(linker.hasError()) << linker.getErrorString().str();
  const auto* sum = static_cast<const int*>(linker.getSymbolLocalAddress("sum"));
  ASSERT_THAT(memory.Finalize(), IsOk());
  memory.Keep();

  const ExecutorAddress add = memory.addresses()[0];
  EXPECT_EQ(PermissionsAt(executor.process(), memory.addresses()[1]), "r--");
  EXPECT_EQ(PermissionsAt(executor.process(), memory.addresses()[2]), "rw-");

  MemoryRequest wanted;
  wanted.size = sizeof(CallRequest);
  wanted.alignment = alignof(CallRequest);
  ASSERT_OK_AND_ASSIGN(const MemoryBlock block, arenas->Allocate(wanted));
  auto* request = new (block.write) CallRequest;
  request->function = add;
  ASSERT_THAT(arenas->Finalize({block}), IsOk());
  for (int calls = 1; calls <= 3; ++calls) {
    ASSERT_THAT(
        executor.mapper()->Finalize({arenas->first().begin()}, {{}, {CallAction(block.run)}, {}}),
        IsOk());
    EXPECT_EQ(request->result, executor.process());
    EXPECT_EQ(*sum, 1000 + 20 * calls);
  }
  if (IsEmulated()) {
    GTEST_SKIP() << "what the system tells of the other process is about its emulator, which "
                    "translates code and never executes the pages themselves";
  }
  EXPECT_EQ(PermissionsAt(executor.process(), add), "r-x");
  EXPECT_EQ(WritableAndExecutable(executor.process()), 0);
}

}  // namespace
}  // namespace firstcall
