#include "splitter/object_ties.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/fatal_error_guard.h"
#include "base/llvm_status.h"
#include "base/status.h"
#include "base/string_ref.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "object/symbol_name.h"
#include "splitter/object_name.h"
#include "splitter/section_names.h"

namespace firstcall {
namespace {

// What LLVM's code generator calls its tables.
constexpr absl::string_view kStackMaps = "__LLVM_StackMaps";
constexpr absl::string_view kFaultMaps = "__LLVM_FaultMaps";
constexpr absl::string_view kPatchableEntries = "__patchable_function_entries";
constexpr absl::string_view kXrayPrefix = "xray_";

absl::Status ReadAllBodies(llvm::Module& module) {
  absl::Status status;
  // On some damaged bitcode, LLVM's reader reports a fatal error.
  const absl::Status guarded = RunGuarded([&] {
    for (llvm::Function& function : module) {
      llvm::Error error = function.materialize();
      if (!error) continue;
      status = FromLlvm(
          std::move(error), absl::StatusCode::kInvalidArgument,
          absl::StrCat("function '", ToStringView(function.getName()), "': reading its body"));
      return;
    }
  });
  if (guarded.ok()) return status;
  return absl::InvalidArgumentError(absl::StrCat("reading bodies: ", guarded.message()));
}

bool HasStackMap(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (call == nullptr) return false;
  switch (call->getIntrinsicID()) {
    case llvm::Intrinsic::experimental_stackmap:
    case llvm::Intrinsic::experimental_patchpoint:
    case llvm::Intrinsic::experimental_patchpoint_void:
    case llvm::Intrinsic::experimental_gc_statepoint:
      return true;
    default:
      return false;
  }
}

// Whether the metadata is a list with the name of `section` (LangRef, "pcsections Metadata"). A
// name may have options behind a `!`.
bool NamesSection(const llvm::MDNode* list, absl::string_view section) {
  if (list == nullptr) return false;
  return llvm::any_of(list->operands(), [&](const llvm::MDOperand& operand) {
    const auto* name = llvm::dyn_cast_or_null<llvm::MDString>(operand.get());
    if (name == nullptr) return false;
    absl::string_view rest = ToStringView(name->getString());
    return absl::ConsumePrefix(&rest, section) && (rest.empty() || rest.front() == '!');
  });
}

// Whether the instruction is inline assembly that names `section`.
bool IsAssemblyFor(const llvm::Instruction& instruction, absl::string_view section) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  const auto* assembly =
      call != nullptr ? llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand()) : nullptr;
  if (assembly == nullptr) return false;
  const absl::string_view text = ToStringView(assembly->getAsmString());
  const auto is_in_name = [&](size_t i) {
    return i < text.size() && (absl::ascii_isalnum(static_cast<unsigned char>(text[i])) ||
                               text[i] == '_' || text[i] == '.');
  };
  for (size_t at = text.find(section); at != absl::string_view::npos;
       at = text.find(section, at + 1)) {
    if (!(at > 0 && is_in_name(at - 1)) && !is_in_name(at + section.size())) return true;
  }
  return false;
}

// A table of the code generator that the module names.
class Table {
 public:
  // Nothing if `name` is no such table's. `name` must outlive the table.
  static std::optional<Table> Named(absl::string_view name) {
    if (name == kStackMaps || name == kFaultMaps) return Table(name);
    if (absl::ConsumePrefix(&name, kSectionStartPrefix) ||
        absl::ConsumePrefix(&name, kSectionStopPrefix)) {
      return Table(name);
    }
    return std::nullopt;
  }

  absl::string_view name() const { return name_; }

  // Whether the code generator writes entries for `function`, whose body has been read.
  bool HasEntriesOf(const llvm::Function& function) const {
    if (name_ == kPatchableEntries) {
      return function.hasFnAttribute("patchable-function-entry") ||
             function.hasFnAttribute("patchable-function-prefix");
    }
    if (absl::StartsWith(name_, kXrayPrefix)) {
      return function.hasFnAttribute("function-instrument") ||
             function.hasFnAttribute("xray-instruction-threshold");
    }
    if (NamesSection(function.getMetadata(llvm::LLVMContext::MD_pcsections), name_)) return true;
    return llvm::any_of(llvm::instructions(function), [&](const llvm::Instruction& instruction) {
      return (name_ == kStackMaps && HasStackMap(instruction)) ||
             (name_ == kFaultMaps &&
              instruction.hasMetadata(llvm::LLVMContext::MD_make_implicit)) ||
             NamesSection(instruction.getMetadata(llvm::LLVMContext::MD_pcsections), name_) ||
             IsAssemblyFor(instruction, name_);
    });
  }

 private:
  explicit Table(absl::string_view name) : name_(name) {}

  absl::string_view name_;  // Its own, or that of its section.
};

using OnTie = absl::FunctionRef<void(const llvm::GlobalValue&, const llvm::GlobalValue&)>;

// What other objects define is never moved.
bool IsOwn(const llvm::GlobalValue& value) {
  return !value.isDeclarationForLinker() && !value.hasAppendingLinkage();
}

// Ties each definition that is added to the first one.
class Circle {
 public:
  explicit Circle(OnTie tie) : tie_(tie) {}

  void Add(const llvm::GlobalValue& member) {
    if (!IsOwn(member)) return;
    if (first_ == nullptr) first_ = &member;
    if (first_ != &member) tie_(*first_, member);
  }
  bool is_empty() const { return first_ == nullptr; }

 private:
  const OnTie tie_;
  const llvm::GlobalValue* first_ = nullptr;
};

class TieFinder {
 public:
  TieFinder(llvm::Module& module, OnTie tie) : module_(module), tie_(tie) {}

  absl::Status FindOfSection(llvm::StringRef section) {
    llvm::SmallVector<const llvm::GlobalValue*, 2> bounds;
    for (const llvm::GlobalVariable& variable : module_.globals()) {
      if (!variable.isDeclaration() || !variable.hasName()) continue;
      const std::string text = ObjectName(variable);
      const std::optional<Table> table = Table::Named(text);
      if (table && ToStringRef(table->name()) == section) bounds.push_back(&variable);
    }
    if (bounds.empty()) return absl::OkStatus();
    FIRSTCALL_RETURN_IF_ERROR(ReadAllBodies(module_));
    Circle circle(tie_);
    for (const llvm::GlobalVariable& variable : module_.globals()) {
      if (!variable.isDeclaration() && llvm::is_contained(SectionNames(variable), section)) {
        circle.Add(variable);
      }
    }
    for (const llvm::GlobalValue* bound : bounds) AddUsers(*bound, circle);
    return absl::OkStatus();
  }

  absl::Status Find() {
    const llvm::Function* const recover = module_.getFunction("llvm.localrecover");
    FindNamedTables();
    if (recover == nullptr && named_.empty()) return absl::OkStatus();
    FIRSTCALL_RETURN_IF_ERROR(ReadAllBodies(module_));
    if (recover != nullptr) TieFrames(*recover);
    for (const NamedTable& named : named_) TieTable(named);
    return absl::OkStatus();
  }

 private:
  struct NamedTable {
    const llvm::GlobalValue* name;
    std::string text;  // The name in objects.
  };

  void FindNamedTables() {
    llvm::StringSet<> of_variables;
    for (const llvm::GlobalVariable& variable : module_.globals()) {
      if (variable.isDeclaration()) continue;
      for (llvm::StringRef section : SectionNames(variable)) of_variables.insert(section);
    }
    // A definition of the module's own is no table of the code generator's, and neither is a
    // section of variables.
    const auto look_at = [&](const llvm::GlobalValue& value) {
      if (!value.isDeclaration() || !value.hasName()) return;
      std::string text = ObjectName(value);
      const std::optional<Table> table = Table::Named(text);
      if (!table || of_variables.contains(ToStringRef(table->name()))) return;
      named_.push_back({&value, std::move(text)});
    };
    for (const llvm::GlobalVariable& variable : module_.globals()) look_at(variable);
    for (const llvm::Function& function : module_) look_at(function);
  }

  void TieFrames(const llvm::Function& recover) {
    for (const llvm::User* user : recover.users()) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(user);
      if (call == nullptr || call->arg_size() == 0) continue;
      const auto* owner =
          llvm::dyn_cast<llvm::Function>(call->getArgOperand(0)->stripPointerCasts());
      if (owner != nullptr && IsOwn(*owner) && IsOwn(*call->getFunction())) {
        tie_(*owner, *call->getFunction());
      }
    }
  }

  // The functions with entries, and whatever names the table.
  void TieTable(const NamedTable& named) {
    const Table table = *Table::Named(named.text);
    Circle circle(tie_);
    for (const llvm::Function& function : module_) {
      if (table.HasEntriesOf(function)) circle.Add(function);
    }
    if (!circle.is_empty()) AddUsers(*named.name, circle);
  }

  static void AddUsers(const llvm::Constant& constant, Circle& circle) {
    llvm::SmallVector<const llvm::User*, 8> pending(constant.user_begin(), constant.user_end());
    llvm::SmallPtrSet<const llvm::User*, 8> seen;
    while (!pending.empty()) {
      const llvm::User* user = pending.pop_back_val();
      if (!seen.insert(user).second) continue;
      if (const auto* instruction = llvm::dyn_cast<llvm::Instruction>(user)) {
        circle.Add(*instruction->getFunction());
      } else if (llvm::isa<llvm::GlobalVariable, llvm::Function>(user)) {
        circle.Add(*llvm::cast<llvm::GlobalValue>(user));
      } else if (!llvm::isa<llvm::GlobalValue>(user)) {
        pending.append(user->user_begin(), user->user_end());
      }
    }
  }

  llvm::Module& module_;
  const OnTie tie_;
  std::vector<NamedTable> named_;
};

}  // namespace

absl::Status FindObjectTies(const ModuleView& view, OnTie tie) {
  return TieFinder(view.module(), tie).Find();
}

absl::Status FindTiesOfSection(const ModuleView& view, llvm::StringRef name, OnTie tie) {
  return TieFinder(view.module(), tie).FindOfSection(name);
}

}  // namespace firstcall
