// How C lays a foreign type out, and which registers of x86-64 a value of it is passed in: System V
// ABI, AMD64 supplement, sections 3.1.2 and 3.2.3.
//
// All functions are thread-safe. Types are valid ones (CheckValues in engine/foreign_call).

#ifndef FIRSTCALL_ENGINE_FOREIGN_LAYOUT_H_
#define FIRSTCALL_ENGINE_FOREIGN_LAYOUT_H_

#include <cstddef>
#include <optional>
#include <string>

#include "engine/foreign_value.h"

namespace firstcall {

inline constexpr size_t kIntegerArgumentRegisters = 6;
inline constexpr size_t kVectorArgumentRegisters = 8;

// Bytes.
struct Layout {
  size_t size = 0;
  size_t alignment = 1;
};
Layout LayoutOf(const ForeignType& type);

// The registers a value takes: one for each eight bytes of it.
struct Eightbytes {
  size_t count = 0;
  bool is_vector[2] = {false, false};
  size_t used[2] = {0, 0};  // Bytes of each, up to its last field.

  size_t vectors() const { return is_vector[0] + (count > 1 ? is_vector[1] : 0); }
  size_t integers() const { return count - vectors(); }
};
// Nothing for what is passed in memory: more than 16 bytes.
std::optional<Eightbytes> EightbytesOf(const ForeignType& type);

// Of an integer, as IR counts them: 1 for a bool. 0 for other kinds.
unsigned BitsOf(ForeignKind kind);
bool IsSigned(ForeignKind kind);

// For messages: "int32", "struct {double, pointer}".
std::string NameOf(const ForeignType& type);

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_FOREIGN_LAYOUT_H_
