#include "splitter/lazy_bitcode.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/diagnostic_collector.h"
#include "base/llvm_status.h"
#include "base/status.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace firstcall {
namespace {

absl::Status FromBitcode(llvm::Error error) {
  return FromLlvm(std::move(error), absl::StatusCode::kInvalidArgument, "reading bitcode");
}

absl::StatusOr<std::unique_ptr<llvm::Module>> ReadOne(llvm::BitcodeModule& module,
                                                      llvm::LLVMContext& context) {
  return FromLlvm(module.getLazyModule(context, /*ShouldLazyLoadMetadata=*/true,
                                       /*IsImporting=*/false),
                  absl::StatusCode::kInvalidArgument, "reading bitcode");
}

absl::Status LinkInto(llvm::Module& joined, std::unique_ptr<llvm::Module> other) {
  const bool have_one_target = joined.getTargetTriple() == other->getTargetTriple() &&
                               joined.getDataLayout() == other->getDataLayout();
  if (!have_one_target) {
    return absl::InvalidArgumentError(
        "joining the modules of the bitcode: they are made for different targets");
  }
  if (!llvm::Linker::linkModules(joined, std::move(other))) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("joining the modules of the bitcode: ", TakeDiagnostics(joined.getContext())));
}

}  // namespace

absl::StatusOr<std::unique_ptr<llvm::Module>> ReadLazily(llvm::MemoryBufferRef bitcode,
                                                         llvm::LLVMContext& context) {
  llvm::Expected<std::vector<llvm::BitcodeModule>> modules = llvm::getBitcodeModuleList(bitcode);
  if (!modules) return FromBitcode(modules.takeError());
  if (modules->empty()) {
    return absl::InvalidArgumentError("reading bitcode: Expected a single module");
  }
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<llvm::Module> joined,
                             ReadOne(modules->front(), context));
  if (modules->size() == 1) return joined;
  // Linking adds flags to those that the module has.
  if (llvm::Error error = joined->materializeMetadata()) return FromBitcode(std::move(error));
  for (size_t i = 1; i < modules->size(); ++i) {
    FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<llvm::Module> other,
                               ReadOne((*modules)[i], context));
    FIRSTCALL_RETURN_IF_ERROR(LinkInto(*joined, std::move(other)));
  }
  return joined;
}

}  // namespace firstcall
