#include "runtime/link/object_constructors.h"

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/process/exit_handlers.h"
#include "runtime/process/work_scope.h"

namespace firstcall {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string>* calls = nullptr;

void Construct(int, char** arguments, char**) { calls->push_back(arguments[0]); }

class ObjectConstructorsTest : public testing::Test {
 protected:
  ObjectConstructorsTest() { calls = &calls_; }
  ~ObjectConstructorsTest() override { calls = nullptr; }

  // An object file with one constructor, which notes the program's first argument.
  LazyObject& Make() {
    objects_.push_back(
        std::make_unique<LazyObject>("object", nullptr, LibraryId(), nullptr, handle_));
    objects_.back()->constructors.push_back(
        {0, ExecutorAddress::Of(reinterpret_cast<const void*>(&Construct))});
    return *objects_.back();
  }

  void RunPending() {
    WorkScope scope;
    constructors_.RunPending();
  }

  void SetArguments(const std::string& first) {
    const std::vector<std::string> arguments = {first};
    constructors_.SetArguments(std::make_shared<const ProgramArguments>(arguments));
  }

  std::vector<std::string> calls_;
  ExitHandlers exit_handlers_;
  DsoHandle handle_{exit_handlers_};
  std::vector<std::unique_ptr<LazyObject>> objects_;
  ObjectConstructors constructors_;
};

TEST_F(ObjectConstructorsTest, TakesEachObjectOnceInTheOrderOfAddition) {
  LazyObject& first = Make();
  LazyObject& second = Make();
  LazyObject& third = Make();
  constructors_.Add({&first, &second});
  EXPECT_THAT(constructors_.TakeToConstruct(), ElementsAre(&first, &second));
  constructors_.Add({&third});
  EXPECT_THAT(constructors_.TakeToConstruct(), ElementsAre(&third));
  EXPECT_THAT(constructors_.TakeToConstruct(), IsEmpty());
}

TEST_F(ObjectConstructorsTest, WaitsForTheFirstTakeBeforeItRunsAnything) {
  LazyObject& early = Make();
  LazyObject& late = Make();
  SetArguments("program");
  constructors_.Add({&early});
  RunPending();
  EXPECT_THAT(calls_, IsEmpty());
  EXPECT_THAT(constructors_.TakeToConstruct(), ElementsAre(&early));
  constructors_.Add({&late});
  RunPending();
  EXPECT_THAT(calls_, ElementsAre("program"));
  RunPending();
  EXPECT_THAT(calls_, ElementsAre("program"));
}

TEST_F(ObjectConstructorsTest, KeepsTheFirstArguments) {
  SetArguments("first");
  SetArguments("second");
  EXPECT_THAT(constructors_.TakeToConstruct(), IsEmpty());
  constructors_.Add({&Make()});
  RunPending();
  EXPECT_THAT(calls_, ElementsAre("first"));
}

TEST_F(ObjectConstructorsTest, DestroysWhatWasTakenToBeConstructed) {
  LazyObject& taken = Make();
  LazyObject& run = Make();
  LazyObject& not_taken = Make();
  SetArguments("program");
  constructors_.Add({&taken});
  EXPECT_THAT(constructors_.TakeToConstruct(), ElementsAre(&taken));
  constructors_.Add({&run});
  RunPending();
  constructors_.Add({&not_taken});
  EXPECT_THAT(constructors_.TakeToDestroy(), ElementsAre(&taken, &run));
  EXPECT_THAT(constructors_.TakeToDestroy(), IsEmpty());
}

}  // namespace
}  // namespace firstcall
