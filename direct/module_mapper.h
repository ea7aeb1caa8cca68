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
// tests/direct/module_mapper_test.cc.

#ifndef FIRSTCALL_DIRECT_MODULE_MAPPER_H_
#define FIRSTCALL_DIRECT_MODULE_MAPPER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "direct/constant_mapper.h"
#include "direct/global_mapper.h"
#include "ir/function.h"
#include "ir/global.h"
#include "ir/module.h"
#include "ir/operand.h"

namespace firstcall::direct {

class ModuleMapper {
 public:
  // Begins a new module. `source` and `names` must outlive the work on it.
  void Begin(const ir::Module& source, ReferenceNames& names);

  using Calls = GlobalMapper::Calls;

  // Adds a definition of the function `original` under `name`, which must live as long as the
  // module. Returns its number in module(). The function's address is what ReferenceNames says.
  uint32_t DefineFunction(uint32_t original, absl::string_view name, bool is_near) {
    return globals_.DefineFunction(original, name, is_near);
  }

  // Adds the definition of a variable.
  struct NewVariable {
    uint32_t original;  // Whose initializer it has.
    uint32_t known_as;  // References to this global go to the definition.
    // Entries of the initializer may be bound to bodies. A variable with such an entry becomes
    // writable.
    bool is_table = false;
  };
  uint32_t DefineVariable(const NewVariable& variable, const ir::NewGlobal& definition) {
    return globals_.DefineVariable(variable.original, variable.known_as, variable.is_table,
                                   definition);
  }

  // Says that instructions of function number `function` of the module, and nothing else, use the
  // address of the variable number `variable`; ir::Module::kNobody: nothing does. Called in the
  // order of the variables.
  void NoteOnlyUser(uint32_t variable, uint32_t function) {
    module_->AddOnlyUser(variable, function);
  }

  // Adds a declaration that is in no source module. Its name must live as long as the module.
  uint32_t Declare(const ir::NewGlobal& declaration) { return globals_.Declare(declaration); }
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
  // Of a call in the body that is being mapped.
  struct Callee {
    uint32_t operand;  // Its place among the body's operands.
    uint32_t target;
  };

  const ir::Module* source_ = nullptr;
  std::unique_ptr<ir::Module> module_;
  GlobalMapper globals_;
  ConstantMapper constants_;
  std::vector<Callee> callees_;
};

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_MODULE_MAPPER_H_
