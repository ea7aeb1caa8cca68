// C++ exceptions and the C API: they end at its functions, and pass through calls by an address.

#include <memory>
#include <stdexcept>
#include <string>

#include "clients/capi/firstcall.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace {

using ::testing::HasSubstr;

extern "C" {
void firstcall_test_throw() { throw std::runtime_error("from the host"); }
void firstcall_test_throw_int() { throw 42; }
}

class ExceptionsTest : public testing::Test {
 protected:
  ExceptionsTest() {
    EXPECT_EQ(fc_engine_create(nullptr, &engine_), nullptr);
    Add("declare void @firstcall_test_throw() declare void @firstcall_test_throw_int()"
        "define void @throws() uwtable { call void @firstcall_test_throw() ret void }"
        "define void @throws_int() uwtable { call void @firstcall_test_throw_int() ret void }"
        "define i32 @main() uwtable { call void @firstcall_test_throw() ret i32 0 }");
  }
  ~ExceptionsTest() override { fc_engine_destroy(engine_); }

  void Add(const std::string& text) {
    EXPECT_EQ(fc_engine_add_assembly(engine_, text.data(), text.size(), "m", nullptr), nullptr);
  }

  static void ExpectException(fc_error* error, const std::string& message) {
    EXPECT_EQ(fc_error_get_code(error), FC_UNKNOWN);
    EXPECT_EQ(fc_error_get_message(error), message);
    fc_error_free(error);
  }

  fc_engine* engine_ = nullptr;
};

TEST_F(ExceptionsTest, EndAtCallsByName) {
  for (int i = 0; i < 2; ++i) {
    ExpectException(fc_call(engine_, "throws", nullptr, 0, nullptr),
                    "fc_call: a C++ exception: from the host");
    ExpectException(fc_call(engine_, "throws_int", nullptr, 0, nullptr),
                    "fc_call: a C++ exception: of a type of its own");
  }
}

TEST_F(ExceptionsTest, EndAtCallsByAddress) {
  uintptr_t address = 0;
  ASSERT_EQ(fc_engine_lookup(engine_, "throws", &address), nullptr);
  ExpectException(fc_call_address(address, nullptr, 0, nullptr),
                  "fc_call_address: a C++ exception: from the host");
}

TEST_F(ExceptionsTest, EndAtTheProgram) {
  int status = 7;
  ExpectException(fc_engine_run_main(engine_, 0, nullptr, nullptr, &status),
                  "fc_engine_run_main: a C++ exception: from the host");
  EXPECT_EQ(status, 7);
}

TEST_F(ExceptionsTest, EndAtConstructors) {
  Add("declare void @firstcall_test_throw()"
      "@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }]"
      "  [{ i32, ptr, ptr } { i32 1, ptr @begin, ptr null }]"
      "define internal void @begin() uwtable { call void @firstcall_test_throw() ret void }");
  ExpectException(fc_engine_run_constructors(engine_),
                  "fc_engine_run_constructors: a C++ exception: from the host");
}

TEST_F(ExceptionsTest, PassThroughTheClientsOwnCalls) {
  uintptr_t address = 0;
  ASSERT_EQ(fc_engine_lookup(engine_, "throws", &address), nullptr);
  for (int i = 0; i < 2; ++i) {
    EXPECT_THROW(reinterpret_cast<void (*)()>(address)(), std::runtime_error);
  }
}

}  // namespace
