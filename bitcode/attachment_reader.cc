#include "bitcode/attachment_reader.h"

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "bitcode/block_walk.h"
#include "bitcode/module.h"
#include "bitcode/records.h"
#include "ir/function.h"
#include "ir/instruction.h"

namespace firstcall::bitcode {
namespace {

// `pairs`: kinds, each with the number of a node.
void AttachToFunction(absl::Span<const uint64_t> pairs, BodyBuilder& body) {
  for (size_t i = 0; i < pairs.size(); i += 2) {
    const MetadataKind kind = body.source().MetadataKindOf(pairs[i]);
    if (kind == MetadataKind::kDebug) body.function().has_debug_information = true;
    if (kind == MetadataKind::kPcSections) body.function().has_unknown = true;
  }
}

// `number`: of an instruction, when those are counted, too, that the body lacks.
void AttachToInstruction(uint64_t number, absl::Span<const uint64_t> pairs, const CallReader& calls,
                         BodyBuilder& body) {
  bool is_left_out = false;
  const uint64_t index = number - calls.LeftOutBefore(number, is_left_out);
  if (is_left_out) return;
  if (index >= body.instruction_count()) {
    return body.Fail("metadata of an instruction that is not there");
  }
  for (size_t i = 0; i < pairs.size(); i += 2) {
    const MetadataKind kind = body.source().MetadataKindOf(pairs[i]);
    if (kind == MetadataKind::kPcSections || kind == MetadataKind::kMakeImplicit) {
      body.instruction(static_cast<uint32_t>(index)).has_unknown = true;
    }
  }
}

}  // namespace

absl::Status ReadAttachments(BitReader& reader, const CallReader& calls, BodyBuilder& body) {
  FIRSTCALL_RETURN_IF_ERROR(WalkRecords(reader, [&](const Record& record) {
    if (record.code != kMetadataAttachment) return absl::OkStatus();
    const absl::Span<const uint64_t> operands = record.operands;
    if (operands.size() % 2 == 0) {
      AttachToFunction(operands, body);
    } else {
      AttachToInstruction(operands[0], operands.subspan(1), calls, body);
    }
    return absl::OkStatus();
  }));
  return body.status();
}

}  // namespace firstcall::bitcode
