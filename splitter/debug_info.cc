#include "splitter/debug_info.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace firstcall {
namespace {

constexpr char kCompileUnits[] = "llvm.dbg.cu";

// A unit with empty lists, only to be named: see the header.
llvm::DICompileUnit* MakeEmptyUnit(const llvm::DICompileUnit& like) {
  return llvm::DICompileUnit::getDistinct(
      like.getContext(), like.getSourceLanguage(), like.getFile(), like.getProducer(),
      like.isOptimized(), like.getFlags(), like.getRuntimeVersion(), like.getSplitDebugFilename(),
      like.getEmissionKind(), /*EnumTypes=*/nullptr, /*RetainedTypes=*/nullptr,
      /*GlobalVariables=*/nullptr, /*ImportedEntities=*/nullptr, /*Macros=*/nullptr,
      /*DWOId=*/0, like.getSplitDebugInlining(), like.getDebugInfoForProfiling(),
      like.getNameTableKind(), like.getRangesBaseAddress(), like.getSysRoot(), like.getSDK());
}

// A unit of a function of which only lines are known.
llvm::DICompileUnit* MakeLinesUnit(const llvm::DICompileUnit& like, llvm::DIFile& file) {
  return llvm::DICompileUnit::getDistinct(
      like.getContext(), like.getSourceLanguage(), &file, /*Producer=*/nullptr, like.isOptimized(),
      /*Flags=*/nullptr, /*RuntimeVersion=*/0, /*SplitDebugFilename=*/nullptr,
      static_cast<unsigned>(llvm::DICompileUnit::LineTablesOnly), /*EnumTypes=*/nullptr,
      /*RetainedTypes=*/nullptr, /*GlobalVariables=*/nullptr, /*ImportedEntities=*/nullptr,
      /*Macros=*/nullptr, /*DWOId=*/0,
      /*SplitDebugInlining=*/true, /*DebugInfoForProfiling=*/false,
      static_cast<unsigned>(llvm::DICompileUnit::DebugNameTableKind::None),
      /*RangesBaseAddress=*/false, /*SysRoot=*/nullptr, /*SDK=*/nullptr);
}

// Whether MakeLinesUnit has made the unit. Front ends name themselves as the producer.
bool HasLinesOnly(const llvm::DICompileUnit& unit) {
  return unit.getEmissionKind() == llvm::DICompileUnit::LineTablesOnly &&
         unit.getRawProducer() == nullptr;
}

// Null if it is not known. In damaged metadata, operands may be anything.
llvm::DIFile* FileOf(const llvm::DIScope* scope) {
  return scope == nullptr ? nullptr : llvm::dyn_cast_or_null<llvm::DIFile>(scope->getRawFile());
}

bool IsAddress(const llvm::Value* value) {
  return llvm::isa_and_nonnull<llvm::Constant>(value) && !llvm::isa<llvm::ConstantData>(value);
}

// If a variable's value is a symbol's address, debug information would refer to that symbol, but
// only the linker of code resolves symbols. Debuggers show the value as optimized out instead.
// The types of a damaged body may be wrong, so that something uses the result.
bool IsDebugCall(const llvm::Instruction& instruction) {
  return llvm::isa<llvm::DbgInfoIntrinsic>(instruction) && instruction.use_empty();
}

template <typename Record>
void DropSymbolAddresses(Record& record) {
  if (llvm::any_of(record.location_ops(), IsAddress)) record.setKillLocation();
}

}  // namespace

void CarryDebugInfo(ModuleView& view, llvm::Function& function, bool may_be_dropped) {
  const llvm::DISubprogram* subprogram = function.getSubprogram();
  if (subprogram == nullptr || subprogram->getUnit() == nullptr) return;
  llvm::NamedMDNode* units = function.getParent()->getOrInsertNamedMetadata(kCompileUnits);
  if (units->getNumOperands() == 0) units->addOperand(MakeEmptyUnit(*subprogram->getUnit()));
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    for (llvm::DbgVariableRecord& record : llvm::filterDbgVars(instruction.getDbgRecordRange())) {
      DropSymbolAddresses(record);
    }
    if (auto* intrinsic = llvm::dyn_cast<llvm::DbgVariableIntrinsic>(&instruction)) {
      DropSymbolAddresses(*intrinsic);
    }
  }
  view.debug_types().DeclareKnown(function);  // More may be known than when the body was read.
  if (!may_be_dropped) view.debug_types().NoteDefined(function);
}

void CarryDebugInfoOfVariables(ModuleView& view, llvm::Module& data_module) {
  llvm::NamedMDNode* units = view.module().getNamedMetadata(kCompileUnits);
  if (units == nullptr) return;
  llvm::NamedMDNode* carried = data_module.getOrInsertNamedMetadata(kCompileUnits);
  for (llvm::MDNode* unit : units->operands()) carried->addOperand(unit);
}

void DropDebugInfo(llvm::Function& function) {
  if (!function.hasMetadata(llvm::LLVMContext::MD_dbg)) return;
  function.eraseMetadata(llvm::LLVMContext::MD_dbg);
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    instruction.dropDbgRecords();
    if (IsDebugCall(instruction)) {
      instruction.eraseFromParent();
      continue;
    }
    instruction.setDebugLoc(llvm::DebugLoc());
    if (instruction.hasMetadataOtherThanDebugLoc()) {
      instruction.setMetadata(llvm::LLVMContext::MD_DIAssignID, nullptr);
    }
  }
}

void ReduceToLines(llvm::Function& function) {
  const llvm::DISubprogram* const whole = function.getSubprogram();
  if (whole == nullptr) return;
  const auto* const unit = llvm::dyn_cast_or_null<llvm::DICompileUnit>(whole->getRawUnit());
  llvm::DIFile* const file = FileOf(whole);
  if (unit == nullptr || file == nullptr) return DropDebugInfo(function);
  if (HasLinesOnly(*unit)) return;
  llvm::LLVMContext& context = function.getContext();
  auto* const reduced = llvm::DISubprogram::getDistinct(
      context, /*Scope=*/file, /*Name=*/function.getName(), /*LinkageName=*/"", file,
      whole->getLine(),
      llvm::DISubroutineType::get(context, llvm::DINode::FlagZero, /*CC=*/0, nullptr),
      whole->getScopeLine(), /*ContainingType=*/nullptr, /*VirtualIndex=*/0, /*ThisAdjustment=*/0,
      llvm::DINode::FlagZero, llvm::DISubprogram::SPFlagDefinition, MakeLinesUnit(*unit, *file));
  function.setSubprogram(reduced);
  const auto reduce = [&](const llvm::DILocation& location) -> llvm::DILocation* {
    llvm::DIFile* const of_location =
        FileOf(llvm::dyn_cast_or_null<llvm::DILocalScope>(location.getRawScope()));
    if (of_location == nullptr) return nullptr;
    llvm::DILocalScope* scope = reduced;
    if (of_location != file) {
      scope = llvm::DILexicalBlockFile::get(context, reduced, of_location, /*Discriminator=*/0);
    }
    return llvm::DILocation::get(context, location.getLine(), location.getColumn(), scope);
  };
  const auto drop_location = [](llvm::Metadata* node) -> llvm::Metadata* {
    return llvm::isa_and_nonnull<llvm::DILocation>(node) ? nullptr : node;
  };
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    instruction.dropDbgRecords();
    if (IsDebugCall(instruction)) {
      instruction.eraseFromParent();
      continue;
    }
    if (const llvm::DILocation* const location = instruction.getDebugLoc()) {
      instruction.setDebugLoc(reduce(*location));
    }
    if (!instruction.hasMetadataOtherThanDebugLoc()) continue;
    instruction.setMetadata(llvm::LLVMContext::MD_DIAssignID, nullptr);
    llvm::updateLoopMetadataDebugLocations(instruction, drop_location);
  }
}

void DropDebugInfo(llvm::GlobalVariable& variable) {
  variable.eraseMetadata(llvm::LLVMContext::MD_dbg);
}

void DropDebugInfo(llvm::Module& module) {
  if (llvm::NamedMDNode* units = module.getNamedMetadata(kCompileUnits)) units->eraseFromParent();
  for (llvm::Function& function : module) DropDebugInfo(function);
  for (llvm::GlobalVariable& variable : module.globals()) DropDebugInfo(variable);
}

}  // namespace firstcall
