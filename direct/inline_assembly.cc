// Inline assembly is a constant. LLVM's writer lists a body's own constants before its
// instructions, and the reader of bodies refuses any others.

#include "direct/inline_assembly.h"

#include <cstdint>

#include "base/status.h"
#include "bitcode/bit_reader.h"
#include "bitcode/block_walk.h"
#include "bitcode/records.h"
#include "ir/constant.h"

namespace firstcall::direct {
namespace {

using bitcode::BitReader;
using bitcode::Entry;
using bitcode::EntryKind;

absl::Status Found() { return absl::UnimplementedError("inline assembly"); }

bool IsAssembly(uint32_t code) {
  return code == bitcode::kConstantAssembly || code == bitcode::kConstantOldAssembly ||
         code == bitcode::kConstantOldAssembly2 || code == bitcode::kConstantOldAssembly3;
}

// Of the record whose code has been read.
bool HasText(BitReader& reader) {
  const bitcode::Record record = reader.ReadOperands();
  return record.code != bitcode::kConstantAssembly || record.operands.size() < 3 ||
         record.operands[2] != 0;
}

absl::Status CheckConstants(BitReader& reader) {
  if (!reader.EnterBlock(bitcode::kConstantsBlock)) return reader.status();
  return bitcode::WalkBlock(
      reader, [&](uint32_t) { return bitcode::SkipBlock(reader); },
      [&] {
        if (IsAssembly(reader.ReadCode())) return HasText(reader) ? Found() : absl::OkStatus();
        reader.SkipOperands();
        return absl::OkStatus();
      });
}

// Whether the record stands in front of a body's constants.
bool IsInFront(uint32_t code) {
  return code == bitcode::kFunctionDeclareBlocks || code == bitcode::kFunctionBlockAddressUsers;
}

absl::Status CheckBody(BitReader& reader, uint64_t bit) {
  if (!reader.Restart(bit) || !reader.EnterBlock(bitcode::kFunctionBlock)) return reader.status();
  for (;;) {
    const Entry entry = reader.Next();
    switch (entry.kind) {
      case EntryKind::kEndBlock:
        return absl::OkStatus();
      case EntryKind::kFailure:
        return reader.status();
      case EntryKind::kSubBlock:
        FIRSTCALL_RETURN_IF_ERROR(entry.id == bitcode::kConstantsBlock
                                      ? CheckConstants(reader)
                                      : bitcode::SkipBlock(reader));
        break;
      case EntryKind::kRecord:
        if (!IsInFront(reader.ReadCode())) return absl::OkStatus();
        reader.SkipOperands();
        break;
    }
  }
}

}  // namespace

absl::Status CheckNoInlineAssembly(const ReadModule& module) {
  for (const ir::Constant& constant : module.module().constants()) {
    if (constant.kind == ir::ConstantKind::kInlineAssembly) return Found();
  }
  BitReader reader(module.source->bytes(), &module.source->block_info());
  for (uint32_t global = 0; global < module.module().globals().size(); ++global) {
    const uint64_t bit = module.source->BodyOf(global).bit();
    if (bit != 0) FIRSTCALL_RETURN_IF_ERROR(CheckBody(reader, bit));
  }
  return absl::OkStatus();
}

}  // namespace firstcall::direct
