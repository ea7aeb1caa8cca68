#include "bitcode/function_reader.h"

#include "absl/base/optimization.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/status.h"
#include "bitcode/attachment_reader.h"
#include "bitcode/records.h"
#include "ir/constant.h"
#include "ir/global.h"

namespace firstcall::bitcode {
namespace {

// The longest body. An instruction has at least one bit, so that no number overflows.
constexpr uint64_t kMostBits = uint64_t{1} << 30;

// Whether a record means nothing for code.
bool IsDebugInformation(uint32_t code) {
  switch (code) {
    case kFunctionDebugLocationAgain:
    case kFunctionDebugLocation:
    case kFunctionDebugRecordValue:
    case kFunctionDebugRecordDeclare:
    case kFunctionDebugRecordAssign:
    case kFunctionDebugRecordValueSimple:
    case kFunctionDebugRecordLabel:
      return true;
    default:
      return false;
  }
}

}  // namespace

FunctionReader::FunctionReader(const BitcodeModule& source)
    : source_(source),
      has_locations_(source.module().has_compile_units()),
      addressed_(source.module()),
      reader_(source.bytes(), &source.block_info()),
      body_(source),
      constants_(source.types()),
      instructions_(body_) {}

absl::Status FunctionReader::Read(uint32_t global, ir::Function& function) {
  const absl::Span<const ir::Global> globals = module().globals();
  if (global >= globals.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("reading function ", global, ": no such number"));
  }
  const absl::Status status = ReadBody(global, function);
  if (status.ok()) return status;
  return Annotate(status, absl::StrCat("reading function '", globals[global].name, "'"));
}

absl::Status FunctionReader::ReadBody(uint32_t global, ir::Function& function) {
  const BodyPlace& place = source_.BodyOf(global);
  if (place.bit() == 0) return absl::InvalidArgumentError("it has no body");
  first_bit_ = place.bit();
  operand_count_ = 0;
  body_.Begin(global, function);
  instructions_.Begin();
  if (!reader_.Restart(place.bit()) || !reader_.EnterBlock(kFunctionBlock)) return reader_.status();
  FIRSTCALL_RETURN_IF_ERROR(ReadEntries());
  instructions_.Finish();
  body_.Finish();
  if (body_.failed()) return body_.status();
  MarkAddressedBlocks(function);
  if (body_.failed()) return body_.status();
  return checker_.Check(function);
}

absl::Status FunctionReader::ReadEntries() {
  for (;;) {
    const Entry entry = reader_.Next();
    switch (entry.kind) {
      case EntryKind::kRecord:
        ReadRecord();
        if (ABSL_PREDICT_FALSE(body_.failed())) return body_.status();
        if (has_locations_) {
          reader_.SkipUnabbreviated(kFunctionDebugLocation, kFunctionDebugLocationAgain);
        }
        break;
      case EntryKind::kSubBlock:
        FIRSTCALL_RETURN_IF_ERROR(ReadSubBlock(entry.id));
        break;
      case EntryKind::kEndBlock:
        return absl::OkStatus();
      case EntryKind::kFailure:
        return reader_.status();
    }
  }
}

void FunctionReader::ReadRecord() {
  if (IsDebugInformation(reader_.ReadCode())) return reader_.SkipOperands();
  const Record& record = reader_.ReadOperands();
  if (ABSL_PREDICT_FALSE(record.code == Record::kNoCode)) return;  // The next entry is a failure.
  // Abbreviations can say what the operands are without any bits. LLVM's do so for few operands
  // only. A record must not cost memory out of proportion to its bits.
  operand_count_ += record.operands.size();
  const uint64_t bits = reader_.bit_position() - first_bit_;
  if (ABSL_PREDICT_FALSE(operand_count_ > bits || bits > kMostBits)) {
    return body_.Refuse("the body is too large");
  }
  instructions_.Read(record);
}

absl::Status FunctionReader::ReadSubBlock(uint32_t id) {
  if (id == kConstantsBlock) return ReadConstants();
  if (id == kMetadataAttachmentBlock) {
    if (!reader_.EnterBlock(id)) return reader_.status();
    return ReadAttachments(reader_, instructions_.calls(), body_);
  }
  if (id == kMetadataBlock) body_.AddMetadataBlock(reader_.bit_position());
  // Metadata, names, and the order of uses.
  return reader_.SkipBlock() ? absl::OkStatus() : reader_.status();
}

absl::Status FunctionReader::ReadConstants() {
  if (body_.instruction_count() != 0) {
    return absl::UnimplementedError("constants that stand behind instructions");
  }
  if (!reader_.EnterBlock(kConstantsBlock)) return reader_.status();
  FIRSTCALL_RETURN_IF_ERROR(
      constants_.ReadOfFunction(reader_, source_, body_.next_value(), body_.function()));
  body_.AddConstants();
  return body_.status();
}

void FunctionReader::MarkAddressedBlocks(ir::Function& function) {
  const auto mark = [&](uint32_t block) {
    if (block == 0 || block >= function.blocks.size()) {
      return body_.Fail("the address of a block that is not there, or is the entry");
    }
    function.blocks[block].has_address_taken = true;
  };
  const uint32_t global = function.global_number();
  for (const AddressedBlocks::Place& place : addressed_.Of(global)) mark(place.block);
  for (const ir::Constant& constant : function.constants) {
    if (constant.kind == ir::ConstantKind::kBlockAddress && constant.global == global) {
      mark(constant.block());
    }
  }
  if (!instructions_.has_shared_blocks()) return;
  for (ir::Block& block : function.blocks) block.has_address_taken = true;
}

}  // namespace firstcall::bitcode
