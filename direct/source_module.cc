#include "direct/source_module.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/status.h"
#include "direct/code_tables.h"
#include "direct/host_target.h"
#include "direct/label_finder.h"
#include "direct/symbol_index_reader.h"
#include "ir/attributes.h"
#include "ir/global.h"

namespace firstcall::direct {
namespace {

bool IsUnoptimized(const ir::Module& module) {
  const absl::Span<const ir::Global> globals = module.globals();
  return std::all_of(globals.begin(), globals.end(), [](const ir::Global& global) {
    if (!global.IsFunction() || global.is_declaration()) return true;
    const ir::AttributeSet& attributes = global.attributes()->function;
    return attributes.Has(ir::Attribute::kNoInline) || attributes.Has(ir::Attribute::kAlwaysInline);
  });
}

}  // namespace

ReadModule::ReadModule(std::shared_ptr<const FileContents> settled_bytes,
                       std::unique_ptr<bitcode::BitcodeModule> read_source,
                       std::shared_ptr<const SymbolIndex> symbol_index)
    : bytes(std::move(settled_bytes)),
      source(std::move(read_source)),
      index(std::move(symbol_index)),
      numbers(source->module()),
      is_unoptimized(IsUnoptimized(source->module())) {}

absl::Status SourceModule::ReadLocked() {
  if (read_ != nullptr) return absl::OkStatus();
  if (contents_.form != ModuleContents::Form::kBitcode) {
    return absl::UnimplementedError("a module given as text");
  }
  FIRSTCALL_ASSIGN_OR_RETURN(contents_.bytes, contents_.bytes->Settled(contents_.digest));
  const absl::string_view bytes = contents_.bytes->bytes();
  const absl::Span<const uint8_t> span(reinterpret_cast<const uint8_t*>(bytes.data()),
                                       bytes.size());
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<bitcode::BitcodeModule> source,
                             bitcode::BitcodeModule::Read(span, HostTarget()));
  FIRSTCALL_RETURN_IF_ERROR(CheckTarget(source->module().triple(), source->layout_text()));
  FIRSTCALL_RETURN_IF_ERROR(CheckIndex(*source));
  // Types and the like of debug information. Who reads the module again, after Forget, jumps over
  // the same parts.
  for (absl::Span<const uint8_t> part : source->unread_metadata()) {
    contents_.bytes->Discard({reinterpret_cast<const char*>(part.data()), part.size()});
  }
  read_ = std::make_shared<const ReadModule>(contents_.bytes, std::move(source), index_);
  return absl::OkStatus();
}

// What the index is made from says, too, whether the module has anything that only LLVM knows. So
// one from a cache does not do.
absl::Status SourceModule::CheckIndex(const bitcode::BitcodeModule& source) {
  if (is_known_) return absl::OkStatus();
  FIRSTCALL_RETURN_IF_ERROR(CheckOwnersOfLabels(source));
  FIRSTCALL_RETURN_IF_ERROR(CheckCodeTables(source));
  FIRSTCALL_ASSIGN_OR_RETURN(SymbolIndex index, ReadSymbolIndex(source.module()));
  if (index_ == nullptr) {
    index_ = std::make_shared<const SymbolIndex>(std::move(index));
  } else if (index_->size() != index.size()) {
    return absl::InvalidArgumentError("the index is that of another module");
  }
  is_known_ = true;
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const ReadModule>> SourceModule::Read() {
  absl::MutexLock lock(&mutex_);
  FIRSTCALL_RETURN_IF_ERROR(failure_);
  absl::Status status = ReadLocked();
  if (status.ok()) return read_;
  status = Annotate(status, absl::StrCat("'", contents_.name, "'"));
  if (!MayPass(status)) failure_ = status;
  return status;
}

void SourceModule::Forget() {
  absl::MutexLock lock(&mutex_);
  if (read_ != nullptr) read_->is_forgotten = true;
  read_ = nullptr;
}

}  // namespace firstcall::direct
