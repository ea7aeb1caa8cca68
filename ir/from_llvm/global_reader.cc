#include "ir/from_llvm/global_reader.h"

#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "base/string_ref.h"
#include "ir/from_llvm/address_users.h"
#include "ir/intrinsic.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Metadata.h"
#include "llvm/Support/Casting.h"

namespace firstcall::ir {
namespace {

// The enumerations have the same order.
Linkage LinkageOf(llvm::GlobalValue::LinkageTypes linkage) { return static_cast<Linkage>(linkage); }
static_assert(static_cast<int>(Linkage::kWeakOdr) == llvm::GlobalValue::WeakODRLinkage);
static_assert(static_cast<int>(Linkage::kPrivate) == llvm::GlobalValue::PrivateLinkage);
static_assert(static_cast<int>(Linkage::kCommon) == llvm::GlobalValue::CommonLinkage);

Visibility VisibilityOf(llvm::GlobalValue::VisibilityTypes visibility) {
  return static_cast<Visibility>(visibility);
}
static_assert(static_cast<int>(Visibility::kHidden) == llvm::GlobalValue::HiddenVisibility);
static_assert(static_cast<int>(Visibility::kProtected) == llvm::GlobalValue::ProtectedVisibility);

ThreadLocalMode ModeOf(llvm::GlobalValue::ThreadLocalMode mode) {
  return static_cast<ThreadLocalMode>(mode);
}
static_assert(static_cast<int>(ThreadLocalMode::kGeneralDynamic) ==
              llvm::GlobalValue::GeneralDynamicTLSModel);
static_assert(static_cast<int>(ThreadLocalMode::kLocalExec) ==
              llvm::GlobalValue::LocalExecTLSModel);

UnnamedAddress UnnamedAddressOf(llvm::GlobalValue::UnnamedAddr address) {
  return static_cast<UnnamedAddress>(address);
}
static_assert(static_cast<int>(UnnamedAddress::kLocal) ==
              static_cast<int>(llvm::GlobalValue::UnnamedAddr::Local));
static_assert(static_cast<int>(UnnamedAddress::kGlobal) ==
              static_cast<int>(llvm::GlobalValue::UnnamedAddr::Global));

// The number of bitcode.
uint8_t SelectionOf(const llvm::Comdat& comdat) {
  switch (comdat.getSelectionKind()) {
    case llvm::Comdat::Any:
      return 1;
    case llvm::Comdat::ExactMatch:
      return 2;
    case llvm::Comdat::Largest:
      return 3;
    case llvm::Comdat::NoDeduplicate:
      return 4;
    case llvm::Comdat::SameSize:
      return 5;
  }
  return 0;
}

GlobalKind KindOf(const llvm::GlobalValue& global) {
  if (llvm::isa<llvm::Function>(global)) return GlobalKind::kFunction;
  if (llvm::isa<llvm::GlobalAlias>(global)) return GlobalKind::kAlias;
  return llvm::isa<llvm::GlobalIFunc>(global) ? GlobalKind::kIfunc : GlobalKind::kVariable;
}

// Whether the constant is an array or a structure that has addresses of blocks.
bool HasLabels(const llvm::Constant& constant) {
  llvm::SmallPtrSet<const llvm::Constant*, 8> seen;
  llvm::SmallVector<const llvm::Constant*, 8> pending = {&constant};
  while (!pending.empty()) {
    const llvm::Constant* part = pending.pop_back_val();
    if (!llvm::isa<llvm::ConstantArray>(part) && !llvm::isa<llvm::ConstantStruct>(part)) continue;
    for (const llvm::Use& operand : part->operands()) {
      if (llvm::isa<llvm::BlockAddress>(operand)) return true;
      const auto* member = llvm::cast<llvm::Constant>(operand);
      if (seen.insert(member).second) pending.push_back(member);
    }
  }
  return false;
}

}  // namespace

void GlobalReader::Read(const llvm::Module& source, Module& module) {
  module_ = &module;
  comdats_.Clear();
  NumberAll(source);
  std::vector<Global>& globals = module.mutable_globals();
  globals.reserve(sources_.size());
  for (const llvm::GlobalValue* global : sources_) globals.push_back(Convert(*global));
  FindOnlyUsers();
  ReadFlags(source);
  module.FindUsesByData();
}

// Of constant variables that may be tables of labels.
void GlobalReader::FindOnlyUsers() {
  for (uint32_t number = 0; number < sources_.size(); ++number) {
    const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(sources_[number]);
    if (variable == nullptr || !variable->isConstant() || !variable->hasInitializer()) continue;
    if (!HasLabels(*variable->getInitializer())) continue;
    const AddressUsers users = UsersOf(*variable);
    if (users.has_others) continue;
    module_->AddOnlyUser(number,
                         users.one == nullptr ? Module::kNobody : constants_.NumberOf(*users.one));
  }
}

void GlobalReader::NumberAll(const llvm::Module& source) {
  sources_.clear();
  for (const llvm::GlobalVariable& variable : source.globals()) sources_.push_back(&variable);
  for (const llvm::Function& function : source) sources_.push_back(&function);
  for (const llvm::GlobalAlias& alias : source.aliases()) sources_.push_back(&alias);
  for (const llvm::GlobalIFunc& ifunc : source.ifuncs()) sources_.push_back(&ifunc);
  module_->mutable_constants().reserve(sources_.size());
  for (const llvm::GlobalValue* global : sources_) constants_.AddGlobal(*global);
}

Global GlobalReader::Convert(const llvm::GlobalValue& source) {
  Global global;
  GlobalTraits& traits = *module_->storage().AddTraits();
  global.traits = &traits;
  traits.kind = KindOf(source);
  traits.linkage = LinkageOf(source.getLinkage());
  traits.visibility = VisibilityOf(source.getVisibility());
  traits.thread_local_mode = ModeOf(source.getThreadLocalMode());
  traits.unnamed_address = UnnamedAddressOf(source.getUnnamedAddr());
  traits.is_dso_local = source.isDSOLocal();
  traits.is_declaration = source.isDeclaration();
  traits.address_space = source.getAddressSpace();
  global.name = ToStringView(source.getName());
  traits.type = types_.TypeOf(source.getType());
  traits.value_type = types_.TypeOf(source.getValueType());
  traits.has_unknown = source.hasPartition() || source.hasSanitizerMetadata() ||
                       source.getDLLStorageClass() != llvm::GlobalValue::DefaultStorageClass;
  if (const auto* function = llvm::dyn_cast<llvm::Function>(&source)) {
    SetFunction(*function, global, traits);
  } else if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&source)) {
    SetVariable(*variable, global, traits);
  } else if (const auto* alias = llvm::dyn_cast<llvm::GlobalAlias>(&source)) {
    global.initializer = constants_.OperandOf(*alias->getAliasee());
  } else if (const auto* ifunc = llvm::dyn_cast<llvm::GlobalIFunc>(&source)) {
    global.initializer = constants_.OperandOf(*ifunc->getResolver());
  }
  return global;
}

void GlobalReader::SetFunction(const llvm::Function& source, Global& global, GlobalTraits& traits) {
  SetObject(source, global, traits);
  if (const llvm::MaybeAlign alignment = source.getAlign()) traits.alignment = alignment->value();
  // The metadata of a definition belongs to its body.
  if (source.isDeclaration()) SetMetadata(source, traits);
  traits.convention = static_cast<CallingConvention>(source.getCallingConv());
  if (source.hasName()) traits.intrinsic = IntrinsicOfName(global.name);
  traits.attributes = attributes_.ListOf(source.getAttributes());
  if (source.hasGC()) traits.collector = module_->storage().Keep(std::string(source.getGC()));
  if (source.hasPersonalityFn()) {
    traits.personality = constants_.OperandOf(*source.getPersonalityFn());
  }
  if (source.hasPrefixData()) {
    traits.prefix_data = constants_.OperandOf(*source.getPrefixData());
  }
  if (source.hasPrologueData()) {
    traits.prologue_data = constants_.OperandOf(*source.getPrologueData());
  }
}

void GlobalReader::SetVariable(const llvm::GlobalVariable& source, Global& global,
                               GlobalTraits& traits) {
  SetObject(source, global, traits);
  if (const llvm::MaybeAlign alignment = source.getAlign()) traits.alignment = alignment->value();
  SetMetadata(source, traits);
  traits.is_constant = source.isConstant();
  traits.is_externally_initialized = source.isExternallyInitialized();
  traits.has_unknown |= source.getCodeModel().has_value();
  traits.has_large_code_model = source.getCodeModel() == llvm::CodeModel::Large;
  traits.variable_attributes = attributes_.SetOf(source.getAttributes());
  if (source.hasInitializer()) global.initializer = constants_.OperandOf(*source.getInitializer());
}

// What functions and variables have.
void GlobalReader::SetObject(const llvm::GlobalObject& source, Global& global,
                             GlobalTraits& traits) {
  if (source.hasSection()) traits.section = ToStringView(source.getSection());
  if (source.hasComdat()) global.comdat = ComdatOf(*source.getComdat());
}

void GlobalReader::SetMetadata(const llvm::GlobalObject& source, GlobalTraits& traits) {
  if (!source.hasMetadata()) return;
  llvm::SmallVector<std::pair<unsigned, llvm::MDNode*>, 4> metadata;
  source.getAllMetadata(metadata);
  for (const auto& [kind, node] : metadata) {
    (kind == llvm::LLVMContext::MD_dbg ? traits.has_debug_information : traits.has_unknown) = true;
  }
}

uint32_t GlobalReader::ComdatOf(const llvm::Comdat& source) {
  if (const uint32_t* const number = comdats_.Find(&source)) return *number;
  std::vector<Comdat>& comdats = module_->mutable_comdats();
  const uint32_t number = static_cast<uint32_t>(comdats.size());
  comdats.push_back({ToStringView(source.getName()), SelectionOf(source)});
  comdats_.Insert(&source, number);
  return number;
}

// Flags whose values are numbers of at most 64 bits, or texts.
void GlobalReader::ReadFlags(const llvm::Module& source) {
  llvm::SmallVector<llvm::Module::ModuleFlagEntry, 8> flags;
  source.getModuleFlagsMetadata(flags);
  for (const llvm::Module::ModuleFlagEntry& flag : flags) {
    if (const auto* text = llvm::dyn_cast_or_null<llvm::MDString>(flag.Val)) {
      module_->mutable_flags().push_back(
          {ToStringView(flag.Key->getString()), 0, true, ToStringView(text->getString())});
      continue;
    }
    const auto* value = llvm::mdconst::dyn_extract_or_null<llvm::ConstantInt>(flag.Val);
    if (value == nullptr || value->getBitWidth() > 64) continue;
    module_->mutable_flags().push_back(
        {ToStringView(flag.Key->getString()), value->getZExtValue(), false, {}});
  }
}

}  // namespace firstcall::ir
