// Modules that are damaged: cut short, with one bit changed, or never verified.

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "tests/fuzz/corpus.h"
#include "tests/fuzz/load.h"
#include "tests/testing/host.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall::testing {
namespace {

using ::testing::HasSubstr;

struct Tally {
  int accepted = 0;
  int refused = 0;
};

// Loads in both modes.
void Load(const std::string& bytes, Tally* tally) {
  for (Mode mode : {Mode::kLazy, Mode::kEager}) {
    const absl::Status status = LoadAndPrepare(bytes, CorpusNames(), mode);
    ++(status.ok() ? tally->accepted : tally->refused);
    EXPECT_EQ(status.ok(), status.message().empty());
  }
}

std::string ToBitcodeUnverified(absl::string_view text) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  const auto module =
      llvm::parseAssemblyString(llvm::StringRef(text.data(), text.size()), error, context);
  EXPECT_NE(module, nullptr) << error.getMessage().str();
  return module == nullptr ? "" : ModuleToBitcode(*module);
}

// The emulator keeps 8 MiB for every engine there ever was: for the addresses that its arena
// reserved.
const int kStride = IsEmulated() ? 10 : 1;

class DamageTest : public ::testing::TestWithParam<absl::string_view> {
 protected:
  const std::string bitcode_ = ParseToBitcode(GetParam());
};

TEST_P(DamageTest, WithoutDamageAllIsCompiled) {
  for (Mode mode : {Mode::kLazy, Mode::kEager}) {
    for (const std::string& bytes : {bitcode_, std::string(GetParam())}) {
      EXPECT_THAT(LoadAndPrepare(bytes, CorpusNames(), mode), IsOk());
    }
  }
}

TEST_P(DamageTest, CutShort) {
  Tally tally;
  for (size_t length = 0; length < bitcode_.size(); length += 61 * kStride) {
    Load(bitcode_.substr(0, length), &tally);
  }
  EXPECT_GT(tally.refused, 0);
}

TEST_P(DamageTest, TextWithoutOneCharacter) {
  Tally tally;
  for (size_t i = 0; i < GetParam().size(); i += 5 * kStride) {
    std::string damaged(GetParam());
    damaged.erase(i, 1);
    SCOPED_TRACE(i);
    Load(damaged, &tally);
  }
  EXPECT_GT(tally.refused, 0);
  EXPECT_GT(tally.accepted, 0);
}

// Well-formed bitcode of a module that the verifier would refuse: nobody has asked it.
struct Unverified {
  absl::string_view text;
  absl::string_view reason;
};

constexpr Unverified kUnverified[] = {
    {"@a = alias i32, ptr @b\n@b = alias i32, ptr @a", "alias 'a' is not valid IR"},
    {"@x = global <vscale x 4 x i32> zeroinitializer", "its type has no size"},
    {"@llvm.global_ctors = appending global [1 x { i32 }] [{ i32 } { i32 1 }]",
     "'llvm.global_ctors' is not valid IR"},
    {"define void @f() { ret void }\n@llvm.global_dtors = appending global [1 x { i64, ptr }]"
     "[{ i64, ptr } { i64 ptrtoint (ptr @f to i64), ptr @f }]",
     "'llvm.global_dtors' is not valid IR"},
};

TEST(UnverifiedTest, IsRefused) {
  for (const Unverified& unverified : kUnverified) {
    const std::string bitcode = ToBitcodeUnverified(unverified.text);
    for (Mode mode : {Mode::kLazy, Mode::kEager}) {
      EXPECT_THAT(
          LoadAndPrepare(bitcode, CorpusNames(), mode),
          StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(std::string(unverified.reason))));
    }
  }
}

// What upgrades debug information asks the verifier, and gives up with a fatal error.
constexpr absl::string_view kBroken =
    "define void @f() { ret void }\n"
    "@llvm.used = appending global [1 x i32] [i32 3], section \"llvm.metadata\"\n";

TEST(UnverifiedTest, FatalErrorOfTheReaderIsAStatus) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  const auto module = llvm::parseAssemblyString(kBroken.data(), error, context);
  module->addModuleFlag(llvm::Module::Warning, "Debug Info Version", 3);
  EXPECT_THAT(LoadAndPrepare(ModuleToBitcode(*module), {"f"}, Mode::kEager),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("Broken module found")));
}

TEST(UnverifiedTest, FatalErrorOfTheParserIsAStatus) {
  const std::string text =
      std::string(kBroken) +
      "!llvm.module.flags = !{!0}\n!0 = !{i32 2, !\"Debug Info Version\", i32 3}";
  EXPECT_THAT(LoadAndPrepare(text, {"f"}, Mode::kLazy),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("'damaged': reading text: Broken module found")));
}

INSTANTIATE_TEST_SUITE_P(Corpus, DamageTest, ::testing::ValuesIn(CorpusModules()));

// LLVM's own reader does not survive all of these, metadata least of all: see the README's limits.
// So it is some bits of modules without metadata; more of them is the fuzzer's work.
TEST(OneBitTest, IsReportedOrHarmless) {
  Tally tally;
  for (absl::string_view text : {kArithmeticModule, kTypesModule}) {
    const std::string bitcode = ParseToBitcode(text);
    for (size_t bit = 64; bit < bitcode.size() * 8; bit += 149 * kStride) {
      std::string damaged = bitcode;
      damaged[bit / 8] ^= 1 << bit % 8;
      SCOPED_TRACE(bit);
      Load(damaged, &tally);
    }
  }
  EXPECT_GT(tally.refused, 20 / kStride);
  EXPECT_GT(tally.accepted, 20 / kStride);
}

}  // namespace
}  // namespace firstcall::testing
