#include "backend/baseline/code_writer.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "absl/strings/string_view.h"
#include "backend/baseline/function_code.h"
#include "backend/baseline/personality.h"
#include "backend/baseline/symbol_name.h"
#include "backend/baseline/unwind_rows.h"

namespace firstcall::baseline {
namespace {

// Where the function's code and its pool lie.
struct Extent {
  uint32_t begin, end;   // Offsets in the assembler's buffer.
  uint32_t pool_offset;  // Offset of the pool in the function.

  uint32_t size() const { return end - begin; }
};

void WriteText(FunctionCode& code, const Extent& extent, CodeSection& text) {
  text.kind = SectionKind::kCode;
  text.name_size = 0;  // The part may have been one of variables.
  text.alignment = code.native.frame.has_aligned_loops()
                       ? std::max(code.pool.alignment(), code.architecture.frame.loop_alignment)
                       : code.pool.alignment();
  const size_t pool_size = code.pool.bytes().size();
  text.bytes.resize(pool_size == 0 ? extent.size() : extent.pool_offset + pool_size, 0xcc);
  std::memcpy(text.bytes.data(), code.assembler.buffer().data() + extent.begin, extent.size());
  std::memset(text.bytes.data() + extent.size(), 0xcc,
              std::min<size_t>(text.bytes.size(), extent.pool_offset) - extent.size());
  if (pool_size != 0) {
    std::memcpy(text.bytes.data() + extent.pool_offset, code.pool.bytes().data(), pool_size);
  }
}

CodeSymbol& AddSymbol(CompiledCode& compiled, absl::string_view prefix, absl::string_view name) {
  CodeSymbol& symbol = compiled.symbols.emplace_back();
  symbol.name = compiled.names.size();
  compiled.names.append(prefix.data(), prefix.size());
  compiled.names.append(name.data(), name.size());
  symbol.name_size = prefix.size() + name.size();
  return symbol;
}

// Symbol 0 is the function; the others follow in the order of their numbers.
void WriteSymbols(const FunctionCode& code, const Extent& extent, CompiledCode& compiled) {
  const ir::DataLayout& layout = code.function->module().layout();
  CodeSymbol& own = AddSymbol(compiled, "", SymbolNameOf(code.function->global(), layout));
  own.is_defined = true;
  own.is_local = code.function->global().HasLocalLinkage();
  const auto describe = [&](const ir::Global& global, CodeSymbol& symbol) {
    if (!code.options.is_for_any_linker) return;  // The engine chooses among definitions.
    symbol.is_weak = global.IsWeakForLinker();
    symbol.visibility = VisibilityOf(global);
  };
  describe(code.function->global(), own);
  own.size = extent.size();
  for (const Symbols::Symbol& symbol : code.symbols.all()) {
    if (symbol.global == nullptr) {
      AddSymbol(compiled, "", symbol.library_function);
    } else if (symbol.place != kNone) {
      // Nothing else refers to a local one, so it needs no name.
      const bool is_local = symbol.global->HasLocalLinkage();
      CodeSymbol& added = is_local ? compiled.symbols.emplace_back()
                                   : AddSymbol(compiled, "", SymbolNameOf(*symbol.global, layout));
      added.is_defined = true;
      added.is_local = is_local;
      added.offset = extent.pool_offset + symbol.place;
      describe(*symbol.global, added);
    } else {
      CodeSymbol& added = AddSymbol(compiled, symbol.is_control ? "__emutls_v." : "",
                                    SymbolNameOf(*symbol.global, layout));
      added.is_weak = symbol.global->linkage() == ir::Linkage::kExternalWeak;
      added.is_thread_local = symbol.global->IsThreadLocal() && !symbol.is_control;
    }
  }
}

// False if a target is out of reach.
bool ResolveFixups(const FunctionCode& code, const Extent& extent, CompiledCode& compiled) {
  std::vector<uint8_t>& text = compiled.sections[0].bytes;
  const std::vector<uint32_t>& labels = code.labels.offsets();
  const uint32_t begin = extent.begin, pool_offset = extent.pool_offset;
  const CodeLayout layout = {begin, pool_offset, labels, IncomingDistance(code)};
  if (!code.assembler.Resolve(layout, compiled)) return false;
  for (const Pool::Distance& entry : code.pool.distances()) {
    const int32_t distance = static_cast<int32_t>(labels[entry.label] - begin) -
                             static_cast<int32_t>(pool_offset + entry.base);
    std::memcpy(text.data() + pool_offset + entry.offset, &distance, 4);
  }
  for (const Pool::LabelAddress& entry : code.pool.label_addresses()) {
    compiled.relocations.push_back({0, pool_offset + entry.offset, 0, RelocationKind::kAbsolute64,
                                    static_cast<int64_t>(labels[entry.label]) - begin});
  }
  for (const Pool::Address& entry : code.pool.addresses()) {
    compiled.relocations.push_back({0, pool_offset + entry.offset, entry.symbol + 1,
                                    RelocationKind::kAbsolute64, entry.addend});
  }
  return true;
}

}  // namespace

bool WriteCode(FunctionCode& code, uint32_t begin, CompiledCode& compiled) {
  code.labels.BindAddressLabels();
  const uint32_t end = code.assembler.size();
  const uint32_t alignment = code.pool.alignment();
  const Extent extent = {begin, end, (end - begin + alignment - 1) & -alignment};
  UnwindTable table;
  table.size = extent.size();
  table.has_exceptions =
      !code.exceptions.call_sites.empty() || HasUnknownPersonality(*code.function);
  if (table.has_exceptions) {
    table.exception_table = extent.pool_offset + WriteExceptionTable(code, begin);
    table.personality = 1 + code.symbols.NumberOf(PersonalityOf(*code.function));
  }
  compiled.sections.resize(2);
  compiled.relocations.clear();
  compiled.symbols.clear();
  compiled.names.clear();
  WriteText(code, extent, compiled.sections[0]);
  WriteSymbols(code, extent, compiled);
  if (!ResolveFixups(code, extent, compiled)) return false;
  CodeSection& unwind = compiled.sections[1];
  unwind.kind = SectionKind::kUnwindTable;
  unwind.name_size = 0;
  unwind.alignment = 8;
  unwind.bytes.clear();
  std::vector<UnwindRow>& rows = code.native.frame.rows();
  for (UnwindRow& row : rows) row.offset -= begin;
  table.rows = &rows;
  AppendUnwindTable(code.architecture.frame.unwind, table, /*unwind_section=*/1, /*code_symbol=*/0,
                    compiled);
  return true;
}

}  // namespace firstcall::baseline
