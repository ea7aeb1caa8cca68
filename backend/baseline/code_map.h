// What the baseline code generator knew about a function's code while it generated the code: which
// instruction each address belongs to, and where values are. Debug information is made of it. A
// CodeMap costs time and memory, so it is recorded only when somebody asks for it: the generator is
// deterministic, and makes the same code again.
//
// Plain values.

#ifndef FIRSTCALL_BACKEND_BASELINE_CODE_MAP_H_
#define FIRSTCALL_BACKEND_BASELINE_CODE_MAP_H_

#include <cstdint>
#include <vector>

#include "backend/baseline/unwind_rows.h"

namespace firstcall::baseline {

struct CodeMap {
  // Where a value is.
  struct Location {
    enum class Kind : uint8_t {
      kNowhere,    // The value was not computed yet, or is dead.
      kRegister,   // In the register with DWARF's number `reg`.
      kMemory,     // In memory, `offset` bytes from the address in `reg`.
      kAddressOf,  // The value is the address of that memory.
      kVariable,   // The value would be the address of a variable that is in the register `reg`.
    };
    Kind kind = Kind::kNowhere;
    uint8_t reg = 0;
    int32_t offset = 0;

    friend bool operator==(const Location& a, const Location& b) {
      return a.kind == b.kind && a.reg == b.reg && a.offset == b.offset;
    }
  };
  // All offsets are distances from the function's beginning.
  struct Place {
    uint32_t offset = 0;
    uint32_t instruction = 0;  // Its number in ir::Function::instructions.
  };
  struct Change {
    uint32_t offset = 0;
    uint32_t value = 0;  // A number in ir::Function::values.
    Location location;   // From `offset` on.
  };

  // The place of a part of a value while a loop polls.
  struct Part {
    Location location;
    uint8_t bytes = 0;
    uint8_t bits = 0;  // Of an integer; the bits above are unspecified. 0: no integer.
    // Of a vector of i1, which has another form in memory: how many.
    uint8_t lanes = 0;
    // The value is an aggregate in which there is such a vector, or such a vector of several parts.
    bool has_mask = false;
    uint32_t offset = 0;  // In the memory of the whole value.
  };

  // To be filled in before the function is compiled: the numbers of the values whose locations are
  // wanted. A value of several parts, such as a structure, is nowhere.
  std::vector<uint32_t> watched;
  // The loop whose poll is looked at, by its number (ir/loop_headers.h), and the values whose parts
  // are wanted there. Any value may be among them. If instructions have to be put into the function
  // (constant_expansion.h), the numbers become those of the values then.
  uint32_t loop = UINT32_MAX;
  std::vector<uint32_t> live;

  // ---- Filled in by BaselineCompiler::Compile ----
  uint32_t size = 0;              // Of the function's code, without constants behind it.
  std::vector<Place> places;      // Sorted. The code of `instruction` begins at `offset`.
  std::vector<Change> changes;    // Sorted by offset.
  std::vector<UnwindRow> unwind;  // Sorted by offset.
  // If the loop polls: all parts of the `live` values, one value after the other, and what each
  // begins with, by its index in `live`; the offset of the code by which the body is left
  // (polls.h); for each block of the function, the address that code has of the block, or kNone if
  // the address is not taken.
  bool has_poll = false;
  std::vector<Part> parts;
  std::vector<uint32_t> first_parts;
  uint32_t leave = 0;
  std::vector<uint32_t> blocks;
};

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_CODE_MAP_H_
