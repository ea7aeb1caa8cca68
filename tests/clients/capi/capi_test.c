/* The whole C API from C, in the shared library. */

#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>

#include "clients/capi/firstcall.h"
#include "tests/clients/capi/check.h"

typedef int (*IntFunction)(int);

static const char kShapes[] =
    "define i32 @square(i32 %x) { %y = mul i32 %x, %x ret i32 %y }"
    "define i32 @cube(i32 %x) { %s = call i32 @square(i32 %x) %c = mul i32 %s, %x ret i32 %c }"
    "@sides = global i32 4";

static fc_module_id AddText(fc_engine* engine, const char* text, const char* name) {
  fc_module_id module = 12345;
  CHECK_OK(fc_engine_add_assembly(engine, text, strlen(text), name, &module));
  return module;
}

static fc_engine* MakeEngine(const fc_options* options) {
  fc_engine* engine = NULL;
  CHECK_OK(fc_engine_create(options, &engine));
  CHECK(engine != NULL);
  return engine;
}

static uintptr_t Lookup(fc_engine* engine, const char* name) {
  uintptr_t address = 0;
  CHECK_OK(fc_engine_lookup(engine, name, &address));
  CHECK(address != 0);
  return address;
}

static int CallInt(fc_engine* engine, const char* name, int argument) {
  return ((IntFunction)Lookup(engine, name))(argument);
}

static void TestVersion(void) {
  int major = -1, minor = -1, patch = -1;
  CHECK(sscanf(fc_version(), "%d.%d.%d", &major, &minor, &patch) == 3);
  CHECK(major >= 0 && minor >= 0 && patch >= 0);
}

static void TestErrors(void) {
  CHECK(fc_error_get_code(NULL) == FC_OK);
  CHECK(strcmp(fc_error_get_message(NULL), "") == 0);
  fc_error_free(NULL);
  fc_error* error = fc_error_create(FC_INTERNAL, "by hand");
  CHECK(fc_error_get_code(error) == FC_INTERNAL);
  CHECK(strcmp(fc_error_get_message(error), "by hand") == 0);
  fc_error_free(error);
  CHECK_ERROR(fc_error_create(FC_OK, NULL), FC_UNKNOWN, "");
}

static void TestNullsAreRefused(void) {
  fc_engine* engine = MakeEngine(NULL);
  uintptr_t address = 7;
  CHECK_ERROR(fc_engine_create(NULL, NULL), FC_INVALID_ARGUMENT,
              "fc_engine_create: engine is null");
  CHECK_ERROR(fc_engine_lookup(NULL, "f", &address), FC_INVALID_ARGUMENT, "engine is null");
  CHECK_ERROR(fc_engine_lookup(engine, NULL, &address), FC_INVALID_ARGUMENT, "name is null");
  CHECK_ERROR(fc_engine_lookup(engine, "f", NULL), FC_INVALID_ARGUMENT, "address is null");
  CHECK_ERROR(fc_engine_add_file(engine, NULL, NULL), FC_INVALID_ARGUMENT, "path is null");
  CHECK_ERROR(fc_engine_add_bitcode(engine, NULL, 0, "m", NULL), FC_INVALID_ARGUMENT,
              "bitcode is null");
  CHECK_ERROR(fc_engine_add_assembly(engine, NULL, 0, "m", NULL), FC_INVALID_ARGUMENT,
              "text is null");
  CHECK_ERROR(fc_engine_add_files(engine, NULL, NULL, 1, NULL), FC_INVALID_ARGUMENT,
              "paths is null");
  CHECK_ERROR(fc_engine_add_object_file(engine, NULL, NULL), FC_INVALID_ARGUMENT, "path is null");
  CHECK_ERROR(fc_engine_add_archive(engine, NULL, NULL), FC_INVALID_ARGUMENT, "path is null");
  CHECK_ERROR(fc_engine_add_module(engine, NULL, NULL, NULL), FC_INVALID_ARGUMENT,
              "llvm_module is null");
  CHECK_ERROR(fc_engine_add_module_copy(engine, NULL, NULL), FC_INVALID_ARGUMENT,
              "llvm_module is null");
  const char* names[] = {NULL};
  CHECK_ERROR(fc_engine_prepare(engine, NULL, 1, NULL), FC_INVALID_ARGUMENT, "names is null");
  CHECK_ERROR(fc_engine_prepare(engine, names, 1, NULL), FC_INVALID_ARGUMENT, "a name is null");
  CHECK_ERROR(fc_engine_prepare_all(NULL, NULL), FC_INVALID_ARGUMENT, "engine is null");
  CHECK_ERROR(fc_engine_run_main(engine, -1, NULL, NULL, NULL), FC_INVALID_ARGUMENT, "-1");
  CHECK_ERROR(fc_engine_run_main(engine, 1, NULL, NULL, NULL), FC_INVALID_ARGUMENT,
              "an argument is null");
  CHECK_ERROR(fc_engine_run_constructors(NULL), FC_INVALID_ARGUMENT, "engine is null");
  CHECK_ERROR(fc_engine_run_destructors(NULL), FC_INVALID_ARGUMENT, "engine is null");
  CHECK_ERROR(fc_engine_remove(NULL, 0), FC_INVALID_ARGUMENT, "engine is null");
  CHECK_ERROR(fc_engine_detach(engine, 0, NULL), FC_INVALID_ARGUMENT, "code is null");
  CHECK_ERROR(fc_engine_get_statistics(engine, NULL), FC_INVALID_ARGUMENT, "statistics is null");
  CHECK_ERROR(fc_code_lookup(NULL, "f", &address), FC_INVALID_ARGUMENT, "code is null");
  CHECK_ERROR(fc_call(engine, NULL, NULL, 0, NULL), FC_INVALID_ARGUMENT, "name is null");
  CHECK_ERROR(fc_call(engine, "f", NULL, 1, NULL), FC_INVALID_ARGUMENT, "arguments are null");
  CHECK_ERROR(fc_call_address(0, NULL, 0, NULL), FC_INVALID_ARGUMENT, "address is 0");
  CHECK(address == 7);
  fc_engine_destroy(engine);
  fc_engine_destroy(NULL);
  fc_options_free(NULL);
  fc_code_free(NULL);
  fc_options_set_mode(NULL, FC_MODE_EAGER);
  fc_options_set_memory_manager(NULL, NULL);
}

// Servers are asked when something is missing; one that is not there is no error.
static void TestSharedCache(void) {
  const char* settings[] = {"read-only=yes", "budget=1000", NULL};
  fc_options* options = fc_options_create();
  fc_options_set_shared_cache(options, "http://127.0.0.1:1/cache", settings);
  fc_engine* engine = MakeEngine(options);
  AddText(engine, kShapes, "shapes");
  CHECK(CallInt(engine, "cube", 3) == 27);
  fc_engine_destroy(engine);
  fc_options_free(options);

  const struct {
    const char* url;
    const char* setting;
    const char* error;
  } refused[] = {{"ftp://h", NULL, "none of https://, http://, rediss:// and redis://"},
                 {"http://h", NULL, "plain-http=yes"},
                 {"https://h", "ca-file", "has not the form name=value"},
                 {"https://h", "ca=f", "no setting 'ca'"}};
  for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); ++i) {
    const char* one[] = {refused[i].setting, NULL};
    options = fc_options_create();
    fc_options_set_shared_cache(options, refused[i].url, one);
    CHECK_ERROR(fc_engine_create(options, &engine), FC_INVALID_ARGUMENT, refused[i].error);
    fc_options_free(options);
  }
  fc_options_set_shared_cache(NULL, "https://h", NULL);
}

static void TestAssembly(void) {
  fc_engine* engine = MakeEngine(NULL);
  AddText(engine, kShapes, "shapes");
  CHECK(CallInt(engine, "cube", 3) == 27);
  CHECK(*(int*)Lookup(engine, "sides") == 4);
  uintptr_t address = 7;
  CHECK_ERROR(fc_engine_lookup(engine, "circle", &address), FC_NOT_FOUND, "circle");
  CHECK(address == 7);
  CHECK_ERROR(fc_engine_add_assembly(engine, "define", 6, "half", NULL), FC_INVALID_ARGUMENT,
              "half:1:");
  CHECK_ERROR(fc_engine_add_assembly(engine, kShapes, strlen(kShapes), "again", NULL),
              FC_ALREADY_EXISTS, "by 'shapes' and by 'again'");
  fc_engine_destroy(engine);
}

/* `int name(int x) { return x + number; }`, in a context of its own or in a given one. */
static LLVMModuleRef BuildAdder(LLVMContextRef context, const char* name, int number) {
  LLVMModuleRef module = LLVMModuleCreateWithNameInContext("built", context);
  LLVMTypeRef integer = LLVMInt32TypeInContext(context);
  LLVMTypeRef type = LLVMFunctionType(integer, &integer, 1, 0);
  LLVMValueRef function = LLVMAddFunction(module, name, type);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, function, ""));
  LLVMBuildRet(builder, LLVMBuildAdd(builder, LLVMGetParam(function, 0),
                                     LLVMConstInt(integer, (unsigned long long)number, 0), ""));
  LLVMDisposeBuilder(builder);
  return module;
}

static void TestBitcodeAndFiles(void) {
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef first = BuildAdder(context, "add1", 1);
  LLVMModuleRef second = BuildAdder(context, "add2", 2);
  LLVMMemoryBufferRef bitcode = LLVMWriteBitcodeToMemoryBuffer(first);
  char path[] = "/tmp/capi_test_XXXXXX";
  const char* directory = getenv("TEST_TMPDIR");
  char file[4096];
  snprintf(file, sizeof(file), "%s/add2.bc", directory == NULL ? path : directory);
  CHECK(LLVMWriteBitcodeToFile(second, file) == 0);

  fc_engine* engine = MakeEngine(NULL);
  fc_module_id id = 7;
  CHECK_OK(fc_engine_add_bitcode(engine, LLVMGetBufferStart(bitcode), LLVMGetBufferSize(bitcode),
                                 NULL, NULL));
  CHECK_OK(fc_engine_add_file(engine, file, &id));
  CHECK(id == 1);
  CHECK(CallInt(engine, "add1", 10) == 11);
  CHECK(CallInt(engine, "add2", 10) == 12);
  CHECK_ERROR(fc_engine_add_file(engine, "/no/such/file", &id), FC_NOT_FOUND, "/no/such/file");
  CHECK(id == 1);
  CHECK_ERROR(fc_engine_add_bitcode(engine, "abcd", 4, "junk", NULL), FC_INVALID_ARGUMENT, "junk");
  fc_engine_destroy(engine);

  /* Libraries may each define it. */
  engine = MakeEngine(NULL);
  const char* paths[] = {file, file};
  const char* libraries[] = {NULL, "other"};
  fc_module_id ids[] = {9, 9};
  CHECK_OK(fc_engine_add_files(engine, paths, libraries, 2, ids));
  CHECK(ids[0] == 0 && ids[1] == 1);
  CHECK(CallInt(engine, "add2", 10) == 12);
  CHECK_ERROR(fc_engine_add_files(engine, paths, NULL, 1, NULL), FC_ALREADY_EXISTS, "add2");
  fc_engine_destroy(engine);

  LLVMDisposeMemoryBuffer(bitcode);
  LLVMDisposeModule(first);
  LLVMDisposeModule(second);
  LLVMContextDispose(context);
}

static void TestModulesOfLlvm(void) {
  fc_engine* engine = MakeEngine(NULL);

  LLVMContextRef own = LLVMContextCreate();
  fc_module_id id = 7;
  CHECK_OK(fc_engine_add_module(engine, own, BuildAdder(own, "own", 1), &id));
  CHECK(id == 0);
  CHECK(CallInt(engine, "own", 10) == 11);

  /* Several modules of one context are copied, and stay the client's. */
  LLVMContextRef shared = LLVMContextCreate();
  LLVMModuleRef first = BuildAdder(shared, "first", 2);
  LLVMModuleRef second = BuildAdder(shared, "second", 3);
  CHECK_OK(fc_engine_add_module_copy(engine, first, NULL));
  CHECK_OK(fc_engine_add_module_copy(engine, second, NULL));
  LLVMDisposeModule(first);
  CHECK(CallInt(engine, "first", 10) == 12);
  CHECK(CallInt(engine, "second", 10) == 13);
  CHECK(LLVMGetNamedFunction(second, "second") != NULL);

  /* What is refused is disposed of, without a context that others have. */
  LLVMContextRef other = LLVMContextCreate();
  CHECK_ERROR(fc_engine_add_module(engine, other, second, NULL), FC_INVALID_ARGUMENT,
              "not the one that the module lives in");
  LLVMContextRef global = LLVMGetGlobalContext();
  CHECK_ERROR(fc_engine_add_module(engine, global, BuildAdder(global, "global", 4), NULL),
              FC_INVALID_ARGUMENT, "global context");
  LLVMContextDispose(shared);
  CHECK_ERROR(fc_engine_add_module(NULL, other, BuildAdder(other, "lost", 4), NULL),
              FC_INVALID_ARGUMENT, "engine is null");

  /* Invalid IR: a block without an end. */
  for (int copy = 0; copy < 2; ++copy) {
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = BuildAdder(context, "endless", 5);
    LLVMValueRef function = LLVMGetNamedFunction(module, "endless");
    LLVMAppendBasicBlockInContext(context, function, "open");
    if (copy) {
      CHECK_ERROR(fc_engine_add_module_copy(engine, module, NULL), FC_INVALID_ARGUMENT,
                  "not valid IR");
      LLVMDisposeModule(module);
      LLVMContextDispose(context);
    } else {
      CHECK_ERROR(fc_engine_add_module(engine, context, module, NULL), FC_INVALID_ARGUMENT,
                  "'endless' is not valid IR");
    }
  }
  fc_engine_destroy(engine);
}

static void TestPrecompiledCode(const char* object, const char* archive) {
  fc_engine* engine = MakeEngine(NULL);
  CHECK_OK(fc_engine_add_object_file(engine, object, NULL));
  CHECK_OK(fc_engine_add_archive(engine, archive, "side"));
  AddText(engine,
          "declare i32 @in_object(i32) declare i32 @in_archive(i32)"
          "define i32 @both(i32 %x) { %a = call i32 @in_object(i32 %x)"
          " %b = call i32 @in_archive(i32 %a) ret i32 %b }",
          "user");
  CHECK(CallInt(engine, "both", 10) == (10 + 100) * 3);
  fc_value argument = {{FC_INT32, 0, NULL}, {0}};
  fc_value result = {{FC_INT32, 0, NULL}, {0}};
  argument.as.int32 = 5;
  CHECK_OK(fc_call(engine, "in_object", &argument, 1, &result));
  CHECK(result.as.int32 == 105);
  CHECK_ERROR(fc_engine_add_object_file(engine, "/no/such.o", NULL), FC_NOT_FOUND, "/no/such.o");
  CHECK_ERROR(fc_engine_add_archive(engine, "/no/such.a", ""), FC_NOT_FOUND, "/no/such.a");
  fc_engine_destroy(engine);
}

struct Progress {
  int calls;
  int stop_after;
  size_t total;
};

static int OnProgress(void* user_data, size_t done, size_t failed, size_t total) {
  struct Progress* progress = user_data;
  ++progress->calls;
  progress->total = total;
  return done + failed < (size_t)progress->stop_after;
}

static void TestPrepare(void) {
  fc_engine* engine = MakeEngine(NULL);
  AddText(engine, kShapes, "shapes");
  fc_statistics statistics;
  statistics.struct_size = sizeof(statistics);
  const char* names[] = {"square"};
  CHECK_OK(fc_engine_prepare(engine, names, 1, NULL));
  CHECK_OK(fc_engine_get_statistics(engine, &statistics));
  CHECK(statistics.functions_compiled == 1);
  struct Progress progress = {0, 100, 0};
  fc_prepare_options options = {sizeof(options), 0, OnProgress, &progress, 0};
  CHECK_OK(fc_engine_prepare_all(engine, &options));
  CHECK(progress.calls == 2 && progress.total == 2);
  CHECK_OK(fc_engine_get_statistics(engine, &statistics));
  CHECK(statistics.functions_compiled == 2);
  fc_prepare_options optimizing = {sizeof(optimizing), 0, NULL, NULL, 1};
  CHECK_OK(fc_engine_prepare_all(engine, &optimizing));
  CHECK_OK(fc_engine_get_statistics(engine, &statistics));
  CHECK(statistics.promotions_made == 2 && statistics.promotions_cached == 0);
  CHECK(statistics.optimization_time > 0 && statistics.optimization_time_predicted > 0);
  CHECK(statistics.promotions_put_off == 0);
  const char* missing[] = {"square", "circle"};
  CHECK_ERROR(fc_engine_prepare(engine, missing, 2, NULL), FC_NOT_FOUND, "circle");

  AddText(engine, "define i32 @a() { ret i32 1 } define i32 @b() { ret i32 2 }", "more");
  progress.stop_after = 1;
  CHECK_ERROR(fc_engine_prepare_all(engine, &options), FC_CANCELLED, "");
  fc_prepare_options hurried = {sizeof(hurried), 1, NULL, NULL, 0};
  CHECK_ERROR(fc_engine_prepare_all(engine, &hurried), FC_DEADLINE_EXCEEDED, "");
  hurried.struct_size = 0;
  CHECK_ERROR(fc_engine_prepare_all(engine, &hurried), FC_INVALID_ARGUMENT,
              "the struct_size of a fc_prepare_options is 0");
  fc_engine_destroy(engine);
}

static int reported[8];
static int reports;
static void Report(int value) { reported[reports++] = value; }

static uintptr_t FindSymbol(void* user_data, const char* symbol) {
  ++*(int*)user_data;
  if (strcmp(symbol, "report") == 0) return (uintptr_t)&Report;
  return 0;
}

static void TestSharedLibraries(void) {
  fc_options* options = fc_options_create();
  fc_options_set_search_process(options, 0);
  fc_options_add_shared_library(options, "libm.so.6");
  fc_engine* engine = MakeEngine(options);
  AddText(engine,
          "declare i32 @ilogb(double)"
          "define i32 @exponent(i32 %x) {"
          "  %d = sitofp i32 %x to double"
          "  %r = call i32 @ilogb(double %d)"
          "  ret i32 %r }",
          "uses a library");
  CHECK(CallInt(engine, "exponent", 8) == 3);
  fc_engine_destroy(engine);
  fc_options_add_shared_library(options, "/no/such.so");
  engine = NULL;
  CHECK_ERROR(fc_engine_create(options, &engine), FC_NOT_FOUND, "loading library '/no/such.so'");
  CHECK(engine == NULL);
  fc_options_free(options);
}

static void TestProgram(void) {
  int asked = 0;
  fc_options* options = fc_options_create();
  fc_options_set_symbol_finder(options, FindSymbol, &asked);
  fc_options_set_search_process(options, 0);
  fc_engine* engine = MakeEngine(options);
  fc_options_free(options);
  AddText(engine,
          "@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }]"
          "  [{ i32, ptr, ptr } { i32 1, ptr @begin, ptr null }]"
          "@llvm.global_dtors = appending global [1 x { i32, ptr, ptr }]"
          "  [{ i32, ptr, ptr } { i32 1, ptr @end, ptr null }]"
          "declare void @report(i32)"
          "define internal void @begin() { call void @report(i32 1) ret void }"
          "define internal void @end() { call void @report(i32 3) ret void }"
          "define i32 @main(i32 %argc, ptr %argv) {"
          "  call void @report(i32 2)"
          "  %p = getelementptr ptr, ptr %argv, i32 1"
          "  %s = load ptr, ptr %p"
          "  %c = load i8, ptr %s"
          "  %n = zext i8 %c to i32"
          "  %r = add i32 %n, %argc"
          "  ret i32 %r }"
          "define float @odd() { ret float 0.0 }",
          "program");
  const char* arguments[] = {"program", "A"};
  int status = -1;
  CHECK_ERROR(fc_engine_run_main(engine, 2, arguments, "nobody", &status), FC_NOT_FOUND, "nobody");
  CHECK_ERROR(fc_engine_run_main(engine, 2, arguments, "odd", &status), FC_INVALID_ARGUMENT, "odd");
  CHECK(status == -1 && reports == 0);
  CHECK_OK(fc_engine_run_main(engine, 2, arguments, NULL, &status));
  CHECK(status == 'A' + 2);
  CHECK(reports == 2 && reported[0] == 1 && reported[1] == 2);
  CHECK_OK(fc_engine_run_constructors(engine));
  CHECK(reports == 2);
  CHECK_OK(fc_engine_run_destructors(engine));
  CHECK(reports == 3 && reported[2] == 3);
  fc_engine_destroy(engine);
  CHECK(reports == 3);
  CHECK(asked > 0);
}

struct Failures {
  int calls;
  fc_error_code code;
  char function[32];
  char module[32];
  char message[256];
};

static int Substitute(int value) { return -value; }

static uintptr_t OnFailure(void* user_data, const fc_failed_call* call) {
  struct Failures* failures = user_data;
  ++failures->calls;
  CHECK(call->struct_size == sizeof(*call));
  failures->code = call->code;
  snprintf(failures->function, sizeof(failures->function), "%s", call->function);
  snprintf(failures->module, sizeof(failures->module), "%s", call->module);
  snprintf(failures->message, sizeof(failures->message), "%s", call->message);
  return (uintptr_t)&Substitute;
}

struct Events {
  fc_engine* engine;
  int called;
  int published;
  uint64_t last;
  uintptr_t address;
};

/* Calls the engine, which it may. */
static void OnEvent(void* user_data, const fc_event* event) {
  struct Events* events = user_data;
  CHECK(event->struct_size == sizeof(fc_event));
  CHECK(event->number > events->last);
  events->last = event->number;
  if (event->kind == FC_EVENT_PUBLISHED && strcmp(event->function, "heard") == 0) {
    CHECK(event->tier == 0 && event->size > 0 && event->reason == FC_REASON_CALLED);
    CHECK(strcmp(event->module, "events") == 0);
    events->address = event->address;
    ++events->published;
    CHECK(CallInt(events->engine, "heard", 1) == 8);
  }
  if (event->kind == FC_EVENT_FIRST_CALL && strcmp(event->function, "heard") == 0) {
    CHECK(event->caller != 0 && event->duration > 0);
    ++events->called;
  }
}

static void TestEvents(void) {
  struct Events events = {0};
  fc_options* options = fc_options_create();
  fc_options_set_tier(options, 0);
  fc_options_add_event_handler(options, OnEvent, &events);
  events.engine = MakeEngine(options);
  fc_options_free(options);
  AddText(events.engine, "define i32 @heard(i32 %x) { %r = add i32 %x, 7 ret i32 %r }", "events");
  IntFunction heard = (IntFunction)Lookup(events.engine, "heard");
  CHECK(heard(2) == 9);
  CHECK(events.published == 1 && events.called == 1 && events.address != 0);
  fc_engine_destroy(events.engine);

  options = fc_options_create();
  fc_options_add_event_handler(options, NULL, NULL);
  fc_engine* engine;
  CHECK_ERROR(fc_engine_create(options, &engine), FC_INVALID_ARGUMENT, "event handler is null");
  fc_options_free(options);
}

static void TestFailuresAndRemoval(void) {
  struct Failures failures = {0};
  fc_options* options = fc_options_create();
  fc_options_set_failure_handler(options, OnFailure, &failures);
  fc_engine* engine = MakeEngine(options);
  fc_options_free(options);

  AddText(engine,
          "declare i32 @nowhere(i32)"
          "define i32 @lost(i32 %x) { %r = call i32 @nowhere(i32 %x) ret i32 %r }",
          "bad");
  CHECK(CallInt(engine, "lost", 5) == -5);
  CHECK(failures.calls == 1 && failures.code == FC_NOT_FOUND);
  CHECK(strcmp(failures.function, "lost") == 0 && strcmp(failures.module, "bad") == 0);
  CHECK(strstr(failures.message, "nowhere") != NULL);

  const fc_module_id shapes = AddText(engine, kShapes, "shapes");
  IntFunction square = (IntFunction)Lookup(engine, "square");
  CHECK(square(6) == 36);
  CHECK_OK(fc_engine_remove(engine, shapes));
  CHECK(square(6) == -6);
  CHECK(failures.calls == 2 && failures.code == FC_FAILED_PRECONDITION);
  CHECK_ERROR(fc_engine_remove(engine, shapes), FC_NOT_FOUND, "");
  CHECK_ERROR(fc_engine_remove(engine, UINT64_MAX), FC_NOT_FOUND, "18446744073709551615");
  AddText(engine, "define i32 @square(i32 %x) { ret i32 1 }", "anew");
  CHECK(CallInt(engine, "square", 6) == 1);
  fc_engine_destroy(engine);
}

static void TestDetachedCode(void) {
  fc_engine* engine = MakeEngine(NULL);
  const fc_module_id shapes = AddText(engine, kShapes, "shapes");
  fc_code* code = NULL;
  CHECK_OK(fc_engine_detach(engine, shapes, &code));
  CHECK_ERROR(fc_engine_detach(engine, shapes, &code), FC_NOT_FOUND, "");
  fc_engine_destroy(engine);
  CHECK(strcmp(fc_code_get_name(code), "shapes") == 0);
  CHECK(fc_code_get_size(code) > 0);
  uintptr_t address = 0;
  CHECK_OK(fc_code_lookup(code, "cube", &address));
  CHECK(((IntFunction)address)(2) == 8);
  fc_value argument = {{FC_INT32, 0, NULL}, {0}};
  fc_value result = {{FC_INT32, 0, NULL}, {0}};
  argument.as.int32 = 5;
  CHECK_OK(fc_call_address(address, &argument, 1, &result));
  CHECK(result.as.int32 == 125);
  CHECK_ERROR(fc_code_lookup(code, "circle", &address), FC_NOT_FOUND, "circle");
  fc_code_free(code);
}

static void TestStatistics(void) {
  fc_engine* engine = MakeEngine(NULL);
  const fc_module_id shapes = AddText(engine, kShapes, "shapes");
  CHECK(CallInt(engine, "square", 2) == 4);
  struct {
    fc_statistics known;
    uint64_t later;
  } statistics;
  memset(&statistics, 0xEE, sizeof(statistics));
  statistics.known.struct_size = sizeof(statistics);
  CHECK_OK(fc_engine_get_statistics(engine, &statistics.known));
  CHECK(statistics.known.struct_size == sizeof(statistics));
  CHECK(statistics.known.modules == 1 && statistics.known.modules_removed == 0);
  CHECK(statistics.known.functions_known == 2 && statistics.known.functions_compiled == 1);
  CHECK(statistics.known.stubs_made >= 1 && statistics.known.objects_linked == 1);
  CHECK(statistics.known.object_bytes > statistics.known.code_bytes);
  CHECK(statistics.known.code_bytes > 0 && statistics.known.arenas == 1);
  CHECK(statistics.known.memory_reserved > statistics.known.memory_committed);
  CHECK(statistics.known.memory_committed >= statistics.known.memory_used);
  CHECK(statistics.known.memory_used > statistics.known.code_bytes);
  CHECK(statistics.known.load_time > 0 && statistics.known.split_time > 0);
  CHECK(statistics.known.emit_time > 0 && statistics.known.link_time > 0);
  CHECK(statistics.known.promotions_made == 0 && statistics.known.promotions_failed == 0);
  CHECK(fc_engine_get_failed_promotion(engine) == NULL);
  CHECK_ERROR(fc_engine_get_failed_promotion(NULL), FC_INVALID_ARGUMENT, "engine is null");
  CHECK(statistics.later == 0);

  /* A client from before most of the fields. */
  fc_statistics old;
  memset(&old, 0xEE, sizeof(old));
  old.struct_size = sizeof(size_t) + sizeof(uint64_t);
  CHECK_OK(fc_engine_remove(engine, shapes));
  CHECK_OK(fc_engine_get_statistics(engine, &old));
  CHECK(old.modules == 1 && old.modules_removed == 0xEEEEEEEEEEEEEEEEu);
  old.struct_size = 0;
  CHECK_ERROR(fc_engine_get_statistics(engine, &old), FC_INVALID_ARGUMENT, "struct_size");
  fc_engine_destroy(engine);
}

#if defined(__aarch64__)
static const char kCpu[] = "cortex-a53";
#else
static const char kCpu[] = "x86-64";
#endif

static void TestOptions(void) {
  for (int mode = FC_MODE_LAZY; mode <= FC_MODE_EAGER; ++mode) {
    for (int level = 0; level <= 3; ++level) {
      fc_options* options = fc_options_create();
      CHECK(options != NULL);
      fc_options_set_mode(options, (fc_mode)mode);
      fc_options_set_codegen_level(options, level);
      fc_options_set_tier(options, level % 3);
      fc_options_set_baseline(options, level % 2 ? FC_BASELINE_ON : FC_BASELINE_OFF);
      fc_options_set_optnone(options, level % 2 ? FC_OPTNONE_KEEP : FC_OPTNONE_IGNORE);
      fc_options_set_debug_info(options, level % 2 ? FC_DEBUG_INFO_ALWAYS : FC_DEBUG_INFO_NEVER);
      fc_options_set_compile_threads(options, (size_t)level);
      fc_options_set_speculation_budget(options, 1000000000);
      fc_options_set_contain_crashes(options, level == 3);
      fc_options_set_hold_signals(options, level == 2);
      fc_options_set_cpu(options, kCpu);
      fc_options_set_features(options, NULL);
      fc_options_set_relocation_model(options, level ? FC_RELOCATION_PIC : FC_RELOCATION_DEFAULT);
      fc_options_set_code_model(options, level ? FC_CODE_MODEL_SMALL : FC_CODE_MODEL_DEFAULT);
      fc_options_set_memory_budget(options, (size_t)1 << 30);
      fc_engine* engine = MakeEngine(options);
      fc_options_free(options);
      AddText(engine, kShapes, "shapes");
      fc_statistics statistics;
      statistics.struct_size = sizeof(statistics);
      CHECK_OK(fc_engine_get_statistics(engine, &statistics));
      CHECK(statistics.objects_linked == (mode == FC_MODE_EAGER ? 1u : 0u));
      CHECK(CallInt(engine, "cube", 3) == 27);
      CHECK_OK(fc_engine_get_statistics(engine, &statistics));
      CHECK(statistics.functions_baseline == 0u); /* Off, or code is optimized. */
      fc_engine_destroy(engine);
    }
  }
#if defined(__x86_64__)
  fc_engine* by_default = MakeEngine(NULL);
  AddText(by_default, kShapes, "shapes");
  CHECK(CallInt(by_default, "cube", 3) == 27);
  fc_statistics of_default;
  of_default.struct_size = sizeof(of_default);
  CHECK_OK(fc_engine_get_statistics(by_default, &of_default));
  CHECK(of_default.functions_baseline == of_default.functions_compiled);
  fc_engine_destroy(by_default);
#endif
  fc_options* of_mcjit = fc_options_create();
  fc_options_set_backend(of_mcjit, FC_BACKEND_MCJIT);
  fc_engine* by_mcjit = MakeEngine(of_mcjit);
  fc_options_free(of_mcjit);
  AddText(by_mcjit, kShapes, "shapes");
  CHECK(CallInt(by_mcjit, "cube", 3) == 27);
  fc_statistics made_by_mcjit;
  made_by_mcjit.struct_size = sizeof(made_by_mcjit);
  CHECK_OK(fc_engine_get_statistics(by_mcjit, &made_by_mcjit));
  CHECK(made_by_mcjit.functions_compiled > 0);
  CHECK(made_by_mcjit.functions_mcjit == made_by_mcjit.functions_compiled);
  CHECK(made_by_mcjit.objects_mcjit == made_by_mcjit.objects_linked);
  fc_engine_destroy(by_mcjit);
  fc_engine* engine = NULL;
  fc_options* options = fc_options_create();
  fc_options_set_mode(options, (fc_mode)7);
  fc_options_set_codegen_level(options, 4);
  CHECK_ERROR(fc_engine_create(options, &engine), FC_INVALID_ARGUMENT,
              "options: there is no mode 7");
  fc_options_free(options);
  options = fc_options_create();
  fc_options_set_codegen_level(options, -1);
  CHECK_ERROR(fc_engine_create(options, &engine), FC_INVALID_ARGUMENT, "level of code generation");
  fc_options_free(options);
  options = fc_options_create();
  fc_options_set_baseline(options, (fc_baseline)3);
  CHECK_ERROR(fc_engine_create(options, &engine), FC_INVALID_ARGUMENT,
              "there is no use of the baseline code generator 3");
  fc_options_free(options);
  options = fc_options_create();
  fc_options_set_backend(options, (fc_backend)4);
  CHECK_ERROR(fc_engine_create(options, &engine), FC_INVALID_ARGUMENT, "there is no backend 4");
  fc_options_free(options);
  options = fc_options_create();
  fc_options_set_backend(options, FC_BACKEND_BASELINE);
  fc_options_set_baseline(options, FC_BASELINE_OFF);
  CHECK_ERROR(fc_engine_create(options, &engine), FC_INVALID_ARGUMENT,
              "the backend is the baseline code generator, which is turned off");
  fc_options_free(options);
  options = fc_options_create();
  fc_options_set_optnone(options, (fc_optnone)3);
  CHECK_ERROR(fc_engine_create(options, &engine), FC_INVALID_ARGUMENT,
              "there is no meaning of optnone 3");
  fc_options_free(options);
  options = fc_options_create();
  fc_options_set_debug_info(options, (fc_debug_info)3);
  CHECK_ERROR(fc_engine_create(options, &engine), FC_INVALID_ARGUMENT,
              "there is no choice of debug information 3");
  fc_options_free(options);
  options = fc_options_create();
  fc_options_set_baseline(options, FC_BASELINE_STRICT);
  fc_options_set_codegen_level(options, 2);
  CHECK_ERROR(fc_engine_create(options, &engine), FC_INVALID_ARGUMENT,
              "the baseline code generator does not support");
  fc_options_free(options);
  options = fc_options_create();
  fc_options_set_tier(options, 3);
  CHECK_ERROR(fc_engine_create(options, &engine), FC_INVALID_ARGUMENT, "there is no tier 3");
  fc_options_free(options);
  options = fc_options_create();
  fc_options_set_triple(options, "armv7-unknown-linux-gnueabi");
  CHECK_ERROR(fc_engine_create(options, &engine), FC_INVALID_ARGUMENT, "arm");
  fc_options_free(options);
  options = fc_options_create();
  fc_options_set_memory_budget(options, 64);
  CHECK(engine == NULL);
  if (fc_engine_create(options, &engine) == NULL) {
    AddText(engine, kShapes, "shapes");
    const char* names[] = {"square"};
    CHECK_ERROR(fc_engine_prepare(engine, names, 1, NULL), FC_RESOURCE_EXHAUSTED, "budget");
    fc_engine_destroy(engine);
  }
  fc_options_free(options);
}

static void TestCompileServer(void) {
  fc_options* options = fc_options_create();
  fc_options_set_compile_server(options, "/no/such/socket");
  fc_options_set_compile_server_budget(options, 1000000000);
  fc_engine* engine = NULL;
  CHECK(fc_engine_create(options, &engine) == NULL);
  CHECK_ERROR(fc_engine_add_assembly(engine, kShapes, strlen(kShapes), "shapes", NULL),
              FC_UNAVAILABLE, "/no/such/socket");
  fc_engine_destroy(engine);
  fc_options_set_compile_without_server(options, 1);
  engine = NULL;
  CHECK(fc_engine_create(options, &engine) == NULL);
  AddText(engine, kShapes, "shapes");
  fc_engine_destroy(engine);
  fc_options_free(options);
}

// How front ends write a struct of more than 16 bytes.
#if defined(__aarch64__)
#define LARGE_STRUCT ""
#else
#define LARGE_STRUCT "byval(%Point) align 8"
#endif

typedef struct Point {
  double x, y;
  int32_t label;
} Point;

static void TestCalls(void) {
  fc_engine* engine = MakeEngine(NULL);
  AddText(engine,
          "%Point = type { double, double, i32 }"
          "define void @mirror(ptr sret(%Point) %out, ptr " LARGE_STRUCT
          " %in) {"
          "  %px = getelementptr %Point, ptr %in, i32 0, i32 0"
          "  %py = getelementptr %Point, ptr %in, i32 0, i32 1"
          "  %pl = getelementptr %Point, ptr %in, i32 0, i32 2"
          "  %x = load double, ptr %px  %y = load double, ptr %py  %l = load i32, ptr %pl"
          "  %ox = getelementptr %Point, ptr %out, i32 0, i32 0"
          "  %oy = getelementptr %Point, ptr %out, i32 0, i32 1"
          "  %ol = getelementptr %Point, ptr %out, i32 0, i32 2"
          "  store double %y, ptr %ox  store double %x, ptr %oy"
          "  store i32 %l, ptr %ol  ret void }"
          "define i128 @twice(i128 %x) { %r = add i128 %x, %x ret i128 %r }"
          "define i1 @is_even(i8 %x) { %b = trunc i8 %x to i1 %r = xor i1 %b, true ret i1 %r }"
          "define float @half(float %x) { %r = fmul float %x, 0.5 ret float %r }"
          "define ptr @next(ptr %p, i64 %n) { %r = getelementptr i8, ptr %p, i64 %n ret ptr %r }"
          "define void @nothing() { ret void }",
          "callees");

  const fc_type fields[] = {{FC_DOUBLE, 0, NULL}, {FC_DOUBLE, 0, NULL}, {FC_INT32, 0, NULL}};
  Point in = {1.5, 2.5, 7};
  Point out = {0, 0, 0};
  fc_value point = {{FC_STRUCT, 3, fields}, {0}};
  fc_value mirrored = point;
  point.as.structure = &in;
  mirrored.as.structure = &out;
  CHECK_OK(fc_call(engine, "mirror", &point, 1, &mirrored));
  CHECK(out.x == 2.5 && out.y == 1.5 && out.label == 7);

  fc_value wide = {{FC_INT128, 0, NULL}, {0}};
  fc_value wide_result = wide;
  wide.as.int128.low = UINT64_C(0x8000000000000001);
  wide.as.int128.high = 5;
  CHECK_OK(fc_call(engine, "twice", &wide, 1, &wide_result));
  CHECK(wide_result.as.int128.low == 2 && wide_result.as.int128.high == 11);

  fc_value byte = {{FC_UINT8, 0, NULL}, {0}};
  fc_value boolean = {{FC_BOOL, 0, NULL}, {0}};
  for (int i = 0; i < 256; ++i) {
    byte.as.uint8 = (uint8_t)i;
    boolean.as.boolean = 99;
    CHECK_OK(fc_call(engine, "is_even", &byte, 1, &boolean));
    CHECK(boolean.as.boolean == (i % 2 == 0));
  }

  fc_value number = {{FC_FLOAT, 0, NULL}, {0}};
  number.as.float32 = 3;
  CHECK_OK(fc_call(engine, "half", &number, 1, &number));
  CHECK(number.as.float32 == 1.5f);

  char text[] = "text";
  fc_value pointer[] = {{{FC_POINTER, 0, NULL}, {0}}, {{FC_INT64, 0, NULL}, {0}}};
  pointer[0].as.pointer = text;
  pointer[1].as.int64 = 2;
  fc_value moved = {{FC_POINTER, 0, NULL}, {0}};
  CHECK_OK(fc_call(engine, "next", pointer, 2, &moved));
  CHECK(moved.as.pointer == text + 2);

  fc_value none = {{FC_VOID, 0, NULL}, {0}};
  CHECK_OK(fc_call(engine, "nothing", NULL, 0, NULL));
  CHECK_OK(fc_call(engine, "nothing", NULL, 0, &none));

  CHECK_ERROR(fc_call(engine, "half", &byte, 1, &number), FC_INVALID_ARGUMENT,
              "calling 'half': argument 1 is uint8, but the function takes float");
  CHECK_ERROR(fc_call(engine, "half", &number, 1, NULL), FC_INVALID_ARGUMENT,
              "the result is asked for as void");
  CHECK_ERROR(fc_call(engine, "nobody", NULL, 0, NULL), FC_NOT_FOUND, "calling 'nobody'");
  point.as.structure = NULL;
  CHECK_ERROR(fc_call(engine, "mirror", &point, 1, &mirrored), FC_INVALID_ARGUMENT, "argument 1");
  number.type.kind = (fc_kind)99;
  CHECK_ERROR(fc_call(engine, "half", &number, 1, NULL), FC_INVALID_ARGUMENT,
              "argument 1: there is no type 99");
  fc_type self = {FC_STRUCT, 1, NULL};
  CHECK_ERROR((point.type = self, fc_call(engine, "half", &point, 1, NULL)), FC_INVALID_ARGUMENT,
              "fields of a struct are null");
  self.fields = &self;
  CHECK_ERROR((point.type = self, fc_call(engine, "half", &point, 1, NULL)), FC_INVALID_ARGUMENT,
              "structs are nested more than 100 deep");
  self.field_count = 10001;
  CHECK_ERROR((point.type = self, fc_call(engine, "half", &point, 1, NULL)), FC_INVALID_ARGUMENT,
              "more than 10000 fields");
  fc_engine_destroy(engine);
}

int main(int argc, char** argv) {
  CHECK(argc == 3);
  TestVersion();
  TestErrors();
  TestNullsAreRefused();
  TestAssembly();
  TestSharedCache();
  TestBitcodeAndFiles();
  TestModulesOfLlvm();
  TestPrecompiledCode(argv[1], argv[2]);
  TestPrepare();
  TestSharedLibraries();
  TestProgram();
  TestEvents();
  TestFailuresAndRemoval();
  TestDetachedCode();
  TestStatistics();
  TestOptions();
  TestCompileServer();
  TestCalls();
  return 0;
}
