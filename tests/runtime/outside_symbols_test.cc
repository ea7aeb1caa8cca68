#include "runtime/link/outside_symbols.h"

#include <string>
#include <thread>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/ids.h"
#include "gtest/gtest.h"
#include "memory/thread_local_blocks.h"
#include "runtime/link/definitions.h"
#include "runtime/process/exit_handlers.h"
#include "runtime/process/host_thread_locals.h"
#include "runtime/process/work_scope.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

int of_client = 0;
int in_process = 0;
thread_local int thread_local_variable = 0;

// What `sources` have under `name`.
ExecutorAddress Find(OutsideSymbols::Sources sources, absl::string_view name) {
  HostThreadLocals thread_locals;
  const Definitions libraries;
  const OutsideSymbols symbols(std::move(sources), libraries, thread_locals);
  WorkScope scope;
  return symbols.Find(name, LibraryId());
}

// A client that finds `found`, and a process that has all names.
OutsideSymbols::Sources WithBoth(absl::string_view found) {
  OutsideSymbols::Sources sources;
  sources.client = [found = std::string(found)](absl::string_view name,
                                                absl::string_view) -> void* {
    return name == found ? &of_client : nullptr;
  };
  sources.process = [](const std::string&) { return ExecutorAddress::Of(&in_process); };
  return sources;
}

TEST(OutsideSymbolsTest, ClientsSymbolComesFirst) {
  EXPECT_EQ(Find(WithBoth("f"), "f"), ExecutorAddress::Of(&of_client));
  EXPECT_EQ(Find(WithBoth("f"), "g"), ExecutorAddress::Of(&in_process));
}

TEST(OutsideSymbolsTest, EnginesFunctionComesBetweenBoth) {
  const absl::string_view name = "__cxa_atexit";
  EXPECT_EQ(Find(WithBoth(name), name), ExecutorAddress::Of(&of_client));
  EXPECT_EQ(Find(WithBoth(""), name),
            ExecutorAddress::Of(reinterpret_cast<const void*>(&ExitHandlers::Register)));
}

TEST(OutsideSymbolsTest, NothingIsFoundWithoutSources) { EXPECT_TRUE(Find({}, "f").is_null()); }

TEST(OutsideSymbolsTest, EmulatedThreadLocalsAreProvidedUnlessTheClientProvidesThem) {
  OutsideSymbols::Sources sources;
  EXPECT_EQ(Find(sources, kEmulatedTlsAccessor), HostThreadLocals::Accessor());
  sources.provides_emulated_tls = false;
  EXPECT_TRUE(Find(sources, kEmulatedTlsAccessor).is_null());
}

TEST(OutsideSymbolsTest, DescriptorIsMadeForAThreadLocalVariableOfTheProcess) {
  OutsideSymbols::Sources sources;
  sources.process = [](const std::string& name) {
    return name == "variable" ? ExecutorAddress::Of(&thread_local_variable) : ExecutorAddress();
  };
  HostThreadLocals thread_locals;
  const Definitions libraries;
  const OutsideSymbols symbols(std::move(sources), libraries, thread_locals);
  WorkScope scope;
  EXPECT_TRUE(symbols.HasThreadLocal("variable", LibraryId()));
  EXPECT_FALSE(symbols.HasThreadLocal("other", LibraryId()));
  const absl::StatusOr<ExecutorAddress> found = symbols.FindThreadLocal("variable", LibraryId());
  ASSERT_THAT(found, IsOk());
  const auto address = [&] {
    return AddressOfThreadLocal(*found->InThisProcess<const ThreadLocalDescriptor*>());
  };
  EXPECT_EQ(address(), &thread_local_variable);
  EXPECT_EQ(*symbols.FindThreadLocal("variable", LibraryId()), *found);
  std::thread([&] { EXPECT_EQ(address(), &thread_local_variable); }).join();
}

// Code that emulates thread-local variables and code that does not may use the same ones.
TEST(OutsideSymbolsTest, ControlRecordsAndDescriptorsStandForEachOther) {
  HostThreadLocals thread_locals;
  static int variable = 0;
  const ThreadLocalDescriptor descriptor =
      ComputedThreadLocal([](void* argument) { return argument; }, &variable);
  const ExecutorAddress control =
      thread_locals.ControlOfDescriptor(ExecutorAddress::Of(&descriptor));
  using Accessor = void*(void* control);
  auto* const accessor = HostThreadLocals::Accessor().InThisProcess<Accessor*>();
  EXPECT_EQ(accessor(control.InThisProcess<void*>()), &variable);
  const ExecutorAddress back = thread_locals.DescriptorOfControl(control);
  EXPECT_EQ(AddressOfThreadLocal(*back.InThisProcess<const ThreadLocalDescriptor*>()), &variable);
  EXPECT_EQ(thread_locals.ControlOfDescriptor(back), control);
}

TEST(OutsideSymbolsTest, ClientMayHaveAControlRecord) {
  HostThreadLocals thread_locals;
  struct Control {
    size_t size = sizeof(int), alignment = alignof(int);
    void* place = nullptr;
    void* contents = nullptr;
  };
  static Control control;
  OutsideSymbols::Sources sources;
  sources.client = [](absl::string_view name, absl::string_view) -> void* {
    return name == "__emutls_v.variable" ? &control : nullptr;
  };
  const Definitions libraries;
  const OutsideSymbols symbols(std::move(sources), libraries, thread_locals);
  WorkScope scope;
  const absl::StatusOr<ExecutorAddress> found = symbols.FindThreadLocal("variable", LibraryId());
  ASSERT_THAT(found, IsOk());
  auto* const variable = static_cast<int*>(
      AddressOfThreadLocal(*found->InThisProcess<const ThreadLocalDescriptor*>()));
  ASSERT_NE(variable, nullptr);
  EXPECT_EQ(*variable, 0);
}

TEST(OutsideSymbolsTest, ClientIsToldWhichLibraryAsks) {
  HostThreadLocals thread_locals;
  Definitions libraries;
  const LibraryId plug_in = libraries.LibraryNamed("plug-in");
  OutsideSymbols::Sources sources;
  sources.client = [](absl::string_view, absl::string_view library) -> void* {
    return library == "plug-in" ? &of_client : nullptr;
  };
  const OutsideSymbols symbols(std::move(sources), libraries, thread_locals);
  WorkScope scope;
  EXPECT_EQ(symbols.Find("f", plug_in), ExecutorAddress::Of(&of_client));
  EXPECT_TRUE(symbols.Find("f", LibraryId()).is_null());
}

TEST(OutsideSymbolsTest, FindsTheCompilersRuntimeBehindTheProcess) {
  HostThreadLocals thread_locals;
  OutsideSymbols::Sources sources;
  sources.process = [](const std::string&) { return ExecutorAddress(); };
  const Definitions libraries;
  const OutsideSymbols symbols(std::move(sources), libraries, thread_locals);
  EXPECT_FALSE(symbols.FindInProcess("pthread_atfork").is_null());
  EXPECT_TRUE(symbols.FindInProcess("nothing.has.this.name").is_null());
}

}  // namespace
}  // namespace firstcall
