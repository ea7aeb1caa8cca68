// How the fields of a record are coded: what a DEFINE_ABBREV entry of the stream says, in a form
// that a loop reads quickly.
//
// A plain value; thread-safe once it is complete.

#ifndef FIRSTCALL_BITCODE_ABBREVIATION_H_
#define FIRSTCALL_BITCODE_ABBREVIATION_H_

#include <cstdint>
#include <vector>

#include "bitcode/bit_cursor.h"

namespace firstcall::bitcode {

enum class FieldKind : uint8_t {
  kLiteral,  // Takes no bits.
  kFixed,
  kVbr,
  kChar6,  // One of 64 characters, in 6 bits.
  // The last field only: a count, and as many elements.
  kFixedArray,
  kVbrArray,
  kChar6Array,
  kBlob,  // The last field only: a count, and as many bytes.
};

struct Field {
  FieldKind kind = FieldKind::kLiteral;
  uint8_t width = 0;   // kFixed, kVbr and arrays of these.
  uint64_t value = 0;  // kLiteral.
};

struct Abbreviation {
  // The record's code, if that is a literal; the other fields are in `fields` then. Otherwise the
  // first one of `fields` is the code. A code is neither an array nor a blob.
  bool has_code = false;
  uint32_t code = 0;
  bool has_list = false;  // The last field is an array or a blob.
  std::vector<Field> fields;
};

// Reads the definition at `cursor`, behind the number DEFINE_ABBREV. If the definition is none that
// a writer makes, the cursor has failed.
Abbreviation ReadAbbreviation(BitCursor& cursor);

}  // namespace firstcall::bitcode

#endif  // FIRSTCALL_BITCODE_ABBREVIATION_H_
