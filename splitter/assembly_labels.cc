#include "splitter/assembly_labels.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "base/string_ref.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "object/symbol_name.h"
#include "splitter/assembly_reader.h"
#include "splitter/object_name.h"

namespace firstcall {
namespace {

bool IsPartOfName(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '$' ||
         c == '"';
}

// Whether a colon follows a name, which does not begin with a digit.
bool MayHaveLabel(absl::string_view assembly) {
  for (size_t colon = assembly.find(':'); colon != absl::string_view::npos;
       colon = assembly.find(':', colon + 1)) {
    size_t begin = colon;
    while (begin > 0 && IsPartOfName(assembly[begin - 1])) --begin;
    if (begin == colon || absl::ascii_isdigit(static_cast<unsigned char>(assembly[begin]))) {
      continue;
    }
    if (begin == 0 || assembly[begin - 1] != '{') return true;  // Not `${name:modifier}`.
  }
  return false;
}

// Reading assembly takes longer than compiling some functions.
bool MayDefineSymbols(absl::string_view assembly) {
  if (MayHaveLabel(assembly) || absl::StrContains(assembly, '=')) return true;
  for (absl::string_view directive : {".set", ".equ", ".comm", ".lcomm", ".macro", ".irp"}) {
    if (absl::StrContains(assembly, directive)) return true;
  }
  return false;
}

const llvm::InlineAsm* AssemblyOf(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return call == nullptr ? nullptr : llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand());
}

std::vector<std::string> LabelsOf(const llvm::InlineAsm& assembly, const llvm::Module& module) {
  std::vector<std::string> labels;
  const std::string text(assembly.getAsmString());
  if (!MayDefineSymbols(text)) return labels;
  const ReadAssembly read =
      ReadSymbolsOf(absl::StrReplaceAll(text, {{"$$", "$"}}), module, assembly.getDialect());
  for (const SymbolInAssembly& symbol : read.symbols) {
    if (!symbol.is_defined || !symbol.target.empty()) continue;
    labels.push_back(IsMacho(module) ? std::string(WithoutMachoPrefix(symbol.name)) : symbol.name);
  }
  return labels;
}

}  // namespace

std::vector<std::string> LabelsDefinedIn(const llvm::Function& function) {
  std::vector<std::string> labels;
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const llvm::InlineAsm* const assembly = AssemblyOf(instruction);
    if (assembly == nullptr) continue;
    for (std::string& label : LabelsOf(*assembly, *function.getParent())) {
      if (std::find(labels.begin(), labels.end(), label) == labels.end()) {
        labels.push_back(std::move(label));
      }
    }
  }
  return labels;
}

void KeepLabelsUnique(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    const llvm::InlineAsm* const assembly = AssemblyOf(instruction);
    if (assembly == nullptr || LabelsOf(*assembly, *function.getParent()).empty()) continue;
    llvm::cast<llvm::CallBase>(instruction).addFnAttr(llvm::Attribute::NoDuplicate);
  }
}

}  // namespace firstcall
