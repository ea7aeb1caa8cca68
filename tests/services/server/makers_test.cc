#include "services/server/makers.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"

namespace firstcall {
namespace {

constexpr absl::Duration kNow = absl::Seconds(100);

TEST(MakersTest, ThereIsRoomForAsManyAsThereAreProcessors) {
  Makers makers(2);
  EXPECT_TRUE(makers.HasRoom("a", kNow));
  makers.Add("a", "client 1", kNow);
  EXPECT_TRUE(makers.HasRoom("a", kNow));
  makers.Add("a", "client 2", kNow);
  EXPECT_FALSE(makers.HasRoom("a", kNow));
  EXPECT_TRUE(makers.HasRoom("b", kNow)) << "another module";
}

TEST(MakersTest, AClientCountsOnce) {
  Makers makers(2);
  makers.Add("a", "client 1", kNow);
  makers.Add("a", "client 1", kNow);
  EXPECT_TRUE(makers.HasRoom("a", kNow));
}

TEST(MakersTest, AClientThatGetsNoWorkerCountsForAMoment) {
  Makers makers(1);
  makers.Add("a", "client 1", kNow);
  EXPECT_FALSE(makers.HasRoom("a", kNow + absl::Milliseconds(900)));
  EXPECT_TRUE(makers.HasRoom("a", kNow + absl::Milliseconds(1100)));
}

TEST(MakersTest, AClientWithAWorkerCountsUntilTheWorkerEnds) {
  Makers makers(1);
  makers.Add("a", "client 1", kNow);
  makers.NoteWorker("client 1");
  EXPECT_FALSE(makers.HasRoom("a", kNow + absl::Hours(1)));
  makers.RemoveWorker("client 2");
  EXPECT_FALSE(makers.HasRoom("a", kNow));
  makers.RemoveWorker("client 1");
  EXPECT_TRUE(makers.HasRoom("a", kNow));
}

TEST(MakersTest, AClientThatHasAWorkerAlreadyCountsUntilTheWorkerEnds) {
  Makers makers(1);
  makers.NoteWorker("client 1");
  makers.Add("a", "client 1", kNow);
  EXPECT_FALSE(makers.HasRoom("a", kNow + absl::Hours(1)));
  makers.RemoveWorker("client 1");
  EXPECT_TRUE(makers.HasRoom("a", kNow));
  makers.Add("a", "client 1", kNow);
  EXPECT_TRUE(makers.HasRoom("a", kNow + absl::Hours(1)));
}

TEST(MakersTest, AClientCountsUntilAllItsWorkersHaveEnded) {
  Makers makers(1);
  makers.NoteWorker("client 1");
  makers.NoteWorker("client 1");
  makers.Add("a", "client 1", kNow);
  makers.RemoveWorker("client 1");
  EXPECT_FALSE(makers.HasRoom("a", kNow + absl::Hours(1)));
  makers.RemoveWorker("client 1");
  EXPECT_TRUE(makers.HasRoom("a", kNow));
}

TEST(MakersTest, ModulesWhoseClientsGetNoWorkerAreForgotten) {
  Makers makers(1);
  for (int i = 0; i < 1000; ++i) {
    makers.Add(std::string(1, static_cast<char>(i)) + std::string(i / 256, 'x'), absl::StrCat(i),
               kNow + i * absl::Seconds(2));
  }
  EXPECT_LE(makers.module_count(), 2u);
}

TEST(MakersTest, NobodyMakesWhatIsKnown) {
  Makers makers(1);
  makers.Add("a", "client 1", kNow);
  makers.Add("b", "client 1", kNow);
  makers.NoteWorker("client 1");
  makers.RemoveModule("a");
  EXPECT_TRUE(makers.HasRoom("a", kNow));
  EXPECT_FALSE(makers.HasRoom("b", kNow));
}

}  // namespace
}  // namespace firstcall
