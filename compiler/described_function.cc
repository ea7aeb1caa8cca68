#include "compiler/described_function.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "llvm/ADT/APInt.h"
#include "llvm/IR/Argument.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Casting.h"

namespace firstcall {
namespace {

using baseline::CodeMap;
using baseline::UnwindRow;
using Variable = DescribedCode::Variable;

// A variable in a function, or in one that was inlined.
using Variables = std::pair<const llvm::DILocalVariable*, const llvm::DILocation*>;

Variables VariableOf(const llvm::DbgVariableRecord& record) {
  return {record.getVariable(), record.getDebugLoc().getInlinedAt()};
}

// Whether two records are about the same bits of their variable, which is the same one.
bool AreOfOnePart(const llvm::DbgVariableRecord& a, const llvm::DbgVariableRecord& b) {
  const auto of_a = a.getExpression()->getFragmentInfo();
  const auto of_b = b.getExpression()->getFragmentInfo();
  return !of_a || !of_b || llvm::DIExpression::fragmentCmp(*of_a, *of_b) == 0;
}

// Whether the record says where in memory the variable is: it was declared there, or a store to its
// memory belongs to the record.
bool IsInMemory(const llvm::DbgVariableRecord& record) {
  using Type = llvm::DbgVariableRecord::LocationType;
  if (record.getType() == Type::Declare) return true;
  return record.getType() == Type::Assign && !record.isKillAddress() &&
         !llvm::at::getAssignmentInsts(&record).empty();
}

// The only value, or address, of the record; null if there are several, or none.
const llvm::Value* ValueOf(const llvm::DbgVariableRecord& record) {
  if (record.getType() == llvm::DbgVariableRecord::LocationType::Assign && IsInMemory(record)) {
    return record.getAddress();
  }
  if (record.isKillLocation() || record.getNumVariableLocationOps() != 1 || record.hasArgList()) {
    return nullptr;
  }
  return record.getVariableLocationOp(0);
}

// What is to be applied to this value, or address; null if that cannot be said.
const llvm::DIExpression* ExpressionOf(const llvm::DbgVariableRecord& record) {
  const llvm::DIExpression* const expression = record.getExpression();
  if (record.getType() != llvm::DbgVariableRecord::LocationType::Assign || !IsInMemory(record)) {
    return expression;
  }
  const auto fragment = expression->getFragmentInfo();
  if (!fragment) return record.getAddressExpression();
  return llvm::DIExpression::createFragmentExpression(record.getAddressExpression(),
                                                      static_cast<unsigned>(fragment->OffsetInBits),
                                                      static_cast<unsigned>(fragment->SizeInBits))
      .value_or(nullptr);
}

llvm::MCCFIInstruction RuleOf(const UnwindRow& row) {
  using Kind = UnwindRow::Kind;
  switch (row.kind) {
    case Kind::kFrame:
      return llvm::MCCFIInstruction::cfiDefCfa(nullptr, row.reg, row.value);
    case Kind::kFrameOffset:
      return llvm::MCCFIInstruction::cfiDefCfaOffset(nullptr, row.value);
    case Kind::kFrameRegister:
      return llvm::MCCFIInstruction::createDefCfaRegister(nullptr, row.reg);
    case Kind::kSaved:
      return llvm::MCCFIInstruction::createOffset(nullptr, row.reg, -static_cast<int>(row.value));
    case Kind::kRestored:
      return llvm::MCCFIInstruction::createRestore(nullptr, row.reg);
    case Kind::kRemember:
      return llvm::MCCFIInstruction::createRememberState(nullptr);
    case Kind::kRestore:
      return llvm::MCCFIInstruction::createRestoreState(nullptr);
    case Kind::kSignsReturnAddress:
      break;
  }
  return llvm::MCCFIInstruction::createNegateRAState(nullptr);
}

// Where a variable is that has a value at `location`.
void SetPlace(const CodeMap::Location& location, bool is_declared, Variable& variable) {
  using Kind = CodeMap::Location::Kind;
  variable.reg = location.reg;
  variable.place = location.offset;
  switch (location.kind) {
    case Kind::kNowhere:
      variable.kind = Variable::Kind::kUnknown;
      break;
    case Kind::kRegister:
      // A declared variable is where its value points to.
      variable.kind = is_declared ? Variable::Kind::kAddress : Variable::Kind::kInRegister;
      variable.place = 0;
      break;
    case Kind::kMemory:
      variable.kind = is_declared ? Variable::Kind::kUnknown : Variable::Kind::kInMemory;
      break;
    case Kind::kVariable:
      variable.kind = is_declared && IsWholeOrFragment(*variable.expression)
                          ? Variable::Kind::kInRegister
                          : Variable::Kind::kUnknown;
      break;
    case Kind::kAddressOf:
      variable.kind = is_declared ? Variable::Kind::kAddress : Variable::Kind::kUnknown;
      break;
  }
}

}  // namespace

DescribedFunction::DescribedFunction(const llvm::Function& function) {
  uint32_t value = 0;
  for (const llvm::Argument& argument : function.args()) numbers_[&argument] = value++;
  for (const llvm::BasicBlock& block : function) {
    for (const llvm::Instruction& instruction : block) {
      const auto number = static_cast<uint32_t>(instructions_.size());
      for (const llvm::DbgVariableRecord& record :
           llvm::filterDbgVars(instruction.getDbgRecordRange())) {
        Assignment assignment = {&record, number, ValueOf(record), ExpressionOf(record),
                                 IsInMemory(record)};
        FollowAddress(assignment, function.getParent()->getDataLayout());
        assignments_.push_back(assignment);
      }
      instructions_.push_back(&instruction);
      if (!instruction.getType()->isVoidTy()) numbers_[&instruction] = value++;
    }
  }
  FindOthers();
}

// Which assignments are about the same part of a variable.
void DescribedFunction::FindOthers() {
  std::map<Variables, std::vector<Assignment*>> variables;
  for (Assignment& assignment : assignments_) {
    std::vector<Assignment*>& others = variables[VariableOf(*assignment.record)];
    for (Assignment* other : others) {
      if (!AreOfOnePart(*other->record, *assignment.record)) continue;
      const bool says_the_same = other->is_in_memory && assignment.is_in_memory &&
                                 other->value == assignment.value &&
                                 other->expression == assignment.expression;
      other->is_only &= says_the_same;
      assignment.is_only &= says_the_same;
      const bool is_in_block = instructions_[other->instruction]->getParent() ==
                               instructions_[assignment.instruction]->getParent();
      if (is_in_block && !other->next) other->next = assignment.instruction;
    }
    others.push_back(&assignment);
  }
}

// A member of a variable is where the variable is. The member's own address may never be computed.
void DescribedFunction::FollowAddress(Assignment& assignment, const llvm::DataLayout& layout) {
  if (assignment.expression == nullptr) {
    assignment.value = nullptr;
    assignment.expression = assignment.record->getExpression();
  }
  if (assignment.value == nullptr || !assignment.is_in_memory) return;
  llvm::APInt offset(layout.getIndexTypeSizeInBits(assignment.value->getType()), 0);
  assignment.value = assignment.value->stripAndAccumulateConstantOffsets(layout, offset,
                                                                         /*AllowNonInbounds=*/true);
  assignment.expression = llvm::DIExpression::prepend(
      assignment.expression, llvm::DIExpression::ApplyOffset, offset.getSExtValue());
}

std::vector<uint32_t> DescribedFunction::WatchedValues() const {
  std::vector<uint32_t> values;
  for (const Assignment& assignment : assignments_) {
    const auto number = numbers_.find(assignment.value);
    if (number != numbers_.end()) values.push_back(number->second);
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

std::vector<DescribedCode::Line> DescribedFunction::DescribeLines(const CodeMap& map) const {
  std::vector<DescribedCode::Line> lines;
  const llvm::DILocation* last = nullptr;
  for (const CodeMap::Place& place : map.places) {
    const llvm::DebugLoc& location = instructions_[place.instruction]->getDebugLoc();
    if (!location || location.get() == last) continue;
    last = location.get();
    lines.push_back({place.offset, location});
  }
  return lines;
}

DescribedCode DescribedFunction::Describe(const CodeMap& map) const {
  DescribedCode code;
  code.size = map.size;
  code.lines = DescribeLines(map);
  std::vector<std::optional<uint32_t>> offsets(instructions_.size());
  for (const CodeMap::Place& place : map.places) offsets[place.instruction] = place.offset;
  // The code in front of the body is the prologue, which has no line of its own.
  const uint32_t body = map.places.empty() ? map.size : map.places.front().offset;
  llvm::DenseMap<uint32_t, std::vector<const CodeMap::Change*>> changes;
  for (const CodeMap::Change& change : map.changes) changes[change.value].push_back(&change);

  // Instructions without code of their own: what follows them in their block.
  std::vector<uint32_t> ends(instructions_.size(), map.size);  // Of the instruction's block.
  uint32_t next = map.size;
  for (size_t i = instructions_.size(); i-- > 0;) {
    if (instructions_[i]->isTerminator()) {
      // The block ends where the place behind that of its terminator begins.
      next = map.size;
      if (offsets[i]) {
        const auto behind = std::upper_bound(
            map.places.begin(), map.places.end(), *offsets[i],
            [](uint32_t offset, const CodeMap::Place& place) { return offset < place.offset; });
        if (behind != map.places.end()) next = behind->offset;
        ends[i] = next;
        next = *offsets[i];
      }
    } else {
      ends[i] = ends[i + 1];
    }
    if (offsets[i]) next = *offsets[i];
    offsets[i] = next;
  }

  std::vector<Variable> ends_of_ranges;
  for (const Assignment& assignment : assignments_) {
    const llvm::DbgVariableRecord& record = *assignment.record;
    const bool is_declared = assignment.is_in_memory;
    const uint32_t begin =
        is_declared && assignment.is_only ? body : *offsets[assignment.instruction];
    uint32_t end = map.size;
    if (!assignment.is_only) {
      end = ends[assignment.instruction];
      if (assignment.next) end = std::min(end, *offsets[*assignment.next]);
    }
    if (begin >= end) continue;
    Variable variable;
    variable.offset = begin;
    variable.variable = record.getVariable();
    variable.expression = assignment.expression;
    variable.location = record.getDebugLoc().get();
    const llvm::Value* const value = assignment.value;
    const auto* constant = llvm::dyn_cast_or_null<llvm::ConstantInt>(value);
    const auto number = numbers_.find(value);
    if (constant != nullptr && constant->getBitWidth() <= 64 && !is_declared) {
      variable.kind = Variable::Kind::kConstant;
      variable.place = constant->getSExtValue();
    } else if (number != numbers_.end()) {
      // Where the value is at first, and where it goes.
      for (const CodeMap::Change* change : changes.lookup(number->second)) {
        if (change->offset >= end) break;
        if (change->offset > begin) {
          code.variables.push_back(variable);
          variable.offset = change->offset;
        }
        SetPlace(change->location, is_declared, variable);
      }
    }
    code.variables.push_back(variable);
    if (end == map.size) continue;
    variable.offset = end;
    variable.kind = Variable::Kind::kUnknown;
    ends_of_ranges.push_back(variable);
  }
  // Where a range ends and another one begins, the end comes first.
  code.variables.insert(code.variables.begin(), ends_of_ranges.begin(), ends_of_ranges.end());
  std::stable_sort(code.variables.begin(), code.variables.end(),
                   [](const Variable& a, const Variable& b) { return a.offset < b.offset; });
  for (const UnwindRow& row : map.unwind) code.unwind.push_back({row.offset, RuleOf(row)});
  return code;
}

}  // namespace firstcall
