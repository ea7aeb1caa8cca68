/* Engines in processes of their own, by the C API, from C. */

#include <stdint.h>

#include "clients/capi/firstcall.h"
#include "tests/clients/capi/check.h"

static const char kProgram[] =
    "%pair = type { i64, i64 }\n"
    "@text = constant [6 x i8] c\"hello\\00\"\n"
    "declare i32 @host_length(ptr)\n"
    "declare %pair @host_swap(i64, double)\n"
    "declare void @host_fails()\n"
    "define i32 @length() { %n = call i32 @host_length(ptr @text) ret i32 %n }\n"
    "define i64 @swap() {\n"
    "  %p = call %pair @host_swap(i64 6, double 7.0)\n"
    "  %a = extractvalue %pair %p, 0\n"
    "  %b = extractvalue %pair %p, 1\n"
    "  %c = mul i64 %a, 10\n"
    "  %d = add i64 %c, %b\n"
    "  ret i64 %d\n"
    "}\n"
    "define void @fails() { call void @host_fails() ret void }\n"
    "define void @crash() { store volatile i32 1, ptr inttoptr (i64 16 to ptr) ret void }\n"
    "define void @loops() { br label %loop loop: br label %loop }\n"
    "define i32 @first(ptr %p) { %x = load i32, ptr %p ret i32 %x }\n"
    "define i32 @main(i32 %argc, ptr %argv) { ret i32 %argc }\n";

static fc_error* Length(void* user_data, fc_isolated* isolated, const fc_value* arguments,
                        size_t count, fc_value* result) {
  char bytes[6];
  CHECK(count == 1);
  CHECK_OK(fc_isolated_read(isolated, (uint64_t)(uintptr_t)arguments[0].as.pointer, bytes, 6));
  result->as.int32 = (int32_t)strlen(bytes);
  ++*(int*)user_data;
  return NULL;
}

static fc_error* Swap(void* user_data, fc_isolated* isolated, const fc_value* arguments,
                      size_t count, fc_value* result) {
  struct {
    int64_t first;
    int64_t second;
  } swapped;
  (void)user_data;
  (void)isolated;
  CHECK(count == 2);
  CHECK(result->type.kind == FC_STRUCT && result->type.field_count == 2);
  swapped.first = (int64_t)arguments[1].as.float64;
  swapped.second = arguments[0].as.int64;
  memcpy(result->as.structure, &swapped, sizeof(swapped));
  return NULL;
}

static fc_error* Fails(void* user_data, fc_isolated* isolated, const fc_value* arguments,
                       size_t count, fc_value* result) {
  (void)user_data;
  (void)isolated;
  (void)arguments;
  CHECK(count == 0 && result == NULL);
  return fc_error_create(FC_PERMISSION_DENIED, "not you");
}

static const fc_type kLengthParameters[] = {{FC_POINTER, 0, NULL}};
static const fc_type kSwapParameters[] = {{FC_INT64, 0, NULL}, {FC_DOUBLE, 0, NULL}};
/* Both architectures return two integers in the registers in which LLVM returns the IR's type. */
static const fc_type kPairFields[] = {{FC_INT64, 0, NULL}, {FC_INT64, 0, NULL}};

static fc_isolated* MakeIsolated(int* calls, uint64_t call_nanoseconds) {
  fc_isolated* isolated = NULL;
  fc_isolation_options options = {sizeof(options), 0, 0, NULL, 0};
  fc_isolated_callback callbacks[3] = {
      {"host_length", {FC_INT32, 0, NULL}, kLengthParameters, 1, Length, NULL},
      {"host_swap", {FC_STRUCT, 2, kPairFields}, kSwapParameters, 2, Swap, NULL},
      {"host_fails", {FC_VOID, 0, NULL}, NULL, 0, Fails, NULL},
  };
  callbacks[0].user_data = calls;
  options.call_nanoseconds = call_nanoseconds;
  options.callbacks = callbacks;
  options.callback_count = 3;
  CHECK_OK(fc_isolated_create(NULL, &options, &isolated));
  CHECK_OK(fc_isolated_add_assembly(isolated, kProgram, sizeof(kProgram) - 1, "program", NULL));
  return isolated;
}

static void TestCallsAndCallbacks(void) {
  int calls = 0;
  fc_isolated* isolated = MakeIsolated(&calls, 0);
  fc_value result;
  memset(&result, 0, sizeof(result));
  result.type.kind = FC_INT32;
  CHECK_OK(fc_isolated_call(isolated, "length", NULL, 0, &result));
  CHECK(result.as.int32 == 5);
  CHECK(calls == 1); /* The callback ran here. */
  result.type.kind = FC_INT64;
  CHECK_OK(fc_isolated_call(isolated, "swap", NULL, 0, &result));
  CHECK(result.as.int64 == 76);
  int status = 0;
  const char* const arguments[] = {"a", "b"};
  CHECK_OK(fc_isolated_run_constructors(isolated));
  CHECK_OK(fc_isolated_run_main(isolated, 2, arguments, NULL, &status));
  CHECK(status == 2);
  CHECK_ERROR(fc_isolated_call(isolated, "fails", NULL, 0, NULL), FC_PERMISSION_DENIED, "not you");
  CHECK_ERROR(fc_isolated_call(isolated, "length", NULL, 0, &result), FC_UNAVAILABLE,
              "the isolated process has ended");
  fc_isolated_destroy(isolated);
}

static void TestMemory(void) {
  int calls = 0;
  /* More than a signed number holds is no limit. */
  fc_isolated* isolated = MakeIsolated(&calls, UINT64_MAX);
  uint64_t address = 0;
  CHECK_OK(fc_isolated_allocate(isolated, sizeof(int32_t), &address));
  const int32_t number = 1234567;
  CHECK_OK(fc_isolated_write(isolated, address, &number, sizeof(number)));
  fc_value argument, result;
  memset(&argument, 0, sizeof(argument));
  memset(&result, 0, sizeof(result));
  argument.type.kind = FC_POINTER;
  argument.as.pointer = (void*)(uintptr_t)address;
  result.type.kind = FC_INT32;
  CHECK_OK(fc_isolated_call(isolated, "first", &argument, 1, &result));
  CHECK(result.as.int32 == number);
  int32_t read = 0;
  CHECK_OK(fc_isolated_read(isolated, address, &read, sizeof(read)));
  CHECK(read == number);
  CHECK_OK(fc_isolated_free(isolated, address));
  fc_isolated_destroy(isolated);
}

static void TestEnds(void) {
  int calls = 0;
  /* For a busy machine, emulator or sanitizer. */
  fc_isolated* isolated = MakeIsolated(&calls, UINT64_C(20) * 1000 * 1000 * 1000);
  fc_module_id module = 0;
  static const char kMore[] = "define i32 @more() { ret i32 1 }";
  CHECK_OK(fc_isolated_add_assembly(isolated, kMore, sizeof(kMore) - 1, NULL, &module));
  CHECK_ERROR(fc_isolated_call(isolated, "crash", NULL, 0, NULL), FC_UNAVAILABLE, "signal 11");
  CHECK_OK(fc_isolated_restart(isolated));
  fc_value result;
  memset(&result, 0, sizeof(result));
  result.type.kind = FC_INT32;
  CHECK_OK(fc_isolated_call(isolated, "more", NULL, 0, &result));
  CHECK(result.as.int32 == 1);
  CHECK_OK(fc_isolated_remove(isolated, module));
  CHECK_ERROR(fc_isolated_remove(isolated, module), FC_NOT_FOUND, "no module");
  fc_isolated_interrupt(isolated);
  CHECK_ERROR(fc_isolated_call(isolated, "loops", NULL, 0, NULL), FC_UNAVAILABLE, "signal 9");
  fc_isolated_destroy(isolated);
}

static void TestWhatIsRefused(void) {
  fc_isolated* isolated = NULL;
  fc_isolation_options options = {sizeof(options), 0, 0, NULL, 1};
  fc_isolated_callback callback = {"wide", {FC_INT128, 0, NULL}, NULL, 0, Fails, NULL};
  CHECK_ERROR(fc_isolated_create(NULL, NULL, NULL), FC_INVALID_ARGUMENT, "isolated is null");
  CHECK_ERROR(fc_isolated_create(NULL, &options, &isolated), FC_INVALID_ARGUMENT,
              "the callbacks are null");
  options.callbacks = &callback;
  CHECK_ERROR(fc_isolated_create(NULL, &options, &isolated), FC_UNIMPLEMENTED, "'wide'");
  callback.result.kind = (fc_kind)99;
  CHECK_ERROR(fc_isolated_create(NULL, &options, &isolated), FC_INVALID_ARGUMENT, "'wide'");
  callback.function = NULL;
  CHECK_ERROR(fc_isolated_create(NULL, &options, &isolated), FC_INVALID_ARGUMENT, "null");
  options.struct_size = 0;
  CHECK_ERROR(fc_isolated_create(NULL, &options, &isolated), FC_INVALID_ARGUMENT, "struct_size");
  CHECK_ERROR(fc_isolated_call(NULL, "f", NULL, 0, NULL), FC_INVALID_ARGUMENT, "isolated is null");
  fc_isolated_interrupt(NULL);
  fc_isolated_destroy(NULL);
}

int main(void) {
  TestCallsAndCallbacks();
  TestMemory();
  TestEnds();
  TestWhatIsRefused();
  return 0;
}
