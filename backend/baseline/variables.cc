#include "backend/baseline/variables.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "backend/baseline/constant_data.h"
#include "backend/baseline/constants.h"
#include "backend/baseline/symbol_name.h"
#include "ir/constant.h"
#include "ir/global.h"
#include "ir/type.h"
#include "object/large_section.h"
#include "object/symbol_name.h"

namespace firstcall::baseline {
namespace {

constexpr uint64_t kMostAlignment = 4096;
// Of a variable that is not all zeros.
constexpr uint64_t kMostBytes = uint64_t{1} << 31;
// Of sections with names: for each of them, the writer of objects looks at all variables.
constexpr size_t kMostSections = 256;

// Sections whose names begin with a dot mean something to linkers and to LLVM, which gives some of
// them other contents (`.bss`), or to the linker of this project (`.eh_frame`). These are only
// places for data.
constexpr absl::string_view kDataSections[] = {
    ".data", ".rodata", ".init_array", ".fini_array", ".preinit_array", ".ctors", ".dtors"};

// Whether variables may lie in a section of that name as in any other. Names with commas are those
// of Mach-O.
bool IsPlainSection(absl::string_view name) {
  if (absl::StrContains(name, ',') || absl::StrContains(name, '\0')) return false;
  const auto is_or_begins = [&](absl::string_view known) {
    return absl::StartsWith(name, known) &&
           (name.size() == known.size() || name[known.size()] == '.');
  };
  return name.front() != '.' ||
         std::any_of(std::begin(kDataSections), std::end(kDataSections), is_or_begins);
}

// Lists for the linker, and metadata, which no code refers to.
bool IsForTheLinker(const ir::Global& variable) {
  return variable.name == "llvm.used" || variable.name == "llvm.compiler.used" ||
         variable.section() == "llvm.metadata";
}

bool IsTableOfLabels(const ir::Global& variable, const ir::Module& module) {
  const absl::Span<const uint32_t> labels = module.block_addresses();
  return std::any_of(labels.begin(), labels.end(), [&](uint32_t label) {
    return IsLabelTable(variable, module, module.constants()[label].global);
  });
}

// As llvm::DataLayout::getPreferredAlign of a variable with an initializer, in bytes.
uint64_t AlignmentOf(const ir::Global& variable, const ir::Module& module) {
  const ir::Type& type = *variable.value_type();
  if (variable.alignment() == 0) return module.layout().PreferredAlignment(type);
  if (!variable.section().empty()) return variable.alignment();
  return std::max<uint64_t>(variable.alignment(), type.alignment);
}

// Nothing that Global::has_unknown stands for changes how a variable is written.
class VariableWriter {
 public:
  struct Options {
    bool emulates_thread_locals = false;
    bool is_for_any_linker = false;
    bool ignores_debug_information = false;
  };

  VariableWriter(const ir::Module& module, const Options& options, CompiledCode& code)
      : module_(module), options_(options), code_(code) {}

  Refusal Write(const ir::Global& variable) {
    if (!variable.value_type()->is_sized) return Refusal::kVariable;
    const uint64_t alignment = AlignmentOf(variable, module_);
    const uint64_t size = variable.value_type()->alloc_size;
    const ir::Constant& initializer = module_.constant(variable.initializer);
    bool is_zero = (!variable.is_constant() || variable.IsThreadLocal()) &&
                   (initializer.IsZero() || initializer.IsUndefined());
    const bool is_large_zero = is_zero && variable.section() == kLargeZeroSection;
    const bool has_section = !variable.section().empty() && !is_large_zero;
    if (has_section) {
      if (!CanBeInSection(variable)) return Refusal::kVariable;
      is_zero = false;
    }
    if (HasImplicitSection(variable) || variable.linkage() == ir::Linkage::kCommon ||
        variable.linkage() == ir::Linkage::kAppending || variable.address_space() != 0 ||
        alignment > kMostAlignment || (size > kMostBytes && !is_zero)) {
      return Refusal::kVariable;
    }
    if (variable.has_debug_information() && !options_.ignores_debug_information) {
      return Refusal::kDebugInformation;
    }
    if (variable.IsThreadLocal() && options_.is_for_any_linker) return Refusal::kVariable;
    if (!is_zero && !WriteData(variable, module_, data_)) return Refusal::kVariable;
    if (variable.IsThreadLocal() && options_.emulates_thread_locals) {
      WriteControl(variable, alignment, is_zero);
      return Refusal::kNone;
    }
    Define(SymbolOf(variable), size);
    if (is_zero) {
      CodeSection& section = code_.sections.emplace_back();
      section.kind = variable.IsThreadLocal() ? SectionKind::kThreadLocalZeroData
                     : is_large_zero          ? SectionKind::kLargeZeroData
                                              : SectionKind::kZeroData;
      section.alignment = static_cast<uint32_t>(alignment);
      // Two variables never have the same address.
      section.zeros = std::max<uint64_t>(size, 1);
    } else {
      WriteContents(variable.IsThreadLocal() ? SectionKind::kThreadLocalData
                    : variable.is_constant() ? SectionKind::kReadOnlyData
                                             : SectionKind::kData,
                    alignment);
      if (has_section) NameSection(variable.section());
    }
    return Refusal::kNone;
  }

 private:
  // What lies in a section of the user's, the user may look for by the bounds of the section. So a
  // variable without a size takes no place there, which other variables of the baseline do. If some
  // variables of a section are constant and others are not, LLVM decides what the section is.
  bool CanBeInSection(const ir::Global& variable) {
    if (!IsPlainSection(variable.section()) || variable.IsThreadLocal() ||
        variable.value_type()->alloc_size == 0) {
      return false;
    }
    const auto [found, is_new] = sections_.try_emplace(variable.section());
    if (is_new) found->second.is_constant = variable.is_constant();
    return found->second.is_constant == variable.is_constant() && sections_.size() <= kMostSections;
  }

  // The section that was written last.
  void NameSection(absl::string_view name) {
    NamedSection& named = sections_[name];
    if (named.name == ir::kNone) {
      named.name = static_cast<uint32_t>(code_.names.size());
      absl::StrAppend(&code_.names, name);
    }
    CodeSection& section = code_.sections.back();
    section.name = named.name;
    section.name_size = static_cast<uint32_t>(name.size());
  }

  // The control record of emulated thread-local storage: size, alignment, the place for what the
  // library keeps, and the address of what a thread's variable holds at first (null: zeros).
  void WriteControl(const ir::Global& variable, uint64_t alignment, bool is_zero) {
    constexpr uint64_t kWordBytes = 8, kTemplateOffset = 3 * kWordBytes;
    const uint64_t record[] = {variable.value_type()->alloc_size, alignment, 0, 0};
    uint32_t contents = ir::kNone;
    if (!is_zero) {
      contents = static_cast<uint32_t>(code_.symbols.size());
      code_.symbols.emplace_back().is_local = true;
      Define(contents, data_.bytes.size());
      WriteContents(SectionKind::kReadOnlyData, alignment);
    }
    const uint32_t control = AddSymbol(kEmulatedTlsPrefix, variable);
    Define(control, sizeof(record));
    CodeSection& section = code_.sections.emplace_back();
    section.kind = SectionKind::kData;
    section.alignment = kWordBytes;
    section.bytes.resize(sizeof(record));
    std::memcpy(section.bytes.data(), record, sizeof(record));
    if (contents == ir::kNone) return;
    code_.relocations.push_back({static_cast<uint32_t>(code_.sections.size() - 1), kTemplateOffset,
                                 contents, RelocationKind::kAbsolute64, 0});
  }

  // The symbol is that of the section that is written next.
  void Define(uint32_t number, uint64_t size) {
    CodeSymbol& symbol = code_.symbols[number];
    symbol.is_defined = true;
    symbol.section = static_cast<uint32_t>(code_.sections.size());
    symbol.size = size;
  }

  // Writes a section of `data_`.
  void WriteContents(SectionKind kind, uint64_t alignment) {
    CodeSection& section = code_.sections.emplace_back();
    section.kind = kind;
    section.alignment = static_cast<uint32_t>(alignment);
    section.bytes = std::move(data_.bytes);
    if (section.bytes.empty()) section.bytes.push_back(0);
    for (const ConstantData::Reference& reference : data_.references) {
      const uint32_t target = SymbolOf(*reference.global);
      code_.relocations.push_back(
          {static_cast<uint32_t>(code_.sections.size() - 1), reference.offset, target,
           reference.is_distance ? RelocationKind::kRelative32 : RelocationKind::kAbsolute64,
           reference.addend});
    }
  }

  uint32_t SymbolOf(const ir::Global& global) {
    if (numbers_.empty()) numbers_.resize(module_.globals().size(), ir::kNone);
    uint32_t& number = numbers_[module_.NumberOf(global)];
    if (number == ir::kNone) number = AddSymbol("", global);
    return number;
  }

  uint32_t AddSymbol(absl::string_view prefix, const ir::Global& global) {
    const absl::string_view name = SymbolNameOf(global, module_.layout());
    CodeSymbol& symbol = code_.symbols.emplace_back();
    symbol.name = static_cast<uint32_t>(code_.names.size());
    symbol.name_size = static_cast<uint32_t>(prefix.size() + name.size());
    symbol.is_local = !global.is_declaration() && global.HasLocalLinkage();
    symbol.is_thread_local = global.IsThreadLocal() && prefix.empty();
    symbol.is_weak = global.is_declaration() ? global.linkage() == ir::Linkage::kExternalWeak
                                             : global.IsWeakForLinker();
    if (options_.is_for_any_linker && !global.is_declaration()) {
      symbol.visibility = VisibilityOf(global);
    }
    absl::StrAppend(&code_.names, prefix, name);
    return static_cast<uint32_t>(code_.symbols.size() - 1);
  }

  const ir::Module& module_;
  const Options options_;
  CompiledCode& code_;
  ConstantData data_;
  struct NamedSection {
    bool is_constant = false;
    uint32_t name = ir::kNone;  // Where the name is in CompiledCode::names.
  };
  absl::flat_hash_map<absl::string_view, NamedSection> sections_;
  std::vector<uint32_t> numbers_;  // Of the symbols, by global; ir::kNone: not needed yet.
};

// Calls `write(variable)` for each variable to be written, until it returns false.
template <typename Write>
void ForEachVariable(const ir::Module& module, CompiledCode& code, const Write& write) {
  code.sections.clear();
  code.relocations.clear();
  code.symbols.clear();
  code.names.clear();
  for (const ir::Global& variable : module.globals()) {
    if (!variable.IsVariable() || variable.is_declaration() ||
        variable.linkage() == ir::Linkage::kAvailableExternally || IsForTheLinker(variable)) {
      continue;
    }
    if (!write(variable)) return;
  }
}

}  // namespace

Refusal WriteVariables(const ir::Module& module, bool emulates_thread_locals, CompiledCode& code) {
  VariableWriter::Options options;
  options.emulates_thread_locals = emulates_thread_locals;
  VariableWriter writer(module, options, code);
  Refusal refusal = Refusal::kNone;
  ForEachVariable(module, code, [&](const ir::Global& variable) {
    if (!IsCopied(variable, module) && !IsTableOfLabels(variable, module)) {
      refusal = writer.Write(variable);
    }
    return refusal == Refusal::kNone;
  });
  return refusal;
}

void WriteSomeVariables(const ir::Module& module, const VariableSelection& selection,
                        CompiledCode& code) {
  VariableWriter::Options options;
  options.is_for_any_linker = true;
  options.ignores_debug_information = selection.ignores_debug_information;
  VariableWriter writer(module, options, code);
  ForEachVariable(module, code, [&](const ir::Global& variable) {
    const uint32_t number = module.NumberOf(variable);
    if (selection.is_left_out(number) || IsTableOfLabels(variable, module)) return true;
    const Refusal refusal = writer.Write(variable);
    if (refusal != Refusal::kNone) selection.refuse(number, refusal);
    return true;
  });
}

}  // namespace firstcall::baseline
