// What a module has besides the bodies of its functions: types, globals, constants, attributes.

#ifndef FIRSTCALL_IR_MODULE_H_
#define FIRSTCALL_IR_MODULE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/attributes.h"
#include "ir/constant.h"
#include "ir/data_layout.h"
#include "ir/global.h"
#include "ir/module_storage.h"
#include "ir/type.h"

namespace firstcall::ir {

struct Comdat {
  absl::string_view name;
  uint8_t selection = 0;  // The number of bitcode: 1 any, 2 exact match, 3 largest, 4 no
                          // duplicates, 5 same size.
};

// A flag of `!llvm.module.flags` whose value is a number or a text.
struct ModuleFlag {
  absl::string_view name;
  uint64_t value = 0;  // 0 if the value is a text.
  bool is_text = false;
  absl::string_view text;  // Empty if the value is a number.
};

// Thread-safe once a reader has completed it. Pointers into it stay valid.
class Module;

// The constants that operands may refer to: those of a module, and perhaps those of one of its
// functions. A view: the module and the function must outlive the object.
class Constants {
 public:
  explicit Constants(const Module& module);
  Constants(const Module& module, absl::Span<const Constant> own);

  const Module& module() const { return *module_; }
  // `operand` must be a constant.
  const Constant& operator[](Operand operand) const {
    const uint32_t number = operand.number();
    return number < shared_.size() ? shared_[number] : own_[number - shared_.size()];
  }

 private:
  const Module* module_;
  absl::Span<const Constant> shared_, own_;
};

class Module {
 public:
  Module() = default;
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  absl::string_view triple() const { return triple_; }
  const DataLayout& layout() const { return layout_; }
  // Whether the module has assembly of its own.
  bool has_assembly() const { return has_assembly_; }
  // Whether the module has compile units, without which nothing in it has debug information. Only a
  // reader of bitcode finds out.
  bool has_compile_units() const { return has_compile_units_; }

  // Functions, variables, aliases and ifuncs, in the order of bitcode.
  absl::Span<const Global> globals() const { return globals_; }
  // First the addresses of globals(), in the same order, then others.
  absl::Span<const Constant> constants() const { return constants_; }
  const Constant& constant(Operand operand) const { return constants_[operand.number()]; }
  const std::deque<Type>& types() const { return types_; }
  const std::vector<Comdat>& comdats() const { return comdats_; }
  // Flags with numbers, such as "cf-protection-branch", and with texts, such as
  // "stack-protector-guard".
  const std::vector<ModuleFlag>& flags() const { return flags_; }
  // 0 if there is no such flag, or if its value is a text.
  uint64_t FlagOf(absl::string_view name) const {
    for (const ModuleFlag& flag : flags_) {
      if (flag.name == name) return flag.value;
    }
    return 0;
  }

  // Whether the address of global number `global` is used by data or by another global (an
  // initializer, an alias, a personality), not only by instructions.
  bool IsUsedByData(uint32_t global) const {
    return global < used_by_data_.size() && used_by_data_[global];
  }

  // The number of a global of this module.
  uint32_t NumberOf(const Global& global) const {
    return static_cast<uint32_t>(&global - globals_.data());
  }
  // The numbers of the constants that are addresses of blocks.
  absl::Span<const uint32_t> block_addresses() const { return block_addresses_; }

  // The number of the only function whose instructions use the address of the variable number
  // `global`, directly or in constant expressions. kNobody: nothing uses the address. kNone:
  // several functions, or data, use the address, or the reader has not found out. (Readers find out
  // for arrays and structures with addresses of blocks only, and a reader of bitcode for none.)
  static constexpr uint32_t kNobody = kNone - 1;
  uint32_t OnlyUserOf(uint32_t global) const {
    const auto found = std::lower_bound(
        only_users_.begin(), only_users_.end(), global,
        [](const OnlyUser& only, uint32_t number) { return only.global < number; });
    return found == only_users_.end() || found->global != global ? kNone : found->user;
  }

  // For readers:
  void set_triple(absl::string_view triple) { triple_ = std::string(triple); }
  void set_layout(DataLayout layout) { layout_ = std::move(layout); }
  void set_has_assembly() { has_assembly_ = true; }
  void set_has_compile_units() { has_compile_units_ = true; }
  // Appends a type and computes its layout. What it contains must be there already, but for
  // structures that are completed later (Complete).
  Type* AddType(Type type);
  // Sets the members of an opaque structure, which keeps its address.
  void Complete(Type* structure, absl::Span<const Type* const> members, bool is_packed);
  std::vector<Global>& mutable_globals() { return globals_; }
  // Adds a global. Its name must live as long as the module.
  void AddGlobal(const NewGlobal& global) {
    globals_.push_back(
        {global.name, storage_.AddTraits(global.traits), global.comdat, global.initializer});
  }
  // Of a global that AddGlobal has added, and which therefore shares them with no other one.
  GlobalTraits& mutable_traits(uint32_t global) {
    return const_cast<GlobalTraits&>(*globals_[global].traits);
  }
  std::vector<Constant>& mutable_constants() { return constants_; }
  std::vector<Comdat>& mutable_comdats() { return comdats_; }
  std::vector<ModuleFlag>& mutable_flags() { return flags_; }
  // What the module's parts point to.
  ModuleStorage& storage() { return storage_; }
  // `user`: what OnlyUserOf is to say, other than kNone. Called in the order of the globals.
  void AddOnlyUser(uint32_t global, uint32_t user) { only_users_.push_back({global, user}); }
  // Called once, when globals and constants are complete: finds what IsUsedByData and
  // block_addresses say.
  void FindUsesByData();

 private:
  struct OnlyUser {
    uint32_t global, user;
  };

  // Sets the layout of `type`, with the offsets of a structure's members.
  void Lay(Type& type);

  std::string triple_;
  DataLayout layout_;
  bool has_assembly_ = false;
  bool has_compile_units_ = false;
  std::deque<Type> types_;
  std::vector<Global> globals_;
  std::vector<Constant> constants_;
  std::vector<Comdat> comdats_;
  std::vector<ModuleFlag> flags_;
  std::vector<bool> used_by_data_;
  std::vector<uint32_t> block_addresses_;
  std::vector<OnlyUser> only_users_;  // Ordered by `global`.
  std::vector<uint64_t> offsets_;     // Lay works in it.
  ModuleStorage storage_;
};

inline Constants::Constants(const Module& module) : Constants(module, {}) {}
inline Constants::Constants(const Module& module, absl::Span<const Constant> own)
    : module_(&module), shared_(module.constants()), own_(own) {}

}  // namespace firstcall::ir

#endif  // FIRSTCALL_IR_MODULE_H_
