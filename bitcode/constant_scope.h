// Where the constants of a block CONSTANTS go, and what their operands refer to.
//
// A part of ConstantReader. Thread-compatible.

#ifndef FIRSTCALL_BITCODE_CONSTANT_SCOPE_H_
#define FIRSTCALL_BITCODE_CONSTANT_SCOPE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/constant.h"
#include "ir/function.h"
#include "ir/module.h"
#include "ir/operand.h"

namespace firstcall::bitcode {

class ConstantScope {
 public:
  // A module has fewer constants than this, and a function, too.
  static constexpr uint64_t kMostConstants = uint64_t{1} << 30;

  // From now on, constants are added to `module`. A value's number is the constant's.
  void BeginModule(ir::Module& module) {
    module_ = &module;
    function_ = nullptr;
    constants_ = &module.mutable_constants();
    shared_ = 0;
    first_value_ = 0;
    first_index_ = 0;
    highest_ = 0;
  }

  // From now on, constants are added to `function`. The values below `shared` are constants of the
  // module; the next constant is the value number `first_value`.
  void BeginFunction(uint32_t shared, uint32_t first_value, ir::Function& function) {
    module_ = nullptr;
    function_ = &function;
    constants_ = &function.constants;
    shared_ = shared;
    first_value_ = first_value;
    first_index_ = static_cast<uint32_t>(function.constants.size());
    highest_ = 0;
  }

  // The number of constants of the module, or the function.
  size_t size() const { return constants_->size(); }
  // The reference is valid until the next call.
  ir::Constant& Append() { return constants_->emplace_back(); }

  // The constant that Append has made last.
  ir::Constant& Last() { return constants_->back(); }

  // The constant that is value number `value`, or will be. False: it is no constant.
  bool Refer(uint64_t value, ir::Operand& operand) {
    if (value < shared_) {
      operand = ir::Operand::Constant(static_cast<uint32_t>(value));
      return true;
    }
    const uint64_t index = value - first_value_ + first_index_;
    if (value < first_value_ || index >= kMostConstants) return false;
    highest_ = index > highest_ ? static_cast<uint32_t>(index) : highest_;
    operand = ir::Operand::Constant(shared_ + static_cast<uint32_t>(index));
    return true;
  }
  // The highest place, among the constants of the module or the function, that Refer has returned.
  uint32_t highest() const { return highest_; }

  absl::Span<const ir::Operand> Keep(std::vector<ir::Operand> operands) {
    if (function_ == nullptr) return module_->storage().Keep(std::move(operands));
    return function_->operand_lists.emplace_back(std::move(operands));
  }
  absl::Span<const uint64_t> Keep(std::vector<uint64_t> words) {
    if (function_ == nullptr) return module_->storage().Keep(std::move(words));
    return function_->word_lists.emplace_back(std::move(words));
  }
  absl::string_view Keep(std::string data) {
    if (function_ == nullptr) return module_->storage().Keep(std::move(data));
    return function_->data.emplace_back(std::move(data));
  }

 private:
  ir::Module* module_ = nullptr;
  ir::Function* function_ = nullptr;  // Null: constants belong to the module.
  std::vector<ir::Constant>* constants_ = nullptr;
  uint32_t shared_ = 0;       // The number of constants that precede those of the function.
  uint32_t first_value_ = 0;  // Of the block.
  uint32_t first_index_ = 0;  // Of the block's first constant, among those of the function.
  uint32_t highest_ = 0;
};

}  // namespace firstcall::bitcode

#endif  // FIRSTCALL_BITCODE_CONSTANT_SCOPE_H_
