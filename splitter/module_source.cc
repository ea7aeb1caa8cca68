#include "splitter/module_source.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/fatal_error_guard.h"
#include "base/status.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

namespace firstcall {
namespace {

// Asks the verifier about each function by itself first, because a message about the whole module
// does not say which function it means.
absl::Status Verify(const llvm::Module& module) {
  std::string reason;
  llvm::raw_string_ostream stream(reason);
  for (const llvm::Function& function : module) {
    if (!function.isDeclaration() && llvm::verifyFunction(function, &stream)) {
      return absl::InvalidArgumentError(
          absl::StrCat("function '", function.getName().str(),
                       "' is not valid IR: ", absl::StripTrailingAsciiWhitespace(reason)));
    }
  }
  if (llvm::verifyModule(module, &stream)) {
    return absl::InvalidArgumentError(
        absl::StrCat("module is not valid IR: ", absl::StripTrailingAsciiWhitespace(reason)));
  }
  return absl::OkStatus();
}

std::shared_ptr<llvm::MemoryBuffer> WriteBitcode(ModuleView& view) {
  absl::MutexLock lock(&view.mutex());
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::WriteBitcodeToFile(view.module(), stream);
  return std::make_shared<llvm::SmallVectorMemoryBuffer>(
      std::move(bytes), view.module().getModuleIdentifier(), /*RequiresNullTerminator=*/false);
}

}  // namespace

absl::StatusOr<std::unique_ptr<ModuleSource>> ModuleSource::FromFile(const std::string& path) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/false,
                                                   /*RequiresNullTerminator=*/true);
  if (!buffer) {
    return absl::NotFoundError(
        absl::StrCat("cannot read '", path, "': ", buffer.getError().message()));
  }
  const auto* begin = reinterpret_cast<const unsigned char*>((*buffer)->getBufferStart());
  const auto* end = reinterpret_cast<const unsigned char*>((*buffer)->getBufferEnd());
  if (llvm::isBitcode(begin, end)) return FromBitcode(std::move(*buffer));
  // Text has no control characters but white space: what has others is meant to be neither.
  absl::string_view start((*buffer)->getBufferStart(),
                          std::min<size_t>((*buffer)->getBufferSize(), 512));
  if (std::any_of(start.begin(), start.end(), [](char c) {
        return absl::ascii_iscntrl(static_cast<unsigned char>(c)) &&
               !absl::ascii_isspace(static_cast<unsigned char>(c));
      })) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", path, "' is neither LLVM bitcode nor LLVM assembly text"));
  }
  return FromText(**buffer);
}

absl::StatusOr<std::unique_ptr<ModuleSource>> ModuleSource::FromBitcode(
    std::unique_ptr<llvm::MemoryBuffer> bitcode) {
  std::shared_ptr<llvm::MemoryBuffer> shared = std::move(bitcode);
  std::string name = shared->getBufferIdentifier().str();
  absl::StatusOr<std::shared_ptr<ModuleView>> view = ModuleView::ParseLazily(shared);
  if (!view.ok()) return Annotate(view.status(), absl::StrCat("'", name, "'"));
  return std::unique_ptr<ModuleSource>(
      new ModuleSource(std::move(name), std::move(shared), *std::move(view)));
}

absl::StatusOr<std::unique_ptr<ModuleSource>> ModuleSource::FromText(llvm::MemoryBufferRef text) {
  auto context = std::make_unique<llvm::LLVMContext>();
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module;
  // LLVM's parser answers an invalid module that has debug information with a fatal error.
  const absl::Status parsed =
      RunGuarded([&] { module = llvm::parseAssembly(text, diagnostic, *context); });
  if (!parsed.ok()) {
    (void)context.release();  // Left in the middle: cannot be destroyed.
    return absl::InvalidArgumentError(
        absl::StrCat("'", text.getBufferIdentifier().str(), "': reading text: ", parsed.message()));
  }
  if (module == nullptr) {
    std::string message;
    llvm::raw_string_ostream stream(message);
    diagnostic.print(/*ProgName=*/nullptr, stream, /*ShowColors=*/false);
    return absl::InvalidArgumentError(absl::StripTrailingAsciiWhitespace(message));
  }
  return FromModule(std::move(context), std::move(module));
}

absl::StatusOr<std::unique_ptr<ModuleSource>> ModuleSource::FromModule(
    std::unique_ptr<llvm::LLVMContext> context, std::unique_ptr<llvm::Module> module) {
  std::string name = module->getModuleIdentifier();
  // The view owns both from here on, and destroys the module before its context.
  auto view = std::make_shared<ModuleView>(std::move(context), std::move(module));
  const std::string where = absl::StrCat("'", name, "'");
  FIRSTCALL_RETURN_IF_ERROR(
      FromLlvm(view->module().materializeAll(), absl::StatusCode::kInvalidArgument, where));
  FIRSTCALL_RETURN_IF_ERROR(Annotate(Verify(view->module()), where));
  FIRSTCALL_RETURN_IF_ERROR(Annotate(view->ReadMetadata(), where));
  return std::unique_ptr<ModuleSource>(
      new ModuleSource(std::move(name), /*bitcode=*/nullptr, std::move(view)));
}

ModuleSource::ModuleSource(std::string name, std::shared_ptr<llvm::MemoryBuffer> bitcode,
                           std::shared_ptr<ModuleView> first_view)
    : name_(std::move(name)),
      is_verified_(bitcode == nullptr),
      bitcode_(std::move(bitcode)),
      first_view_(std::move(first_view)) {}

std::string ModuleSource::ContentDigest() {
  std::shared_ptr<llvm::MemoryBuffer> bitcode;
  {
    absl::MutexLock lock(&mutex_);
    bitcode = bitcode_ != nullptr ? bitcode_ : WriteBitcode(*first_view_);
  }
  const llvm::StringRef contents = bitcode->getBuffer();
  const auto digest = llvm::SHA256::hash(llvm::ArrayRef(contents.bytes_begin(), contents.size()));
  return std::string(reinterpret_cast<const char*>(digest.data()), digest.size());
}

absl::StatusOr<std::shared_ptr<ModuleView>> ModuleSource::OpenView() {
  std::shared_ptr<llvm::MemoryBuffer> bitcode;
  {
    absl::MutexLock lock(&mutex_);
    if (!first_view_is_taken_) {
      first_view_is_taken_ = true;
      return bitcode_ == nullptr ? first_view_ : std::move(first_view_);
    }
    if (bitcode_ == nullptr && first_view_ == nullptr) {
      return absl::FailedPreconditionError(
          absl::StrCat("'", name_, "' was given in memory, and nothing is kept of it"));
    }
    if (bitcode_ == nullptr) {
      bitcode_ = WriteBitcode(*first_view_);
      first_view_ = nullptr;
    }
    bitcode = bitcode_;
  }
  return ModuleView::ParseLazily(std::move(bitcode));
}

void ModuleSource::ForgetFirstView() {
  {
    absl::MutexLock lock(&mutex_);
    first_view_is_taken_ = true;
    first_view_ = nullptr;
  }
  // There are as many as modules, and absl's deadlock detection gets slower with each it knows.
  mutex_.ForgetDeadlockInfo();
}

}  // namespace firstcall
