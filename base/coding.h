// Writes and reads records of numbers and strings: little-endian, without alignment. The bytes that
// a Decoder reads may be damaged: it never reads past the end, and ok() tells if anything was
// missing.
//
// Thread-compatible.

#ifndef FIRSTCALL_BASE_CODING_H_
#define FIRSTCALL_BASE_CODING_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"

namespace firstcall {

class Encoder {
 public:
  Encoder() = default;
  // Appends to `bytes`.
  explicit Encoder(std::string bytes) : bytes_(std::move(bytes)) {}

  // Makes room for `size` bytes.
  void Reserve(size_t size) { bytes_.reserve(size); }

  void U8(uint8_t value) { bytes_.push_back(static_cast<char>(value)); }
  void U32(uint32_t value) { Append(value); }
  void U64(uint64_t value) { Append(value); }
  void String(absl::string_view text) {
    U32(static_cast<uint32_t>(text.size()));
    bytes_.append(text.data(), text.size());
  }
  void Raw(absl::string_view bytes) { bytes_.append(bytes.data(), bytes.size()); }

  const std::string& bytes() const { return bytes_; }
  std::string Take() && { return std::move(bytes_); }

 private:
  template <typename T>
  void Append(T value) {
    char bytes[sizeof(T)];
    for (size_t i = 0; i < sizeof(T); ++i) bytes[i] = static_cast<char>(value >> (8 * i));
    bytes_.append(bytes, sizeof(T));
  }

  std::string bytes_;
};

class Decoder {
 public:
  // `bytes` must outlive the results of String and Raw.
  explicit Decoder(absl::string_view bytes) : rest_(bytes) {}

  // The next value; zero or empty from the first missing value on.
  uint8_t U8() { return Skip(1) ? static_cast<uint8_t>(last_[0]) : 0; }
  uint32_t U32() { return Read<uint32_t>(); }
  uint64_t U64() { return Read<uint64_t>(); }
  absl::string_view String() { return Raw(U32()); }
  absl::string_view Raw(size_t size) {
    return Skip(size) ? absl::string_view(last_, size) : absl::string_view();
  }

  // The number of items that follow, each at least `least_size` bytes long. Zero if the rest has no
  // room for that many items, so that it is safe to reserve memory for them.
  uint32_t Count(size_t least_size) {
    const uint32_t count = U32();
    if (count > rest_.size() / least_size) {
      is_ok_ = false;
      return 0;
    }
    return count;
  }

  absl::string_view rest() const { return rest_; }

  // Says that the bytes are damaged, because a value that was read means nothing.
  void SetDamaged() { is_ok_ = false; }

  // Whether no value was missing so far, and SetDamaged was not called.
  bool ok() const { return is_ok_; }
  // Whether, moreover, nothing is left.
  bool IsComplete() const { return is_ok_ && rest_.empty(); }

 private:
  template <typename T>
  T Read() {
    if (!Skip(sizeof(T))) return 0;
    T value = 0;
    for (size_t i = 0; i < sizeof(T); ++i) {
      value |= static_cast<T>(static_cast<uint8_t>(last_[i])) << (8 * i);
    }
    return value;
  }

  bool Skip(size_t size) {
    if (!is_ok_ || size > rest_.size()) return is_ok_ = false;
    last_ = rest_.data();
    rest_.remove_prefix(size);
    return true;
  }

  absl::string_view rest_;
  const char* last_ = nullptr;
  bool is_ok_ = true;
};

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_CODING_H_
