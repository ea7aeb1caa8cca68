#include "base/diagnostic_collector.h"

#include <memory>
#include <utility>

#include "absl/strings/ascii.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/raw_ostream.h"

namespace firstcall {
namespace {

class Collector final : public llvm::DiagnosticHandler {
 public:
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    if (info.getSeverity() == llvm::DS_Error) {
      if (!errors_.empty()) errors_ += "; ";
      llvm::raw_string_ostream stream(errors_);
      llvm::DiagnosticPrinterRawOStream printer(stream);
      info.print(printer);
    }
    return true;  // Handled: LLVM neither prints nor exits.
  }

  std::string Take() {
    absl::StripTrailingAsciiWhitespace(&errors_);
    return std::exchange(errors_, std::string());
  }

 private:
  std::string errors_;
};

}  // namespace

void CollectDiagnostics(llvm::LLVMContext& context) {
  context.setDiagnosticHandler(std::make_unique<Collector>());
}

std::string TakeDiagnostics(llvm::LLVMContext& context) {
  // CollectDiagnostics installs the only handler that a context of this engine ever has.
  return const_cast<Collector*>(static_cast<const Collector*>(context.getDiagHandlerPtr()))->Take();
}

}  // namespace firstcall
