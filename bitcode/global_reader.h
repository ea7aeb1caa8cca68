// The functions, variables, aliases and ifuncs of a module, from the records of the block MODULE.
//
// A part of ModuleReader. Thread-compatible.

#ifndef FIRSTCALL_BITCODE_GLOBAL_READER_H_
#define FIRSTCALL_BITCODE_GLOBAL_READER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "bitcode/repeated_records.h"
#include "bitcode/type_table.h"
#include "ir/attributes.h"
#include "ir/global.h"
#include "ir/module.h"
#include "ir/operand.h"

namespace firstcall::bitcode {

class GlobalReader {
 public:
  // `stream` has the records; `names`: the file's string table. `types` and `attributes` must be
  // complete when the first global is read. All must outlive the reader; `names` must outlive
  // `module`, to which globals and their addresses are added.
  GlobalReader(absl::Span<const uint8_t> stream, absl::string_view names, TypeTable& types,
               const std::vector<const ir::AttributeList*>& attributes, ir::Module& module)
      : repeated_(stream), names_(names), types_(types), attributes_(attributes), module_(module) {
    FindZeros();
  }

  // What globals refer to by number.
  void AddSection(std::string name) {
    sections_.push_back(module_.storage().Keep(std::move(name)));
  }
  void AddCollector(std::string name) {
    collectors_.push_back(module_.storage().Keep(std::move(name)));
  }
  absl::Status AddComdat(absl::Span<const uint64_t> operands);

  // Each reads a record. Operands that a global refers to may be numbers of constants that are not
  // there yet: see CheckOperands.
  absl::Status ReadVariable(absl::Span<const uint64_t> operands);
  absl::Status ReadFunction(absl::Span<const uint64_t> operands);
  absl::Status ReadAlias(absl::Span<const uint64_t> operands);
  absl::Status ReadIfunc(absl::Span<const uint64_t> operands);

  // Reads the record without abbreviation whose code is at bit `begin` of the stream if only the
  // name distinguishes the global from an earlier one, and the record is valid. Returns where it
  // ends, or 0: the record must be read otherwise.
  uint64_t ReadRepeated(uint64_t begin);
  // Says that the last global had the record without abbreviation from `begin` to `end`.
  void NoteRecord(uint64_t begin, uint64_t end);

  // Called when the module's constants are complete: whether all that globals refer to is there.
  absl::Status CheckOperands() const;

 private:
  // A comdat of the file. `number`: that of the module, which has only comdats that globals use.
  struct FileComdat {
    ir::Comdat comdat;
    uint32_t number = ir::kNone;
  };
  class Fields;

  void FindZeros();
  // Begins a global, with its name. The returned fields are those behind the name.
  absl::Status Begin(absl::Span<const uint64_t> operands, size_t least, ir::NewGlobal& global,
                     Fields& fields);
  absl::Status SetType(uint64_t type, uint64_t address_space, ir::NewGlobal& global);
  absl::Status SetLinkage(uint64_t linkage, uint64_t visibility, ir::NewGlobal& global);
  absl::Status SetAlignment(uint64_t alignment, ir::NewGlobal& global);
  absl::Status SetSection(uint64_t section, ir::NewGlobal& global);
  absl::Status SetComdat(uint64_t comdat, ir::NewGlobal& global);
  absl::Status SetFunctionType(const Fields& fields, ir::NewGlobal& global);
  absl::Status SetFunctionAttributes(uint64_t attributes, ir::NewGlobal& global);
  // Begins an alias or an ifunc.
  absl::Status BeginIndirect(absl::Span<const uint64_t> operands, ir::GlobalKind kind,
                             ir::NewGlobal& global, Fields& fields);
  static bool SetOperand(uint64_t field, ir::Operand& operand);
  // A DLL storage class is nothing that code generation knows.
  static void SetStorageClass(uint64_t storage_class, ir::NewGlobal& global);
  // Null, or what is wrong with the name.
  const char* TakeName(uint64_t offset, uint64_t size, absl::string_view& name) const;
  absl::Status FindName(uint64_t offset, uint64_t size, absl::string_view& name) const;
  const ir::AttributeList* WithoutSectionName(const ir::AttributeList* list);
  // Gives the global the traits of the last one of its kind if they are the same.
  void Append(ir::NewGlobal& global);
  void Append(const ir::Global& global);
  absl::Status Wrong(absl::string_view cause) const;
  absl::Status Unknown(absl::string_view cause) const;

  RepeatedRecords repeated_;
  absl::string_view names_;
  std::vector<size_t> zeros_;  // The places of zeros in names_. A name has none.
  TypeTable& types_;
  const std::vector<const ir::AttributeList*>& attributes_;
  ir::Module& module_;
  std::vector<absl::string_view> sections_, collectors_;
  std::vector<FileComdat> comdats_;
  const ir::GlobalTraits* last_traits_[4] = {};  // Of the last global of each ir::GlobalKind.
  // Lists of attributes without the name of a section that they had.
  absl::flat_hash_map<const ir::AttributeList*, const ir::AttributeList*> changed_lists_;
};

}  // namespace firstcall::bitcode

#endif  // FIRSTCALL_BITCODE_GLOBAL_READER_H_
