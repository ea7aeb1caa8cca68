// Writes types and values of calls into records (base/coding.h), and reads them. The bytes may come
// from a process that runs anything: reading checks everything.
//
// Pure functions. Tested in tests/foreign/value_coding_test.cc.

#ifndef FIRSTCALL_FOREIGN_VALUE_CODING_H_
#define FIRSTCALL_FOREIGN_VALUE_CODING_H_

#include <cstddef>
#include <deque>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/coding.h"
#include "foreign/foreign_value.h"

namespace firstcall {

void EncodeType(const ForeignType& type, Encoder& encoder);
// InvalidArgument if the bytes are damaged, or if the type has more parts than any signature needs.
absl::StatusOr<ForeignType> DecodeType(Decoder& decoder);

// Appends the bytes of values, without their types. The types must be valid.
void EncodeBytes(absl::Span<const ForeignValue> values, Encoder& encoder);

// Values with the memory for their bytes.
class DecodedValues {
 public:
  DecodedValues() = default;
  // Values stay in their places. A copy's would be those of the original.
  DecodedValues(DecodedValues&&) = default;
  DecodedValues(const DecodedValues&) = delete;
  DecodedValues& operator=(const DecodedValues&) = delete;

  // Appends a value of this type, which must be valid, with the next bytes. False if bytes are
  // missing.
  bool Add(const ForeignType& type, Decoder& decoder);
  // Appends a value of zeros.
  void AddZero(const ForeignType& type);

  absl::Span<const ForeignValue> values() const { return values_; }

 private:
  std::deque<std::vector<std::max_align_t>> places_;  // A deque's elements never move.
  std::vector<ForeignValue> values_;
};

// A call without its function: the type of the result, the number of arguments, and each argument's
// type and bytes. The types must be valid.
void EncodeCall(const ForeignValue& result, absl::Span<const ForeignValue> arguments,
                Encoder& encoder);

struct DecodedCall {
  DecodedValues result;  // One value, of zeros.
  DecodedValues arguments;
};
// InvalidArgument if the bytes are damaged.
absl::StatusOr<DecodedCall> DecodeCall(Decoder& decoder);

}  // namespace firstcall

#endif  // FIRSTCALL_FOREIGN_VALUE_CODING_H_
