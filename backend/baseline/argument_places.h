// Assigns arguments and results to registers and to places on the stack.
//
// Thread-compatible. Tested in tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_ARGUMENT_PLACES_H_
#define FIRSTCALL_BACKEND_BASELINE_ARGUMENT_PLACES_H_

#include <algorithm>
#include <cstdint>

#include "backend/baseline/architecture.h"
#include "backend/baseline/value_parts.h"
#include "ir/type.h"

namespace firstcall::baseline {

struct ArgumentPlace {
  Register reg = kNoRegister;  // kNoRegister: at `offset` in the arguments on the stack.
  int32_t offset = 0;
};

class ArgumentPlaces {
 public:
  explicit ArgumentPlaces(const CallingConvention& convention) : convention_(convention) {}

  // Calls `visit(part, place)` for each part of a value of `type`. `list` must be PartsOf(&type).
  template <typename Visit>
  void ForEachPart(const ir::Type& type, const PartList& list, const Visit& visit) {
    if (type.IsInteger()) {
      if (list.count == 2) {
        if (IsWholeOnStack(type)) return PlaceOnStack(visit);
        BeginPair();
      }
    } else if (IsLongDouble(&type)) {
      return PlaceOnStack(visit);
    } else if (type.IsStruct() && type.count != 0 && IsWord(list.parts[0])) {
      // The lanes of a vector (passing_expansion.h).
      BeginPair();
    } else if (type.IsArray() && convention_.has_array_blocks && IsBlock(type, list)) {
      return PlaceBlock(list, visit);
    }
    for (unsigned part = 0; part < list.count; ++part) {
      visit(part, Next(list.parts[part]));
    }
  }

  // The place of a parameter passed by value (`byval`). An empty parameter has a place, too.
  ArgumentPlace ByValue(uint64_t bytes, uint64_t alignment) {
    return Stack(static_cast<int64_t>(std::max<uint64_t>(bytes, 8)),
                 static_cast<int32_t>(alignment));
  }

  unsigned general() const { return general_; }
  unsigned vectors() const { return vectors_; }
  int32_t stack_bytes() const { return offset_; }

 private:
  ArgumentPlace Stack(int64_t bytes, int32_t alignment) {
    offset_ = (offset_ + alignment - 1) & -alignment;
    const ArgumentPlace place = {kNoRegister, offset_};
    offset_ += static_cast<int32_t>((bytes + 7) & ~int64_t{7});
    return place;
  }

  // Of a value of 16 bytes, which is two parts.
  template <typename Visit>
  void PlaceOnStack(const Visit& visit) {
    const ArgumentPlace place = Stack(16, 16);
    visit(0, place);
    visit(1, ArgumentPlace{kNoRegister, place.offset + 8});
  }

  bool IsWholeOnStack(const ir::Type& type) const {
    return convention_.has_whole_i128 && type.IsInteger(128) &&
           general_ + 2 > convention_.general.size();
  }

  ArgumentPlace Next(const PartType& part) {
    if (part.is_vector) {
      if (vectors_ < convention_.vectors.size()) return {convention_.vectors[vectors_++], 0};
      const bool is_wide = part.bytes > 8 || (part.has_lanes && convention_.widens_vectors);
      return is_wide ? Stack(16, 16) : Stack(8, 8);
    }
    if (general_ < convention_.general.size()) return {convention_.general[general_++], 0};
    return Stack(8, 8);
  }

  static bool IsWord(const PartType& part) { return !part.is_vector && part.bits == 64; }

  // The two parts of an integer of more than 64 bits are not divided between registers and the
  // stack. If fewer than two registers are left, LLVM leaves them unused, and so does this method.
  // LLVM does the same with the first two of other words into which it divides one argument.
  void BeginPair() {
    if (convention_.has_even_pairs) general_ = (general_ + 1) & ~1u;
    if (general_ + 2 <= convention_.general.size()) return;
    general_ = convention_.general.size();
    offset_ = (offset_ + 15) & ~15;
  }

  // Whether all members have the same type, and this is no integer smaller than a register.
  static bool IsBlock(const ir::Type& type, const PartList& list) {
    const ir::Type* member = nullptr;
    return AreAlike(type, member) && (list.parts[0].is_vector || list.parts[0].bytes == 8);
  }

  // Whether all members of `type` have the type `member`. Pointers and i64 count as the same type.
  // If `member` is null, sets it to the first member.
  static bool AreAlike(const ir::Type& type, const ir::Type*& member) {
    if (type.IsAggregate()) {
      for (const ir::Type* contained : type.contained) {
        if (!AreAlike(*contained, member)) return false;
      }
      return true;
    }
    if (member == nullptr) member = &type;
    return IsAddressOrI64(type) ? IsAddressOrI64(*member) : member == &type;
  }
  static bool IsAddressOrI64(const ir::Type& type) {
    return type.IsPointer() || type.IsInteger(64);
  }

  // If the members do not all fit in the registers, they go to the stack in their memory layout,
  // and no later argument gets a register of this kind.
  template <typename Visit>
  void PlaceBlock(const PartList& list, const Visit& visit) {
    const bool is_vector = list.parts[0].is_vector;
    const absl::Span<const Register> registers =
        is_vector ? convention_.vectors : convention_.general;
    unsigned& used = is_vector ? vectors_ : general_;
    if (used + list.count <= registers.size()) {
      for (unsigned i = 0; i < list.count; ++i) visit(i, ArgumentPlace{registers[used++], 0});
      return;
    }
    used = registers.size();
    const int32_t bytes = list.parts[0].bytes;
    const ArgumentPlace first = Stack(int64_t{bytes} * list.count, bytes > 8 ? 16 : 8);
    for (unsigned i = 0; i < list.count; ++i) {
      visit(i, ArgumentPlace{kNoRegister, first.offset + static_cast<int32_t>(i) * bytes});
    }
  }

  const CallingConvention& convention_;
  unsigned general_ = 0, vectors_ = 0;
  int32_t offset_ = 0;
};

class ResultPlaces {
 public:
  explicit ResultPlaces(const CallingConvention& convention) : convention_(convention) {}

  // The register of the next part. kNoRegister if no register is left.
  Register Next(bool is_vector, unsigned bytes) {
    if (!is_vector) {
      return general_ < convention_.general_results.size() ? convention_.general_results[general_++]
                                                           : kNoRegister;
    }
    const unsigned limit =
        bytes == 16 ? convention_.vector_results.size() : convention_.small_vector_results;
    return vectors_ < limit ? convention_.vector_results[vectors_++] : kNoRegister;
  }

 private:
  const CallingConvention& convention_;
  unsigned general_ = 0, vectors_ = 0;
};

// Whether a result with these parts is returned in registers.
inline bool IsReturnedInRegisters(const PartList& list, const CallingConvention& convention) {
  ResultPlaces places(convention);
  for (unsigned i = 0; i < list.count; ++i) {
    if (places.Next(list.parts[i].is_vector, list.parts[i].bytes) == kNoRegister) return false;
  }
  return true;
}

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_ARGUMENT_PLACES_H_
