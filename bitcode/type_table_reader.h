// The types of a module: the block TYPE of bitcode.
//
// A part of ModuleReader. Thread-compatible.

#ifndef FIRSTCALL_BITCODE_TYPE_TABLE_READER_H_
#define FIRSTCALL_BITCODE_TYPE_TABLE_READER_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "bitcode/bit_reader.h"
#include "bitcode/type_table.h"
#include "ir/module.h"
#include "ir/type.h"

namespace firstcall::bitcode {

class TypeTableReader {
 public:
  // Types of types of ... types are at most this deep.
  static constexpr uint32_t kDeepest = 1024;

  // Types are added to `module`, whose data layout is set, and to `table`.
  TypeTableReader(ir::Module& module, TypeTable& table) : module_(module), table_(table) {}

  // Reads the block that `reader` has entered, and leaves the block. A type contains only types
  // before it, and only those that LangRef allows.
  absl::Status Read(BitReader& reader);

 private:
  // What may contain a type.
  enum class Container { kStruct, kArray, kVector, kResult, kParameter };

  absl::Status ReadRecord(const Record& record);
  absl::Status AddInteger(absl::Span<const uint64_t> operands);
  absl::Status AddPointer(absl::Span<const uint64_t> operands);
  absl::Status AddSequence(absl::Span<const uint64_t> operands, ir::TypeKind kind);
  absl::Status AddFunction(absl::Span<const uint64_t> operands);
  absl::Status AddStruct(absl::Span<const uint64_t> operands, bool is_literal);
  // Appends the type to contained_.
  absl::Status Contain(uint64_t number, Container container);
  // Appends a type that contains contained_.
  absl::Status Add(ir::Type type);
  absl::Status Wrong(absl::string_view cause) const;
  absl::Status Unknown(absl::string_view cause) const;

  ir::Module& module_;
  TypeTable& table_;
  uint64_t expected_ = 0;  // How many types there will be.
  std::vector<const ir::Type*> contained_;
  uint32_t depth_ = 0;            // Of contained_.
  std::vector<uint32_t> depths_;  // By number.
};

}  // namespace firstcall::bitcode

#endif  // FIRSTCALL_BITCODE_TYPE_TABLE_READER_H_
