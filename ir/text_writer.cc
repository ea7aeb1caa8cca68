#include "ir/text_writer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "ir/global.h"
#include "ir/names.h"

namespace firstcall::ir {
namespace {

// The word for a type that contains no other type and has no number; empty for others.
absl::string_view WordOf(TypeKind kind) {
  switch (kind) {
    case TypeKind::kVoid:
      return "void";
    case TypeKind::kHalf:
      return "half";
    case TypeKind::kBFloat:
      return "bfloat";
    case TypeKind::kFloat:
      return "float";
    case TypeKind::kDouble:
      return "double";
    case TypeKind::kX86Fp80:
      return "x86_fp80";
    case TypeKind::kFp128:
      return "fp128";
    case TypeKind::kPpcFp128:
      return "ppc_fp128";
    case TypeKind::kX86Mmx:
      return "x86_mmx";
    case TypeKind::kX86Amx:
      return "x86_amx";
    case TypeKind::kLabel:
      return "label";
    case TypeKind::kMetadata:
      return "metadata";
    case TypeKind::kToken:
      return "token";
    case TypeKind::kTargetExtension:
      return "target";
    case TypeKind::kOpaqueStruct:
      return "opaque";
    default:
      return {};
  }
}

bool IsPlainName(absl::string_view name) {
  for (char c : name) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '_' && c != '$' &&
        c != '-') {
      return false;
    }
  }
  return true;
}

}  // namespace

// Each line can show some types and constants, whatever other lines have.
void TextWriter::EndLine() {
  Append("\n");
  nested_left_ = std::max(nested_left_, kLeastNestedInLine);
}

void TextWriter::AppendQuoted(absl::string_view text) {
  Append("\"", absl::CHexEscape(text), "\"");
}

void TextWriter::AppendTypes(absl::Span<const Type* const> types) {
  absl::string_view separator;
  for (const Type* type : types) {
    Append(separator);
    AppendType(type);
    separator = ", ";
  }
}

// Structures have no names in ir/, so those that have one in LLVM IR are only marked.
void TextWriter::AppendStructure(const Type& type) {
  Append(type.is_literal ? "" : "named ", type.is_packed ? "<{ " : "{ ");
  AppendTypes(type.members());
  Append(type.is_packed ? " }>" : " }");
}

void TextWriter::AppendType(const Type* type) {
  if (type == nullptr) return Append("no-type");
  const Level level(*this);
  if (!level.IsWithinBounds()) return Append("...");
  switch (type->kind) {
    case TypeKind::kInteger:
      return Append("i", type->number);
    case TypeKind::kPointer:
      Append("ptr");
      if (type->number != 0) Append(" addrspace(", type->number, ")");
      return;
    case TypeKind::kFunction:
      AppendType(type->result());
      Append(" (");
      AppendTypes(type->parameters());
      return Append(type->is_variadic ? ", ...)" : ")");
    case TypeKind::kStruct:
      return AppendStructure(*type);
    case TypeKind::kArray:
      Append("[", type->count, " x ");
      AppendType(type->element());
      return Append("]");
    case TypeKind::kFixedVector:
    case TypeKind::kScalableVector:
      Append(type->IsFixedVector() ? "<" : "<vscale x ", type->count, " x ");
      AppendType(type->element());
      return Append(">");
    default:
      return Append(WordOf(type->kind));
  }
}

void TextWriter::AppendGlobal(uint32_t global) {
  const absl::Span<const Global> globals = constants_->module().globals();
  const absl::string_view name = global < globals.size() ? globals[global].name : "";
  if (name.empty()) return Append("@#", global);
  Append("@");
  if (IsPlainName(name)) return Append(name);
  AppendQuoted(name);
}

// Integers of at most 64 bits are signed decimal numbers. Others are bits, the highest first.
void TextWriter::AppendNumber(const Constant& constant) {
  const absl::Span<const uint64_t> words = constant.words();
  if (!words.empty()) {
    Append("0x");
    for (size_t i = words.size(); i-- > 0;) Append(absl::Hex(words[i], absl::kZeroPad16));
  } else if (constant.IsInteger()) {
    Append(static_cast<int64_t>(constant.bits()));
  } else {
    Append("0x", absl::Hex(constant.bits()));
  }
}

void TextWriter::AppendExpression(const Constant& constant) {
  Append(NameOf(constant.opcode), "(");
  if (constant.opcode == Opcode::kGetElementPtr) {
    AppendType(constant.source_type());
    if (constant.count != 0) Append(", ");
  }
  AppendOperands(constant.operands());
  Append(")");
}

void TextWriter::AppendValue(const Constant& constant) {
  switch (constant.kind) {
    case ConstantKind::kInteger:
    case ConstantKind::kFloat:
      return AppendNumber(constant);
    case ConstantKind::kNull:
      return Append("null");
    case ConstantKind::kUndef:
      return Append("undef");
    case ConstantKind::kPoison:
      return Append("poison");
    case ConstantKind::kAggregate:
      Append("{ ");
      AppendOperands(constant.operands());
      return Append(" }");
    case ConstantKind::kData:
      Append("data ");
      return AppendQuoted(constant.data());
    case ConstantKind::kGlobal:
      return AppendGlobal(constant.global);
    case ConstantKind::kBlockAddress:
      Append("blockaddress(");
      AppendGlobal(constant.global);
      return Append(", bb", constant.block(), ")");
    case ConstantKind::kExpression:
      return AppendExpression(constant);
    case ConstantKind::kDsoLocalEquivalent:
      Append("dso_local_equivalent ");
      return AppendGlobal(constant.global);
    case ConstantKind::kNoCfi:
      Append("no_cfi ");
      return AppendGlobal(constant.global);
    case ConstantKind::kInlineAssembly:
      return Append("asm");
    case ConstantKind::kEmptyAssembly:
      Append("empty asm ");
      return AppendQuoted(constant.data());
    case ConstantKind::kMetadata:
      Append("metadata");
      if (constant.data().empty()) return;
      Append(" ");
      return AppendQuoted(constant.data());
    case ConstantKind::kOther:  // Not every reader knows the operands.
      return Append("other");
  }
}

void TextWriter::AppendConstant(const Constant& constant) {
  const Level level(*this);
  if (!level.IsWithinBounds()) return Append("...");
  AppendType(constant.type);
  Append(" ");
  AppendValue(constant);
}

void TextWriter::AppendOperand(Operand operand) {
  if (operand.IsNothing()) return Append("nothing");
  if (operand.IsValue()) return Append("%", operand.number());
  AppendConstant((*constants_)[operand]);
}

void TextWriter::AppendOperands(absl::Span<const Operand> operands) {
  absl::string_view separator;
  for (Operand operand : operands) {
    Append(separator);
    AppendOperand(operand);
    separator = ", ";
  }
}

// As in "result(zeroext, align=8)".
void TextWriter::AppendAttributes(absl::string_view owner, const AttributeSet& set) {
  absl::string_view separator;
  const auto begin_item = [&] {
    if (separator.empty()) Append(" ", owner, "(");
    Append(separator);
    separator = ", ";
  };
  const auto append_number = [&](absl::string_view name, uint32_t number) {
    if (number == 0) return;
    begin_item();
    Append(name, "=", number);
  };
  for (int i = 0; i < 64; ++i) {
    if ((set.kinds >> i & 1) == 0) continue;
    begin_item();
    Append(NameOf(static_cast<Attribute>(i)));
  }
  append_number("alignment", set.alignment);
  append_number("stack_alignment", set.stack_alignment);
  if (set.type != nullptr) {
    begin_item();
    Append("type=");
    AppendType(set.type);
  }
  for (const StringAttribute& attribute : set.strings) {
    begin_item();
    AppendQuoted(attribute.name);
    Append("=");
    AppendQuoted(attribute.value);
  }
  if (!separator.empty()) Append(")");
}

void TextWriter::AppendAttributes(const AttributeList& list) {
  AppendAttributes("function", list.function);
  AppendAttributes("result", list.result);
  uint64_t anywhere = list.function.kinds | list.result.kinds;
  for (size_t i = 0; i < list.parameters.size(); ++i) {
    AppendAttributes(absl::StrCat("parameter", i), list.parameters[i]);
    anywhere |= list.parameters[i].kinds;
  }
  // The text of a correct list need not say what follows from the sets.
  if (list.anywhere != anywhere) Append(" anywhere=0x", absl::Hex(list.anywhere));
}

}  // namespace firstcall::ir
