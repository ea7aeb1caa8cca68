#include "splitter/assembly_reader.h"

#include <memory>
#include <utility>

#include "llvm/ADT/MapVector.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCExpr.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCSymbol.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/MCValue.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "third_party/llvm/version/assembly.h"

namespace firstcall {
namespace {

// Notes what the parser tells a streamer about symbols, and ignores everything else.
class SymbolNoter final : public llvm::MCStreamer {
 public:
  explicit SymbolNoter(llvm::MCContext& context) : MCStreamer(context) {}

  ReadAssembly Take() && {
    FindTargets();
    for (auto& [symbol, noted] : noted_) result_.symbols.push_back(std::move(noted));
    return std::move(result_);
  }

  void emitLabel(llvm::MCSymbol* symbol, llvm::SMLoc location) override {
    MCStreamer::emitLabel(symbol, location);
    const llvm::MCSection* section = getCurrentSectionOnly();
    if (section != nullptr && section->getBeginSymbol() == symbol) return;
    Define(symbol);
  }

  void emitAssignment(llvm::MCSymbol* symbol, const llvm::MCExpr* value) override {
    MCStreamer::emitAssignment(symbol, value);
    if (Define(symbol)) assignments_[symbol] = value;
  }

  void emitConditionalAssignment(llvm::MCSymbol* symbol, const llvm::MCExpr* value) override {
    emitAssignment(symbol, value);
  }

  void emitWeakReference(llvm::MCSymbol* alias, const llvm::MCSymbol* target) override {
    SymbolInAssembly* noted = Define(alias);
    if (noted != nullptr) noted->target = target->getName().str();
  }

  bool emitSymbolAttribute(llvm::MCSymbol* symbol, llvm::MCSymbolAttr attribute) override {
    SymbolInAssembly* noted = Note(symbol);
    if (noted == nullptr) return true;
    switch (attribute) {
      case llvm::MCSA_Weak:
      case llvm::MCSA_WeakReference:
      case llvm::MCSA_WeakDefinition:
      case llvm::MCSA_ELF_TypeGnuUniqueObject:  // The first one wins, as of weak ones.
        noted->is_weak = noted->is_global = true;
        break;
      case llvm::MCSA_Global:
        noted->is_global = true;
        break;
      case llvm::MCSA_Local:
        locals_.insert(symbol);
        break;
      case llvm::MCSA_Hidden:
      case llvm::MCSA_Internal:
      case llvm::MCSA_PrivateExtern:
        noted->is_hidden = true;
        break;
      default:
        break;
    }
    return true;
  }

  void emitCommonSymbol(llvm::MCSymbol* symbol, uint64_t size, llvm::Align) override {
    SymbolInAssembly* noted = Define(symbol);
    if (noted == nullptr || locals_.contains(symbol)) return;
    noted->is_weak = noted->is_global = true;
    noted->common_size = size;
  }

  void emitLocalCommonSymbol(llvm::MCSymbol* symbol, uint64_t, llvm::Align) override {
    Define(symbol);
  }

  void emitZerofill(llvm::MCSection*, llvm::MCSymbol* symbol, uint64_t, llvm::Align,
                    llvm::SMLoc) override {
    if (symbol != nullptr) Define(symbol);
  }

  void emitELFSymverDirective(const llvm::MCSymbol* symbol, llvm::StringRef versioned,
                              bool /*keeps_original*/) override {
    result_.versions.push_back({symbol->getName().str(), versioned.str()});
  }

 private:
  SymbolInAssembly* Note(const llvm::MCSymbol* symbol) {
    if (symbol->isTemporary() || symbol->getName().empty()) return nullptr;
    SymbolInAssembly& noted = noted_[symbol];
    if (noted.name.empty()) noted.name = symbol->getName().str();
    return &noted;
  }

  SymbolInAssembly* Define(const llvm::MCSymbol* symbol) {
    SymbolInAssembly* noted = Note(symbol);
    if (noted != nullptr) noted->is_defined = true;
    return noted;
  }

  // At the end, when it is known what the assembly defines.
  void FindTargets() {
    for (const auto& [symbol, value] : assignments_) {
      const std::optional<llvm_version::PlaceAtSymbol> place = llvm_version::PlaceOf(*value);
      if (!place) continue;
      const llvm::MCSymbol& base = *place->symbol;
      const auto found = noted_.find(&base);
      if (base.isTemporary() || (found != noted_.end() && found->second.is_defined)) continue;
      noted_[symbol].target = base.getName().str();
      noted_[symbol].offset = place->offset;
    }
  }

  ReadAssembly result_;
  llvm::MapVector<const llvm::MCSymbol*, SymbolInAssembly> noted_;
  llvm::MapVector<const llvm::MCSymbol*, const llvm::MCExpr*> assignments_;
  llvm::SmallPtrSet<const llvm::MCSymbol*, 4> locals_;
};

// Who compiles the assembly reports what is wrong with it.
void Ignore(const llvm::SMDiagnostic&, void*) {}

}  // namespace

ReadAssembly ReadSymbolsOf(const std::string& assembly, const llvm::Module& module,
                           llvm::InlineAsm::AsmDialect dialect) {
  const llvm::Triple triple(module.getTargetTriple());
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple.str(), error);
  if (target == nullptr || !target->hasMCAsmParser()) return {};
  const llvm::MCTargetOptions options;
  const std::unique_ptr<llvm::MCRegisterInfo> registers(target->createMCRegInfo(triple.str()));
  if (registers == nullptr) return {};
  const std::unique_ptr<llvm::MCAsmInfo> syntax(
      target->createMCAsmInfo(*registers, triple.str(), options));
  const std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      target->createMCSubtargetInfo(triple.str(), /*CPU=*/"", /*Features=*/""));
  const std::unique_ptr<llvm::MCInstrInfo> instructions(target->createMCInstrInfo());
  if (syntax == nullptr || subtarget == nullptr || instructions == nullptr) return {};
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(assembly), llvm::SMLoc());
  sources.setDiagHandler(Ignore);
  llvm::MCContext context(triple, syntax.get(), registers.get(), subtarget.get(), &sources);
  context.setDiagnosticHandler([](const llvm::SMDiagnostic&, bool, const llvm::SourceMgr&,
                                  std::vector<const llvm::MDNode*>&) {});
  const std::unique_ptr<llvm::MCObjectFileInfo> file_info(
      target->createMCObjectFileInfo(context, /*PIC=*/true));
  context.setObjectFileInfo(file_info.get());
  SymbolNoter noter(context);
  target->createNullTargetStreamer(noter);
  const std::unique_ptr<llvm::MCAsmParser> parser(
      llvm::createMCAsmParser(sources, context, noter, *syntax));
  const std::unique_ptr<llvm::MCTargetAsmParser> target_parser(
      target->createMCAsmParser(*subtarget, *parser, *instructions, options));
  if (target_parser == nullptr) return {};
  parser->setAssemblerDialect(dialect);
  parser->setTargetParser(*target_parser);
  (void)parser->Run(/*NoInitialTextSection=*/false);
  return std::move(noter).Take();
}

}  // namespace firstcall
