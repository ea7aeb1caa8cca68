#include "foreign/argument_registers.h"

#include <algorithm>
#include <vector>

#include "foreign/foreign_layout.h"

namespace firstcall {
namespace {

constexpr size_t kIntegerRegisters = kIsAArch64 ? 8 : 6;
constexpr size_t kVectorRegisters = 8;

bool IsFloating(ForeignKind kind) {
  return kind == ForeignKind::kFloat || kind == ForeignKind::kDouble;
}

// Records which of the sixteen bytes the fields of `type` occupy, from `offset` on.
void Occupy(const ForeignType& type, size_t offset, RegisterParts& parts) {
  if (type.kind == ForeignKind::kStruct) {
    for (const ForeignType& field : type.fields) {
      const Layout layout = LayoutOf(field);
      offset = AlignUp(offset, layout.alignment);
      Occupy(field, offset, parts);
      offset += layout.size;
    }
    return;
  }
  const size_t part = offset / 8;
  if (!IsFloating(type.kind)) parts.is_vector[part] = false;
  parts.is_pointer[part] = type.kind == ForeignKind::kPointer;
  parts.used[part] = offset % 8 + LayoutOf(type).size;
}

void AddScalars(const ForeignType& type, std::vector<ForeignKind>& scalars) {
  if (type.kind != ForeignKind::kStruct) {
    scalars.push_back(type.kind);
    return;
  }
  for (const ForeignType& field : type.fields) AddScalars(field, scalars);
}

// The parts of one to four values of the same floating-point type.
std::optional<RegisterParts> HomogeneousParts(const ForeignType& type) {
  std::vector<ForeignKind> scalars;
  AddScalars(type, scalars);
  if (!IsFloating(scalars[0]) || scalars.size() > RegisterParts::kMost ||
      std::count(scalars.begin(), scalars.end(), scalars[0]) != std::ptrdiff_t(scalars.size())) {
    return std::nullopt;
  }
  RegisterParts parts;
  parts.count = scalars.size();
  for (size_t i = 0; i < parts.count; ++i) {
    parts.is_vector[i] = true;
    parts.used[i] = LayoutOf(scalars[0]).size;
  }
  return parts;
}

}  // namespace

std::optional<RegisterParts> RegisterPartsOf(const ForeignType& type) {
  if (kIsAArch64) {
    if (std::optional<RegisterParts> parts = HomogeneousParts(type)) return parts;
  }
  RegisterParts parts;
  const size_t size = LayoutOf(type).size;
  if (size > 16) return std::nullopt;
  parts.count = (size + 7) / 8;
  if (type.kind == ForeignKind::kInt128) {
    parts.used[0] = parts.used[1] = 8;
    parts.starts_even = kIsAArch64;
    return parts;
  }
  parts.is_vector[0] = parts.is_vector[1] = !kIsAArch64;
  Occupy(type, 0, parts);
  return parts;
}

size_t ArgumentRegisters::LeftOutFor(const RegisterParts& parts) const {
  return parts.starts_even && integers_ < kIntegerRegisters ? integers_ % 2 : 0;
}

bool ArgumentRegisters::HasRoomFor(const RegisterParts& parts) const {
  return integers_ + LeftOutFor(parts) + parts.integers() <= kIntegerRegisters &&
         vectors_ + parts.vectors() <= kVectorRegisters;
}

void ArgumentRegisters::Take(const RegisterParts& parts) {
  if (HasRoomFor(parts)) {
    integers_ += LeftOutFor(parts) + parts.integers();
    vectors_ += parts.vectors();
  } else if (kIsAArch64) {
    // Later arguments go to the stack, too.
    if (parts.integers() > 0) integers_ = kIntegerRegisters;
    if (parts.vectors() > 0) vectors_ = kVectorRegisters;
  }
}

void ArgumentRegisters::TakeAddress() { integers_ = std::min(integers_ + 1, kIntegerRegisters); }

size_t ArgumentRegisters::integers_left() const { return kIntegerRegisters - integers_; }

}  // namespace firstcall
