#include "runtime/link/weak_choices.h"

#include <memory>
#include <optional>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firstcall {
namespace {

using ::testing::UnorderedElementsAre;

constexpr SymbolOrdinal kFunction{3}, kVariable{4}, kOther{5};
constexpr auto kIsVariable = [](SymbolOrdinal definition) { return definition == kVariable; };

// Only compared, never used.
const SourceModule& Module(int number) {
  static const char modules[2] = {};
  return *reinterpret_cast<const SourceModule*>(&modules[number]);
}

LazyObject& Object() {
  static const char object = 0;
  return *reinterpret_cast<LazyObject*>(const_cast<char*>(&object));
}

std::optional<ExecutorAddress> AddressOf(const WeakChoices& choices, SymbolOrdinal definition) {
  const std::optional<WeakChoices::Binding> binding = choices.BindingOf(definition);
  return binding ? std::optional(binding->address) : std::nullopt;
}

TEST(WeakChoicesTest, TheFirstAnswerHolds) {
  WeakChoices choices;
  int asked = 0;
  const auto decide = [&](bool is_replaced) {
    return choices.IsReplaced(kFunction, [&] {
      ++asked;
      return WeakChoices::Choice{is_replaced};
    });
  };
  EXPECT_FALSE(decide(false));
  EXPECT_FALSE(decide(true));
  EXPECT_EQ(asked, 1);
  EXPECT_TRUE(choices.IsReplaced(kOther, [] { return WeakChoices::Choice{true}; }));
}

TEST(WeakChoicesTest, KeepsAddresses) {
  WeakChoices choices;
  choices.Bind(kVariable, ExecutorAddress(16));
  EXPECT_EQ(AddressOf(choices, kVariable), std::nullopt) << "nothing was decided";
  choices.IsReplaced(kVariable, [] { return WeakChoices::Choice{true}; });
  EXPECT_EQ(AddressOf(choices, kVariable), std::nullopt);
  choices.Bind(kVariable, ExecutorAddress(16));
  EXPECT_EQ(AddressOf(choices, kVariable), ExecutorAddress(16));
}

TEST(WeakChoicesTest, WhatARemovedModuleReplacedIsDecidedAnew) {
  WeakChoices choices;
  const auto by = [&](SymbolOrdinal definition, int module) {
    return choices.IsReplaced(definition, [&] {
      return WeakChoices::Choice{true, &Module(module)};
    });
  };
  const auto own = [] { return WeakChoices::Choice(); };
  by(kFunction, 0);
  by(kVariable, 0);
  by(kOther, 1);
  choices.Bind(kFunction, ExecutorAddress(16));
  EXPECT_FALSE(choices.Forget(Module(0), kIsVariable));
  EXPECT_EQ(AddressOf(choices, kFunction), std::nullopt);
  EXPECT_FALSE(choices.IsReplaced(kFunction, own));
  EXPECT_FALSE(choices.IsReplaced(kVariable, own));
  EXPECT_TRUE(choices.IsReplaced(kOther, own));
}

TEST(WeakChoicesTest, VariablesThatCodeUsesStay) {
  WeakChoices choices;
  choices.IsReplaced(kVariable, [] { return WeakChoices::Choice{true, &Module(0), &Object()}; });
  choices.Bind(kVariable, ExecutorAddress(32));
  EXPECT_EQ(choices.BindingOf(kVariable)->object, &Object());
  EXPECT_TRUE(choices.Forget(Module(0), kIsVariable));
  EXPECT_TRUE(choices.IsReplaced(kVariable, [] { return WeakChoices::Choice(); }));
  EXPECT_EQ(AddressOf(choices, kVariable), ExecutorAddress(32));
  EXPECT_EQ(choices.BindingOf(kVariable)->object, nullptr) << "it is gone";
  EXPECT_FALSE(choices.Forget(Module(0), kIsVariable)) << "another one may be at its address";
}

TEST(WeakChoicesTest, KnowsWhatHasNoAddressYet) {
  WeakChoices choices;
  for (const SymbolOrdinal definition : {kFunction, kVariable}) {
    choices.IsReplaced(definition, [] { return WeakChoices::Choice{true, &Module(0)}; });
  }
  choices.IsReplaced(kOther, [] { return WeakChoices::Choice{true, &Module(1)}; });
  EXPECT_THAT(choices.UnboundOf(Module(0)), UnorderedElementsAre(kFunction, kVariable));
  choices.Bind(kFunction, ExecutorAddress(16));
  EXPECT_THAT(choices.UnboundOf(Module(0)), UnorderedElementsAre(kVariable));
}

TEST(WeakChoicesTest, KnowsWhoUsesIt) {
  WeakChoices choices;
  choices.AddUser(ModuleId{7});
  choices.AddUser(ModuleId{9});
  choices.AddUser(ModuleId{7});
  EXPECT_THAT(choices.users(), UnorderedElementsAre(ModuleId{7}, ModuleId{9}));
}

}  // namespace
}  // namespace firstcall
