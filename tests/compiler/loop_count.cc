#include "tests/compiler/loop_count.h"

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "base/file_contents.h"
#include "base/module_contents.h"
#include "base/status.h"
#include "compiler/in_process_compiler.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "seam/compiler.h"
#include "seam/compiler_settings.h"
#include "seam/listener.h"
#include "seam/stop_flag.h"
#include "splitter/osr/block_graph.h"
#include "splitter/osr/block_search.h"

namespace firstcall {
namespace {

// What is behind the last colon, which is the same for all functions.
std::string ReasonOf(const absl::Status& status) {
  const std::string text(status.message());
  const size_t colon = text.rfind(": ");
  std::string reason = colon == std::string::npos ? text : text.substr(colon + 2);
  if (absl::IsNotFound(status)) reason = "no continuation can be made there";
  const size_t quote = reason.find('\'');
  return quote == std::string::npos ? reason : reason.substr(0, quote) + "...";
}

// The function of that name in `module`. The index gives local functions the name of the front end
// and a number.
const llvm::Function* FindFunction(const llvm::Module& module, absl::string_view name) {
  const llvm::Function* const function = module.getFunction({name.data(), name.size()});
  if (function != nullptr) return function;
  const absl::string_view stem = name.substr(0, name.rfind('$'));
  return module.getFunction({stem.data(), stem.size()});
}

}  // namespace

absl::StatusOr<LoopCount> CountLoops(const std::string& bitcode) {
  llvm::LLVMContext context;
  llvm::Expected<std::unique_ptr<llvm::Module>> module =
      llvm::parseBitcodeFile(llvm::MemoryBufferRef(bitcode, "counted"), context);
  if (!module) return absl::InvalidArgumentError(llvm::toString(module.takeError()));
  static auto* const listener = new Listener;
  CompilerSettings settings;
  settings.promotes = true;
  FIRSTCALL_ASSIGN_OR_RETURN(const std::unique_ptr<InProcessCompiler> compiler,
                             InProcessCompiler::Create(settings, *listener));
  ModuleOrder added;
  added.contents = {"counted", ModuleContents::Form::kBitcode, FileContents::Copy(bitcode)};
  FIRSTCALL_ASSIGN_OR_RETURN(const std::shared_ptr<const SymbolIndex> index,
                             compiler->Add(std::move(added)));
  LoopCount count;
  for (uint32_t i = 0; i < index->size(); ++i) {
    const SymbolOrdinal ordinal{i};
    if (index->at(ordinal).kind != SymbolKind::kFunction) continue;
    const llvm::Function* const function = FindFunction(**module, index->at(ordinal).name);
    if (function == nullptr || function->isDeclaration()) continue;
    const BlockGraph graph(const_cast<llvm::Function&>(*function));
    BlockSearch search(graph);
    for (uint32_t loop = 0; loop < search.loop_headers().size(); ++loop) {
      const auto is_replaced = [](SymbolOrdinal) { return false; };
      const auto is_warm = [](SymbolOrdinal) { return false; };
      // When it is known how the loop is left, passes would run.
      const auto do_not_run = [](absl::FunctionRef<void()>) { return false; };
      const absl::Status status =
          compiler
              ->Optimize({ModuleId(), ordinal, loop, /*is_far=*/false, std::make_shared<StopFlag>(),
                          [] {}, is_replaced, is_warm, do_not_run})
              .status();
      ++count.loops;
      if (absl::IsCancelled(status)) {
        ++count.leavable;
      } else {
        ++count.others[ReasonOf(status)];
      }
    }
  }
  compiler->Remove(ModuleId());
  return count;
}

void Add(const LoopCount& count, LoopCount& sum) {
  sum.loops += count.loops;
  sum.leavable += count.leavable;
  for (const auto& [reason, others] : count.others) sum.others[reason] += others;
}

std::string TextOf(const LoopCount& count) {
  std::string text = absl::StrFormat("loops %d, can be left %d\n", count.loops, count.leavable);
  for (const auto& [reason, others] : count.others) {
    absl::StrAppendFormat(&text, "  %6d (%.2f %%) %s\n", others,
                          100.0 * static_cast<double>(others) / static_cast<double>(count.loops),
                          reason);
  }
  return text;
}

}  // namespace firstcall
