#include "runtime/link/outside_symbols.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "object/symbol_name.h"
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
absl::StatusOr<ExecutorAddress> Find(OutsideSymbols::Sources sources, absl::string_view name) {
  HostThreadLocals thread_locals;
  const OutsideSymbols symbols(std::move(sources), thread_locals);
  WorkScope scope;
  return symbols.Find(name);
}

// A client that finds `found`, and a process that has all names.
OutsideSymbols::Sources WithBoth(absl::string_view found) {
  OutsideSymbols::Sources sources;
  sources.client = [found = std::string(found)](absl::string_view name) -> void* {
    return name == found ? &of_client : nullptr;
  };
  sources.process = [](const std::string&) { return ExecutorAddress::Of(&in_process); };
  return sources;
}

TEST(OutsideSymbolsTest, ClientsSymbolComesFirst) {
  EXPECT_EQ(Find(WithBoth("f"), "f").value(), ExecutorAddress::Of(&of_client));
  EXPECT_EQ(Find(WithBoth("f"), "g").value(), ExecutorAddress::Of(&in_process));
}

TEST(OutsideSymbolsTest, EnginesFunctionComesBetweenBoth) {
  const absl::string_view name = "__cxa_atexit";
  EXPECT_EQ(Find(WithBoth(name), name).value(), ExecutorAddress::Of(&of_client));
  EXPECT_EQ(Find(WithBoth(""), name).value(),
            ExecutorAddress::Of(reinterpret_cast<const void*>(&ExitHandlers::Register)));
}

TEST(OutsideSymbolsTest, NothingIsFoundWithoutSources) {
  EXPECT_TRUE(Find({}, "f").value().is_null());
}

TEST(OutsideSymbolsTest, EmulatedThreadLocalsAreProvidedUnlessTheClientProvidesThem) {
  OutsideSymbols::Sources sources;
  EXPECT_EQ(Find(sources, kEmulatedTlsAccessor).value(), HostThreadLocals::Accessor());
  sources.provides_emulated_tls = false;
  EXPECT_TRUE(Find(sources, kEmulatedTlsAccessor).value().is_null());
}

TEST(OutsideSymbolsTest, ControlRecordIsMadeForAThreadLocalVariableOfTheProcess) {
  OutsideSymbols::Sources sources;
  sources.process = [](const std::string& name) {
    return name == "variable" ? ExecutorAddress::Of(&thread_local_variable) : ExecutorAddress();
  };
  const std::string control = absl::StrCat(kEmulatedTlsPrefix, "variable");
  const absl::StatusOr<ExecutorAddress> found = Find(sources, control);
  ASSERT_THAT(found, IsOk());
  EXPECT_FALSE(found->is_null());
  EXPECT_NE(*found, ExecutorAddress::Of(&thread_local_variable));
}

TEST(OutsideSymbolsTest, FindsTheCompilersRuntimeBehindTheProcess) {
  HostThreadLocals thread_locals;
  OutsideSymbols::Sources sources;
  sources.process = [](const std::string&) { return ExecutorAddress(); };
  const OutsideSymbols symbols(std::move(sources), thread_locals);
  EXPECT_FALSE(symbols.FindInProcess("pthread_atfork").is_null());
  EXPECT_TRUE(symbols.FindInProcess("nothing.has.this.name").is_null());
}

}  // namespace
}  // namespace firstcall
