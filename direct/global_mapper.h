// What stands for the globals of a source module in a small module that is made of pieces of it: a
// definition, a declaration under the name by which the linker knows the global, a private copy, or
// a distance from one of these.
//
// The small module's globals are added in the order in which they are asked for. Numbers called
// `original` are those of the source module.
//
// Thread-compatible. Reuse the mapper, because it keeps its memory from module to module. Tested in
// tests/direct/module_mapper_test.cc.

#ifndef FIRSTCALL_DIRECT_GLOBAL_MAPPER_H_
#define FIRSTCALL_DIRECT_GLOBAL_MAPPER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "direct/number_map.h"
#include "ir/function.h"
#include "ir/global.h"
#include "ir/module.h"
#include "ir/operand.h"

namespace firstcall::direct {

// What a reference to a global of the source module becomes.
struct Reference {
  // The global that is declared: the one that is referred to, or what this one is an alias of.
  uint32_t base = ir::kNone;
  int64_t offset = 0;      // From the address of `base`.
  std::string name;        // The name of the declaration.
  bool is_near = false;    // It is within reach of the code.
  bool is_copied = false;  // There is no declaration, but a private copy of the variable `base`.
};

// How the references of a source module are named. Numbers are those of the source module.
class ReferenceNames {
 public:
  virtual ~ReferenceNames() = default;

  // A use of the address of `global`.
  virtual Reference OfAddress(uint32_t global) = 0;
  // A direct call of `global`. The base is ir::kNone if such a call has no name of its own: then
  // the call is a use of the address.
  virtual Reference OfCall(uint32_t global) = 0;
  // An entry of a constant table. The base is ir::kNone if the entry must keep the address.
  virtual Reference OfTableEntry(uint32_t global) = 0;
};

class GlobalMapper {
 public:
  // A definition in the small module.
  struct Definition {
    uint32_t original;  // Whose body or initializer it has.
    uint32_t number;    // In the small module.
    bool is_table;      // Entries of the initializer may be bound to bodies.
  };
  // Which of the functions that the small module defines a body calls straight. All other direct
  // calls go where the linker binds them.
  enum class Calls {
    kStraight,         // All of them.
    kStraightIfLater,  // Those that were defined after the body's own function.
  };

  // Begins a new small module. All must outlive the work on it.
  void Begin(const ir::Module& source, ReferenceNames& names, ir::Module& module);

  // Each of these adds a global to the small module and returns its number there. Names must live
  // as long as the small module.
  uint32_t Declare(const ir::NewGlobal& declaration);
  uint32_t DefineFunction(uint32_t original, absl::string_view name, bool is_near);
  // References to the global `known_as` will go to the definition.
  uint32_t DefineVariable(uint32_t original, uint32_t known_as, bool is_table,
                          const ir::NewGlobal& definition);

  // The definitions of functions and variables, including copies, in the order of their addition.
  const std::vector<Definition>& definitions() const { return definitions_; }

  // Adds what the address of `original` needs, unless there is something already. Returns whether
  // that was a copy of a variable, the last of definitions(), whose initializer is needed then.
  bool ReachAddress(uint32_t original);
  // The number of what an entry of a constant table becomes, added if need be.
  // NumberMap::kMissing if the entry must keep the address.
  uint32_t ReachTableEntry(uint32_t original);
  // The number of what the direct call `call` of `body` goes to, added if need be.
  // NumberMap::kMissing if the call uses an address. `function` is the number of the body's
  // function in the small module.
  uint32_t ReachCallee(const ir::Function& body, const ir::Instruction& call, uint32_t function,
                       Calls calls);

  // Adds the constants that are addresses, which are the first of the small module's. No global can
  // be added from now on.
  void AddAddresses();

  // What the functions above have made of `original`. It must have been reached or defined.
  bool HasAddress(uint32_t original) const { return addresses_.Has(original); }
  ir::Operand Address(uint32_t original) const;  // After AddAddresses.
  uint32_t Number(uint32_t original) const;      // A distance from it is left out.
  bool HasTableEntry(uint32_t original) const { return table_entries_.Has(original); }
  uint32_t TableEntry(uint32_t original) const { return table_entries_[original]; }
  bool HasBody(uint32_t original) const { return bodies_.Has(original); }
  uint32_t Body(uint32_t original) const { return bodies_[original]; }

 private:
  static constexpr uint32_t kMissing = NumberMap::kMissing;
  // The address of a declaration plus an offset, for an alias.
  struct Displaced {
    uint32_t base;  // In the small module.
    int64_t offset;
    uint32_t constant = ir::kNone;
  };

  uint32_t AddDeclaration(uint32_t original, const Reference& reference);
  uint32_t AddCopy(uint32_t original);
  void AddDisplaced();

  const ir::Module* source_ = nullptr;
  ReferenceNames* names_ = nullptr;
  ir::Module* module_ = nullptr;
  std::vector<Definition> definitions_;
  std::vector<Displaced> displaced_;
  // By original numbers: what stands for the globals in the small module.
  NumberMap addresses_;      // kDisplacedBit: a number in displaced_.
  NumberMap calls_;          // The names for direct calls.
  NumberMap table_entries_;  // The names for entries of tables.
  NumberMap bodies_;         // The functions that the small module defines.
};

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_GLOBAL_MAPPER_H_
