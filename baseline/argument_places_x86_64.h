// Where the System V psABI (3.2.3), as LLVM reads it, passes arguments and results.
//
// Thread-compatible. Tested in tests/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BASELINE_ARGUMENT_PLACES_X86_64_H_
#define FIRSTCALL_BASELINE_ARGUMENT_PLACES_X86_64_H_

#include <cstdint>

#include "baseline/registers_x86_64.h"
#include "baseline/value_parts.h"

namespace firstcall::baseline {

struct ArgumentPlace {
  Register reg = kNoRegister;  // If none, `offset` bytes into the arguments on the stack.
  int32_t offset = 0;
};

class ArgumentPlaces {
 public:
  static constexpr Register kGeneral[] = {kRdi, kRsi, kRdx, kRcx, kR8, kR9};
  static constexpr unsigned kGeneralCount = 6, kVectorCount = 8;

  // Calls `visit(part, place)` for each part of a value of `type`, which `list` has the parts of.
  template <typename Visit>
  void ForEachPart(const llvm::Type& type, const PartList& list, const Visit& visit) {
    if (type.isIntegerTy() && list.count == 2) BeginPair();
    for (unsigned part = 0; part < list.count; ++part) {
      visit(part, Next(list.parts[part].is_vector, list.parts[part].bytes));
    }
  }

  ArgumentPlace Stack(int64_t bytes, int32_t alignment) {
    offset_ = (offset_ + alignment - 1) & -alignment;
    const ArgumentPlace place = {kNoRegister, offset_};
    offset_ += static_cast<int32_t>((bytes + 7) & ~int64_t{7});
    return place;
  }

  unsigned general() const { return general_; }
  unsigned vectors() const { return vectors_; }
  int32_t stack_bytes() const { return offset_; }

 private:
  ArgumentPlace Next(bool is_vector, unsigned bytes) {
    if (is_vector) {
      if (vectors_ < kVectorCount) return {static_cast<Register>(kXmm0 + vectors_++), 0};
      return Stack(bytes, bytes > 8 ? 16 : 8);
    }
    if (general_ < kGeneralCount) return {kGeneral[general_++], 0};
    return Stack(8, 8);
  }

  // The two parts of an integer of more than 64 bits are not divided between registers and the
  // stack: LLVM leaves a register unused that is too few for it.
  void BeginPair() {
    if (general_ + 2 <= kGeneralCount) return;
    general_ = kGeneralCount;
    offset_ = (offset_ + 15) & ~15;
  }

  unsigned general_ = 0, vectors_ = 0;
  int32_t offset_ = 0;
};

class ResultPlaces {
 public:
  // kNoRegister if there are not enough.
  Register Next(bool is_vector, unsigned bytes) {
    if (!is_vector) {
      static constexpr Register kGeneral[] = {kRax, kRdx, kRcx};
      return general_ < 3 ? kGeneral[general_++] : kNoRegister;
    }
    const unsigned limit = bytes == 16 ? 4 : 2;
    return vectors_ < limit ? static_cast<Register>(kXmm0 + vectors_++) : kNoRegister;
  }

 private:
  unsigned general_ = 0, vectors_ = 0;
};

// Whether results of a type with these parts are returned in registers.
inline bool IsReturnedInRegisters(const PartList& list) {
  ResultPlaces places;
  for (unsigned i = 0; i < list.count; ++i) {
    if (places.Next(list.parts[i].is_vector, list.parts[i].bytes) == kNoRegister) return false;
  }
  return true;
}

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BASELINE_ARGUMENT_PLACES_X86_64_H_
