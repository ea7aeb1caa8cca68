// What is in the file is digested as it is there, block by block, and in the module block what lies
// between the blocks, without two records: one is the place of the symbol table, which depends on
// the bodies' sizes. (What follows a block begins at a multiple of 32 bits, and so has the same
// bits whatever the block's size.) The symbol table is digested record by record, because the
// places of the bodies stand there in numbers of any length.

#include "splitter/bitcode_digests.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "base/coding.h"
#include "base/llvm_status.h"
#include "base/status.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/LLVMBitCodes.h"
#include "llvm/Bitstream/BitstreamReader.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/xxhash.h"

namespace firstcall {
namespace {

absl::Status Malformed() { return absl::InvalidArgumentError("malformed bitcode"); }

absl::Status FromBitstream(llvm::Error error) {
  return FromLlvm(std::move(error), absl::StatusCode::kInvalidArgument, "reading bitcode");
}

constexpr size_t kBufferSize = 4096;

// 16 bytes.
using Digest128 = std::string;

Digest128 DigestOf(llvm::StringRef bytes) {
  const llvm::XXH128_hash_t hash = llvm::xxh3_128bits(
      llvm::ArrayRef(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()));
  Encoder encoder;
  encoder.U64(hash.low64);
  encoder.U64(hash.high64);
  return std::move(encoder).Take();
}

class Digester {
 public:
  explicit Digester(llvm::StringRef bitcode)
      : bytes_(bitcode),
        cursor_(llvm::ArrayRef(reinterpret_cast<const uint8_t*>(bitcode.data()), bitcode.size())) {}

  absl::StatusOr<BitcodeDigests> Digest() && {
    FIRSTCALL_RETURN_IF_ERROR(Word().status());  // The magic number.
    bool has_module = false;
    while (!cursor_.AtEndOfStream()) {
      FIRSTCALL_ASSIGN_OR_RETURN(const llvm::BitstreamEntry entry, Advance());
      if (entry.Kind != llvm::BitstreamEntry::SubBlock) return Malformed();
      if (entry.ID != llvm::bitc::MODULE_BLOCK_ID) {
        FIRSTCALL_RETURN_IF_ERROR(AddBlock(entry.ID));
        continue;
      }
      if (std::exchange(has_module, true)) return Malformed();
      FIRSTCALL_RETURN_IF_ERROR(AddModule());
    }
    if (!has_module) return Malformed();
    DigestBuffer();
    const auto frame = frame_.final<32>();
    result_.frame.assign(frame.begin(), frame.end());
    return std::move(result_);
  }

 private:
  absl::StatusOr<llvm::BitstreamEntry> Advance(unsigned flags = 0) {
    llvm::Expected<llvm::BitstreamEntry> entry = cursor_.advance(flags);
    if (!entry) return FromBitstream(entry.takeError());
    if (entry->Kind == llvm::BitstreamEntry::Error) return Malformed();
    return *entry;
  }

  absl::StatusOr<uint32_t> Word() {
    llvm::Expected<llvm::SimpleBitstreamCursor::word_t> word = cursor_.Read(32);
    if (!word) return FromBitstream(word.takeError());
    return static_cast<uint32_t>(*word);
  }

  absl::Status JumpToBit(uint64_t bit) {
    if (bit > 8 * bytes_.size()) return Malformed();
    if (llvm::Error error = cursor_.JumpToBit(bit)) return FromBitstream(std::move(error));
    return absl::OkStatus();
  }

  // The cursor is behind the beginning of a block; moves it behind the block.
  absl::StatusOr<Digest128> DigestBlock() {
    llvm::Expected<uint32_t> width = cursor_.ReadVBR(llvm::bitc::CodeLenWidth);
    if (!width) return FromBitstream(width.takeError());
    // The number of words and the contents begin at multiples of 32 bits.
    FIRSTCALL_RETURN_IF_ERROR(JumpToBit((cursor_.GetCurrentBitNo() + 31) / 32 * 32));
    FIRSTCALL_ASSIGN_OR_RETURN(const uint64_t words, Word());
    const uint64_t begin = cursor_.getCurrentByteNo();
    if (words > (bytes_.size() - begin) / 4) return Malformed();
    FIRSTCALL_RETURN_IF_ERROR(JumpToBit(8 * (begin + 4 * words)));
    Digest128 digest = DigestOf(bytes_.substr(begin, 4 * words));
    digest += static_cast<char>(*width);
    return digest;
  }

  void AddNumber(uint64_t number) {
    char bytes[sizeof(number)];
    llvm::support::endian::write64le(bytes, number);
    AddBytes(llvm::StringRef(bytes, sizeof(bytes)));
  }

  // To digest a few bytes at a time takes longer. All of them together may be as long as the file.
  void AddBytes(llvm::StringRef bytes) {
    if (buffer_.size() + bytes.size() > kBufferSize) DigestBuffer();
    if (bytes.size() > kBufferSize) {
      frame_.update(bytes);
    } else {
      buffer_.append(bytes);
    }
  }

  void DigestBuffer() {
    frame_.update(llvm::StringRef(buffer_));
    buffer_.clear();
  }

  absl::Status AddBlock(unsigned id) {
    FIRSTCALL_ASSIGN_OR_RETURN(const Digest128 digest, DigestBlock());
    AddNumber(id);
    AddBytes(digest);
    return absl::OkStatus();
  }

  absl::Status AddBody() {
    FIRSTCALL_ASSIGN_OR_RETURN(const Digest128 digest, DigestBlock());
    result_.bodies.push_back(DigestOf(digest));
    return absl::OkStatus();
  }

  // Digests the block with the abbreviations of other blocks, and learns those.
  absl::Status AddAbbreviations() {
    const uint64_t begin = cursor_.GetCurrentBitNo();
    FIRSTCALL_RETURN_IF_ERROR(AddBlock(llvm::bitc::BLOCKINFO_BLOCK_ID));
    FIRSTCALL_RETURN_IF_ERROR(JumpToBit(begin));
    llvm::Expected<std::optional<llvm::BitstreamBlockInfo>> info = cursor_.ReadBlockInfoBlock();
    if (!info) return FromBitstream(info.takeError());
    if (!*info) return Malformed();
    abbreviations_ = **std::move(info);
    cursor_.setBlockInfo(&abbreviations_);
    return absl::OkStatus();
  }

  struct Record {
    unsigned code = 0;
    llvm::SmallVector<uint64_t, 64> values;
    llvm::StringRef blob;
  };

  absl::StatusOr<Record> ReadRecord(unsigned abbreviation) {
    Record record;
    llvm::Expected<unsigned> code = cursor_.readRecord(abbreviation, record.values, &record.blob);
    if (!code) return FromBitstream(code.takeError());
    record.code = *code;
    return record;
  }

  void AddRecord(const Record& record) {
    AddNumber(record.code);
    AddNumber(record.values.size());
    for (uint64_t value : record.values) AddNumber(value);
    AddNumber(record.blob.size());
    AddBytes(record.blob);
  }

  absl::Status AddSymbolTable() {
    if (llvm::Error error = cursor_.EnterSubBlock(llvm::bitc::VALUE_SYMTAB_BLOCK_ID)) {
      return FromBitstream(std::move(error));
    }
    for (;;) {
      FIRSTCALL_ASSIGN_OR_RETURN(const llvm::BitstreamEntry entry, Advance());
      if (entry.Kind == llvm::BitstreamEntry::EndBlock) return absl::OkStatus();
      if (entry.Kind != llvm::BitstreamEntry::Record) return Malformed();
      FIRSTCALL_ASSIGN_OR_RETURN(Record record, ReadRecord(entry.ID));
      // The function, the place of its body, and, before LLVM 5, its name.
      const bool has_place = record.code == llvm::bitc::VST_CODE_FNENTRY;
      if (has_place && record.values.size() >= 2) record.values[1] = 0;
      AddRecord(record);
    }
  }

  // Adds the bits from `begin` on, before `end`.
  absl::Status AddBits(uint64_t begin, uint64_t end) {
    if (end > 8 * bytes_.size() || begin > end) return Malformed();
    AddNumber(end - begin);
    if (begin == end) return absl::OkStatus();
    const uint64_t first = begin / 8, last = (end - 1) / 8;
    const auto from_begin = static_cast<uint8_t>(0xff << begin % 8);
    const auto to_end = static_cast<uint8_t>(0xff >> (7 - (end - 1) % 8));
    const auto byte = [this](uint64_t i) { return static_cast<uint8_t>(bytes_[i]); };
    if (first == last) {
      AddNumber(byte(first) & from_begin & to_end);
      return absl::OkStatus();
    }
    AddNumber(byte(first) & from_begin);
    AddBytes(bytes_.slice(first + 1, last));
    AddNumber(byte(last) & to_end);
    return absl::OkStatus();
  }

  // The cursor is behind the beginning of a block in the module block.
  absl::Status AddPartOfModule(unsigned id) {
    switch (id) {
      case llvm::bitc::FUNCTION_BLOCK_ID:
        return AddBody();
      case llvm::bitc::VALUE_SYMTAB_BLOCK_ID:
        return AddSymbolTable();
      case llvm::bitc::BLOCKINFO_BLOCK_ID:
        return AddAbbreviations();
      default:
        return AddBlock(id);
    }
  }

  absl::Status AddModule() {
    if (llvm::Error error = cursor_.EnterSubBlock(llvm::bitc::MODULE_BLOCK_ID)) {
      return FromBitstream(std::move(error));
    }
    uint64_t begin = cursor_.GetCurrentBitNo();  // Of what was not added yet.
    for (;;) {
      const uint64_t entry_begin = cursor_.GetCurrentBitNo();
      FIRSTCALL_ASSIGN_OR_RETURN(const llvm::BitstreamEntry entry,
                                 Advance(llvm::BitstreamCursor::AF_DontAutoprocessAbbrevs));
      if (entry.Kind != llvm::BitstreamEntry::Record) {
        FIRSTCALL_RETURN_IF_ERROR(AddBits(begin, cursor_.GetCurrentBitNo()));
        if (entry.Kind == llvm::BitstreamEntry::EndBlock) return absl::OkStatus();
        FIRSTCALL_RETURN_IF_ERROR(AddPartOfModule(entry.ID));
        begin = cursor_.GetCurrentBitNo();
        continue;
      }
      if (entry.ID == llvm::bitc::DEFINE_ABBREV) {
        if (llvm::Error error = cursor_.ReadAbbrevRecord()) return FromBitstream(std::move(error));
        continue;
      }
      llvm::Expected<unsigned> code = cursor_.skipRecord(entry.ID);
      if (!code) return FromBitstream(code.takeError());
      const bool depends_on_bodies =
          *code == llvm::bitc::MODULE_CODE_VSTOFFSET || *code == llvm::bitc::MODULE_CODE_HASH;
      if (!depends_on_bodies) continue;
      FIRSTCALL_RETURN_IF_ERROR(AddBits(begin, entry_begin));
      begin = cursor_.GetCurrentBitNo();
    }
  }

  const llvm::StringRef bytes_;
  llvm::BitstreamCursor cursor_;
  llvm::BitstreamBlockInfo abbreviations_;
  llvm::BLAKE3 frame_;                     // Of records, and of the digests of blocks.
  llvm::SmallString<kBufferSize> buffer_;  // What frame_ does not have yet.
  BitcodeDigests result_;
};

}  // namespace

absl::StatusOr<BitcodeDigests> DigestBitcode(absl::string_view bitcode) {
  const auto* begin = reinterpret_cast<const unsigned char*>(bitcode.data());
  const unsigned char* end = begin + bitcode.size();
  if (llvm::isBitcodeWrapper(begin, end) &&
      llvm::SkipBitcodeWrapperHeader(begin, end, /*VerifyBufferSize=*/true)) {
    return Malformed();
  }
  if (!llvm::isRawBitcode(begin, end)) return Malformed();
  return Digester(llvm::StringRef(reinterpret_cast<const char*>(begin),
                                  static_cast<size_t>(end - begin)))
      .Digest();
}

}  // namespace firstcall
