#include "tests/bitcode/compare_readers.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "base/status.h"
#include "bitcode/function_reader.h"
#include "bitcode/module.h"
#include "ir/constant.h"
#include "ir/from_llvm/llvm_reader.h"
#include "ir/function.h"
#include "ir/global.h"
#include "ir/module.h"
#include "ir/operand.h"
#include "ir/text.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Argument.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "tests/bitcode/alike_texts.h"
#include "tests/bitcode/text_difference.h"
#include "third_party/llvm/version/version.h"

namespace firstcall::testing {
namespace {

using NameSet = absl::flat_hash_set<absl::string_view>;

llvm::StringRef ToLlvm(absl::string_view text) { return {text.data(), text.size()}; }

// The module, if LLVM's verifier accepts it.
absl::StatusOr<std::unique_ptr<llvm::Module>> ReadWithLlvm(absl::string_view bitcode,
                                                           llvm::LLVMContext& context) {
  llvm::Expected<std::unique_ptr<llvm::Module>> source =
      llvm::parseBitcodeFile(llvm::MemoryBufferRef(ToLlvm(bitcode), "module"), context);
  if (!source) return absl::InvalidArgumentError(llvm::toString(source.takeError()));
  std::string reason;
  llvm::raw_string_ostream stream(reason);
  if (llvm::verifyModule(**source, &stream)) return absl::InvalidArgumentError(reason);
  return std::move(*source);
}

// The names of intrinsics that a module declares.
NameSet IntrinsicsOf(const ir::Module& module) {
  NameSet names;
  for (const ir::Global& global : module.globals()) {
    if (global.IsFunction() && absl::StartsWith(global.name, "llvm.")) names.insert(global.name);
  }
  return names;
}

// The globals of `module` without declarations of intrinsics that `others` lacks. LLVM declares
// those of older versions anew, behind all globals, and drops those of debug information.
std::vector<uint32_t> CommonGlobals(const ir::Module& module, const NameSet& others) {
  std::vector<uint32_t> numbers;
  for (uint32_t number = 0; number < module.globals().size(); ++number) {
    const ir::Global& global = module.globals()[number];
    const bool is_intrinsic = global.IsFunction() && absl::StartsWith(global.name, "llvm.");
    if (!is_intrinsic || others.contains(global.name)) numbers.push_back(number);
  }
  return numbers;
}

// The text of the module without the lines of globals that have not one of `numbers`. The text ends
// with one line for each global.
std::string TextOf(const ir::Module& module, const std::vector<uint32_t>& numbers) {
  const std::string text = ir::TextOf(module);
  const std::vector<absl::string_view> lines = absl::StrSplit(absl::StripSuffix(text, "\n"), '\n');
  const size_t first = lines.size() - module.globals().size();
  std::vector<absl::string_view> kept(lines.begin(), lines.begin() + first);
  for (uint32_t number : numbers) kept.push_back(lines[first + number]);
  return absl::StrJoin(kept, "\n");
}

void RemoveLocalNames(llvm::Module& module) {
  for (llvm::Function& function : module) {
    for (llvm::Argument& argument : function.args()) argument.setName("");
    for (llvm::BasicBlock& block : function) {
      block.setName("");
      for (llvm::Instruction& instruction : block) instruction.setName("");
    }
  }
}

// What to replace in the text of `expected`: LLVM gives some intrinsics of older versions the name
// of the present one, which says the type of a pointer, too.
std::vector<std::pair<std::string, std::string>> RenamedIntrinsics(const NameSet& expected,
                                                                   const NameSet& found) {
  std::vector<std::pair<std::string, std::string>> renamed;
  for (absl::string_view name : found) {
    const std::string present = absl::StrCat(name, ".p0");
    if (expected.contains(name) || !expected.contains(present)) continue;
    renamed.emplace_back(absl::StrCat("@", present, "("), absl::StrCat("@", name, "("));
  }
  return renamed;
}

// LLVM turns constants that it no longer has into instructions; the reader of bitcode leaves them
// to LLVM, as does the code generator.
bool UsesUnknownConstant(const ir::Function& body) {
  for (ir::Operand operand : body.operands) {
    if (operand.IsConstant() && body.constant(operand).kind == ir::ConstantKind::kOther)
      return true;
  }
  return false;
}

BitcodeOrigin OriginOf(const bitcode::BitcodeModule& module, bool is_damaged) {
  if (is_damaged) return BitcodeOrigin::kDamaged;
  const std::string version = absl::StrCat("LLVM", llvm_version::kMajor, ".");
  return absl::StartsWith(module.producer(), version) ? BitcodeOrigin::kThisVersion
                                                      : BitcodeOrigin::kOtherVersion;
}

// Collects what both readers make of one module.
class ModuleComparison {
 public:
  ModuleComparison(const bitcode::BitcodeModule& module, ir::LlvmReader& expected, bool is_damaged)
      : expected_(expected),
        reader_(module),
        module_(module.module()),
        origin_(OriginOf(module, is_damaged)) {}

  ReaderComparison Run() {
    const NameSet expected_names = IntrinsicsOf(expected_.module());
    const NameSet names = IntrinsicsOf(module_);
    renamed_ = RenamedIntrinsics(expected_names, names);
    const std::vector<uint32_t> expected = CommonGlobals(expected_.module(), names);
    const std::vector<uint32_t> found = CommonGlobals(module_, expected_names);
    if (origin_ == BitcodeOrigin::kDamaged &&
        (names != expected_names || !HaveSameBodies(expected, found))) {
      return result_;
    }
    CompareTexts("module", TextOf(expected_.module(), expected), TextOf(module_, found));
    if (expected.size() != found.size()) return result_;
    for (size_t i = 0; i < found.size(); ++i) {
      const ir::Global& global = expected_.module().globals()[expected[i]];
      if (global.IsFunction() && !global.is_declaration()) CompareFunction(expected[i], found[i]);
    }
    return result_;
  }

 private:
  // Whether the same functions are defined. LLVM finds bodies with the help of a table, which may
  // be damaged, and takes a function without a body for a declaration.
  bool HaveSameBodies(const std::vector<uint32_t>& expected,
                      const std::vector<uint32_t>& found) const {
    return std::equal(expected.begin(), expected.end(), found.begin(), found.end(),
                      [this](uint32_t expected_number, uint32_t number) {
                        return expected_.module().globals()[expected_number].is_declaration() ==
                               module_.globals()[number].is_declaration();
                      });
  }

  // By their numbers in the two modules.
  void CompareFunction(uint32_t expected, uint32_t found) {
    const std::string where =
        absl::StrCat("function '", expected_.module().globals()[expected].name, "'");
    const absl::Status expected_status = expected_.Read(expected, expected_body_);
    const absl::Status status = reader_.Read(found, body_);
    if (absl::IsUnimplemented(status)) {
      ++result_.refused[WithoutNames(status.message())];
    } else if (!expected_status.ok() && status.ok()) {
      result_.different.push_back(
          absl::StrCat(where, ": only the reader of LLVM refuses: ", expected_status.message()));
    } else if (expected_status.ok() && !status.ok()) {
      result_.invalid.push_back(absl::StrCat(where, ": ", status.message()));
    } else if (expected_status.ok()) {
      CompareBodies(where);
    }
  }

  void CompareBodies(absl::string_view where) {
    const std::string expected = absl::StrReplaceAll(ir::TextOf(expected_body_), renamed_);
    const std::string found = ir::TextOf(body_);
    if (expected != found && UsesUnknownConstant(body_)) {
      ++result_.refused["a constant that only LLVM knows"];
    } else if (CompareTexts(where, expected, found)) {
      ++result_.equal;
    }
  }

  bool CompareTexts(absl::string_view where, absl::string_view expected, absl::string_view found) {
    if (AreAlike(expected, found, origin_)) return true;
    result_.different.push_back(absl::StrCat(where, ":\n", FirstDifference(expected, found)));
    return false;
  }

  ir::LlvmReader& expected_;
  bitcode::FunctionReader reader_;
  const ir::Module& module_;
  const BitcodeOrigin origin_;
  std::vector<std::pair<std::string, std::string>> renamed_;
  ir::Function expected_body_, body_;
  ReaderComparison result_;
};

}  // namespace

int ReaderComparison::refused_count() const {
  int count = 0;
  for (const auto& [reason, times] : refused) count += times;
  return count;
}

void ReaderComparison::Add(const ReaderComparison& other) {
  equal += other.equal;
  for (const auto& [reason, times] : other.refused) refused[reason] += times;
  invalid.insert(invalid.end(), other.invalid.begin(), other.invalid.end());
  different.insert(different.end(), other.different.begin(), other.different.end());
}

absl::StatusOr<ReaderComparison> CompareReaders(absl::string_view bitcode, bool is_damaged) {
  llvm::LLVMContext context;
  FIRSTCALL_ASSIGN_OR_RETURN(const std::unique_ptr<llvm::Module> source,
                             ReadWithLlvm(bitcode, context));
  ReaderComparison result;
  const absl::StatusOr<std::unique_ptr<bitcode::BitcodeModule>> module =
      bitcode::BitcodeModule::Read(
          absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(bitcode.data()), bitcode.size()));
  const absl::StatusOr<std::unique_ptr<ir::LlvmReader>> expected = ir::LlvmReader::Create(*source);
  if (absl::IsUnimplemented(module.status())) {
    ++result.refused[WithoutNames(module.status().message())];
  } else if (!module.ok() && expected.ok()) {
    result.invalid.push_back(absl::StrCat("module: ", module.status().message()));
  } else if (module.ok() && !expected.ok()) {
    result.different.push_back(
        absl::StrCat("module: only the reader of LLVM refuses: ", expected.status().message()));
  } else if (module.ok()) {
    return ModuleComparison(**module, **expected, is_damaged).Run();
  }
  return result;
}

absl::StatusOr<std::string> AssembleToBitcode(absl::string_view text, Extras extras) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  const std::unique_ptr<llvm::Module> module =
      llvm::parseAssembly(llvm::MemoryBufferRef(ToLlvm(text), "text"), error, context);
  std::string result;
  llvm::raw_string_ostream stream(result);
  if (module == nullptr) {
    error.print("assemble", stream, /*ShowColors=*/false);
    return absl::InvalidArgumentError(result);
  }
  if (extras == Extras::kNothing) RemoveLocalNames(*module);
  llvm::WriteBitcodeToFile(*module, stream,
                           /*ShouldPreserveUseListOrder=*/extras == Extras::kOrders);
  return result;
}

}  // namespace firstcall::testing
