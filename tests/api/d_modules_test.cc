// Modules in D, with a stand-in for D's runtime, which asks the dynamic linker as that does.

#include <dlfcn.h>
#include <link.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "engine/engine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

extern "C" void* __tls_get_addr(size_t* module_and_offset);

namespace firstcall {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Registration {
  size_t version;
  void** slot;
  const void* const* begin;
  const void* const* end;
};

// What the runtime knows of a file.
struct File {
  std::vector<const void*> infos;
  std::vector<std::pair<uintptr_t, size_t>> data;  // Addresses and sizes.
  size_t thread_local_number = 0;
  size_t thread_local_size = 0;
  void* handle = nullptr;

  bool HasData(const void* address) const {
    for (const auto& [begin, size] : data) {
      if (reinterpret_cast<uintptr_t>(address) - begin < size) return true;
    }
    return false;
  }
  bool HasInBlockOfThisThread(const void* address) const {
    size_t module_and_offset[2] = {thread_local_number, 0};
    const auto begin = reinterpret_cast<uintptr_t>(__tls_get_addr(module_and_offset));
    return reinterpret_cast<uintptr_t>(address) - begin < thread_local_size;
  }
};

std::vector<std::unique_ptr<File>> files;  // Those that are registered.
std::vector<std::string> events;
std::function<void()> when_registered;  // Called once, if it is not empty.

File Read(const dl_phdr_info& info) {
  File file;
  for (size_t i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info.dlpi_phdr[i];
    if (segment.p_type == PT_LOAD) {
      file.data.emplace_back(info.dlpi_addr + segment.p_vaddr, segment.p_memsz);
    } else if (segment.p_type == PT_TLS) {
      file.thread_local_number = info.dlpi_tls_modid;
      file.thread_local_size = segment.p_memsz;
    }
  }
  return file;
}

// Of the loaded file that has `address` in a segment; nothing if there is none.
File FindFile(const void* address) {
  std::pair<const void*, File> search{address, {}};
  const auto visit = [](dl_phdr_info* info, size_t, void* data) {
    auto& [wanted, found] = *static_cast<std::pair<const void*, File>*>(data);
    File file = Read(*info);
    if (!file.HasData(wanted)) return 0;
    found = std::move(file);
    return 1;
  };
  dl_iterate_phdr(visit, &search);
  return std::move(search.second);
}

extern "C" void _d_dso_registry(void* argument) {
  const auto& registration = *static_cast<const Registration*>(argument);
  EXPECT_EQ(registration.version, 1u);
  if (*registration.slot != nullptr) {
    events.emplace_back("taken back");
    const auto* const known = static_cast<const File*>(std::exchange(*registration.slot, nullptr));
    for (auto file = files.begin(); file != files.end(); ++file) {
      if (file->get() != known) continue;
      files.erase(file);
      return;
    }
    ADD_FAILURE() << "an unknown file";
    return;
  }
  events.emplace_back("registered");
  auto file = std::make_unique<File>(FindFile(registration.slot));
  file->infos.assign(registration.begin, registration.end);
  Dl_info info;
  ASSERT_NE(dladdr(registration.slot, &info), 0);
  file->handle = dlopen(info.dli_fname, RTLD_NOLOAD | RTLD_LAZY);
  ASSERT_NE(file->handle, nullptr);
  dlclose(file->handle);
  *registration.slot = file.get();
  files.push_back(std::move(file));
  if (const std::function<void()> then = std::exchange(when_registered, nullptr)) then();
}

extern "C" void firstcall_test_event(const char* event) { events.emplace_back(event); }

class DModulesTest : public ::testing::TestWithParam<Mode> {
 protected:
  DModulesTest() {
    files.clear();
    events.clear();
    EngineOptions options;
    options.mode = GetParam();
    engine_ = Engine::Create(options).value();
  }

  // A module with variables whose names begin with `name`.
  ModuleId Add(absl::string_view name, absl::string_view more = "") {
    const std::string text = absl::StrCat("@", name, "_data = global i64 5\n@", name,
                                          "_local = thread_local global i64 7, align 64\n", "@",
                                          name, "_later = thread_local global i64 0\n", more);
    return engine_->AddBitcode(ParseToBitcode(text), name).value();
  }
  // The same, with a description, as a compiler of D makes it.
  ModuleId AddInD(absl::string_view name, absl::string_view more = "") {
    return Add(name, absl::StrCat("@", name, "_info = global i32 0\n", "@", name, R"(_reference =
      linkonce_odr hidden global ptr @)",
                                  name, R"(_info, section "__minfo"
      @llvm.used = appending global [1 x ptr] [ptr @)",
                                  name, R"(_reference], section "llvm.metadata"
      )",
                                  more));
  }
  void* AddressOf(absl::string_view name) { return engine_->LookupAddress(name).value(); }
  int64_t* Variable(absl::string_view name) { return static_cast<int64_t*>(AddressOf(name)); }

  std::unique_ptr<Engine> engine_;
};

INSTANTIATE_TEST_SUITE_P(Modes, DModulesTest, ::testing::Values(Mode::kLazy, Mode::kEager),
                         [](const auto& info) {
                           return info.param == Mode::kLazy ? "Lazy" : "Eager";
                         });

class LazyDModulesTest : public DModulesTest {};

INSTANTIATE_TEST_SUITE_P(Modes, LazyDModulesTest, ::testing::Values(Mode::kLazy),
                         [](const auto&) { return "Lazy"; });

TEST_P(DModulesTest, TheRuntimeFindsWhatAModuleHas) {
  AddInD("a");
  ASSERT_THAT(engine_->RunConstructors(), IsOk());
  ASSERT_EQ(files.size(), 1u);
  EXPECT_THAT(files[0]->infos, ElementsAre(AddressOf("a_info")));
  EXPECT_TRUE(files[0]->HasData(AddressOf("a_data")));
  EXPECT_EQ(*Variable("a_local"), 7);
  *Variable("a_local") = 8;
  const auto check = [&](int64_t value) {
    EXPECT_TRUE(files[0]->HasInBlockOfThisThread(AddressOf("a_local")));
    EXPECT_TRUE(files[0]->HasInBlockOfThisThread(AddressOf("a_later")));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(AddressOf("a_local")) % 64, 0u);
    EXPECT_EQ(*Variable("a_local"), value);
    EXPECT_EQ(*Variable("a_later"), 0);
  };
  check(8);
  std::thread(check, 7).join();
  check(8);
}

TEST_P(DModulesTest, ModulesThatAreConstructedTogetherShareAFile) {
  AddInD("a");
  Add("c");
  AddInD("b");
  ASSERT_THAT(engine_->RunConstructors(), IsOk());
  ASSERT_EQ(files.size(), 1u);
  EXPECT_THAT(files[0]->infos, ElementsAre(AddressOf("a_info"), AddressOf("b_info")));
  std::vector<int64_t*> variables;
  for (const char* name : {"a", "b", "c"}) {
    EXPECT_TRUE(files[0]->HasData(AddressOf(absl::StrCat(name, "_data"))));
    for (const char* variable : {"_local", "_later"}) {
      variables.push_back(Variable(absl::StrCat(name, variable)));
    }
  }
  for (size_t i = 0; i < variables.size(); ++i) {
    EXPECT_TRUE(files[0]->HasInBlockOfThisThread(variables[i]));
    *variables[i] = static_cast<int64_t>(100 + i);
  }
  for (size_t i = 0; i < variables.size(); ++i) {
    EXPECT_EQ(*variables[i], static_cast<int64_t>(100 + i));
  }
}

TEST_P(DModulesTest, LaterModulesHaveAFileOfTheirOwn) {
  AddInD("a");
  ASSERT_THAT(engine_->RunConstructors(), IsOk());
  AddInD("b");
  ASSERT_THAT(engine_->RunConstructors(), IsOk());
  ASSERT_EQ(files.size(), 2u);
  EXPECT_NE(files[0]->handle, files[1]->handle);
  EXPECT_NE(files[0]->thread_local_number, files[1]->thread_local_number);
  EXPECT_FALSE(files[0]->HasData(AddressOf("b_data")));
  EXPECT_TRUE(files[1]->HasData(AddressOf("b_data")));
  EXPECT_TRUE(files[1]->HasInBlockOfThisThread(Variable("b_local")));
}

TEST_P(DModulesTest, OnlyTheRuntimeIsToldOfData) {
  AddInD("a");
  ASSERT_THAT(engine_->RunConstructors(), IsOk());
  EXPECT_THAT(FindFile(AddressOf("a_data")).data, IsEmpty());
}

TEST_P(DModulesTest, AModuleIsTakenBackBeforeItGoes) {
  const ModuleId first = AddInD("a");
  ASSERT_THAT(engine_->RunConstructors(), IsOk());
  AddInD("b");
  ASSERT_THAT(engine_->RunConstructors(), IsOk());
  EXPECT_THAT(engine_->Remove(first), IsOk());
  ASSERT_EQ(files.size(), 1u);
  EXPECT_THAT(files[0]->infos, ElementsAre(AddressOf("b_info")));
  engine_ = nullptr;
  EXPECT_THAT(files, IsEmpty());
  EXPECT_THAT(events, ElementsAre("registered", "registered", "taken back", "taken back"));
}

TEST_P(DModulesTest, ModulesOfOneFileAreTakenBackTogether) {
  AddInD("a");
  const ModuleId other = Add("c");
  ASSERT_THAT(engine_->RunConstructors(), IsOk());
  EXPECT_THAT(engine_->Remove(other), IsOk());
  EXPECT_THAT(files, IsEmpty());
  engine_ = nullptr;
  EXPECT_THAT(events, ElementsAre("registered", "taken back"));
}

// In eager mode such a module is not added.
TEST_P(LazyDModulesTest, ModulesThatCannotBePreparedAreRegisteredLater) {
  AddInD("a", R"(
    @missing = external global i64
    @a_pointer = global ptr @missing
  )");
  EXPECT_THAT(engine_->RunConstructors(),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("missing")));
  EXPECT_THAT(events, IsEmpty());
  ASSERT_THAT(engine_->AddBitcode(ParseToBitcode("@missing = global i64 1"), "other"), IsOk());
  ASSERT_THAT(engine_->RunConstructors(), IsOk());
  ASSERT_EQ(files.size(), 1u);
  EXPECT_THAT(files[0]->infos, ElementsAre(AddressOf("a_info")));
  EXPECT_TRUE(files[0]->HasData(AddressOf("missing")));
}

TEST_P(DModulesTest, ItsModulesAreNotDetached) {
  const ModuleId module = AddInD("a");
  ASSERT_THAT(engine_->RunConstructors(), IsOk());
  EXPECT_THAT(engine_->Detach(module).status(),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("D's runtime")));
  EXPECT_EQ(*Variable("a_data"), 5);
}

// As a constructor in D that removes its own module.
TEST_P(DModulesTest, AModuleIsNotRemovedWhileItIsRegistered) {
  const ModuleId module = AddInD("a");
  absl::Status removed;
  when_registered = [&] { removed = engine_->Remove(module); };
  ASSERT_THAT(engine_->RunConstructors(), IsOk());
  EXPECT_THAT(removed, StatusIs(absl::StatusCode::kFailedPrecondition,
                                HasSubstr("while constructors of modules in D run")));
  EXPECT_THAT(engine_->Remove(module), IsOk());
  EXPECT_THAT(events, ElementsAre("registered", "taken back"));
}

TEST_P(DModulesTest, AnotherThreadsRemovalWaitsUntilTheModuleIsRegistered) {
  const ModuleId module = AddInD("a");
  std::thread remover;
  when_registered = [&] {
    remover = std::thread([&] { EXPECT_THAT(engine_->Remove(module), IsOk()); });
    absl::SleepFor(absl::Milliseconds(20));  // Usually the thread waits by then.
    events.emplace_back("goes on");
  };
  ASSERT_THAT(engine_->RunConstructors(), IsOk());
  remover.join();
  EXPECT_THAT(events, ElementsAre("registered", "goes on", "taken back"));
}

TEST_P(DModulesTest, FilesGoWithTheirModules) {
  const auto count = [] {
    int files = 0;
    const auto visit = [](dl_phdr_info*, size_t, void* data) {
      return ++*static_cast<int*>(data), 0;
    };
    dl_iterate_phdr(visit, &files);
    return files;
  };
  int after_first = 0;
  for (int round = 0; round < 5; ++round) {
    const ModuleId module = AddInD("a");
    ASSERT_THAT(engine_->RunConstructors(), IsOk());
    EXPECT_EQ(*Variable("a_local"), 7);
    *Variable("a_local") = 9;
    if (round == 0) after_first = count();
    EXPECT_LE(count(), after_first);
    EXPECT_THAT(engine_->Remove(module), IsOk());
  }
}

constexpr char kLifeCycle[] = R"(
  declare void @firstcall_test_event(ptr)
  @begins = constant [6 x i8] c"begin\00"
  @ends = constant [4 x i8] c"end\00"
  @llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [
    { i32, ptr, ptr } { i32 65535, ptr @begin, ptr null }]
  @llvm.global_dtors = appending global [1 x { i32, ptr, ptr }] [
    { i32, ptr, ptr } { i32 65535, ptr @end, ptr null }]
  define internal void @begin() uwtable { call void @firstcall_test_event(ptr @begins) ret void }
  define internal void @end() uwtable { call void @firstcall_test_event(ptr @ends) ret void }
)";

TEST_P(DModulesTest, RegisteredBetweenConstructorsAndDestructors) {
  AddInD("a", kLifeCycle);
  ASSERT_THAT(engine_->RunConstructors(), IsOk());
  engine_ = nullptr;
  EXPECT_THAT(events, ElementsAre("begin", "registered", "taken back", "end"));
}

TEST_P(DModulesTest, ProgramsThatAreNotInDAreNotRegistered) {
  Add("c", kLifeCycle);
  ASSERT_THAT(engine_->RunConstructors(), IsOk());
  engine_ = nullptr;
  EXPECT_THAT(events, ElementsAre("begin", "end"));
}

// As that of the object which the compiler links into each file.
TEST_P(DModulesTest, ACallOfTheProgramDoesNothing) {
  AddInD("a", R"(
    declare void @_d_dso_registry(ptr)
    define void @call() uwtable { call void @_d_dso_registry(ptr null) ret void })");
  engine_->Lookup<void()>("call").value()();
  ASSERT_THAT(engine_->RunConstructors(), IsOk());
  EXPECT_THAT(events, ElementsAre("registered"));
}

TEST_P(DModulesTest, ARuntimeInTheProgramIsLeftAlone) {
  AddInD("a", "define void @_d_dso_registry(ptr) { ret void }");
  ASSERT_THAT(engine_->RunConstructors(), IsOk());
  EXPECT_THAT(events, IsEmpty());
}

}  // namespace
}  // namespace firstcall
