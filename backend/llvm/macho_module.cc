#include "backend/llvm/macho_module.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Metadata.h"
#include "llvm/MC/MCSectionMachO.h"

namespace firstcall {
namespace {

// Whether `section` is the name of a section of Mach-O, which has a segment.
bool IsMachoSection(llvm::StringRef section) {
  llvm::StringRef segment, name;
  unsigned attributes = 0, stub_size = 0;
  bool has_attributes = false;
  llvm::Error error = llvm::MCSectionMachO::ParseSectionSpecifier(
      section, segment, name, attributes, has_attributes, stub_size);
  const bool is_valid = !error;
  llvm::consumeError(std::move(error));
  return is_valid;
}

}  // namespace

MachoModule::MachoModule(llvm::Module& module) : module_(module) {
  for (llvm::GlobalObject& object : module.global_objects()) {
    object.setComdat(nullptr);
    // LLVM's own variables (llvm.used) are no part of the object.
    if (object.hasSection() && !object.isDeclaration() && !object.hasAppendingLinkage()) {
      Place(object);
    }
  }
}

MachoModule::~MachoModule() {
  for (Change& change : sections_) {
    if (auto* object = llvm::dyn_cast_or_null<llvm::GlobalObject>(change.value)) {
      object->setSection(change.before);
    }
  }
}

// As in ELF, what is of different kinds is in different sections, even if they have one name.
void MachoModule::Place(llvm::GlobalObject& object) {
  const std::string section = object.getSection().str();
  if (IsMachoSection(section)) return;
  const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&object);
  const bool is_code = variable == nullptr;
  const char* const segment = is_code                  ? "__TEXT"
                              : variable->isConstant() ? "__DATA_CONST"
                                                       : "__DATA";
  std::string& name = new_sections_[{section, segment}];
  if (name.empty()) {
    name = absl::StrCat("fc.", new_sections_.size());  // Names have at most 16 characters.
    section_names_.emplace(name, section);
  }
  sections_.push_back({llvm::WeakTrackingVH(&object), section});
  object.setSection(absl::StrCat(segment, ",", name, is_code ? ",regular,pure_instructions" : ""));
}

MachoToElfOptions MachoModule::TranslationOptions() const {
  MachoToElfOptions options;
  options.section_names = section_names_;
  // Target::CreateMachine explains why the code generator calls it by its name for another model of
  // exceptions.
  options.symbol_names.emplace("_Unwind_SjLj_Resume", "_Unwind_Resume");
  const llvm::NamedMDNode* origins = module_.getNamedMetadata("llvm.ident");
  if (origins == nullptr) return options;
  for (const llvm::MDNode* origin : origins->operands()) {
    const auto* text = llvm::dyn_cast_or_null<llvm::MDString>(
        origin->getNumOperands() == 1 ? origin->getOperand(0).get() : nullptr);
    if (text == nullptr) continue;
    if (!options.comment.empty()) options.comment += '\0';
    options.comment += text->getString();
  }
  return options;
}

}  // namespace firstcall
