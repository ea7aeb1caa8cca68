#include "splitter/module_source.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/fatal_error_guard.h"
#include "base/llvm_status.h"
#include "base/status.h"
#include "base/string_ref.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "splitter/function_verifier.h"

namespace firstcall {
namespace {

// The contents as LLVM wants them, which it keeps.
class SharedBuffer final : public llvm::MemoryBuffer {
 public:
  explicit SharedBuffer(ModuleContents contents) : contents_(std::move(contents)) {
    const absl::string_view bytes = contents_.bytes->bytes();
    init(bytes.data(), bytes.data() + bytes.size(), /*RequiresNullTerminator=*/true);
  }
  llvm::StringRef getBufferIdentifier() const override { return contents_.name; }
  BufferKind getBufferKind() const override { return MemoryBuffer_Malloc; }

 private:
  const ModuleContents contents_;
};

// Verifies each function separately first, because a message about the whole module does not name
// the function.
absl::Status Verify(const llvm::Module& module) {
  for (const llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    FIRSTCALL_RETURN_IF_ERROR(VerifyFunction(function, ToStringView(function.getName())));
  }
  std::string reason;
  llvm::raw_string_ostream stream(reason);
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

// The view takes over both, and destroys the module before its context.
absl::StatusOr<std::shared_ptr<ModuleView>> VerifiedView(std::unique_ptr<llvm::LLVMContext> context,
                                                         std::unique_ptr<llvm::Module> module,
                                                         absl::string_view name) {
  auto view = std::make_shared<ModuleView>(std::move(context), std::move(module));
  const std::string where = absl::StrCat("'", name, "'");
  FIRSTCALL_RETURN_IF_ERROR(
      FromLlvm(view->module().materializeAll(), absl::StatusCode::kInvalidArgument, where));
  FIRSTCALL_RETURN_IF_ERROR(Annotate(Verify(view->module()), where));
  FIRSTCALL_RETURN_IF_ERROR(Annotate(view->ReadMetadata(), where));
  return view;
}

absl::StatusOr<std::shared_ptr<ModuleView>> ParseText(llvm::MemoryBufferRef text) {
  auto context = std::make_unique<llvm::LLVMContext>();
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module;
  const std::string name = text.getBufferIdentifier().str();
  // If a module is invalid and has debug information, LLVM's parser reports a fatal error.
  const absl::Status parsed =
      RunGuarded([&] { module = llvm::parseAssembly(text, diagnostic, *context); });
  if (!parsed.ok()) {
    (void)context.release();  // In an undefined state after the error: cannot be destroyed.
    return absl::InvalidArgumentError(
        absl::StrCat("'", name, "': reading text: ", parsed.message()));
  }
  if (module == nullptr) {
    std::string message;
    llvm::raw_string_ostream stream(message);
    diagnostic.print(/*ProgName=*/nullptr, stream, /*ShowColors=*/false);
    return absl::InvalidArgumentError(absl::StripTrailingAsciiWhitespace(message));
  }
  return VerifiedView(std::move(context), std::move(module), name);
}

}  // namespace

std::unique_ptr<ModuleSource> ModuleSource::FromContents(ModuleContents contents) {
  const bool is_text = contents.form == ModuleContents::Form::kText;
  std::unique_ptr<ModuleSource> source(new ModuleSource(contents.name, is_text, nullptr, nullptr,
                                                        /*first_view=*/nullptr));
  absl::MutexLock lock(&source->mutex_);
  source->unread_ = std::move(contents);
  return source;
}

std::unique_ptr<ModuleSource> ModuleSource::Unparsed(std::unique_ptr<llvm::MemoryBuffer> contents,
                                                     ModuleContents::Form form) {
  std::string name = contents->getBufferIdentifier().str();
  const bool is_text = form == ModuleContents::Form::kText;
  std::shared_ptr<llvm::MemoryBuffer> bitcode;
  if (!is_text) bitcode = std::move(contents);
  return std::unique_ptr<ModuleSource>(new ModuleSource(std::move(name), is_text,
                                                        std::move(bitcode), std::move(contents),
                                                        /*first_view=*/nullptr));
}

absl::StatusOr<std::unique_ptr<ModuleSource>> ModuleSource::FromBitcode(
    std::unique_ptr<llvm::MemoryBuffer> bitcode) {
  std::unique_ptr<ModuleSource> source =
      Unparsed(std::move(bitcode), ModuleContents::Form::kBitcode);
  FIRSTCALL_RETURN_IF_ERROR(source->Parse());
  return source;
}

absl::StatusOr<std::unique_ptr<ModuleSource>> ModuleSource::FromText(llvm::MemoryBufferRef text) {
  std::unique_ptr<ModuleSource> source =
      Unparsed(llvm::MemoryBuffer::getMemBuffer(text), ModuleContents::Form::kText);
  FIRSTCALL_RETURN_IF_ERROR(source->Parse());
  return source;
}

absl::StatusOr<std::unique_ptr<ModuleSource>> ModuleSource::FromModule(
    std::unique_ptr<llvm::LLVMContext> context, std::unique_ptr<llvm::Module> module) {
  std::string name = module->getModuleIdentifier();
  FIRSTCALL_ASSIGN_OR_RETURN(std::shared_ptr<ModuleView> view,
                             VerifiedView(std::move(context), std::move(module), name));
  return std::unique_ptr<ModuleSource>(new ModuleSource(std::move(name), /*is_verified=*/true,
                                                        /*bitcode=*/nullptr,
                                                        /*text=*/nullptr, std::move(view)));
}

ModuleSource::ModuleSource(std::string name, bool is_verified,
                           std::shared_ptr<llvm::MemoryBuffer> bitcode,
                           std::unique_ptr<llvm::MemoryBuffer> text,
                           std::shared_ptr<ModuleView> first_view)
    : name_(std::move(name)),
      is_verified_(is_verified),
      bitcode_(std::move(bitcode)),
      text_(std::move(text)),
      first_view_(std::move(first_view)) {}

ModuleSource::~ModuleSource() = default;

absl::Status ModuleSource::Parse() {
  absl::MutexLock lock(&mutex_);
  return ParseLocked();
}

absl::Status ModuleSource::ReadLocked() {
  if (!unread_) return absl::OkStatus();
  FIRSTCALL_ASSIGN_OR_RETURN(unread_->bytes, unread_->bytes->Settled(unread_->digest));
  const bool is_text = unread_->form == ModuleContents::Form::kText;
  auto buffer = std::make_unique<SharedBuffer>(*std::move(unread_));
  unread_ = std::nullopt;
  if (is_text) {
    text_ = std::move(buffer);
  } else {
    bitcode_ = std::move(buffer);
  }
  return absl::OkStatus();
}

absl::Status ModuleSource::ParseLocked() {
  FIRSTCALL_RETURN_IF_ERROR(ReadLocked());
  if (first_view_ != nullptr || first_view_is_taken_) return absl::OkStatus();
  if (text_ == nullptr) {
    absl::StatusOr<std::shared_ptr<ModuleView>> view = ModuleView::ParseLazily(bitcode_);
    if (!view.ok()) return Annotate(view.status(), absl::StrCat("'", name_, "'"));
    first_view_ = *std::move(view);
    return absl::OkStatus();
  }
  FIRSTCALL_ASSIGN_OR_RETURN(first_view_, ParseText(text_->getMemBufferRef()));
  text_ = nullptr;
  return absl::OkStatus();
}

std::string ModuleSource::ContentDigest() {
  std::shared_ptr<llvm::MemoryBuffer> bitcode;
  const auto digest_of = [](llvm::StringRef contents) {
    const auto digest =
        llvm::BLAKE3::hash<32>(llvm::ArrayRef(contents.bytes_begin(), contents.size()));
    return std::string(reinterpret_cast<const char*>(digest.data()), digest.size());
  };
  {
    absl::MutexLock lock(&mutex_);
    if (unread_) return digest_of(ToStringRef(unread_->bytes->bytes()));
    if (text_ != nullptr) return digest_of(text_->getBuffer());
    bitcode = bitcode_ != nullptr ? bitcode_ : WriteBitcode(*first_view_);
  }
  return digest_of(bitcode->getBuffer());
}

absl::StatusOr<BitcodeDigests> ModuleSource::DigestParts() {
  std::shared_ptr<llvm::MemoryBuffer> bitcode;
  {
    absl::MutexLock lock(&mutex_);
    FIRSTCALL_RETURN_IF_ERROR(ReadLocked());
    if (is_reopenable()) bitcode = bitcode_;
  }
  if (bitcode == nullptr) return absl::UnimplementedError("the module was not read from bitcode");
  return DigestBitcode({bitcode->getBufferStart(), bitcode->getBufferSize()});
}

absl::StatusOr<std::shared_ptr<ModuleView>> ModuleSource::OpenView() {
  std::shared_ptr<llvm::MemoryBuffer> bitcode;
  {
    absl::MutexLock lock(&mutex_);
    FIRSTCALL_RETURN_IF_ERROR(ParseLocked());
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

void ModuleSource::KeepAsBitcode() {
  absl::MutexLock lock(&mutex_);
  // Whoever opens a view gets the error.
  if (!ParseLocked().ok()) return;
  if (bitcode_ == nullptr && first_view_ != nullptr) bitcode_ = WriteBitcode(*first_view_);
}

void ModuleSource::ForgetFirstView() {
  {
    absl::MutexLock lock(&mutex_);
    first_view_is_taken_ = true;
    first_view_ = nullptr;
  }
  // There is one for each module, and absl's deadlock detection gets slower with each it knows.
  mutex_.ForgetDeadlockInfo();
}

}  // namespace firstcall
