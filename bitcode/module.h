// A module of LLVM bitcode, without LLVM: all but the bodies of its functions, and what a reader of
// the bodies must know.
//
// Immutable after construction, and thus thread-safe.

#ifndef FIRSTCALL_BITCODE_MODULE_H_
#define FIRSTCALL_BITCODE_MODULE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "bitcode/block_info.h"
#include "bitcode/body_place.h"
#include "bitcode/metadata_strings.h"
#include "bitcode/type_table.h"
#include "ir/attributes.h"
#include "ir/module.h"
#include "ir/operand.h"

namespace firstcall::bitcode {

// The scopes of atomic instructions.
enum class SyncScope : uint8_t { kSingleThread, kSystem, kOther };

// The kinds of metadata that code generation asks for.
enum class MetadataKind : uint8_t { kDebug, kPcSections, kMakeImplicit, kOther };

// What a module without a triple, or without a data layout, gets.
struct DefaultTarget {
  absl::string_view triple;
  absl::string_view data_layout;
};

class BitcodeModule {
 public:
  // Reads a file of bitcode, perhaps with a wrapper's header. `bytes` must outlive the module:
  // names stay in them. What is returned has passed ir::CheckModule. Unimplemented for what LLVM
  // may know and this reader does not, such as a file with several modules, or one from before LLVM
  // 15; InvalidArgument for damaged bytes.
  static absl::StatusOr<std::unique_ptr<BitcodeModule>> Read(absl::Span<const uint8_t> bytes,
                                                             const DefaultTarget& target = {});

  BitcodeModule(const BitcodeModule&) = delete;
  BitcodeModule& operator=(const BitcodeModule&) = delete;

  const ir::Module& module() const { return module_; }
  // The module's data layout as text, with what LLVM adds to the layouts of older files, or that of
  // the default target.
  const std::string& layout_text() const { return layout_text_; }
  // What wrote the file, such as "LLVM19.1.7". Empty: unknown.
  const std::string& producer() const { return producer_; }

  // The bitstream whose positions BodyPlace has, with the abbreviations of its BLOCKINFO.
  absl::Span<const uint8_t> bytes() const { return bytes_; }
  const BlockInfo& block_info() const { return block_info_; }

  const TypeTable& types() const { return types_; }

  // The attributes of a function or a call, by the number that a record has. 0: no attributes. Null
  // if there is no such number.
  const ir::AttributeList* FindAttributes(uint64_t number) const {
    return number < attributes_.size() ? attributes_[number] : nullptr;
  }

  // The values of the module have the numbers below value_count(): first the globals, in the order
  // of module().globals(), then other constants. Each is the constant with the same number. The
  // values of a function (arguments, constants, results) have the numbers from value_count() on.
  uint32_t value_count() const { return static_cast<uint32_t>(module_.constants().size()); }
  // `number` must be less than value_count().
  static ir::Operand ValueOf(uint32_t number) { return ir::Operand::Constant(number); }

  // By the numbers of records. Numbers behind the end are unknown.
  absl::Span<const SyncScope> sync_scopes() const { return sync_scopes_; }
  absl::Span<const std::string> operand_bundle_tags() const { return operand_bundle_tags_; }
  MetadataKind MetadataKindOf(uint64_t number) const {
    return number < metadata_kinds_.size() ? metadata_kinds_[number] : MetadataKind::kOther;
  }

  // The module's metadata: its strings have the first numbers, and that of bodies has the numbers
  // from metadata_count() on. Neither is known if the metadata is in several blocks.
  bool knows_metadata() const { return metadata_blocks_ < 2; }
  const MetadataStrings& metadata_strings() const { return metadata_strings_; }
  uint64_t metadata_count() const { return metadata_count_; }

  // Parts of bytes() that Read has jumped over, and no reader of a body uses: definitions of
  // metadata.
  absl::Span<const absl::Span<const uint8_t>> unread_metadata() const { return unread_metadata_; }

  // `global`: a number of module().globals().
  const BodyPlace& BodyOf(uint32_t global) const { return bodies_[global]; }

 private:
  friend class ModuleReader;
  BitcodeModule() = default;

  absl::Span<const uint8_t> bytes_;
  BlockInfo block_info_;
  std::string producer_;
  std::string layout_text_;
  ir::Module module_;
  TypeTable types_;
  std::vector<const ir::AttributeList*> attributes_;  // By number; the first one is empty.
  std::vector<SyncScope> sync_scopes_;
  std::vector<std::string> operand_bundle_tags_;
  std::vector<MetadataKind> metadata_kinds_;
  MetadataStrings metadata_strings_;
  uint64_t metadata_count_ = 0;
  uint32_t metadata_blocks_ = 0;
  std::vector<absl::Span<const uint8_t>> unread_metadata_;
  std::vector<BodyPlace> bodies_;  // By global.
};

}  // namespace firstcall::bitcode

#endif  // FIRSTCALL_BITCODE_MODULE_H_
