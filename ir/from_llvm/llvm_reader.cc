#include "ir/from_llvm/llvm_reader.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status.h"
#include "ir/from_llvm/address_users.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Metadata.h"
#include "seam/hotness_counter.h"
#include "third_party/llvm/version/triple.h"

namespace firstcall::ir {
namespace {

absl::string_view ViewOf(llvm::StringRef text) { return {text.data(), text.size()}; }

absl::Status Failure(const absl::Status& cause, const llvm::Function& function) {
  return Annotate(cause, absl::StrCat("reading function '", ViewOf(function.getName()), "'"));
}

}  // namespace

absl::StatusOr<std::unique_ptr<LlvmReader>> LlvmReader::Create(const llvm::Module& source) {
  auto reader = std::make_unique<LlvmReader>();
  FIRSTCALL_RETURN_IF_ERROR(reader->Begin(source));
  return reader;
}

absl::Status LlvmReader::Begin(const llvm::Module& source) {
  FIRSTCALL_RETURN_IF_ERROR(ReadLayout(source));
  module_ = std::make_unique<Module>();
  module_->set_triple(llvm_version::TripleTextOf(source));
  module_->set_layout(*layout_);
  if (!source.getModuleInlineAsm().empty()) module_->set_has_assembly();
  types_.Begin(*module_);
  attributes_.Begin(*module_);
  constants_.Begin(*module_);
  globals_.Read(source, *module_);
  return absl::OkStatus();
}

absl::Status LlvmReader::ReadLayout(const llvm::Module& source) {
  const absl::string_view text = source.getDataLayoutStr();
  if (layout_.has_value() && layout_text_ == text) return absl::OkStatus();
  absl::StatusOr<DataLayout> layout = DataLayout::Parse(text);
  if (!layout.ok()) {
    return Annotate(layout.status(),
                    absl::StrCat("reading module '", source.getModuleIdentifier(), "'"));
  }
  layout_ = *std::move(layout);
  layout_text_ = std::string(text);
  return absl::OkStatus();
}

absl::Status LlvmReader::Read(uint32_t global, Function& function) {
  if (global >= globals_.sources().size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("reading function ", global, ": no such number"));
  }
  const auto* source = llvm::dyn_cast<llvm::Function>(globals_.sources()[global]);
  if (source == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("reading function ", global, ": no function"));
  }
  return Read(*source, function);
}

absl::Status LlvmReader::Read(const llvm::Function& source, Function& function) {
  const uint32_t number = NumberOf(source);
  if (number == kNone) {
    return Failure(absl::InvalidArgumentError("it is in another module"), source);
  }
  if (source.empty()) return Failure(absl::InvalidArgumentError("it has no body"), source);
  function.Clear(*module_, number);
  function.has_debug_information = source.getSubprogram() != nullptr;
  function.has_unknown = source.hasMetadata(llvm::LLVMContext::MD_pcsections);
  if (const llvm::Attribute polls = source.getFnAttribute(kPollsAttribute); polls.isValid()) {
    const llvm::GlobalVariable* const counter =
        source.getParent()->getNamedGlobal(polls.getValueAsString());
    if (counter == nullptr) return Failure(absl::InternalError("it has no counter"), source);
    function.poll_counter = NumberOf(*counter);
    function.polls_when_called = source.hasFnAttribute(kPollsWhenCalledAttribute);
  }
  const absl::Status status = instructions_.Read(source, function);
  if (!status.ok()) return Failure(status, source);
  if (HasSharedBlocks(source)) {
    for (Block& block : function.blocks) block.has_address_taken = true;
  }
  return absl::OkStatus();
}

}  // namespace firstcall::ir
