// Reads assembly, that of a module or of a function, for the symbols it defines and for what its
// directives say about symbols. LLVM's own parser reads the assembly; nothing is generated.
//
// Thread-safe: a pure function. Tested in tests/splitter/symbol_index_builder_test.cc.

#ifndef FIRSTCALL_SPLITTER_ASSEMBLY_READER_H_
#define FIRSTCALL_SPLITTER_ASSEMBLY_READER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"

namespace firstcall {

// What assembly says about a symbol. Temporary labels (`1:`, `.Lname`) are no symbols.
struct SymbolInAssembly {
  std::string name;  // As the assembly writes it, without quotes.
  bool is_defined = false;
  bool is_global = false;  // Weak and tentative definitions are global, too.
  bool is_weak = false;
  bool is_hidden = false;
  // The size of a tentative definition (.comm); 0 if it is none.
  uint64_t common_size = 0;
  // If this is not empty, the symbol stands for this one, which the assembly does not define, plus
  // the offset: `.set name, target + offset`, `.weakref name, target`.
  std::string target;
  int64_t offset = 0;
};

// The directive `.symver name, versioned`.
struct SymbolVersion {
  std::string name;
  std::string versioned;  // "name@VERSION", with one, two or three `@`.
};

struct ReadAssembly {
  std::vector<SymbolInAssembly> symbols;  // In the order in which they are first named.
  std::vector<SymbolVersion> versions;
};

// Reads `assembly`, which is for the target of `module`. A statement that is not valid counts for
// nothing, so the template of a function's inline assembly can be read, too, in which some operands
// are missing. Finds nothing if LLVM has no parser for the target.
ReadAssembly ReadSymbolsOf(const std::string& assembly, const llvm::Module& module,
                           llvm::InlineAsm::AsmDialect dialect = llvm::InlineAsm::AD_ATT);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_ASSEMBLY_READER_H_
