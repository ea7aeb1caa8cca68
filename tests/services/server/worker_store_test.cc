#include "services/server/worker_store.h"

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "absl/time/time.h"
#include "base/file_contents.h"
#include "compiler/in_process_compiler.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/link/cached_object.h"
#include "seam/listener.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

constexpr ModuleId kModule{1};
constexpr char kSignature[] = "signature";
constexpr ModulePart kStart{ModulePart::Kind::kStart, SymbolOrdinal()};
constexpr int kFunctions = 10;  // Enough for a start object.

std::string Program() {
  std::string text = "define weak void @weak() { ret void }\n";
  for (int i = 0; i < kFunctions; ++i) {
    absl::StrAppend(&text, "define void @f", i, "() { call void @weak() ret void }\n");
  }
  return text;
}

const auto kKnowsNothing = [](absl::string_view, uint64_t) {
  return std::optional<WorkerStore::ServersPack>();
};

// Compiles functions, and keeps them in stores.
class WorkerStoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK_AND_ASSIGN(compiler_, InProcessCompiler::Create({}, listener_));
    ModuleOrder module;
    module.id = kModule;
    module.contents.name = "module";
    module.contents.form = ModuleContents::Form::kText;
    module.contents.bytes = FileContents::Copy(Program());
    ASSERT_OK_AND_ASSIGN(index_, compiler_->Add(std::move(module)));
    for (int i = 0; i < kFunctions; ++i) {
      const auto no = [](SymbolOrdinal) { return false; };
      const SymbolOrdinal function = index_->Find(absl::StrCat("f", i)).value();
      ASSERT_OK_AND_ASSIGN(CompiledFunction compiled,
                           compiler_->CompileFunction({kModule, function, no, no}));
      functions_.push_back(std::move(compiled));
    }
    weak_ = index_->Find("weak").value();
  }

  // Keeps the function, made when the weak definition did or did not give way.
  void Keep(WorkerStore& store, int i, bool gives_way) const {
    OrderValues order;
    order.module = kModule;
    order.function = functions_[i].functions.front();
    order.identification = Identification{
        ModulePart{ModulePart::Kind::kFunction, order.function}.ToString(), kSignature};
    store.Keep(order, functions_[i], {{weak_, gives_way}}, {});
  }

  // The decisions of the start object in a pack.
  Decisions DecisionsOfStart(const std::string& pack) const {
    const auto parsed = ObjectPack::Parse(FileContents::Copy(pack));
    EXPECT_TRUE(parsed.ok()) << parsed.status();
    std::optional<ByteBuffer> entry = parsed->Find(kStart);
    if (!entry) return {};
    const auto start = DecodeCachedObject(*std::move(entry), index_->size());
    return start ? start->decisions : Decisions();
  }

  Listener listener_;
  std::unique_ptr<InProcessCompiler> compiler_;
  std::shared_ptr<const SymbolIndex> index_;
  std::vector<CompiledFunction> functions_;
  SymbolOrdinal weak_;
};

TEST_F(WorkerStoreTest, MakesAPackOfWhatWasKept) {
  WorkerStore store;
  store.Add(kModule, index_);
  EXPECT_FALSE(store.has_news());
  for (int i = 0; i < kFunctions; ++i) Keep(store, i, false);
  EXPECT_TRUE(store.has_news());
  const auto news = store.Take(kKnowsNothing);
  ASSERT_EQ(news.size(), 1u);
  EXPECT_EQ(news[0].signature, kSignature);
  EXPECT_FALSE(store.has_news());
  const auto pack = ObjectPack::Parse(FileContents::Copy(news[0].pack));
  ASSERT_TRUE(pack.ok()) << pack.status();
  EXPECT_TRUE(pack->Has({ModulePart::Kind::kIndex, SymbolOrdinal()}));
  for (const CompiledFunction& function : functions_) {
    EXPECT_TRUE(pack->Has({ModulePart::Kind::kFunction, function.functions.front()}));
  }
  EXPECT_THAT(DecisionsOfStart(news[0].pack), ElementsAre(Pair(weak_, false)));
}

// The client waits for threads that keep something.
TEST_F(WorkerStoreTest, ThingsAreKeptWhileTheServerIsAsked) {
  WorkerStore store;
  store.Add(kModule, index_);
  Keep(store, 0, false);
  std::thread other;
  absl::Notification kept;
  const auto news = store.Take([&](absl::string_view, uint64_t) {
    other = std::thread([&] {
      Keep(store, 1, false);
      store.KeepEntryPoint(kModule, weak_, EntryPoint(/*returns_value=*/false));
      kept.Notify();
    });
    // That takes no time, unless it waits until this returns.
    EXPECT_TRUE(kept.WaitForNotificationWithTimeout(absl::Seconds(60)));
    return std::optional<WorkerStore::ServersPack>();
  });
  other.join();
  EXPECT_EQ(news.size(), 1u);
  EXPECT_TRUE(store.has_news());
  const auto later = store.Take(kKnowsNothing);
  ASSERT_EQ(later.size(), 1u);
  const auto pack = ObjectPack::Parse(FileContents::Copy(later[0].pack));
  ASSERT_TRUE(pack.ok());
  for (int i : {0, 1}) {
    EXPECT_TRUE(pack->Has({ModulePart::Kind::kFunction, functions_[i].functions.front()}));
  }
}

TEST_F(WorkerStoreTest, WhatTheServerHasIsAddedOnce) {
  WorkerStore first, second;
  first.Add(kModule, index_);
  second.Add(kModule, index_);
  Keep(first, 0, false);
  Keep(second, 1, false);
  const std::string known = first.Take(kKnowsNothing).at(0).pack;
  std::vector<uint64_t> asked;
  const auto ask = [&](absl::string_view signature, uint64_t last) {
    EXPECT_EQ(signature, kSignature);
    asked.push_back(last);
    std::optional<WorkerStore::ServersPack> pack;
    if (last == 0) pack = {7, ObjectPack::Parse(FileContents::Copy(known)).value()};
    return pack;
  };
  const auto news = second.Take(ask);
  ASSERT_EQ(news.size(), 1u);
  const auto pack = ObjectPack::Parse(FileContents::Copy(news[0].pack));
  ASSERT_TRUE(pack.ok());
  for (int i : {0, 1}) {
    EXPECT_TRUE(pack->Has({ModulePart::Kind::kFunction, functions_[i].functions.front()}));
  }
  Keep(second, 2, false);
  EXPECT_EQ(second.Take(ask).size(), 1u);
  second.NotePublished(news[0], 8);
  Keep(second, 3, false);
  EXPECT_EQ(second.Take(ask).size(), 1u);
  EXPECT_THAT(asked, ElementsAre(0u, 7u, 8u));
}

// Otherwise such clients would have none for as long as the server keeps the pack.
TEST_F(WorkerStoreTest, AStartObjectOfOtherDecisionsIsReplaced) {
  WorkerStore first, second;
  first.Add(kModule, index_);
  second.Add(kModule, index_);
  for (int i = 0; i < kFunctions; ++i) {
    Keep(first, i, true);
    Keep(second, i, false);
  }
  const std::string known = first.Take(kKnowsNothing).at(0).pack;
  EXPECT_THAT(DecisionsOfStart(known), ElementsAre(Pair(weak_, true)));
  const auto news = second.Take([&](absl::string_view, uint64_t) {
    return std::optional<WorkerStore::ServersPack>(
        {7, ObjectPack::Parse(FileContents::Copy(known)).value()});
  });
  ASSERT_EQ(news.size(), 1u);
  EXPECT_THAT(DecisionsOfStart(news[0].pack), ElementsAre(Pair(weak_, false)));
}

}  // namespace
}  // namespace firstcall
