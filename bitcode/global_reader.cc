#include "bitcode/global_reader.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "bitcode/global_fields.h"
#include "ir/constant.h"
#include "ir/intrinsic.h"

namespace firstcall::bitcode {
namespace {

using ir::Global;
using ir::GlobalKind;
using ir::NewGlobal;

// The names of a section that an attribute of a function can have.
constexpr absl::string_view kSectionAttribute = "implicit-section-name";
// LLVM removes spaces from the names of such sections of older files.
constexpr absl::string_view kOldObjectiveCSection = "__DATA, __objc_catlist";

// LLVM adds a member to the elements of such lists of older files.
constexpr absl::string_view kLists[] = {"llvm.global_ctors", "llvm.global_dtors"};
constexpr size_t kOldListMembers = 2;

constexpr absl::string_view kReservedPrefix = "llvm.";

constexpr uint64_t kMostConstants = uint64_t{1} << 30;
constexpr uint64_t kAddressSpaces = uint64_t{1} << 24;
constexpr uint64_t kLargeCodeModel = 5;
constexpr uint64_t kLargestConvention = 1023;
constexpr uint64_t kLargestAlignmentLog = 32;

bool IsOldList(const NewGlobal& variable) {
  if (variable.name != kLists[0] && variable.name != kLists[1]) return false;
  const ir::Type& type = *variable.traits.value_type;
  return type.IsArray() && type.element()->IsStruct() &&
         type.element()->members().size() == kOldListMembers;
}

}  // namespace

// The fields of a record. Writers leave out fields at the end that are 0.
class GlobalReader::Fields {
 public:
  Fields() = default;
  explicit Fields(absl::Span<const uint64_t> fields) : fields_(fields) {}

  size_t size() const { return fields_.size(); }
  uint64_t operator[](size_t index) const { return index < fields_.size() ? fields_[index] : 0; }

 private:
  absl::Span<const uint64_t> fields_;
};

absl::Status GlobalReader::Wrong(absl::string_view cause) const {
  return absl::InvalidArgumentError(absl::StrCat("global ", module_.globals().size(), ": ", cause));
}

absl::Status GlobalReader::Unknown(absl::string_view cause) const {
  return absl::UnimplementedError(absl::StrCat("global ", module_.globals().size(), ": ", cause));
}

// Names may overlap, so each part of the table is looked at only once.
void GlobalReader::FindZeros() {
  for (size_t place = names_.find('\0'); place != absl::string_view::npos;
       place = names_.find('\0', place + 1)) {
    zeros_.push_back(place);
  }
}

const char* GlobalReader::TakeName(uint64_t offset, uint64_t size, absl::string_view& name) const {
  if (offset > names_.size() || size > names_.size() - offset) {
    return "a name is not in the file's table of names";
  }
  name = absl::string_view(names_.data() + offset, size);
  if (zeros_.empty()) return nullptr;
  const auto zero = std::lower_bound(zeros_.begin(), zeros_.end(), offset);
  return zero != zeros_.end() && *zero - offset < size ? "a name contains a zero" : nullptr;
}

absl::Status GlobalReader::FindName(uint64_t offset, uint64_t size, absl::string_view& name) const {
  const char* const fault = TakeName(offset, size, name);
  return fault == nullptr ? absl::OkStatus() : absl::InvalidArgumentError(fault);
}

uint64_t GlobalReader::ReadRepeated(uint64_t begin) {
  RepeatedRecords::Found found;
  Global global;
  if (!repeated_.Find(begin, found) ||
      TakeName(found.name_offset, found.name_size, global.name) != nullptr ||
      module_.constants().size() != module_.globals().size()) {
    return 0;
  }
  // What an intrinsic is, its name says.
  if (absl::StartsWith(global.name, kReservedPrefix)) return 0;
  global.traits = found.traits;
  Append(global);
  return found.end;
}

void GlobalReader::NoteRecord(uint64_t begin, uint64_t end) {
  const Global& global = module_.globals().back();
  if (global.comdat != ir::kNone || global.intrinsic() != ir::IntrinsicId::kNone) return;
  repeated_.Add(begin, end, global.traits);
}

// [offset of the name, size of the name, selection]
absl::Status GlobalReader::AddComdat(absl::Span<const uint64_t> operands) {
  if (operands.size() < 3) return absl::InvalidArgumentError("a comdat's record is too short");
  FileComdat comdat;
  FIRSTCALL_RETURN_IF_ERROR(FindName(operands[0], operands[1], comdat.comdat.name));
  comdat.comdat.selection = ComdatSelectionOf(operands[2]);
  comdats_.push_back(comdat);
  return absl::OkStatus();
}

absl::Status GlobalReader::Begin(absl::Span<const uint64_t> operands, size_t least,
                                 NewGlobal& global, Fields& fields) {
  if (operands.size() < 2 + least) return Wrong("the record is too short");
  if (module_.constants().size() != module_.globals().size()) {
    return Unknown("it stands behind constants");
  }
  const absl::Status status = FindName(operands[0], operands[1], global.name);
  if (!status.ok()) return Wrong(status.message());
  fields = Fields(operands.subspan(2));
  return absl::OkStatus();
}

absl::Status GlobalReader::SetType(uint64_t type, uint64_t address_space, NewGlobal& global) {
  global.traits.value_type = types_.Find(type);
  if (global.traits.value_type == nullptr) return Wrong(absl::StrCat("there is no type ", type));
  if (address_space >= kAddressSpaces) return Wrong("it has no valid address space");
  global.traits.address_space = static_cast<uint32_t>(address_space);
  global.traits.type = types_.Pointer(global.traits.address_space, module_);
  return absl::OkStatus();
}

// What is local has the default visibility, whatever older records say.
absl::Status GlobalReader::SetLinkage(uint64_t linkage, uint64_t visibility, NewGlobal& global) {
  if (!DecodeLinkage(linkage, global.traits.linkage))
    return Unknown(absl::StrCat("linkage ", linkage));
  if (!global.traits.HasLocalLinkage()) global.traits.visibility = VisibilityOf(visibility);
  return absl::OkStatus();
}

absl::Status GlobalReader::SetAlignment(uint64_t alignment, NewGlobal& global) {
  if (alignment > kLargestAlignmentLog + 1) return Wrong("it has no valid alignment");
  if (alignment != 0) global.traits.alignment = uint64_t{1} << (alignment - 1);
  return absl::OkStatus();
}

absl::Status GlobalReader::SetSection(uint64_t section, NewGlobal& global) {
  if (section > sections_.size()) return Wrong(absl::StrCat("there is no section ", section));
  if (section == 0) return absl::OkStatus();
  global.traits.section = sections_[section - 1];
  if (absl::StartsWith(global.traits.section, kOldObjectiveCSection))
    global.traits.has_unknown = true;
  return absl::OkStatus();
}

absl::Status GlobalReader::SetComdat(uint64_t comdat, NewGlobal& global) {
  if (comdat > comdats_.size()) return Wrong(absl::StrCat("there is no comdat ", comdat));
  if (comdat == 0) return absl::OkStatus();
  FileComdat& used = comdats_[comdat - 1];
  if (used.number == ir::kNone) {
    used.number = static_cast<uint32_t>(module_.comdats().size());
    module_.mutable_comdats().push_back(used.comdat);
  }
  global.comdat = used.number;
  return absl::OkStatus();
}

void GlobalReader::SetStorageClass(uint64_t storage_class, NewGlobal& global) {
  if (global.traits.HasLocalLinkage()) return;
  if (storage_class == 1 || storage_class == 2) global.traits.has_unknown = true;
}

// A field has the value's number and 1, or 0 if there is no value.
bool GlobalReader::SetOperand(uint64_t field, ir::Operand& operand) {
  if (field > kMostConstants) return false;
  if (field != 0) operand = ir::Operand::Constant(static_cast<uint32_t>(field - 1));
  return true;
}

void GlobalReader::Append(NewGlobal& global) {
  if (IsImplicitlyDsoLocal(global.traits)) global.traits.is_dso_local = true;
  const ir::GlobalTraits*& last = last_traits_[static_cast<size_t>(global.traits.kind)];
  if (last == nullptr || !(*last == global.traits))
    last = module_.storage().AddTraits(global.traits);
  Append({global.name, last, global.comdat, global.initializer});
}

void GlobalReader::Append(const Global& global) {
  ir::Constant& address = module_.mutable_constants().emplace_back();
  address.kind = ir::ConstantKind::kGlobal;
  address.type = global.type();
  address.global = static_cast<uint32_t>(module_.globals().size());
  module_.mutable_globals().push_back(global);
}

// [type, marks and address space, initializer, linkage, alignment, section, visibility,
// thread-local mode, unnamed_addr, externally_initialized, DLL storage class, comdat, attributes,
// dso_local, partition's name (2), sanitizers, code model]
absl::Status GlobalReader::ReadVariable(absl::Span<const uint64_t> operands) {
  NewGlobal global;
  Fields fields;
  FIRSTCALL_RETURN_IF_ERROR(Begin(operands, 6, global, fields));
  global.traits.kind = GlobalKind::kVariable;
  global.traits.is_constant = (fields[1] & 1) != 0;
  if ((fields[1] & 2) == 0) return Unknown("its type is a pointer's; so the file is an old one");
  FIRSTCALL_RETURN_IF_ERROR(SetType(fields[0], fields[1] >> 2, global));
  if (IsOldList(global)) return Unknown("it is a list of constructors of an old file");
  global.traits.is_declaration = fields[2] == 0;
  if (!SetOperand(fields[2], global.initializer)) return Wrong("it has no valid initializer");
  FIRSTCALL_RETURN_IF_ERROR(SetLinkage(fields[3], fields[6], global));
  FIRSTCALL_RETURN_IF_ERROR(SetAlignment(fields[4], global));
  FIRSTCALL_RETURN_IF_ERROR(SetSection(fields[5], global));
  global.traits.thread_local_mode = ThreadLocalModeOf(fields[7]);
  global.traits.unnamed_address = UnnamedAddressOf(fields[8]);
  global.traits.is_externally_initialized = fields[9] != 0;
  SetStorageClass(fields[10], global);
  FIRSTCALL_RETURN_IF_ERROR(SetComdat(fields[11], global));
  if (fields[12] >= attributes_.size()) return Wrong("it has attributes that there are not");
  global.traits.variable_attributes = attributes_[fields[12]]->function;
  global.traits.is_dso_local = fields[13] == 1;
  // The name of a partition, sanitizers, a code model.
  if (fields[15] != 0 || fields[16] != 0 || fields[17] != 0) global.traits.has_unknown = true;
  global.traits.has_large_code_model = fields[17] == kLargeCodeModel;
  Append(global);
  return absl::OkStatus();
}

// [type, calling convention, whether there is no body, linkage, attributes, alignment, section,
// visibility, collector, unnamed_addr, prologue data, DLL storage class, comdat, prefix data,
// personality, dso_local, address space, partition's name (2)]
absl::Status GlobalReader::ReadFunction(absl::Span<const uint64_t> operands) {
  NewGlobal global;
  Fields fields;
  FIRSTCALL_RETURN_IF_ERROR(Begin(operands, 8, global, fields));
  global.traits.kind = GlobalKind::kFunction;
  FIRSTCALL_RETURN_IF_ERROR(SetFunctionType(fields, global));
  if (fields[1] > kLargestConvention) return Wrong("it has no valid calling convention");
  global.traits.convention = static_cast<ir::CallingConvention>(fields[1]);
  global.traits.is_declaration = fields[2] != 0;
  FIRSTCALL_RETURN_IF_ERROR(SetLinkage(fields[3], fields[7], global));
  FIRSTCALL_RETURN_IF_ERROR(SetAlignment(fields[5], global));
  FIRSTCALL_RETURN_IF_ERROR(SetSection(fields[6], global));
  FIRSTCALL_RETURN_IF_ERROR(SetFunctionAttributes(fields[4], global));
  if (fields[8] > collectors_.size()) return Wrong("it has a collector that there is not");
  if (fields[8] != 0) global.traits.collector = collectors_[fields[8] - 1];
  global.traits.unnamed_address = UnnamedAddressOf(fields[9]);
  SetStorageClass(fields[11], global);
  FIRSTCALL_RETURN_IF_ERROR(SetComdat(fields[12], global));
  if (!SetOperand(fields[10], global.traits.prologue_data) ||
      !SetOperand(fields[13], global.traits.prefix_data) ||
      !SetOperand(fields[14], global.traits.personality)) {
    return Wrong("it refers to no valid constant");
  }
  global.traits.is_dso_local = fields[15] == 1;
  if (fields[18] != 0) global.traits.has_unknown = true;  // The name of a partition.
  global.traits.intrinsic = ir::IntrinsicOfName(global.name);
  Append(global);
  return absl::OkStatus();
}

absl::Status GlobalReader::SetFunctionType(const Fields& fields, NewGlobal& global) {
  const uint64_t address_space =
      fields.size() > 16 ? fields[16] : module_.layout().program_address_space();
  FIRSTCALL_RETURN_IF_ERROR(SetType(fields[0], address_space, global));
  return global.traits.value_type->IsFunction() ? absl::OkStatus()
                                                : Wrong("its type is not a function's");
}

absl::Status GlobalReader::SetFunctionAttributes(uint64_t attributes, NewGlobal& global) {
  if (attributes >= attributes_.size()) return Wrong("it has attributes that there are not");
  global.traits.attributes = attributes_[attributes];
  if (!global.traits.attributes->function.HasString(kSectionAttribute)) return absl::OkStatus();
  global.traits.section = global.traits.attributes->function.ValueOf(kSectionAttribute);
  global.traits.attributes = WithoutSectionName(global.traits.attributes);
  return absl::OkStatus();
}

// The attribute says no more than Global::section.
const ir::AttributeList* GlobalReader::WithoutSectionName(const ir::AttributeList* list) {
  const ir::AttributeList*& changed = changed_lists_[list];
  if (changed != nullptr) return changed;
  ir::AttributeList* const copy = module_.storage().AddAttributes();
  *copy = *list;
  std::vector<ir::StringAttribute> strings;
  for (const ir::StringAttribute& attribute : list->function.strings) {
    if (attribute.name != kSectionAttribute) strings.push_back(attribute);
  }
  copy->function.strings = module_.storage().Keep(std::move(strings));
  return changed = copy;
}

// [type, address space, aliasee, linkage, visibility, DLL storage class, thread-local mode,
// unnamed_addr, dso_local, partition's name (2)]
absl::Status GlobalReader::ReadAlias(absl::Span<const uint64_t> operands) {
  NewGlobal global;
  Fields fields;
  FIRSTCALL_RETURN_IF_ERROR(BeginIndirect(operands, GlobalKind::kAlias, global, fields));
  SetStorageClass(fields[5], global);
  global.traits.thread_local_mode = ThreadLocalModeOf(fields[6]);
  global.traits.unnamed_address = UnnamedAddressOf(fields[7]);
  global.traits.is_dso_local = fields[8] == 1;
  if (fields[10] != 0) global.traits.has_unknown = true;
  Append(global);
  return absl::OkStatus();
}

// [type, address space, resolver, linkage, visibility, dso_local, partition's name (2)]
absl::Status GlobalReader::ReadIfunc(absl::Span<const uint64_t> operands) {
  NewGlobal global;
  Fields fields;
  FIRSTCALL_RETURN_IF_ERROR(BeginIndirect(operands, GlobalKind::kIfunc, global, fields));
  global.traits.is_dso_local = fields[5] == 1;
  if (fields[7] != 0) global.traits.has_unknown = true;
  Append(global);
  return absl::OkStatus();
}

absl::Status GlobalReader::BeginIndirect(absl::Span<const uint64_t> operands, GlobalKind kind,
                                         NewGlobal& global, Fields& fields) {
  FIRSTCALL_RETURN_IF_ERROR(Begin(operands, 4, global, fields));
  global.traits.kind = kind;
  global.traits.is_declaration = false;
  FIRSTCALL_RETURN_IF_ERROR(SetType(fields[0], fields[1], global));
  if (fields[2] >= kMostConstants || !SetOperand(fields[2] + 1, global.initializer)) {
    return Wrong("it refers to no valid constant");
  }
  return SetLinkage(fields[3], fields[4], global);
}

absl::Status GlobalReader::CheckOperands() const {
  const size_t count = module_.constants().size();
  const ir::GlobalTraits* checked = nullptr;
  for (const Global& global : module_.globals()) {
    if (global.traits == checked && global.initializer.IsNothing()) continue;
    checked = global.traits;
    for (ir::Operand operand :
         {global.initializer, global.personality(), global.prefix_data(), global.prologue_data()}) {
      if (operand.IsNothing() || operand.number() < count) continue;
      return absl::InvalidArgumentError(absl::StrCat("global ", module_.NumberOf(global),
                                                     " refers to constant ", operand.number(),
                                                     ", which there is not"));
    }
  }
  return absl::OkStatus();
}

}  // namespace firstcall::bitcode
