#include "direct/type_name.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace firstcall::direct {
namespace {

// A longer name is of no use to anybody.
constexpr size_t kLongest = 4096;
constexpr int kMostNested = 100;

class Writer {
 public:
  // False if there is no name.
  bool Write(const ir::Type& type, int depth) {
    if (text_.size() > kLongest || depth > kMostNested) return false;
    switch (type.kind) {
      case ir::TypeKind::kInteger:
        absl::StrAppend(&text_, "i", type.number);
        return true;
      case ir::TypeKind::kPointer:
        text_ += "ptr";
        if (type.number != 0) absl::StrAppend(&text_, " addrspace(", type.number, ")");
        return true;
      case ir::TypeKind::kStruct:
        return type.is_literal && WriteStruct(type, depth);
      case ir::TypeKind::kArray:
        return WriteElements("[", type, "]", depth);
      case ir::TypeKind::kFixedVector:
        return WriteElements("<", type, ">", depth);
      case ir::TypeKind::kScalableVector:
        return WriteElements("<vscale x ", type, ">", depth);
      default:
        return WriteWord(type.kind);
    }
  }

  std::string Take() { return std::move(text_); }

 private:
  bool WriteElements(absl::string_view begin, const ir::Type& type, absl::string_view end,
                     int depth) {
    absl::StrAppend(&text_, begin, type.count, " x ");
    if (!Write(*type.element(), depth + 1)) return false;
    absl::StrAppend(&text_, end);
    return true;
  }

  bool WriteStruct(const ir::Type& type, int depth) {
    if (type.is_packed) text_ += '<';
    text_ += type.members().empty() ? "{" : "{ ";
    absl::string_view separator;
    for (const ir::Type* member : type.members()) {
      absl::StrAppend(&text_, separator);
      separator = ", ";
      if (!Write(*member, depth + 1)) return false;
    }
    text_ += type.members().empty() ? "}" : " }";
    if (type.is_packed) text_ += '>';
    return true;
  }

  bool WriteWord(ir::TypeKind kind) {
    const absl::string_view word = WordOf(kind);
    absl::StrAppend(&text_, word);
    return !word.empty();
  }

  static absl::string_view WordOf(ir::TypeKind kind) {
    switch (kind) {
      case ir::TypeKind::kVoid:
        return "void";
      case ir::TypeKind::kHalf:
        return "half";
      case ir::TypeKind::kBFloat:
        return "bfloat";
      case ir::TypeKind::kFloat:
        return "float";
      case ir::TypeKind::kDouble:
        return "double";
      case ir::TypeKind::kX86Fp80:
        return "x86_fp80";
      case ir::TypeKind::kFp128:
        return "fp128";
      case ir::TypeKind::kPpcFp128:
        return "ppc_fp128";
      case ir::TypeKind::kX86Mmx:
        return "x86_mmx";
      case ir::TypeKind::kX86Amx:
        return "x86_amx";
      case ir::TypeKind::kLabel:
        return "label";
      case ir::TypeKind::kMetadata:
        return "metadata";
      case ir::TypeKind::kToken:
        return "token";
      default:
        return {};
    }
  }

  std::string text_;
};

}  // namespace

std::optional<std::string> TypeName(const ir::Type& type) {
  Writer writer;
  if (!writer.Write(type, 0)) return std::nullopt;
  return writer.Take();
}

}  // namespace firstcall::direct
