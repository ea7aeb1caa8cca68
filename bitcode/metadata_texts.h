// The texts (MDString) that calls of a body have as arguments, by their numbers among the metadata.
//
// The module's metadata has the first numbers, and that of a body the next ones: in both the
// strings come first. Nothing is read until a text is asked for.
//
// Thread-compatible. Reused from body to body.

#ifndef FIRSTCALL_BITCODE_METADATA_TEXTS_H_
#define FIRSTCALL_BITCODE_METADATA_TEXTS_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "bitcode/bit_reader.h"
#include "bitcode/metadata_strings.h"
#include "bitcode/module.h"

namespace firstcall::bitcode {

class MetadataTexts {
 public:
  enum class Kind : uint8_t {
    kText,
    kOther,    // Metadata that is no text.
    kUnknown,  // The metadata is not where LLVM writes it.
    kDamaged,
  };

  // `source` must outlive the object.
  explicit MetadataTexts(const BitcodeModule& source);
  MetadataTexts(const MetadataTexts&) = delete;
  MetadataTexts& operator=(const MetadataTexts&) = delete;

  // Called for each body, before anything else.
  void Begin();
  // The body has a block METADATA, to be entered at this position of the stream.
  void AddBlock(uint64_t position);

  // Sets `text`, a part of the module's bytes, if the result is kText.
  Kind Find(uint32_t number, absl::string_view& text);

 private:
  static Kind FindIn(MetadataStrings& strings, uint64_t number, absl::string_view& text);
  Kind ReadBlock();

  const BitcodeModule& source_;
  BitReader reader_;
  MetadataStrings shared_;  // Of the module.
  bool has_shared_ = false;
  MetadataStrings own_;  // Of the body.
  bool has_own_ = false;
  uint64_t block_ = 0;       // Where the body's metadata is; 0: nowhere.
  bool has_blocks_ = false;  // More than one.
};

}  // namespace firstcall::bitcode

#endif  // FIRSTCALL_BITCODE_METADATA_TEXTS_H_
