#include "bitcode/module.h"

#include "absl/memory/memory.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "bitcode/file_layout.h"
#include "bitcode/module_reader.h"
#include "ir/check_module.h"

namespace firstcall::bitcode {
namespace {

absl::Status Failure(const absl::Status& cause, const std::string& producer) {
  return Annotate(cause, producer.empty() ? "reading bitcode"
                                          : absl::StrCat("reading bitcode of '",
                                                         absl::CHexEscape(producer), "'"));
}

}  // namespace

absl::StatusOr<std::unique_ptr<BitcodeModule>> BitcodeModule::Read(absl::Span<const uint8_t> bytes,
                                                                   const DefaultTarget& target) {
  const absl::StatusOr<FileLayout> layout = FindBlocks(bytes);
  if (!layout.ok()) return Failure(layout.status(), "");
  auto module = absl::WrapUnique(new BitcodeModule);
  absl::Status status = ModuleReader(*layout, target, *module).Read();
  if (status.ok()) status = ir::CheckModule(module->module_);
  if (!status.ok()) return Failure(status, layout->producer);
  return module;
}

}  // namespace firstcall::bitcode
