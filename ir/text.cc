#include "ir/text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "ir/names.h"
#include "ir/text_writer.h"

namespace firstcall::ir {
namespace {

void AppendComdat(TextWriter& writer, const Comdat& comdat) {
  writer.Append("$");
  writer.AppendQuoted(comdat.name);
  writer.Append(" selection=", comdat.selection);
}

// Ordered by name: LLVM has no order of comdats.
void AppendComdats(TextWriter& writer, const std::vector<Comdat>& comdats) {
  std::vector<Comdat> ordered = comdats;
  std::sort(ordered.begin(), ordered.end(),
            [](const Comdat& a, const Comdat& b) { return a.name < b.name; });
  for (const Comdat& comdat : ordered) {
    writer.Append("comdat ");
    AppendComdat(writer, comdat);
    writer.EndLine();
  }
}

// What distinguishes the global in a line of its own, as far as it differs from the default.
void AppendProperties(TextWriter& writer, const Global& global) {
  writer.AppendIf(global.is_declaration(), "declaration");
  writer.Append(" ", NameOf(global.linkage()));
  if (global.visibility() != Visibility::kDefault) writer.Append(" ", NameOf(global.visibility()));
  if (global.IsThreadLocal()) writer.Append(" ", NameOf(global.thread_local_mode()));
  if (global.unnamed_address() != UnnamedAddress::kNone) {
    writer.Append(" ", NameOf(global.unnamed_address()));
  }
  writer.AppendIf(global.is_dso_local(), "dso_local");
  writer.AppendIf(global.is_constant(), "constant");
  writer.AppendIf(global.is_externally_initialized(), "externally_initialized");
  writer.AppendIf(global.has_debug_information(), "debug");
  writer.AppendIf(global.has_large_code_model(), "large");
  writer.AppendIf(global.has_unknown(), "unknown");
  if (global.convention() != kConventionC) writer.Append(" cc", global.convention());
  if (global.intrinsic() != IntrinsicId::kNone) {
    writer.Append(" intrinsic=", static_cast<int>(global.intrinsic()));
  }
  if (global.address_space() != 0) writer.Append(" addrspace=", global.address_space());
  if (global.alignment() != 0) writer.Append(" align=", global.alignment());
}

void AppendNamed(TextWriter& writer, absl::string_view what, absl::string_view name) {
  if (name.empty()) return;
  writer.Append(" ", what, "=");
  writer.AppendQuoted(name);
}

void AppendOperand(TextWriter& writer, absl::string_view what, Operand operand) {
  if (operand.IsNothing()) return;
  writer.Append(" ", what, "=");
  writer.AppendOperand(operand);
}

void AppendGlobal(TextWriter& writer, const Module& module, uint32_t number) {
  const Global& global = module.globals()[number];
  writer.AppendGlobal(number);
  writer.Append(" = ", NameOf(global.kind()));
  AppendProperties(writer, global);
  writer.Append(" ");
  writer.AppendType(global.type());
  writer.Append(" to ");
  writer.AppendType(global.value_type());
  AppendNamed(writer, "section", global.section());
  AppendNamed(writer, "gc", global.collector());
  if (global.comdat != kNone) {
    writer.Append(" ");
    AppendComdat(writer, module.comdats()[global.comdat]);
  }
  if (global.attributes() != nullptr) writer.AppendAttributes(*global.attributes());
  writer.AppendAttributes("variable", global.variable_attributes());
  writer.AppendIf(module.IsUsedByData(number), "used_by_data");
  AppendOperand(writer, "personality", global.personality());
  AppendOperand(writer, "prefix", global.prefix_data());
  AppendOperand(writer, "prologue", global.prologue_data());
  AppendOperand(writer, "initializer", global.initializer);
  writer.EndLine();
}

// Writes the instructions of one function.
class BodyWriter {
 public:
  BodyWriter(const Function& function, TextWriter& writer) : function_(function), writer_(writer) {}

  void Write();

 private:
  void AppendBlock(uint32_t number);
  void AppendInstruction(uint32_t number, uint32_t block);
  // What `code` means: the comparison, or the atomic operation.
  void AppendCode(const Instruction& instruction);
  void AppendFlags(const Instruction& instruction);
  void AppendOrdering(const Instruction& instruction);
  void AppendAlignment(const Instruction& instruction);
  void AppendCall(const Instruction& instruction);
  void AppendTargets(const Instruction& instruction);
  // How often the value is used.
  void AppendUses(uint32_t value);
  // What the arrays repeat and correct arrays say alike: appended only if they do not.
  void AppendContradictions(uint32_t number, uint32_t block);
  // What no block has: appended only if there is something.
  void AppendUnreached();

  const Function& function_;
  TextWriter& writer_;
};

void BodyWriter::Write() {
  writer_.Append("function ");
  writer_.AppendGlobal(function_.global_number());
  writer_.Append(": ");
  writer_.AppendType(function_.global().value_type());
  writer_.AppendIf(function_.has_debug_information, "debug");
  writer_.AppendIf(function_.has_unknown, "unknown");
  writer_.EndLine();
  for (uint32_t value = 0; value < function_.argument_count(); ++value) {
    writer_.Append("%", value, " = argument ");
    writer_.AppendType(function_.values[value].type);
    AppendUses(value);
    const uint32_t definition = function_.values[value].instruction;
    if (definition != kNone) writer_.Append(" ; definition=", definition);
    writer_.EndLine();
  }
  for (uint32_t block = 0; block < function_.blocks.size(); ++block) AppendBlock(block);
  AppendUnreached();
}

void BodyWriter::AppendBlock(uint32_t number) {
  const Block& block = function_.blocks[number];
  writer_.Append("bb", number, ":", block.has_address_taken ? " address_taken\n" : "\n");
  for (uint32_t i = 0; i < block.instruction_count; ++i) {
    AppendInstruction(block.first_instruction + i, number);
  }
}

void BodyWriter::AppendInstruction(uint32_t number, uint32_t block) {
  const Instruction& instruction = function_.instructions[number];
  writer_.Append("  ", number, ": ");
  if (instruction.value != kNone) writer_.Append("%", instruction.value, " = ");
  writer_.Append(NameOf(instruction.opcode));
  AppendCode(instruction);
  AppendFlags(instruction);
  AppendOrdering(instruction);
  AppendAlignment(instruction);
  writer_.Append(" ");
  writer_.AppendType(instruction.type);
  if (instruction.source_type != nullptr) {
    writer_.Append(" of ");
    writer_.AppendType(instruction.source_type);
  }
  if (instruction.call != kNone && instruction.operand_count != 0) {
    AppendCall(instruction);
  } else if (instruction.operand_count != 0) {
    writer_.Append(" ");
    writer_.AppendOperands(function_.OperandsOf(instruction));
  }
  AppendTargets(instruction);
  if (instruction.value != kNone) AppendUses(instruction.value);
  AppendContradictions(number, block);
  writer_.EndLine();
}

void BodyWriter::AppendCode(const Instruction& instruction) {
  const Opcode opcode = instruction.opcode;
  if (opcode == Opcode::kICmp || opcode == Opcode::kFCmp) {
    writer_.Append(" ", NameOf(instruction.predicate()));
  } else if (opcode == Opcode::kAtomicRmw) {
    writer_.Append(" ", NameOf(instruction.operation()));
  } else if (instruction.code != 0) {
    writer_.Append(" code=", instruction.code);
  }
}

void BodyWriter::AppendFlags(const Instruction& instruction) {
  writer_.AppendIf(instruction.is_volatile, "volatile");
  writer_.AppendIf(instruction.is_inbounds, "inbounds");
  writer_.AppendIf(instruction.is_cleanup, "cleanup");
  writer_.AppendIf(instruction.is_inalloca, "inalloca");
  writer_.AppendIf(instruction.is_swift_error, "swifterror");
  writer_.AppendIf(instruction.no_signed_wrap, "nsw");
  writer_.AppendIf(instruction.no_unsigned_wrap, "nuw");
  writer_.AppendIf(instruction.is_exact, "exact");
  writer_.AppendIf(instruction.is_weak, "weak");
  writer_.AppendIf(instruction.has_unknown, "unknown");
  writer_.AppendIf(instruction.is_strict, "strict");
  writer_.AppendIf(instruction.is_signaling, "signaling");
  if (instruction.fast_math != 0) writer_.Append(" fast=0x", absl::Hex(instruction.fast_math));
}

void BodyWriter::AppendOrdering(const Instruction& instruction) {
  writer_.AppendIf(instruction.is_singlethread, "singlethread");
  writer_.AppendIf(instruction.has_other_scope, "other_scope");
  if (instruction.ordering != 0) {
    writer_.Append(" ", NameOf(static_cast<Ordering>(instruction.ordering)));
  }
  if (instruction.failure_ordering != 0) {
    writer_.Append(" failure=", NameOf(static_cast<Ordering>(instruction.failure_ordering)));
  }
}

void BodyWriter::AppendAlignment(const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::kLoad:
    case Opcode::kStore:
    case Opcode::kAlloca:
    case Opcode::kAtomicRmw:
    case Opcode::kCmpXchg:
      return writer_.Append(" align=2^", instruction.alignment_log);
    default:
      if (instruction.alignment_log != 0) writer_.Append(" align=2^", instruction.alignment_log);
  }
}

// As in "cc8 tail callee(arguments) as i32 (ptr, ...)" and the attributes.
void BodyWriter::AppendCall(const Instruction& instruction) {
  const Call& call = function_.CallOf(instruction);
  if (call.convention != kConventionC) writer_.Append(" cc", call.convention);
  writer_.AppendIf(call.is_tail, "tail");
  writer_.AppendIf(call.is_must_tail, "musttail");
  writer_.AppendIf(call.is_no_tail, "notail");
  writer_.AppendIf(call.has_bundles, "bundles");
  writer_.Append(" ");
  writer_.AppendOperand(function_.CalleeOf(instruction));
  writer_.Append("(");
  const absl::Span<const Operand> operands = function_.OperandsOf(instruction);
  writer_.AppendOperands(operands.first(operands.size() - 1));
  writer_.Append(") as ");
  writer_.AppendType(call.function_type);
  if (call.argument_count + 1 != instruction.operand_count) {
    writer_.Append(" arguments=", call.argument_count);
  }
  if (call.attributes != nullptr) writer_.AppendAttributes(*call.attributes);
}

void BodyWriter::AppendTargets(const Instruction& instruction) {
  const absl::Span<const uint32_t> targets = function_.TargetsOf(instruction);
  if (targets.empty()) return;
  absl::string_view separator = " to ", prefix = "bb";
  switch (instruction.opcode) {
    case Opcode::kExtractValue:
    case Opcode::kInsertValue:
      separator = " at ";
      prefix = "";
      break;
    case Opcode::kLandingPad:
      separator = " kinds ";
      prefix = "";
      break;
    case Opcode::kPhi:
      separator = " from ";
      break;
    default:
      break;
  }
  for (uint32_t target : targets) {
    writer_.Append(separator, prefix, target);
    separator = ", ";
  }
}

void BodyWriter::AppendUses(uint32_t number) {
  const Value& value = function_.values[number];
  writer_.Append(" ; ", value.uses, value.uses == 1 ? " use" : " uses");
  if (value.first_user != kNone || value.last_user != kNone) {
    writer_.Append(" in ", value.first_user, "..", value.last_user);
  }
}

void BodyWriter::AppendContradictions(uint32_t number, uint32_t block) {
  const Instruction& instruction = function_.instructions[number];
  if (instruction.block != block) writer_.Append(" ; block=", instruction.block);
  if (instruction.value == kNone) return;
  const Value& value = function_.values[instruction.value];
  if (value.instruction != number) writer_.Append(" ; definition=", value.instruction);
  if (value.type == instruction.type) return;
  writer_.Append(" ; type=");
  writer_.AppendType(value.type);
}

void BodyWriter::AppendUnreached() {
  size_t instructions = 0, values = function_.argument_count();
  for (const Block& block : function_.blocks) {
    instructions += block.instruction_count;
    for (const Instruction& instruction : function_.InstructionsOf(block)) {
      if (instruction.value != kNone) ++values;
    }
  }
  if (instructions != function_.instructions.size()) {
    writer_.Append("; instructions=", function_.instructions.size(), "\n");
  }
  if (values != function_.values.size()) {
    writer_.Append("; values=", function_.values.size(), "\n");
  }
}

}  // namespace

std::string TextOf(const Module& module) {
  const Constants constants(module);
  TextWriter writer(&constants);
  writer.Append("triple ");
  writer.AppendQuoted(module.triple());
  writer.Append("\nprefix=", static_cast<int>(module.layout().symbol_prefix()),
                " alloca_addrspace=", module.layout().alloca_address_space(),
                " program_addrspace=", module.layout().program_address_space(), "\n");
  if (module.has_assembly()) writer.Append("assembly\n");
  for (const ModuleFlag& flag : module.flags()) {
    writer.Append("flag ");
    writer.AppendQuoted(flag.name);
    if (flag.is_text) {
      writer.Append(" = ");
      writer.AppendQuoted(flag.text);
      writer.Append("\n");
    } else {
      writer.Append(" = ", flag.value, "\n");
    }
  }
  AppendComdats(writer, module.comdats());
  for (uint32_t i = 0; i < module.globals().size(); ++i) AppendGlobal(writer, module, i);
  return writer.Take();
}

std::string TextOf(const Function& function) {
  const Constants constants = function.all_constants();
  TextWriter writer(&constants);
  BodyWriter(function, writer).Write();
  return writer.Take();
}

std::string TextOf(const Type& type) {
  TextWriter writer(nullptr);
  writer.AppendType(&type);
  return writer.Take();
}

}  // namespace firstcall::ir
