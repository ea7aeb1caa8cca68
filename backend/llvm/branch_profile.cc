// LLVM's pass takes the counts from a file in its format, which is made in memory. The pass also
// judges whole functions by the file's sums, which is undone.

#include "backend/llvm/branch_profile.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "backend/llvm/analysis_managers.h"
#include "backend/llvm/call_guards.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/ProfileSummary.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/ProfileData/InstrProf.h"
#include "llvm/ProfileData/InstrProfWriter.h"
#include "llvm/ProfileData/ProfileCommon.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Transforms/Instrumentation/PGOInstrumentation.h"

namespace firstcall {
namespace {

constexpr char kFile[] = "/counts";
constexpr llvm::StringLiteral kSummary = "ProfileSummary";

// What the indirect calls have called, as far as they should be guarded for it.
void AddCalls(const BranchCounts& counts, llvm::InstrProfRecord& record) {
  constexpr uint32_t kKind = llvm::IPVK_IndirectCallTarget;
  record.reserveSites(kKind, static_cast<uint32_t>(counts.calls.size()));
  for (size_t i = 0; i < counts.calls.size(); ++i) {
    std::vector<InstrProfValueData> values;
    uint64_t others = counts.calls[i].count;
    for (const CallTarget& target : LikelyTargets(counts, counts.calls[i])) {
      values.push_back({TargetToValue(target), target.count});
      others -= target.count;
    }
    if (!values.empty() && others > 0) values.push_back({kOtherTargets, others});
    record.addValueData(kKind, static_cast<uint32_t>(i), values, /*SymTab=*/nullptr);
  }
}

std::unique_ptr<llvm::MemoryBuffer> MakeFile(llvm::ArrayRef<CountedFunction> functions) {
  llvm::InstrProfWriter writer;
  const auto ignore = [](llvm::Error error) { llvm::consumeError(std::move(error)); };
  llvm::consumeError(writer.mergeProfileKind(llvm::InstrProfKind::IRInstrumentation));
  for (const auto& [function, counts] : functions) {
    const std::string name = llvm::getIRPGOFuncName(*function);
    llvm::NamedInstrProfRecord record(name, counts->shape, counts->counts);
    AddCalls(*counts, record);
    writer.addRecord(std::move(record), ignore);
  }
  return writer.writeBuffer();
}

void Annotate(llvm::Module& module, std::unique_ptr<llvm::MemoryBuffer> file) {
  auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  files->addFile(kFile, 0, std::move(file));
  llvm::PassBuilder builder;
  AnalysisManagers analyses;
  analyses.Register(builder);
  llvm::PGOInstrumentationUse(kFile, "", /*IsCS=*/false, files).run(module, analyses.modules);
}

void RemoveSummary(llvm::Module& module) {
  llvm::NamedMDNode* flags = module.getModuleFlagsMetadata();
  if (flags == nullptr) return;
  llvm::SmallVector<llvm::MDNode*, 8> kept;
  for (llvm::MDNode* flag : flags->operands()) {
    const auto* name = llvm::dyn_cast_or_null<llvm::MDString>(flag->getOperand(1));
    if (name == nullptr || name->getString() != kSummary) kept.push_back(flag);
  }
  flags->clearOperands();
  for (llvm::MDNode* flag : kept) flags->addOperand(flag);
}

void SetSummary(llvm::Module& module, const BranchCounts& counts) {
  llvm::InstrProfSummaryBuilder builder(llvm::ProfileSummaryBuilder::DefaultCutoffs);
  builder.addRecord(llvm::InstrProfRecord(counts.counts));
  module.setProfileSummary(builder.getSummary()->getMD(module.getContext()),
                           llvm::ProfileSummary::PSK_Instr);
}

}  // namespace

bool AreEnough(const BranchCounts& counts) {
  return std::accumulate(counts.counts.begin(), counts.counts.end(), uint64_t{0}) >= kLeastCounts;
}

void UseBranchCounts(llvm::Module& module, const llvm::Function& root,
                     llvm::ArrayRef<CountedFunction> functions) {
  std::vector<CountedFunction> used;
  for (const CountedFunction& counted : functions) {
    if (AreEnough(*counted.counts)) used.push_back(counted);
  }
  if (used.empty()) return;
  std::vector<llvm::AttributeList> attributes;
  attributes.reserve(used.size());
  for (const CountedFunction& counted : used) {
    attributes.push_back(counted.function->getAttributes());
  }
  Annotate(module, MakeFile(used));
  RemoveSummary(module);
  for (size_t i = 0; i < used.size(); ++i) {
    llvm::Function& function = *used[i].function;
    function.setAttributes(attributes[i]);
    const auto entries = function.getEntryCount();
    function.setMetadata(llvm::LLVMContext::MD_prof, nullptr);
    if (&function != &root || !entries) continue;
    // Without an entry, a call that has been running all the time would look cold.
    function.setEntryCount(std::max<uint64_t>(entries->getCount(), 1));
    SetSummary(module, *used[i].counts);
  }
}

}  // namespace firstcall
