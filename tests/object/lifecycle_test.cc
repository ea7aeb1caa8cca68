#include "object/lifecycle.h"

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace firstcall {
namespace {

std::optional<int64_t> PriorityOfSection(absl::string_view section, LifecyclePhase phase) {
  const std::optional<LifecycleSection> found = FindLifecycleSection(section, phase);
  if (!found) return std::nullopt;
  return found->priority;
}

TEST(LifecycleTest, SectionsOfAPhaseHavePriorities) {
  EXPECT_EQ(PriorityOfSection(".init_array", LifecyclePhase::kStart), 65535);
  EXPECT_EQ(PriorityOfSection(".init_array.7", LifecyclePhase::kStart), 7);
  EXPECT_EQ(PriorityOfSection(".ctors.65000", LifecyclePhase::kStart), 535);
  EXPECT_EQ(PriorityOfSection(".preinit_array", LifecyclePhase::kStart), -1);
  EXPECT_EQ(PriorityOfSection(".fini_array.3", LifecyclePhase::kEnd), 3);
  EXPECT_EQ(PriorityOfSection(".dtors", LifecyclePhase::kEnd), 65535);
}

TEST(LifecycleTest, OlderSectionsAreReversed) {
  EXPECT_TRUE(FindLifecycleSection(".ctors", LifecyclePhase::kStart)->is_reversed);
  EXPECT_TRUE(FindLifecycleSection(".dtors.1", LifecyclePhase::kEnd)->is_reversed);
  EXPECT_FALSE(FindLifecycleSection(".init_array", LifecyclePhase::kStart)->is_reversed);
  EXPECT_FALSE(FindLifecycleSection(".fini_array", LifecyclePhase::kEnd)->is_reversed);
}

TEST(LifecycleTest, MachoHasOnePriority) {
  EXPECT_EQ(PriorityOfSection("__DATA,__mod_init_func,mod_init_funcs", LifecyclePhase::kStart),
            65535);
  EXPECT_EQ(PriorityOfSection("__DATA,__mod_term_func", LifecyclePhase::kEnd), 65535);
  EXPECT_EQ(PriorityOfSection("__DATA,__mod_init_func", LifecyclePhase::kEnd), std::nullopt);
  EXPECT_EQ(PriorityOfSection("__DATA,__data", LifecyclePhase::kStart), std::nullopt);
  EXPECT_EQ(PriorityOfSection("__mod_init_func", LifecyclePhase::kStart), std::nullopt);
}

TEST(LifecycleTest, OtherSectionsHaveNone) {
  EXPECT_EQ(PriorityOfSection(".fini_array", LifecyclePhase::kStart), std::nullopt);
  EXPECT_EQ(PriorityOfSection(".preinit_array", LifecyclePhase::kEnd), std::nullopt);
  EXPECT_EQ(PriorityOfSection(".init_array_of_mine", LifecyclePhase::kStart), std::nullopt);
  EXPECT_EQ(PriorityOfSection(".preinit_array_of_mine", LifecyclePhase::kStart), std::nullopt);
  EXPECT_EQ(PriorityOfSection(".init_array.x", LifecyclePhase::kStart), std::nullopt);
  EXPECT_EQ(PriorityOfSection(".data", LifecyclePhase::kStart), std::nullopt);
}

}  // namespace
}  // namespace firstcall
