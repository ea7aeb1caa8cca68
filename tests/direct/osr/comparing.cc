#include "tests/direct/osr/comparing.h"

#include <algorithm>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backend/baseline/baseline_compiler.h"
#include "direct/osr/poll_choice.h"
#include "direct/osr/poll_writer.h"
#include "gtest/gtest.h"
#include "ir/check.h"
#include "object/compiled_code.h"
#include "splitter/osr/hotness_polls.h"
#include "splitter/osr/labels.h"
#include "splitter/osr/loop_entries.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall::direct {
namespace {

constexpr size_t kUnlimited = size_t{1} << 40;
constexpr char kTriple[] = "x86_64-unknown-linux-gnu";
constexpr char kLayout[] =
    "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128";

std::string TextOf(const CompiledCode& code) {
  std::string text;
  for (const CodeSection& section : code.sections) {
    const absl::string_view bytes(reinterpret_cast<const char*>(section.bytes.data()),
                                  section.bytes.size());
    absl::StrAppend(&text, "section ", static_cast<int>(section.kind), " ", section.alignment, " ",
                    absl::BytesToHexString(bytes), "\n");
  }
  for (const CodeRelocation& relocation : code.relocations) {
    absl::StrAppend(&text, "relocation ", relocation.section, " ", relocation.offset, " ",
                    code.NameOf(code.symbols[relocation.symbol]), " ",
                    static_cast<int>(relocation.kind), " ", relocation.addend, "\n");
  }
  return text;
}

std::string ChoiceAsText(const std::vector<uint32_t>& loops, size_t taken) {
  return absl::StrCat(absl::StrJoin(loops, " "), " for ", taken);
}

}  // namespace

ComparedFunction::ComparedFunction(absl::string_view text) : source_(ParseModule(text, context_)) {
  if (source_ == nullptr) return;
  source_->setTargetTriple(kTriple);
  source_->setDataLayout(kLayout);
  counter_ = DeclareHotnessCounter(*source_, "counter", /*is_near=*/false);
  if (HasLiveLabel()) targets_ = MakeLabelTable(source(), firstcall::IndirectTargets(source()));
  for (const llvm::Argument& argument : source().args()) {
    values_.push_back(argument.getName().str());
  }
  for (const llvm::BasicBlock& block : source()) {
    blocks_.push_back(block.getName().str());
    for (const llvm::Instruction& instruction : block) {
      if (!instruction.getType()->isVoidTy()) values_.push_back(instruction.getName().str());
    }
  }
  EXPECT_THAT(reader_.Begin(*source_), IsOk());
  EXPECT_THAT(reader_.Read(source(), body_), IsOk());
  is_valid_ = !::testing::Test::HasFailure();
}

ComparedFunction::~ComparedFunction() = default;

bool ComparedFunction::HasLiveLabel() {
  const firstcall::Labels labels = FindLabels(source());
  firstcall::LoopEntries entries(source(), labels);
  size_t taken = 0;
  for (uint32_t loop : ChoosePolls(source(), entries, kUnlimited, taken)) {
    for (const firstcall::LoopEntry::Value& value : entries.Find(loop)->values) {
      if (value.is_label) return true;
    }
  }
  return false;
}

ir::Operand ComparedFunction::counter_operand() const {
  return ir::Operand::Constant(reader_.NumberOf(*counter_));
}

ir::Operand ComparedFunction::targets_operand() const {
  if (targets_ == nullptr) return ir::Operand();
  return ir::Operand::Constant(reader_.NumberOf(*targets_));
}

uint32_t ComparedFunction::ValueNamed(absl::string_view name) const {
  return static_cast<uint32_t>(std::find(values_.begin(), values_.end(), name) - values_.begin());
}

std::vector<std::string> ComparedFunction::Entries() {
  std::vector<std::string> texts;
  entries_.Begin(body_);
  for (uint32_t loop = 0; loop < entries_.size(); ++loop) {
    std::string& text = texts.emplace_back(absl::StrCat(NameOfBlock(entries_.block(loop)), ":"));
    const LoopEntries::Verdict verdict = entries_.Find(loop);
    if (verdict == LoopEntries::Verdict::kUnknown) text += " unknown";
    if (verdict == LoopEntries::Verdict::kImpossible) text += " impossible";
    if (verdict != LoopEntries::Verdict::kPossible) continue;
    const LoopEntry entry = entries_.At(loop);
    for (const LoopEntry::Variable& variable : entry.variables) {
      absl::StrAppend(&text, " ", variable.is_named ? "&" : "", NameOf(variable.value), "@",
                      variable.place);
    }
    for (const LoopEntry::Value& value : entry.values) {
      absl::StrAppend(&text, value.is_label ? " label " : " ", NameOf(value.value));
    }
  }
  return texts;
}

std::vector<std::string> ComparedFunction::EntriesOfLlvm() {
  std::vector<std::string> texts;
  const firstcall::Labels labels = FindLabels(source());
  firstcall::LoopEntries entries(source(), labels);
  for (size_t loop = 0; loop < entries.size(); ++loop) {
    std::string& text = texts.emplace_back(entries.block(loop).getName().str() + ":");
    const firstcall::LoopEntry* const entry = entries.Find(loop);
    if (entry == nullptr) {
      text += " impossible";
      continue;
    }
    for (const firstcall::LoopEntry::Variable& variable : entry->variables) {
      absl::StrAppend(&text, " ", variable.is_named ? "&" : "", variable.variable->getName().str(),
                      "@", variable.place);
    }
    for (const firstcall::LoopEntry::Value& value : entry->values) {
      absl::StrAppend(&text, value.is_label ? " label " : " ", value.value->getName().str());
    }
  }
  return texts;
}

std::string ComparedFunction::Choice(size_t allowance) {
  PollChoice choice;
  entries_.Begin(body_);
  const absl::Status status = choice.Choose(body_, entries_, allowance);
  return status.ok() ? ChoiceAsText(choice.chosen(), choice.taken())
                     : std::string(status.message());
}

std::string ComparedFunction::ChoiceOfLlvm(size_t allowance) {
  const firstcall::Labels labels = FindLabels(source());
  firstcall::LoopEntries entries(source(), labels);
  size_t taken = 0;
  const std::vector<uint32_t> chosen = ChoosePolls(source(), entries, allowance, taken);
  return ChoiceAsText(chosen, taken);
}

std::string ComparedFunction::Code(bool asks_when_called) {
  PollChoice choice;
  PollWriter writer(reader_.module());
  entries_.Begin(body_);
  EXPECT_THAT(choice.Choose(body_, entries_, kUnlimited), IsOk());
  PollWriter::Polls polls;
  polls.loops = choice.chosen();
  polls.asks_when_called = asks_when_called;
  polls.counter = counter_operand();
  polls.targets = targets_operand();
  const absl::Status status = writer.Write(body_, entries_, polls);
  if (!status.ok()) return std::string(status.message());
  EXPECT_THAT(ir::Checker().Check(body_), IsOk());
  return Compile(body_);
}

std::string ComparedFunction::CodeOfLlvm(bool asks_when_called) {
  const firstcall::Labels labels = FindLabels(source());
  firstcall::LoopEntries entries(source(), labels);
  size_t taken = 0;
  const std::vector<uint32_t> chosen = ChoosePolls(source(), entries, kUnlimited, taken);
  // LLVM's polls make a table of their own.
  if (targets_ != nullptr) std::exchange(targets_, nullptr)->eraseFromParent();
  AddHotnessPolls(source(), *counter_, entries, chosen, asks_when_called);
  ir::LlvmReader reader;
  ir::Function body;
  EXPECT_THAT(reader.Begin(*source_), IsOk());
  EXPECT_THAT(reader.Read(source(), body), IsOk());
  return Compile(body);
}

std::string ComparedFunction::Compile(ir::Function& body) const {
  absl::StatusOr<std::unique_ptr<baseline::BaselineCompiler>> compiler =
      baseline::BaselineCompiler::Create(kTriple, {});
  EXPECT_THAT(compiler, IsOk());
  CompiledCode code;
  const baseline::Refusal refusal = (*compiler)->Compile(body, /*is_near=*/true, code);
  EXPECT_EQ(refusal, baseline::Refusal::kNone);
  return TextOf(code);
}

}  // namespace firstcall::direct
