#include "backend/llvm/llvm_text_assembler.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/fatal_error_guard.h"
#include "base/status.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/MC/MCAsmBackend.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCAssembler.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCObjectStreamer.h"
#include "llvm/MC/MCObjectWriter.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCSymbol.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/Casting.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

namespace firstcall {
namespace {

absl::Status Refuse(absl::string_view reason) {
  return absl::UnimplementedError(absl::StrCat("assemble inline assembly: ", reason));
}

// Keeps the first message, which says the most.
void KeepMessage(const llvm::SMDiagnostic& diagnostic, void* message) {
  auto& kept = *static_cast<std::string*>(message);
  if (kept.empty()) kept = diagnostic.getMessage().str();
}

struct AssembledObject {
  llvm::SmallVector<char, 0> bytes;
  uint64_t length = 0;  // Of what the text itself has put into the section .text.
};

// `machine` says for which processor.
absl::StatusOr<AssembledObject> AssembleObject(const std::string& text,
                                               const llvm::TargetMachine& machine) {
  const llvm::Target& target = machine.getTarget();
  const llvm::Triple& triple = machine.getTargetTriple();
  const llvm::MCSubtargetInfo& subtarget = *machine.getMCSubtargetInfo();
  const llvm::MCTargetOptions options;
  std::string message;
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text), llvm::SMLoc());
  sources.setDiagHandler(KeepMessage, &message);
  llvm::MCContext context(triple, machine.getMCAsmInfo(), machine.getMCRegisterInfo(), &subtarget,
                          &sources, &options);
  context.setDiagnosticHandler(
      [&message](const llvm::SMDiagnostic& diagnostic, bool, const llvm::SourceMgr&,
                 std::vector<const llvm::MDNode*>&) { KeepMessage(diagnostic, &message); });
  const std::unique_ptr<llvm::MCObjectFileInfo> file_info(
      target.createMCObjectFileInfo(context, /*PIC=*/true));
  context.setObjectFileInfo(file_info.get());
  std::unique_ptr<llvm::MCAsmBackend> backend(
      target.createMCAsmBackend(subtarget, *machine.getMCRegisterInfo(), options));
  std::unique_ptr<llvm::MCCodeEmitter> emitter(
      target.createMCCodeEmitter(*machine.getMCInstrInfo(), context));
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream out(object);
  std::unique_ptr<llvm::MCObjectWriter> writer = backend->createObjectWriter(out);
  const std::unique_ptr<llvm::MCStreamer> streamer(target.createMCObjectStreamer(
      triple, context, std::move(backend), std::move(writer), std::move(emitter), subtarget));
  const std::unique_ptr<llvm::MCAsmParser> parser(
      llvm::createMCAsmParser(sources, context, *streamer, *machine.getMCAsmInfo()));
  const std::unique_ptr<llvm::MCTargetAsmParser> target_parser(
      target.createMCAsmParser(subtarget, *parser, *machine.getMCInstrInfo(), options));
  if (target_parser == nullptr) return Refuse("LLVM has no assembler for the target");
  parser->setTargetParser(*target_parser);
  // The parser's own section would be aligned.
  llvm::MCSection* const section = file_info->getTextSection();
  streamer->switchSection(section);
  if (parser->Run(/*NoInitialTextSection=*/true, /*NoFinalize=*/true) || context.hadError()) {
    return absl::InvalidArgumentError(
        absl::StrCat("assemble inline assembly: ", message.empty() ? "LLVM gives up" : message));
  }
  if (streamer->getCurrentSection() != llvm::MCSectionSubPair(section, 0)) {
    return Refuse("the text ends in another section");
  }
  llvm::MCSymbol* const end = context.createTempSymbol();
  streamer->emitLabel(end);
  streamer->finish();
  if (context.hadError()) {
    return absl::InvalidArgumentError(absl::StrCat("assemble inline assembly: ", message));
  }
  // What is behind the end, such as a subsection or a pool of literals, would be executed.
  const uint64_t length =
      static_cast<llvm::MCObjectStreamer&>(*streamer).getAssembler().getSymbolOffset(*end);
  return AssembledObject{std::move(object), length};
}

// Whether the symbol only tells code from data, for disassemblers of AArch64.
bool IsMappingSymbol(llvm::StringRef name) {
  return name == "$x" || name == "$d" || name.starts_with("$x.") || name.starts_with("$d.");
}

absl::Status CheckSymbols(const llvm::object::ELFObjectFileBase& object) {
  const bool has_mapping_symbols = object.getArch() == llvm::Triple::aarch64;
  for (const llvm::object::ELFSymbolRef symbol : object.symbols()) {
    if (symbol.getELFType() == llvm::ELF::STT_SECTION) continue;
    llvm::Expected<llvm::StringRef> name = symbol.getName();
    if (!name) {
      llvm::consumeError(name.takeError());
      return Refuse("a symbol has no name");
    }
    if (name->empty() || (has_mapping_symbols && IsMappingSymbol(*name))) continue;
    return Refuse("the text has symbols");
  }
  return absl::OkStatus();
}

// The contents of the section .text, if nothing else has any.
absl::StatusOr<std::string> CodeOf(const llvm::object::ELFObjectFileBase& object, uint64_t length) {
  FIRSTCALL_RETURN_IF_ERROR(CheckSymbols(object));
  const uint64_t most_aligned = object.getArch() == llvm::Triple::aarch64 ? 4 : 1;
  std::string code;
  for (const llvm::object::ELFSectionRef section : object.sections()) {
    if (section.relocation_begin() != section.relocation_end()) {
      return Refuse("the text has symbols");
    }
    if ((section.getFlags() & llvm::ELF::SHF_ALLOC) == 0 || section.getSize() == 0) continue;
    llvm::Expected<llvm::StringRef> name = section.getName();
    llvm::Expected<llvm::StringRef> contents = section.getContents();
    if (!name || !contents) {
      llvm::consumeError(name.takeError());
      llvm::consumeError(contents.takeError());
      return Refuse("a section cannot be read");
    }
    if (*name != ".text" || section.getSize() != length) return Refuse("the text has sections");
    if (section.getAlignment().value() > most_aligned) return Refuse("the text is aligned");
    if (length % most_aligned != 0) return Refuse("the text ends within an instruction");
    code = contents->str();
  }
  return code;
}

}  // namespace

absl::StatusOr<std::string> LlvmTextAssembler::Assemble(const std::string& text) {
  if (const auto known = known_.find(text); known != known_.end()) return known->second;
  absl::StatusOr<std::string> code = AssembleNew(text);
  known_.emplace(text, code);
  return code;
}

absl::StatusOr<std::string> LlvmTextAssembler::AssembleNew(const std::string& text) {
  if (!target_.triple().isOSBinFormatELF()) return Refuse("the target's objects are not ELF");
  if (machine_ == nullptr) {
    FIRSTCALL_ASSIGN_OR_RETURN(machine_, target_.CreateMachine());
  }
  absl::StatusOr<AssembledObject> assembled;
  const absl::Status guarded = RunGuarded([&] { assembled = AssembleObject(text, *machine_); });
  if (!guarded.ok()) {
    (void)machine_.release();
    return Annotate(guarded, "assemble inline assembly");
  }
  if (!assembled.ok()) return assembled.status();
  llvm::Expected<std::unique_ptr<llvm::object::ObjectFile>> object =
      llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(
          {assembled->bytes.data(), assembled->bytes.size()}, "inline assembly"));
  if (!object) {
    llvm::consumeError(object.takeError());
    return Refuse("the object cannot be read");
  }
  return CodeOf(llvm::cast<llvm::object::ELFObjectFileBase>(**object), assembled->length);
}

}  // namespace firstcall
