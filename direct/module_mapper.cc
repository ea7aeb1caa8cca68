// The order in which numbers are given: first all globals are found (Collect), because the
// constants of a module begin with their addresses. Complete then adds the constants that
// initializers need. Constants that only bodies need go to the bodies' own lists, as ir/from_llvm
// does it.

#include "direct/module_mapper.h"

#include <cstddef>
#include <utility>

#include "absl/types/span.h"
#include "base/status.h"
#include "direct/number_map.h"
#include "ir/constant.h"
#include "ir/instruction.h"
#include "ir/type.h"

namespace firstcall::direct {

using ir::ConstantKind;

void ModuleMapper::Begin(const ir::Module& source, ReferenceNames& names) {
  source_ = &source;
  module_ = std::make_unique<ir::Module>();
  module_->set_triple(source.triple());
  module_->set_layout(source.layout());
  module_->mutable_flags() = source.flags();
  globals_.Begin(source, names, *module_);
  constants_.Begin(source, globals_, *module_);
}

void ModuleMapper::Collect(const ir::Function& body, uint32_t function, Calls calls) {
  const uint32_t shared = static_cast<uint32_t>(source_->constants().size());
  constants_.Reach(source_->globals()[body.global_number()].personality());
  constants_.ReachOwn(body);
  for (const ir::Instruction& instruction : body.instructions) {
    absl::Span<const ir::Operand> operands = body.OperandsOf(instruction);
    if (instruction.IsCall() &&
        globals_.ReachCallee(body, instruction, function, calls) != NumberMap::kMissing) {
      operands.remove_suffix(1);
    }
    for (ir::Operand operand : operands) {
      if (operand.IsConstant() && operand.number() < shared) constants_.Reach(operand);
    }
  }
}

absl::Status ModuleMapper::Complete() {
  FIRSTCALL_RETURN_IF_ERROR(constants_.status());
  const std::vector<GlobalMapper::Definition>& definitions = globals_.definitions();
  // Tables and copies are looked at only now, because what they refer to comes behind the bodies'
  // own references. Copies that are found on the way are looked at when they are found.
  const size_t count = definitions.size();
  for (size_t i = 0; i < count; ++i) {
    const ir::Global& original = source_->globals()[definitions[i].original];
    if (original.IsVariable()) constants_.ReachInitializer(definitions[i]);
  }
  FIRSTCALL_RETURN_IF_ERROR(constants_.status());
  globals_.AddAddresses();
  for (const GlobalMapper::Definition& definition : definitions) {
    const ir::Global& original = source_->globals()[definition.original];
    ir::Global& global = module_->mutable_globals()[definition.number];
    if (original.IsFunction()) {
      module_->mutable_traits(definition.number).personality =
          constants_.Map(original.personality());
      continue;
    }
    if (definition.is_table && constants_.HasEntry(original.initializer)) {
      global.initializer = constants_.MapTable(original.initializer);
      module_->mutable_traits(definition.number).is_constant = false;
    } else {
      global.initializer = constants_.Map(original.initializer);
    }
  }
  module_->FindUsesByData();
  return constants_.status();
}

absl::Status ModuleMapper::MapBody(ir::Function& body, uint32_t function, Calls calls) {
  callees_.clear();
  for (const ir::Instruction& instruction : body.instructions) {
    if (!instruction.IsCall()) continue;
    const uint32_t target = globals_.ReachCallee(body, instruction, function, calls);
    if (target == NumberMap::kMissing) continue;
    callees_.push_back({instruction.first_operand + instruction.operand_count - 1, target});
  }
  constants_.MapBody(body);
  for (const Callee& callee : callees_) body.operands[callee.operand] = AddressOf(callee.target);
  body.MoveTo(*module_, function);
  return constants_.status();
}

}  // namespace firstcall::direct
