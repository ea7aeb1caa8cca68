// Fills a vector from its beginning, with less work for each element than push_back.
//
// While the vector is filled, it is longer than what it has got: the rest are default elements,
// made many at a time.
//
// Thread-compatible.

#ifndef FIRSTCALL_BITCODE_ARRAY_FILLER_H_
#define FIRSTCALL_BITCODE_ARRAY_FILLER_H_

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/base/optimization.h"

namespace firstcall::bitcode {

template <typename T>
class ArrayFiller {
 public:
  // Empties `array`, which must live until Finish or the next Begin. Nobody else may change its
  // length until then.
  void Begin(std::vector<T>& array) {
    array.clear();
    GoOn(array);
  }
  // The same, behind the elements that `array` has.
  void GoOn(std::vector<T>& array) {
    array_ = &array;
    data_ = array.data();
    count_ = room_ = static_cast<uint32_t>(array.size());
  }
  // Removes the default elements at the end.
  void Finish() { array_->resize(count_); }

  uint32_t count() const { return count_; }
  // `index` must be less than count().
  T& operator[](uint32_t index) { return data_[index]; }
  const T& operator[](uint32_t index) const { return data_[index]; }

  // A default element, behind the others. Valid until the array grows further.
  T& Append() {
    if (ABSL_PREDICT_FALSE(count_ == room_)) Grow(1);
    return data_[count_++];
  }
  // Makes room for `count` elements that AppendInRoom appends.
  void MakeRoom(size_t count) {
    if (ABSL_PREDICT_FALSE(room_ - count_ < count)) Grow(count);
  }
  void AppendInRoom(T element) {
    assert(count_ < room_);
    data_[count_++] = element;
  }

 private:
  static constexpr size_t kLeastStep = 16;

  ABSL_ATTRIBUTE_NOINLINE void Grow(size_t count) {
    const size_t step = std::max(kLeastStep, size_t{count_ / 4});
    const size_t wanted = count_ + count + step;
    if (wanted > array_->capacity()) array_->reserve(std::max(wanted, 2 * array_->capacity()));
    array_->resize(wanted);
    data_ = array_->data();
    room_ = static_cast<uint32_t>(wanted);
  }

  std::vector<T>* array_ = nullptr;
  T* data_ = nullptr;
  uint32_t count_ = 0;  // Elements that were appended.
  uint32_t room_ = 0;   // Elements of the vector.
};

}  // namespace firstcall::bitcode

#endif  // FIRSTCALL_BITCODE_ARRAY_FILLER_H_
