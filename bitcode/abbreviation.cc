#include "bitcode/abbreviation.h"

#include <cstddef>

#include "bitcode/records.h"

namespace firstcall::bitcode {
namespace {

// Widths of the numbers in a definition.
constexpr uint32_t kCountWidth = 5, kLiteralWidth = 8, kEncodingWidth = 3, kValueWidth = 5;

// More than writers use. Literals take no bits of a record, so many of them would make large
// records of few bits.
constexpr size_t kMostFields = 64, kMostLiterals = 8;

// A field of `width` bits. Without bits, the field is always zero.
Field Number(FieldKind kind, uint64_t width, BitCursor& cursor) {
  if (width == 0) return {};
  if (width > BitCursor::kWidestField || (kind == FieldKind::kVbr && width < 2)) cursor.Fail();
  return {kind, static_cast<uint8_t>(width), 0};
}

// Reads a field. A field whose kind is kFixedArray stands for an array, whose element follows.
Field ReadField(BitCursor& cursor) {
  if (cursor.Fixed(1) != 0) return {FieldKind::kLiteral, 0, cursor.Vbr(kLiteralWidth)};
  switch (cursor.Fixed(kEncodingWidth)) {
    case kEncodingFixed:
      return Number(FieldKind::kFixed, cursor.Vbr(kValueWidth), cursor);
    case kEncodingVbr:
      return Number(FieldKind::kVbr, cursor.Vbr(kValueWidth), cursor);
    case kEncodingArray:
      return {FieldKind::kFixedArray, 0, 0};
    case kEncodingChar6:
      return {FieldKind::kChar6, 6, 0};
    case kEncodingBlob:
      return {FieldKind::kBlob, 0, 0};
    default:
      cursor.Fail();
      return {};
  }
}

// An array of elements like `element`. Elements without bits would make arrays of any length.
Field ArrayOf(Field element, BitCursor& cursor) {
  switch (element.kind) {
    case FieldKind::kFixed:
      element.kind = FieldKind::kFixedArray;
      break;
    case FieldKind::kVbr:
      element.kind = FieldKind::kVbrArray;
      break;
    case FieldKind::kChar6:
      element.kind = FieldKind::kChar6Array;
      break;
    default:
      cursor.Fail();
  }
  return element;
}

}  // namespace

Abbreviation ReadAbbreviation(BitCursor& cursor) {
  Abbreviation abbreviation;
  uint64_t left = cursor.Vbr(kCountWidth);
  if (left == 0 || left > kMostFields) cursor.Fail();
  size_t literals = 0;
  for (bool is_code = true; left != 0 && !cursor.failed(); --left, is_code = false) {
    Field field = ReadField(cursor);
    if (field.kind == FieldKind::kFixedArray) {
      if (left != 2 || is_code) cursor.Fail();
      field = ArrayOf(ReadField(cursor), cursor);
      left = 1;
    } else if (field.kind == FieldKind::kBlob) {
      if (left != 1 || is_code) cursor.Fail();
    } else if (field.kind == FieldKind::kLiteral && ++literals > kMostLiterals) {
      cursor.Fail();
    }
    if (is_code && field.kind == FieldKind::kLiteral && field.value < UINT32_MAX) {
      abbreviation.has_code = true;
      abbreviation.code = static_cast<uint32_t>(field.value);
      continue;
    }
    abbreviation.has_list = field.kind >= FieldKind::kFixedArray;
    abbreviation.fields.push_back(field);
  }
  return abbreviation;
}

}  // namespace firstcall::bitcode
