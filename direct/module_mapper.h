// Makes a small module in flat arrays of pieces of a source module: a function-module or a
// data-module. It does what the splitter does with modules of LLVM (splitter/reference_mapper.h):
// each global that a piece refers to becomes a declaration under the name by which the linker knows
// it, and small constants are copied.
//
// The steps: Begin; Define and Declare for what the module has by itself; Collect for each body, to
// find what the bodies refer to; Complete; then MapBody for each body.
//
// Types, attributes, names and data stay where they are, in the source module, which must outlive
// the small module.
//
// Thread-compatible. Reuse the mapper, because it keeps its memory from module to module. Tested in
// tests/direct/direct_compiler_test.cc.

#ifndef FIRSTCALL_DIRECT_MODULE_MAPPER_H_
#define FIRSTCALL_DIRECT_MODULE_MAPPER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "direct/number_map.h"
#include "ir/data_layout.h"
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

class ModuleMapper {
 public:
  // Begins a new module. `source` and `names` must outlive the work on it.
  void Begin(const ir::Module& source, ReferenceNames& names);

  // Which of the functions that the module defines a body calls straight. All other direct calls go
  // where the linker binds them.
  enum class Calls {
    kStraight,         // All of them.
    kStraightIfLater,  // Those that were defined after the body's own function.
  };

  // Adds a definition of the function `original` under `name`, which must live as long as the
  // module. Returns its number in module(). The function's address is what ReferenceNames says.
  uint32_t DefineFunction(uint32_t original, absl::string_view name);

  // Adds the definition of a variable.
  struct NewVariable {
    uint32_t original;  // Whose initializer it has.
    uint32_t known_as;  // References to this global go to the definition.
    // Entries of the initializer may be bound to bodies. A variable with such an entry becomes
    // writable.
    bool is_table = false;
  };
  uint32_t DefineVariable(const NewVariable& variable, const ir::NewGlobal& definition);

  // Adds a constant variable, which no source module has, with the addresses of `blocks` of a
  // function that the module defines, number `function`. `name` must live as long as the module.
  uint32_t DefineLabels(absl::string_view name, uint32_t function, std::vector<uint32_t> blocks);

  // Says that instructions of function number `function` of the module, and nothing else, use the
  // address of the variable number `variable`; ir::Module::kNobody: nothing does. Called in the
  // order of the variables.
  void NoteOnlyUser(uint32_t variable, uint32_t function) {
    module_->AddOnlyUser(variable, function);
  }

  // Adds a declaration that is in no source module. Its name must live as long as the module.
  uint32_t Declare(const ir::NewGlobal& declaration);
  // Keeps a copy of `name` for as long as the module lives.
  absl::string_view Keep(std::string name) { return module_->storage().Keep(std::move(name)); }

  // Finds what `body`, as it was read from the source module, refers to. `function` is its number
  // in module().
  void Collect(const ir::Function& body, uint32_t function, Calls calls);

  // Completes the module, to which nothing can be added from now on. Unimplemented for what cannot
  // leave its source module.
  absl::Status Complete();

  // Makes `body`, which was collected, a body of the module.
  absl::Status MapBody(ir::Function& body, uint32_t function, Calls calls);

  // The address of global number `global` of the module, once the module is complete.
  static ir::Operand AddressOf(uint32_t global) { return ir::Operand::Constant(global); }

  const ir::Module& module() const { return *module_; }

 private:
  static constexpr uint32_t kMissing = NumberMap::kMissing;
  struct Definition {
    uint32_t original;  // In the source module.
    uint32_t number;    // In this one.
    bool is_table;
  };
  // The address of a declaration plus an offset, for an alias.
  struct Displaced {
    uint32_t base;  // In this module.
    int64_t offset;
    uint32_t constant = ir::kNone;
  };

  // The addresses of a function's blocks, for a variable of that type.
  struct Labels {
    uint32_t variable, function;
    std::vector<uint32_t> blocks;
  };

  uint32_t AddDeclaration(uint32_t original, const Reference& reference);
  uint32_t AddCopy(uint32_t original);
  static void FillDeclaration(const ir::GlobalTraits& original, ir::GlobalTraits& declaration);
  // Looks at constant number `root` of the source module and at those that it refers to.
  void Reach(ir::Operand root);
  void ReachGlobal(uint32_t original);
  void ReachConstant(const ir::Constant& constant);
  // Returns whether the constant has an entry with a name of its own.
  bool ReachEntries(ir::Operand initializer);
  void ReachInitializer(Definition definition);
  void ReachOwn(const ir::Function& body);
  void Refuse(absl::string_view what);
  // The number in this module of what a direct call goes to; kMissing if it uses the address.
  uint32_t CallTarget(const ir::Function& body, const ir::Instruction& call, uint32_t function,
                      Calls calls);
  uint32_t TableEntry(uint32_t original);
  bool HasEntry(ir::Operand constant) const;
  bool IsStraight(uint32_t target, uint32_t caller, Calls calls) const;

  void AddAddresses();
  void AddDisplaced();
  void AddLabels(const Labels& labels);
  // Constants of the source module in this module's own list.
  ir::Operand MapShared(ir::Operand original, unsigned depth);
  ir::Operand MapTable(ir::Operand initializer, unsigned depth);
  ir::Operand AppendShared(const ir::Constant& original, std::vector<ir::Operand> operands);
  // In the list of a body.
  ir::Operand MapOfBody(ir::Operand original, ir::Function& body, unsigned depth);
  void MapOwnConstants(ir::Function& body);
  ir::Operand MappedAddress(uint32_t original) const;
  uint32_t MappedNumber(uint32_t original) const;

  const ir::Module* source_ = nullptr;
  ReferenceNames* names_ = nullptr;
  std::unique_ptr<ir::Module> module_;
  std::vector<Definition> definitions_;
  std::vector<Displaced> displaced_;
  std::vector<Labels> labels_;
  std::vector<uint32_t> pending_;  // Constants to look at.
  absl::Status status_;
  // By the numbers of the source module's globals: what stands for them in this module.
  NumberMap addresses_;      // kDisplacedBit: a number in displaced_.
  NumberMap calls_;          // The names for direct calls.
  NumberMap table_entries_;  // The names for entries of tables.
  NumberMap bodies_;         // The functions that the module defines.
  // By the numbers of the source module's constants.
  NumberMap seen_;
  NumberMap shared_;       // Their numbers in this module.
  NumberMap tables_;       // Of aggregates: whether they have an entry with a name of its own.
  NumberMap tables_here_;  // The numbers of those that have, in this module.
  NumberMap of_body_;      // Their numbers in the body that is being mapped.
  struct Callee {
    uint32_t operand;
    uint32_t target;
  };
  std::vector<Callee> callees_;  // Of the body that is being mapped.
};

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_MODULE_MAPPER_H_
