#include "services/server/seam_coding.h"

#include <random>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/Target/TargetOptions.h"
#include "tests/testing/settings.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr size_t kSymbols = 10;

CompilerSettings SomeSettings() {
  CompilerSettings settings;
  settings.target.codegen_level = CodegenLevel::kO2;
  settings.target.backend = Backend::kMcjit;
  settings.target.baseline = Baseline::kOff;
  settings.target.optnone = OptNone::kKeep;
  settings.target.debug_info = DebugInfo::kAlways;
  settings.target.triple = "x86_64-unknown-linux-gnu";
  settings.target.cpu = "skylake";
  settings.target.features = "+avx2";
  settings.target.code_model = CodeModel::kLarge;
  settings.target.llvm_arguments = {"-fast-isel=0", ""};
  settings.promotes = true;
  settings.handles_failures = true;
  settings.emulates_thread_locals = true;
  return settings;
}

SentFunction SomeFunction() {
  SentFunction sent;
  CompiledFunction& function = sent.function;
  sent.uninvited = {SymbolOrdinal{2}};
  function.object.bytes = ObjectBytes("object");
  function.object.sources = {SymbolOrdinal{1}, SymbolOrdinal{9}};
  function.labels = {"label"};
  function.object.split = absl::Microseconds(3);
  function.object.emit = absl::Microseconds(4);
  function.object.origin.generator = Generator::kMcjit;
  function.object.origin.refusal = "a vector";
  function.functions = {SymbolOrdinal{1}, SymbolOrdinal{2}};
  function.hotness_signs = {HotnessSigns::kCallsOnly, HotnessSigns::kNone};
  function.callees = {SymbolOrdinal{5}};
  function.poll_balance = -17;
  return sent;
}

TEST(SeamCodingTest, KeepsSettings) {
  const auto bytes = EncodeSettings(SomeSettings());
  ASSERT_TRUE(bytes.ok());
  const auto settings = DecodeSettings(*bytes);
  ASSERT_TRUE(settings.ok()) << settings.status();
  EXPECT_EQ(settings->target.codegen_level, CodegenLevel::kO2);
  EXPECT_EQ(settings->target.backend, Backend::kMcjit);
  EXPECT_EQ(settings->target.baseline, Baseline::kOff);
  EXPECT_EQ(settings->target.optnone, OptNone::kKeep);
  EXPECT_EQ(settings->target.debug_info, DebugInfo::kAlways);
  EXPECT_EQ(settings->target.triple, "x86_64-unknown-linux-gnu");
  EXPECT_EQ(settings->target.cpu, "skylake");
  EXPECT_EQ(settings->target.features, "+avx2");
  EXPECT_EQ(settings->target.relocation_model, std::nullopt);
  EXPECT_EQ(settings->target.code_model, CodeModel::kLarge);
  EXPECT_THAT(settings->target.llvm_arguments, ElementsAre("-fast-isel=0", ""));
  EXPECT_TRUE(settings->promotes);
  EXPECT_TRUE(settings->handles_failures);
  EXPECT_TRUE(settings->emulates_thread_locals);
  EXPECT_FALSE(settings->optimizes_ir);
}

TEST(SeamCodingTest, KeepsEverySetting) {
  const CompilerSettings settings = SomeSettings();
  const std::string bytes = EncodeSettings(settings).value();
  testing::ForEachChange(settings.target, [&](const char* name, const TargetSettings& changed) {
    CompilerSettings others = settings;
    others.target = changed;
    const std::string sent = EncodeSettings(others).value();
    EXPECT_NE(sent, bytes) << name;
    const auto read = DecodeSettings(sent);
    ASSERT_TRUE(read.ok()) << name << ": " << read.status();
    EXPECT_EQ(EncodeSettings(*read).value(), sent) << name;
  });
}

TEST(SeamCodingTest, OptionsThatAreObjectsCannotBeSent) {
  CompilerSettings settings;
  settings.target.target_options = std::make_shared<const llvm::TargetOptions>();
  EXPECT_THAT(EncodeSettings(settings).status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("cannot be sent")));
}

TEST(SeamCodingTest, KeepsOrders) {
  OrderValues order;
  order.module.value = 3;
  order.function.value = 4;
  order.loop = 0;
  order.is_far = true;
  order.callees_along = 5;
  order.polls = PollOptions{true, -6};
  order.identification = Identification{"function 4", "signature"};
  const auto read = DecodeOrder(EncodeOrder(order));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->module.value, 3u);
  EXPECT_EQ(read->function.value, 4u);
  EXPECT_EQ(read->loop, 0u);
  EXPECT_TRUE(read->is_far);
  EXPECT_EQ(read->callees_along, 5u);
  EXPECT_TRUE(read->polls->asks_when_called);
  EXPECT_EQ(read->polls->allowance, -6);
  EXPECT_EQ(read->identification->part, "function 4");
  EXPECT_EQ(read->identification->signature, "signature");
}

TEST(SeamCodingTest, KeepsCounts) {
  OrderValues order;
  order.counts_branches = true;
  BranchCounts counts;
  counts.function.value = 4;
  counts.shape = 77;
  counts.counts = {1, UINT64_MAX};
  CallTarget target;
  target.function.value = 6;
  target.is_in_table = true;
  target.count = 90;
  counts.calls = {{100, {target, CallTarget()}}, {5, {}}};
  order.counts = {BranchCounts(), counts};
  const auto read = DecodeOrder(EncodeOrder(order));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(read->counts_branches);
  ASSERT_EQ(read->counts.size(), 2u);
  EXPECT_TRUE(read->counts[0].calls.empty());
  EXPECT_EQ(read->counts[1].function.value, 4u);
  EXPECT_EQ(read->counts[1].shape, 77u);
  EXPECT_THAT(read->counts[1].counts, ElementsAre(1u, UINT64_MAX));
  const std::vector<CallCounts>& calls = read->counts[1].calls;
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0].count, 100u);
  ASSERT_EQ(calls[0].targets.size(), 2u);
  EXPECT_EQ(calls[0].targets[0].function.value, 6u);
  EXPECT_TRUE(calls[0].targets[0].is_in_table);
  EXPECT_EQ(calls[0].targets[0].count, 90u);
  EXPECT_FALSE(calls[0].targets[1].is_in_table);
  EXPECT_EQ(calls[1].count, 5u);
  EXPECT_TRUE(calls[1].targets.empty());
}

TEST(SeamCodingTest, KeepsCounters) {
  CompiledObject object;
  object.bytes = ObjectBytes("object");
  object.counters = BranchCounters{7, 8, 9};
  object.split = absl::Microseconds(1);
  object.emit = absl::Microseconds(2);
  object.optimize = absl::Microseconds(3);
  object.origin.generator = Generator::kBaseline;
  const auto read = DecodeObject(EncodeObject(object), kSymbols);
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_TRUE(read->counters.has_value());
  EXPECT_EQ(read->origin.generator, Generator::kBaseline);
  EXPECT_EQ(read->counters->shape, 7u);
  EXPECT_EQ(read->counters->count, 8u);
  EXPECT_EQ(read->counters->calls, 9u);
  EXPECT_EQ(read->split, absl::Microseconds(1));
  EXPECT_EQ(read->emit, absl::Microseconds(2));
  EXPECT_EQ(read->optimize, absl::Microseconds(3));
  EXPECT_EQ(read->bytes, "object");
}

TEST(SeamCodingTest, KeepsFunctions) {
  const auto sent = DecodeFunction(EncodeFunction(SomeFunction()), kSymbols);
  ASSERT_TRUE(sent.ok()) << sent.status();
  EXPECT_THAT(sent->uninvited, ElementsAre(SymbolOrdinal{2}));
  const CompiledFunction* const read = &sent->function;
  EXPECT_EQ(read->object.bytes, "object");
  EXPECT_THAT(read->object.sources, ElementsAre(SymbolOrdinal{1}, SymbolOrdinal{9}));
  EXPECT_THAT(read->labels, ElementsAre("label"));
  EXPECT_EQ(read->object.emit, absl::Microseconds(4));
  EXPECT_EQ(read->object.origin.generator, Generator::kMcjit);
  EXPECT_EQ(read->object.origin.refusal, "a vector");
  EXPECT_THAT(read->functions, ElementsAre(SymbolOrdinal{1}, SymbolOrdinal{2}));
  EXPECT_THAT(read->hotness_signs, ElementsAre(HotnessSigns::kCallsOnly, HotnessSigns::kNone));
  EXPECT_THAT(read->callees, ElementsAre(SymbolOrdinal{5}));
  EXPECT_EQ(read->poll_balance, -17);
  EXPECT_FALSE(read->leader.has_value());
}

TEST(SeamCodingTest, OrdinalsBeyondTheSymbolsAreRefused) {
  EXPECT_TRUE(absl::IsInvalidArgument(DecodeFunction(EncodeFunction(SomeFunction()), 9).status()));
  SentFunction function = SomeFunction();
  function.function.callees = {SymbolOrdinal{kSymbols}};
  EXPECT_TRUE(absl::IsInvalidArgument(DecodeFunction(EncodeFunction(function), kSymbols).status()));
  CompiledObject object;
  object.sources = {SymbolOrdinal{kSymbols}};
  EXPECT_TRUE(absl::IsInvalidArgument(DecodeObject(EncodeObject(object), kSymbols).status()));
}

TEST(SeamCodingTest, KeepsWhatAnOptimizedBodyWasMadeFrom) {
  CompiledObject object;
  object.sources = {SymbolOrdinal{3}};
  object.imported = 7;
  object.facts = 5;
  const auto read = DecodeObject(EncodeObject(object), kSymbols);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_THAT(read->sources, ElementsAre(SymbolOrdinal{3}));
  EXPECT_EQ(read->imported, 7u);
  EXPECT_EQ(read->facts, 5u);
}

TEST(SeamCodingTest, AnObjectOfTheUsersDoesNotComeFromACompiler) {
  CompiledObject object;
  object.origin.generator = Generator::kUser;
  EXPECT_TRUE(absl::IsInvalidArgument(DecodeObject(EncodeObject(object), kSymbols).status()));
}

TEST(SeamCodingTest, KeepsShapes) {
  FunctionShape::Signature signature;
  FunctionShape::Slot slot;
  slot.kind = FunctionShape::Slot::Kind::kInteger;
  slot.integer = {32, Extension::kSign};
  slot.name = "x";
  slot.begins_parameter = true;
  signature.parameters = {slot};
  signature.is_variadic = true;
  const auto read = DecodeShape(EncodeShape(FunctionShape(signature)));
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->signature().parameters.size(), 1u);
  EXPECT_EQ(read->signature().parameters[0].integer.bits, 32u);
  EXPECT_EQ(read->signature().parameters[0].integer.extension, Extension::kSign);
  EXPECT_EQ(read->signature().parameters[0].name, "x");
  EXPECT_TRUE(read->signature().is_variadic);
}

// Whatever the bytes are, they are refused or read, and nothing beyond them is touched.
TEST(SeamCodingTest, DamagedBytesAreAStatus) {
  std::mt19937 random(1);
  const std::string valid[] = {*EncodeSettings(SomeSettings()), EncodeOrder(OrderValues()),
                               EncodeFunction(SomeFunction()), EncodeObject(CompiledObject())};
  for (int i = 0; i < 20000; ++i) {
    std::string bytes = valid[random() % 4];
    for (int change = 0; change < 3; ++change) bytes[random() % bytes.size()] ^= random() % 256;
    if (random() % 4 == 0) bytes.resize(random() % bytes.size());
    (void)DecodeSettings(bytes);
    (void)DecodeOrder(bytes);
    (void)DecodeFunction(bytes, kSymbols);
    (void)DecodeObject(bytes, kSymbols);
    (void)DecodeShape(bytes);
  }
}

}  // namespace
}  // namespace firstcall
