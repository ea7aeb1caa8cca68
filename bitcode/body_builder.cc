#include "bitcode/body_builder.h"

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/global.h"

namespace firstcall::bitcode {
namespace {

// Stands for types that are not there, after a failure or in a module without void functions.
const ir::Type kNoType;

// More texts than constrained operations know. Each new one is compared with all.
constexpr size_t kMostTexts = 64;

}  // namespace

BodyBuilder::BodyBuilder(const BitcodeModule& source)
    : source_(source),
      void_(source.types().FindVoid() != nullptr ? source.types().FindVoid() : &kNoType),
      texts_(source) {}

void BodyBuilder::Begin(uint32_t global, ir::Function& function) {
  function_ = &function;
  function.Clear(source_.module(), global);
  instructions_.Begin(function.instructions);
  operands_.Begin(function.operands);
  targets_.Begin(function.targets);
  block_count_ = source_.BodyOf(global).block_count();
  block_ = first_of_block_ = record_ = 0;
  metadata_ = ir::Operand();
  texts_.Begin();
  known_texts_.clear();
  later_.clear();
  later_uses_.clear();
  failure_ = nullptr;
  const ir::Type* type = function.global().value_type();
  for (const ir::Type* parameter : type->parameters()) function.AddArgument(parameter);
  values_.GoOn(function.values);
  if (!numbering_.Begin(source_.value_count(), function.argument_count())) {
    return Refuse("too many values");
  }
  // Terminators have the type.
  if (void_ == &kNoType) Refuse("a module without the type void");
}

void BodyBuilder::AddConstants() {
  if (!numbering_.SetConstants(function_->constants.size())) Refuse("too many constants");
}

void BodyBuilder::Finish() {
  instructions_.Finish();
  values_.Finish();
  operands_.Finish();
  targets_.Finish();
  if (first_of_block_ != instructions_.count()) return Fail("the last block has no terminator");
  if (block_ != block_count_) return Fail("the body lacks blocks");
  CountLaterUses();
  if (!failed()) CheckLaterValues();
}

void BodyBuilder::CountLaterUses() {
  for (const LaterUse& later : later_uses_) {
    if (later.value >= values_.count()) {
      return Fail("an operand is a value that no instruction defines");
    }
    ir::Value& value = values_[later.value];
    if (value.uses++ == 0 || later.user < value.first_user) value.first_user = later.user;
    if (value.uses == 1 || later.user > value.last_user) value.last_user = later.user;
  }
}

void BodyBuilder::CheckLaterValues() {
  for (const Later& later : later_) {
    if (later.value >= values_.count() || values_[later.value].type != later.type) {
      return Fail("a value that is used before its definition has another type there");
    }
  }
}

TypedOperand BodyBuilder::EarlyValue(uint32_t number) const {
  const ir::Operand operand = numbering_.OperandOf(number);
  const uint32_t index = operand.number();
  if (operand.IsValue()) return {operand, values_[index].type};
  const absl::Span<const ir::Constant> shared = source_.module().constants();
  return {operand, index < shared.size() ? shared[index].type
                                         : function_->constants[index - shared.size()].type};
}

ir::Operand BodyBuilder::LaterValue(uint32_t number) {
  const ir::Operand operand = numbering_.OperandOf(number);
  if (operand.IsValue()) return operand;
  Fail("the number of a value is out of range");
  return ir::Operand();
}

TypedOperand BodyBuilder::LaterTypedValue(uint32_t number, uint64_t type) {
  const TypedOperand later = {LaterValue(number), TypeNumbered(type)};
  if (!failed()) later_.push_back({later.operand.number(), later.type});
  return later;
}

ir::Operand BodyBuilder::Metadata(const ir::Type* type) {
  if (metadata_.IsNothing()) metadata_ = AddMetadata(type);
  return metadata_;
}

ir::Operand BodyBuilder::AddMetadata(const ir::Type* type) {
  std::vector<ir::Constant>& own = function_->constants;
  const uint32_t number = source_.value_count() + static_cast<uint32_t>(own.size());
  ir::Constant& metadata = own.emplace_back();
  metadata.kind = ir::ConstantKind::kMetadata;
  metadata.type = type;
  return ir::Operand::Constant(number);
}

ir::Operand BodyBuilder::Text(const ir::Type* type, uint32_t number) {
  absl::string_view text;
  switch (texts_.Find(number, text)) {
    case MetadataTexts::Kind::kText:
      break;
    case MetadataTexts::Kind::kOther:
      return Metadata(type);
    case MetadataTexts::Kind::kUnknown:
      Refuse("metadata that is not where LLVM writes it");
      return Metadata(type);
    case MetadataTexts::Kind::kDamaged:
      Fail("the strings of metadata are damaged");
      return Metadata(type);
  }
  if (known_texts_.size() == kMostTexts) Refuse("more texts than operations can have");
  if (failed()) return Metadata(type);
  for (ir::Operand known : known_texts_) {
    if (function_->constant(known).data() == text) return known;
  }
  const ir::Operand added = known_texts_.emplace_back(AddMetadata(type));
  function_->constants.back().set_data(text);
  return added;
}

void BodyBuilder::FailBehindBlocks() { Fail("an instruction stands behind the last block"); }

const ir::Type* BodyBuilder::FailNoType() {
  Fail("no type has this number");
  return no_type();
}

void BodyBuilder::Fail(absl::StatusCode code, const char* reason) {
  if (failed()) return;
  failure_ = reason;
  failure_code_ = code;
}

absl::Status BodyBuilder::status() const {
  if (!failed()) return absl::OkStatus();
  return absl::Status(failure_code_, absl::StrCat("instruction ", record_, ": ", failure_));
}

}  // namespace firstcall::bitcode
