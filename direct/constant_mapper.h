// Copies of the constants of a source module for a small module that is made of pieces of it. What
// initializers need comes into the small module's list of constants, and what only a body needs
// into the body's own list, as ir/from_llvm does it.
//
// The steps: Reach functions, to find the globals that constants refer to; then, after
// GlobalMapper::AddAddresses, the Map functions.
//
// Thread-compatible. Reuse the mapper, because it keeps its memory from module to module. Tested in
// tests/direct/module_mapper_test.cc.

#ifndef FIRSTCALL_DIRECT_CONSTANT_MAPPER_H_
#define FIRSTCALL_DIRECT_CONSTANT_MAPPER_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "direct/global_mapper.h"
#include "direct/number_map.h"
#include "ir/constant.h"
#include "ir/function.h"
#include "ir/module.h"
#include "ir/operand.h"

namespace firstcall::direct {

class ConstantMapper {
 public:
  // Begins a new small module, `module`, to whose globals `globals` maps. All must outlive the work
  // on the small module.
  void Begin(const ir::Module& source, GlobalMapper& globals, ir::Module& module);

  // Unimplemented if something that was reached or mapped cannot leave its source module.
  const absl::Status& status() const { return status_; }

  // Finds the globals to which these refer:
  // - a constant of the source module, and those that the constant refers to. Other operands refer
  //   to nothing.
  void Reach(ir::Operand root);
  // - the constants that `body` has for itself.
  void ReachOwn(const ir::Function& body);
  // - the initializer of a definition. Entries of tables that get names of their own need no other
  //   names.
  void ReachInitializer(const GlobalMapper::Definition& definition);

  // Maps a constant of the source module to one of the small module's list. Other operands stay
  // what they are.
  ir::Operand Map(ir::Operand original) { return MapShared(original, 0); }
  // Maps the initializer of a table that has an entry with a name of its own (HasEntry).
  ir::Operand MapTable(ir::Operand initializer) { return MapTable(initializer, 0); }
  bool HasEntry(ir::Operand initializer) const;
  // Maps the constants that `body` has for itself, and all constants among its operands.
  void MapBody(ir::Function& body);

 private:
  void ReachConstant(const ir::Constant& constant);
  void ReachGlobal(uint32_t original);
  // Returns whether the constant has an entry with a name of its own.
  bool ReachEntries(ir::Operand initializer);

  ir::Operand MapShared(ir::Operand original, unsigned depth);
  ir::Operand MapTable(ir::Operand initializer, unsigned depth);
  ir::Operand AppendShared(const ir::Constant& original, std::vector<ir::Operand> operands);
  // The operands of a constant that `body` has for itself.
  void MapOperands(ir::Constant& constant, ir::Function& body, unsigned depth);
  ir::Operand MapOfBody(ir::Operand original, ir::Function& body, unsigned depth);
  // Makes the global that the constant names one of the small module.
  void MapGlobal(ir::Constant& constant) const;
  // Keeps the first cause.
  void Refuse(absl::string_view what);

  const ir::Module* source_ = nullptr;
  GlobalMapper* globals_ = nullptr;
  ir::Module* module_ = nullptr;
  absl::Status status_;
  std::vector<uint32_t> pending_;  // Constants to look at.
  // By the numbers of the source module's constants.
  NumberMap seen_;
  NumberMap shared_;       // Their numbers in the small module.
  NumberMap tables_;       // Of aggregates: whether they have an entry with a name of its own.
  NumberMap tables_here_;  // The numbers of those that have, in the small module.
  NumberMap of_body_;      // Their numbers in the body that is being mapped.
};

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_CONSTANT_MAPPER_H_
