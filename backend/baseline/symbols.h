// The symbols that a function's code refers to, the addresses of far ones, and the constants that
// come along with the function (constant_data.h).
//
// Thread-compatible; reused from function to function to keep its memory. Tested in
// tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_SYMBOLS_H_
#define FIRSTCALL_BACKEND_BASELINE_SYMBOLS_H_

#include <cstdint>
#include <vector>

#include "backend/baseline/assembler.h"
#include "backend/baseline/block_order.h"
#include "base/pointer_map.h"
#include "ir/global.h"

namespace firstcall::baseline {

struct FunctionCode;

class Symbols {
 public:
  struct Symbol {
    const ir::Global* global = nullptr;
    const char* library_function = nullptr;  // If `global` is null.
    bool is_control = false;                 // The control variable of the thread-local `global`.
    uint32_t literal = kNone;                // Offset of the address in the pool, or kNone.
    uint32_t place = kNone;                  // Offset of the constant, if it is in the pool.
  };

  void Clear() {
    symbols_.clear();
    numbers_.Clear();
  }

  // The number of the symbol. The first call for a symbol adds it.
  uint32_t NumberOf(const ir::Global* global);
  uint32_t NumberOf(const char* library_function);
  // The symbol of the control variable (__emutls_v.) that emulates the thread-local `variable`.
  uint32_t NumberOfControl(const ir::Global* variable);

  // Null if the global has no number. Valid until a symbol is added.
  const Symbol* Find(const ir::Global* global) const {
    const uint32_t* number = numbers_.Find(global);
    return number == nullptr ? nullptr : &symbols_[*number];
  }
  Symbol& operator[](uint32_t number) { return symbols_[number]; }
  // All symbols, by their numbers.
  const std::vector<Symbol>& all() const { return symbols_; }

 private:
  // The number of the symbol with this key. The first call for a key adds `symbol`.
  uint32_t NumberOf(const void* key, const Symbol& symbol);

  std::vector<Symbol> symbols_;
  PointerMap<uint32_t> numbers_;
};

// Whether `global` is within reach of a 32-bit distance from the code.
bool IsNear(const FunctionCode& code, const ir::Global* global);
// If `global` is a constant that is copied into the function (constant_data.h), or a table of the
// function's labels: its offset in the pool. Otherwise kNone.
uint32_t PoolPlaceOf(FunctionCode& code, const ir::Global* global);
// The eight bytes in the pool that hold the symbol's address.
Mem LiteralOf(FunctionCode& code, uint32_t symbol);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_SYMBOLS_H_
