// What is digested, and in which order, is explained in splitter/bitcode_digests.cc.

#include "direct/body_digests.h"

#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/coding.h"
#include "base/status.h"
#include "bitcode/bit_cursor.h"
#include "bitcode/bit_reader.h"
#include "bitcode/records.h"
#include "ir/global.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/xxhash.h"

namespace firstcall::direct {
namespace {

using bitcode::BitReader;
using bitcode::Entry;
using bitcode::EntryKind;

constexpr size_t kBufferSize = 4096;
constexpr uint64_t kMagicBits = 32;
constexpr uint32_t kBlockHeaderWidth = 4;

absl::Status Malformed() { return absl::InvalidArgumentError("malformed bitcode"); }

std::string DigestOf(absl::string_view bytes) {
  const llvm::XXH128_hash_t hash = llvm::xxh3_128bits(
      llvm::ArrayRef(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()));
  Encoder encoder;
  encoder.U64(hash.low64);
  encoder.U64(hash.high64);
  return std::move(encoder).Take();
}

class Digester {
 public:
  explicit Digester(const ReadModule& module)
      : module_(module),
        stream_(module.source->bytes()),
        bytes_(reinterpret_cast<const char*>(stream_.data()), stream_.size()),
        reader_(stream_, &module.source->block_info()) {
    result_.bodies.resize(module.index->size());
  }

  absl::StatusOr<BodyDigests> Digest() && {
    reader_.Restart(kMagicBits);
    while (!reader_.IsAtEnd()) {
      const Entry entry = reader_.Next();
      if (entry.kind != EntryKind::kSubBlock) return Malformed();
      FIRSTCALL_RETURN_IF_ERROR(entry.id == bitcode::kModuleBlock ? AddModule()
                                                                  : AddBlock(entry.id));
    }
    if (reader_.failed()) return reader_.status();
    while (next_ < module_.module().globals().size() && !IsBody(next_)) ++next_;
    if (next_ != module_.module().globals().size()) return WrongNumber();
    DigestBuffer();
    const auto frame = frame_.final<BodyDigests::kFrameSize>();
    result_.frame.assign(frame.begin(), frame.end());
    return std::move(result_);
  }

 private:
  static absl::Status WrongNumber() {
    return absl::InvalidArgumentError("the number of bodies is wrong");
  }

  bool IsBody(uint32_t global) const {
    const ir::Global& function = module_.module().globals()[global];
    return function.IsFunction() && !function.is_declaration();
  }

  // The reader is behind the beginning of a block; moves it behind the block.
  absl::StatusOr<std::string> DigestBlock() {
    bitcode::BitCursor cursor(stream_);
    cursor.Jump(reader_.bit_position());
    const uint64_t width = cursor.Vbr(kBlockHeaderWidth);
    cursor.Align();
    const uint64_t words = cursor.Fixed(32);
    const uint64_t begin = cursor.position() / 8;
    if (cursor.failed() || words > (bytes_.size() - begin) / 4) return Malformed();
    if (!reader_.SkipBlock()) return reader_.status();
    std::string digest = DigestOf(bytes_.substr(begin, 4 * words));
    digest += static_cast<char>(width);
    return digest;
  }

  void AddNumber(uint64_t number) {
    Encoder encoder;
    encoder.U64(number);
    AddBytes(std::move(encoder).Take());
  }

  void AddBytes(absl::string_view bytes) {
    if (buffer_.size() + bytes.size() > kBufferSize) DigestBuffer();
    if (bytes.size() > kBufferSize) {
      frame_.update(llvm::StringRef(bytes.data(), bytes.size()));
    } else {
      buffer_.append(bytes.data(), bytes.size());
    }
  }

  void DigestBuffer() {
    frame_.update(llvm::StringRef(buffer_));
    buffer_.clear();
  }

  absl::Status AddBlock(uint32_t id) {
    FIRSTCALL_ASSIGN_OR_RETURN(const std::string digest, DigestBlock());
    AddNumber(id);
    AddBytes(digest);
    return absl::OkStatus();
  }

  absl::Status AddBody() {
    FIRSTCALL_ASSIGN_OR_RETURN(const std::string digest, DigestBlock());
    const auto count = static_cast<uint32_t>(module_.module().globals().size());
    while (next_ < count && !IsBody(next_)) ++next_;
    if (next_ == count) return WrongNumber();
    result_.bodies[module_.numbers.OrdinalOf(next_++).value] = DigestOf(digest);
    return absl::OkStatus();
  }

  absl::Status AddSymbolTable() {
    if (!reader_.EnterBlock(bitcode::kValueSymbolTableBlock)) return reader_.status();
    for (;;) {
      const Entry entry = reader_.Next();
      if (entry.kind == EntryKind::kEndBlock) return absl::OkStatus();
      if (entry.kind != EntryKind::kRecord) return Malformed();
      const bitcode::Record& record = reader_.ReadRecord();
      if (reader_.failed()) return reader_.status();
      AddNumber(record.code);
      AddNumber(record.operands.size());
      for (size_t i = 0; i < record.operands.size(); ++i) {
        const bool is_place = record.code == kFunctionEntry && i == 1;
        AddNumber(is_place ? 0 : record.operands[i]);
      }
      AddNumber(record.blob.size());
      AddBytes(record.blob);
    }
  }

  absl::Status AddBits(uint64_t begin, uint64_t end) {
    if (end > 8 * bytes_.size() || begin > end) return Malformed();
    AddNumber(end - begin);
    if (begin == end) return absl::OkStatus();
    const uint64_t first = begin / 8, last = (end - 1) / 8;
    const auto from_begin = static_cast<uint8_t>(0xff << begin % 8);
    const auto to_end = static_cast<uint8_t>(0xff >> (7 - (end - 1) % 8));
    if (first == last) {
      AddNumber(stream_[first] & from_begin & to_end);
      return absl::OkStatus();
    }
    AddNumber(stream_[first] & from_begin);
    AddBytes(bytes_.substr(first + 1, last - first - 1));
    AddNumber(stream_[last] & to_end);
    return absl::OkStatus();
  }

  // The reader is behind the beginning of a block in the module block.
  absl::Status AddPartOfModule(uint32_t id) {
    switch (id) {
      case bitcode::kFunctionBlock:
        return AddBody();
      case bitcode::kValueSymbolTableBlock:
        return AddSymbolTable();
      default:
        return AddBlock(id);
    }
  }

  absl::Status AddModule() {
    if (!reader_.EnterBlock(bitcode::kModuleBlock)) return reader_.status();
    uint64_t begin = reader_.bit_position();  // Of what was not added yet.
    for (;;) {
      const Entry entry = reader_.Next();
      if (entry.kind == EntryKind::kFailure) return reader_.status();
      if (entry.kind != EntryKind::kRecord) {
        FIRSTCALL_RETURN_IF_ERROR(AddBits(begin, reader_.bit_position()));
        if (entry.kind == EntryKind::kEndBlock) return absl::OkStatus();
        FIRSTCALL_RETURN_IF_ERROR(AddPartOfModule(entry.id));
        begin = reader_.bit_position();
        continue;
      }
      const uint64_t entry_begin = reader_.entry_position();
      const uint32_t code = reader_.ReadCode();
      reader_.SkipOperands();
      const bool depends_on_bodies =
          code == bitcode::kModuleSymbolTableOffset || code == bitcode::kModuleHash;
      if (!depends_on_bodies) continue;
      FIRSTCALL_RETURN_IF_ERROR(AddBits(begin, entry_begin));
      begin = reader_.bit_position();
    }
  }

  // A record of the symbol table: the function, the place of its body.
  static constexpr uint32_t kFunctionEntry = 3;

  const ReadModule& module_;
  const absl::Span<const uint8_t> stream_;
  const absl::string_view bytes_;  // The same.
  BitReader reader_;
  llvm::BLAKE3 frame_;  // Of records, and of the digests of blocks.
  std::string buffer_;  // What frame_ does not have yet.
  uint32_t next_ = 0;   // The global to which the next body may belong.
  BodyDigests result_;
};

}  // namespace

absl::StatusOr<BodyDigests> ReadBodyDigests(const ReadModule& module) {
  return Digester(module).Digest();
}

}  // namespace firstcall::direct
