/* firstcall's C API. The client adds LLVM IR and gets addresses that can be called at once. Each
 * function is compiled the first time it is called.
 *
 *   fc_engine* engine;
 *   fc_error* error = fc_engine_create(NULL, &engine);
 *   if (!error) error = fc_engine_add_file(engine, "program.bc", NULL);
 *   uintptr_t square;
 *   if (!error) error = fc_engine_lookup(engine, "square", &square);
 *   if (!error) printf("%d\n", ((int (*)(int))square)(3));
 *
 * Rules that hold for every function:
 *
 *  1. Errors. A function that can fail returns an fc_error*; NULL means success. Any other value
 *     belongs to the caller, who frees it with fc_error_free; no out-parameter has been written
 *     then. The comment of each function lists its own error codes. In addition, any function may
 *     return FC_INVALID_ARGUMENT for a null pointer where none is allowed, and
 *     FC_RESOURCE_EXHAUSTED if memory runs out.
 *  2. Ownership. The caller owns what a function ..._create makes and what it gets through an
 *     out-parameter of type fc_engine** or fc_code**, and passes it in the end to the matching
 *     function ..._free or ..._destroy, which does nothing for NULL. Unless a comment says
 *     otherwise, every other pointer, in either direction, is borrowed for the duration of the
 *     call: the library copies what it keeps, and a callback must do the same.
 *  3. Threads. Any number of threads may use an fc_engine or an fc_code at the same time, but no
 *     thread may use it while another one frees it. One thread at a time may use an fc_options. Any
 *     number of threads may read an fc_error while no thread frees it.
 *  4. Callbacks. A callback gets the `user_data` it was registered with. Any thread may call it,
 *     several threads may call it at the same time, and it may be called from inside a first call.
 *     It must return, without a C++ exception or a longjmp; only a failure handler may exit the
 *     process instead. A callback that runs while code is being compiled must not remove or detach
 *     modules (those functions return FC_FAILED_PRECONDITION) or destroy the engine.
 *  5. C++ exceptions never leave a function of this header. If compiled code throws out of fc_call,
 *     fc_engine_run_main or a similar function, that function returns FC_UNKNOWN. (If the client
 *     itself calls compiled code by its address, exceptions do reach the client.)
 *  6. Versions. Functions, enumerators and fields never change; new ones are added at the end. A
 *     struct that may grow begins with its own size in bytes. The side that fills in the struct
 *     sets that size: the client, or the library if the struct is an argument of a callback. Fields
 *     beyond that size count as zero.
 *  7. What blocks. fc_call, fc_engine_prepare*, fc_engine_run_*, fc_engine_detach,
 *     fc_engine_remove, fc_engine_destroy, the look-up of a variable, and in eager mode
 *     fc_engine_add_*, wait until what they need is compiled or has run. fc_isolated_*, except
 *     fc_isolated_interrupt, wait until the other process has done what they ask for. The look-up
 * of a function and fc_engine_get_* never wait for a compile.
 *  8. Addresses are uintptr_t, because ISO C lets it be cast to and from pointers to data and
 *     pointers to functions; 0 means no address. An address of code or data is valid until its
 *     module is removed or its engine is destroyed; of detached code, until fc_code_free. Sizes are
 *     in bytes, times in nanoseconds.
 */

#ifndef FIRSTCALL_CLIENTS_CAPI_FIRSTCALL_H_
#define FIRSTCALL_CLIENTS_CAPI_FIRSTCALL_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A client may pass a value that an enumeration does not list, because the client is newer or by
 * mistake. C++ allows such values only if the enumeration has a fixed underlying type (C++11). */
#if defined(__cplusplus) && __cplusplus >= 201103L
#define FC_ENUM_TYPE : int
#else
#define FC_ENUM_TYPE
#endif

/* LLVM's C API calls a pointer to these LLVMModuleRef and LLVMContextRef. */
struct LLVMOpaqueModule;
struct LLVMOpaqueContext;

typedef struct fc_error fc_error;
typedef struct fc_options fc_options;
typedef struct fc_engine fc_engine;
typedef struct fc_code fc_code;

/* Identifies a module of one engine; never reused. */
typedef uint64_t fc_module_id;

/* ---- Version ---- */

/* The version of the library, "0.1.0" for example; never freed. The library can be newer than this
 * header, which then lacks the functions that were added. */
const char* fc_version(void);

/* ---- Errors ---- */

typedef enum fc_error_code FC_ENUM_TYPE {
  FC_OK = 0,
  FC_CANCELLED = 1,           /* A callback asked to stop. */
  FC_UNKNOWN = 2,             /* Compiled code threw a C++ exception. */
  FC_INVALID_ARGUMENT = 3,    /* Bad IR, a bad option, or values that a function does not take. */
  FC_DEADLINE_EXCEEDED = 4,   /* A time budget is used up. */
  FC_NOT_FOUND = 5,           /* A file, a symbol or a module does not exist. */
  FC_ALREADY_EXISTS = 6,      /* Another module defines the symbol. */
  FC_PERMISSION_DENIED = 7,   /* Others may write to the directory of a cache. */
  FC_RESOURCE_EXHAUSTED = 8,  /* Memory ran out. */
  FC_FAILED_PRECONDITION = 9, /* Not possible now: a function needs itself, a module was removed. */
  FC_UNIMPLEMENTED = 12,      /* Not supported: docs/limits.md lists what. */
  FC_INTERNAL = 13,           /* LLVM failed, or a callback broke its contract. */
  FC_UNAVAILABLE = 14         /* A library of firstcall's own, or another process, is not there. */
} fc_error_code;

/* The code of `error`; FC_OK for NULL. */
fc_error_code fc_error_get_code(const fc_error* error);

/* Operation, function and cause, as zero-terminated text that lives as long as the error; "" for
 * NULL. */
const char* fc_error_get_message(const fc_error* error);

/* Makes an error for a callback to return. `code` must not be FC_OK; `message` may be NULL. Never
 * returns NULL. */
fc_error* fc_error_create(fc_error_code code, const char* message);

/* Does nothing for NULL. */
void fc_error_free(fc_error* error);

/* ---- Options ---- */

/* Returns options with all defaults, which suit a program that should start fast, or NULL if memory
 * runs out. The setters copy what they are given. If a value is not possible, fc_engine_create
 * reports it. A string may be NULL, which means the default. Options may be used for several
 * engines, and may be freed when those have been created. */
fc_options* fc_options_create(void);
void fc_options_free(fc_options* options);

/* When functions are compiled. */
typedef enum fc_mode FC_ENUM_TYPE {
  FC_MODE_LAZY = 0, /* Each function is compiled the first time it is called (the default). */
  FC_MODE_EAGER = 1 /* Each module is compiled and linked whole when it is added. */
} fc_mode;
void fc_options_set_mode(fc_options* options, fc_mode mode);

/* How much work code generation does: 0 (the default) to 3, as LLVM's -O0 to -O3. */
void fc_options_set_codegen_level(fc_options* options, int level);

/* Who makes code. Contradictions between this and fc_options_set_baseline are errors of
 * fc_engine_create. */
typedef enum fc_backend FC_ENUM_TYPE {
  FC_BACKEND_AUTO = 0,     /* As fc_options_set_baseline says (the default). */
  FC_BACKEND_BASELINE = 1, /* What FC_BASELINE_STRICT means. */
  FC_BACKEND_LLVM = 2,     /* What FC_BASELINE_OFF means. */
  /* MCJIT compiles all code and data, each function when it is first called, and links what it has
   * compiled, except for what it cannot place (docs/limits.md). */
  FC_BACKEND_MCJIT = 3
} fc_backend;
void fc_options_set_backend(fc_options* options, fc_backend backend);

/* Which of a lazily compiled module's functions the baseline code generator compiles when they are
 * first called. It exists for x86-64 and AArch64, and for code generation at level 0; elsewhere
 * FC_BASELINE_ON means FC_BASELINE_OFF, and with FC_BASELINE_STRICT fc_engine_create fails. */
typedef enum fc_baseline FC_ENUM_TYPE {
  FC_BASELINE_OFF = 0,   /* None: LLVM compiles all functions. */
  FC_BASELINE_ON = 1,    /* Those that it covers (the default). */
  FC_BASELINE_STRICT = 2 /* All: a function that it does not cover fails. */
} fc_baseline;
void fc_options_set_baseline(fc_options* options, fc_baseline baseline);

/* Which functions with LLVM's attribute `optnone` may be optimized, where functions are. */
typedef enum fc_optnone FC_ENUM_TYPE {
  /* Those of which no programmer has asked for it: every definition of the module is `noinline` or
   * `alwaysinline`, as clang -O0 makes them, and the function's code has no debug information (the
   * default). */
  FC_OPTNONE_AUTO = 0,
  FC_OPTNONE_KEEP = 1,  /* None. */
  FC_OPTNONE_IGNORE = 2 /* All. */
} fc_optnone;
void fc_options_set_optnone(fc_options* options, fc_optnone optnone);

/* Whether code has the debug information that modules have: lines, variables and types. Functions
 * with debug information take several times as long to compile, and load LLVM. */
typedef enum fc_debug_info FC_ENUM_TYPE {
  /* If a debugger that follows compiled code is there when the engine is created (the default). */
  FC_DEBUG_INFO_AUTO = 0,
  FC_DEBUG_INFO_ALWAYS = 1, /* Always: a debugger that attaches later sees it at once. */
  FC_DEBUG_INFO_NEVER = 2   /* Never, whether a debugger is there or not. */
} fc_debug_info;
void fc_options_set_debug_info(fc_options* options, fc_debug_info debug_info);

/* How the functions of a lazily compiled module are compiled. 0: code is generated, without
 * optimizing IR. 1: IR is first optimized together with the functions it calls, and code is
 * generated at level 2 or higher. 2 (the default): as 0, and the code of functions that become hot
 * is replaced by optimized code, even while they run. They are optimized on a thread of the engine.
 * Has no effect in eager mode. */
void fc_options_set_tier(fc_options* options, int tier);

/* Where functions are compiled. 0 (the default): on the thread that calls the function, unless that
 * thread may have less than 256 KiB of stack left; then on a thread of the engine. Otherwise: on
 * this many threads of the engine. The speculation budget (default 0) is how much of their time
 * these threads may spend, in total, on functions that compiled ones are likely to call. */
void fc_options_set_compile_threads(fc_options* options, size_t threads);
void fc_options_set_speculation_budget(fc_options* options, uint64_t nanoseconds);

/* Whether a crash inside LLVM makes only the function that was being compiled fail; default: no.
 * If enabled, the engine, while it lives, replaces the process's handlers of SIGSEGV, SIGBUS,
 * SIGILL, SIGFPE, SIGTRAP and SIGABRT; crashes elsewhere go on to the earlier handlers. */
void fc_options_set_contain_crashes(fc_options* options, int enabled);

/* Whether all signals but those of faults are held back from threads that are at work in the
 * engine, until they leave it. For hosts whose own signal handlers call compiled code for the first
 * time, stop threads, or leave by siglongjmp. Default: only signals for which compiled code itself
 * installs a handler by sigaction, signal and the like are held back. */
void fc_options_set_hold_signals(fc_options* options, int enabled);

/* The target. Default: the process's triple and the machine's CPU with all its features. If the
 * IR of a function names a CPU, its first body is for that CPU; on x86-64, its optimized body is
 * for the target given here (the CPU "x86-64" prevents that). Results are the same, with two
 * exceptions: fast-math flags, and another rounding mode in code without strict floating point.
 * `features` has the form of -mattr: "+avx2,-bmi". A triple may name the container of the objects
 * that LLVM makes, elf or macho ("x86_64-unknown-linux-gnu-macho"), and may be for another
 * operating system if that calls functions as this process does. It replaces the triples of
 * modules. fc_engine_create fails with FC_INVALID_ARGUMENT for other triples. */
void fc_options_set_triple(fc_options* options, const char* triple);
void fc_options_set_architecture(fc_options* options, const char* architecture);
void fc_options_set_cpu(fc_options* options, const char* cpu);
void fc_options_set_features(fc_options* options, const char* features);

/* Keeps what is compiled in a directory, and uses it in the next run; several processes may share
 * it. The directory is made if it does not exist. fc_engine_create fails with FC_PERMISSION_DENIED
 * if others may write to it. Default: no cache. */
void fc_options_set_cache_directory(fc_options* options, const char* directory);

/* A server that machines share as a cache, behind the directory of fc_options_set_cache_directory,
 * if there is one: "https://host/prefix", "http://localhost/prefix", "rediss://host" (Redis with
 * TLS) or "redis://host". docs/cache.md says which servers serve. `settings` ends with a null
 * pointer, and may be null; each has the form "name=value", such as "key-file=FILE",
 * "budget=MILLISECONDS", "read-only=yes", "ca-file=FILE", "token-file=FILE" or "password-file=FILE"
 * (all: cache/open_shared_cache.h). Connects when something is first missing. A server that fails
 * is not used any more, and is no error. fc_engine_create fails with FC_INVALID_ARGUMENT for a URL
 * or a setting that cannot be used. Default, and null: none. */
void fc_options_set_shared_cache(fc_options* options, const char* url, const char* const* settings);

/* A name and a value of another input that compiled code depends on and the engine cannot know,
 * such as an option of the front end. What was kept with other values is not used. May be called
 * several times. */
void fc_options_add_cache_key(fc_options* options, const char* name, const char* value);

/* Has an effect in libfirstcall_runtime.so only: the path of libfirstcall_compiler.so, which is
 * loaded when something first has to be compiled. Default: the one in the directory of
 * libfirstcall_runtime.so. If it cannot be loaded, what needs it fails with FC_UNAVAILABLE. */
void fc_options_set_compiler_library(fc_options* options, const char* path);

/* The socket of a compile server (`firstcall serve`), which compiles for this process, so that it
 * needs no LLVM. If the server cannot be used, what needs it fails with FC_UNAVAILABLE, or with
 * FC_DEADLINE_EXCEEDED if it does not answer within the budget (default: 30 seconds for each
 * answer). Default, and null: this process compiles. */
void fc_options_set_compile_server(fc_options* options, const char* socket);
void fc_options_set_compile_server_budget(fc_options* options, uint64_t nanoseconds);

/* If not 0, this process compiles when the compile server cannot be used. Default: 0. */
void fc_options_set_compile_without_server(fc_options* options, int enabled);

/* Default: position-independent code in the small code model. */
typedef enum fc_relocation_model FC_ENUM_TYPE {
  FC_RELOCATION_DEFAULT = 0,
  FC_RELOCATION_PIC = 1,
  FC_RELOCATION_STATIC = 2,
  FC_RELOCATION_DYNAMIC_NO_PIC = 3
} fc_relocation_model;
typedef enum fc_code_model FC_ENUM_TYPE {
  FC_CODE_MODEL_DEFAULT = 0,
  FC_CODE_MODEL_TINY = 1,
  FC_CODE_MODEL_SMALL = 2,
  FC_CODE_MODEL_KERNEL = 3,
  FC_CODE_MODEL_MEDIUM = 4,
  FC_CODE_MODEL_LARGE = 5
} fc_code_model;
void fc_options_set_relocation_model(fc_options* options, fc_relocation_model model);
void fc_options_set_code_model(fc_options* options, fc_code_model model);

/* How many bytes of code and data the engine's own memory may hold at any time. Beyond that,
 * allocation fails with FC_RESOURCE_EXHAUSTED. Default: there is no limit. */
void fc_options_set_memory_budget(fc_options* options, size_t bytes);

/* Whether symbols that no module defines are looked up in the process; the default is yes. */
void fc_options_set_search_process(fc_options* options, int enabled);

/* A library whose symbols come in front of those of the process, and are found even if the process
 * is not searched. May be called several times. fc_engine_create loads the libraries by dlopen,
 * with their symbols global, and fails with FC_NOT_FOUND if one cannot be loaded. For the imports
 * of a library, the dynamic linker searches the process first: if a library brings another C++
 * library than the process has, load that one before, with RTLD_DEEPBIND. */
void fc_options_add_shared_library(fc_options* options, const char* path);

/* Returns the address of `symbol`, or 0 if it has none. Called for symbols that no module defines,
 * before the process is searched. */
typedef uintptr_t (*fc_symbol_finder)(void* user_data, const char* symbol);
void fc_options_set_symbol_finder(fc_options* options, fc_symbol_finder finder, void* user_data);

/* Describes a call of a stub whose function cannot be compiled. The strings live as long as the
 * handler runs. */
typedef struct fc_failed_call {
  size_t struct_size;
  const char* function;
  const char* module;
  fc_error_code code;
  const char* message;
} fc_failed_call;

/* Called on the thread that made the failed call. Returns the address of code of the same signature
 * to call instead, or 0 for the default: the message is printed and the process exits with status
 * 70. The handler may exit the process itself. Code that was detached from the engine keeps the
 * handler after the engine's end, so `user_data` must live as long as that code. */
typedef uintptr_t (*fc_failure_handler)(void* user_data, const fc_failed_call* call);
void fc_options_set_failure_handler(fc_options* options, fc_failure_handler handler,
                                    void* user_data);

/* ---- Events ----
 *
 * What happens in an engine. Events are numbered as they happen, over all threads, from 1 on. An
 * event is delivered on the thread on which it happened, as soon as this thread is not at work in
 * the engine any more. So a handler may wait, call the engine and call compiled code; what it
 * causes is delivered when it has returned. It is told of the events of one thread in order.
 * If there is no handler, no event is computed. */
typedef enum fc_event_kind FC_ENUM_TYPE {
  FC_EVENT_MODULE_ADDED = 0,
  FC_EVENT_FIRST_CALL = 1, /* A call of a function without code has waited for it. */
  FC_EVENT_COMPILED = 2,   /* An object was compiled, or taken from a cache, and linked. */
  FC_EVENT_PUBLISHED = 3,  /* A function has got its first body; with FC_REASON_PROMOTED, the body
                              in which it counts its branches before it is optimized. */
  FC_EVENT_PROMOTED = 4,   /* A function has got an optimized body, or a loop a continuation. */
  FC_EVENT_FAILED = 5,     /* A function could not be compiled or optimized. */
  FC_EVENT_REMOVED = 6,    /* A module was removed or detached. */
  FC_EVENT_STUBS_MADE = 7, /* A block of stubs or call counters was made. */
  FC_EVENT_MEMORY_RESERVED = 8,
  FC_EVENT_MEMORY_FREED = 9
} fc_event_kind;

typedef enum fc_compile_reason FC_ENUM_TYPE {
  FC_REASON_CALLED = 0,
  FC_REASON_ALONG = 1, /* Another function of its object was called. */
  FC_REASON_ORDERED = 2,
  FC_REASON_SPECULATED = 3,
  FC_REASON_PROMOTED = 4,
  FC_REASON_CONTINUATION = 5,
  FC_REASON_NEEDED = 6 /* Data and whole objects. */
} fc_compile_reason;

typedef enum fc_generator FC_ENUM_TYPE {
  FC_GENERATOR_LLVM = 0,
  FC_GENERATOR_BASELINE = 1,
  FC_GENERATOR_USER = 2, /* An object that the client has added. */
  FC_GENERATOR_MCJIT = 3 /* LLVM's code generator, run by MCJIT. */
} fc_generator;

/* Fields without a meaning for a kind are zero, or "". */
typedef struct fc_event {
  size_t struct_size;
  uint64_t number;
  fc_event_kind kind;
  int64_t thread;    /* As gettid returns it. */
  uint64_t start;    /* On CLOCK_MONOTONIC. */
  uint64_t duration; /* Of a first call: how long the caller has waited. */
  const char* module;
  const char* function;
  uintptr_t address; /* Of the body; of a first call: where it continued. */
  size_t size;       /* Of the body, the object's code, or the memory. */
  uintptr_t caller;  /* Of a first call: where it returns. */
  int tier;          /* Of new code: 1 for optimized bodies and continuations, which replace first
                        bodies; 0 for first bodies, also of an engine of tier 1. */
  fc_generator generator;
  fc_compile_reason reason;
  int is_cached; /* Not 0: the code came from the cache. */
  int is_continuation;
  int is_detached;
  size_t functions;   /* That the module defines, or that get their first bodies with the object. */
  fc_error_code code; /* Of a failure. */
  const char* message; /* Of a failure. */
  size_t memory_used;  /* Of memory: what is allocated then. */
} fc_event;

/* Several threads may call a handler at the same time. A handler may remove and detach modules. */
typedef void (*fc_event_handler)(void* user_data, const fc_event* event);
/* Adds a handler; there may be several. */
void fc_options_add_event_handler(fc_options* options, fc_event_handler handler, void* user_data);

/* ---- Memory ----
 *
 * A client may provide the memory for the code and data of modules; stubs always lie in the
 * engine's own memory. Code that lies in a client's memory is compiled to run at any address, which
 * costs a load for each reference to another module.
 *
 * The contract of the callbacks:
 *  - Several threads link at the same time, and so call the callbacks at the same time.
 *  - A block is zeroed, has the requested alignment, and lasts until it is freed. If code was
 *    detached from the engine, that may be after the engine's end.
 *  - The blocks of one object lie within 2000 MiB of each other: for every block but the first,
 *    `near_address` is the address to be near. If a block is out of reach, linking fails. Blocks of
 *    different objects may lie anywhere, and so may a block of large variables, which has no
 *    `near_address`.
 *  - The unwinder of C++ finds no function that begins at a multiple of 4 GiB. So if a block of
 *    code contains such an address, the library requests another block, then frees the first. If
 *    the second block contains one, too, linking fails.
 *  - The library writes a block at `write`, and only before `finalize`. Writable data is the
 *    exception: compiled code writes it, so `write` and `run` must be the same address.
 *  - `finalize` is called once for each object, with all its blocks, when their contents are
 *    complete. After it, code must be executable and everything readable at `run`, and processors
 *    must not see earlier contents. No page ever has to be writable and executable at once. But
 *    code of other objects may be running meanwhile, so a page whose permissions `finalize` changes
 *    must not be shared with another object.
 *  - `free_blocks` gets a block at most once, when no code in it runs. The block may not have been
 *    finalized: linking may have failed, and a few bytes of data that belong to no object, such as
 *    a module's __dso_handle, are never finalized.
 *  - If a callback returns an error, it must have changed nothing. The error becomes the failure of
 *    what was being linked. Callbacks make errors with fc_error_create, or pass on those they got.
 *  - The library promises nothing else: neither how many objects it links, nor the order or sizes
 *    of its requests.
 */

typedef enum fc_segment FC_ENUM_TYPE {
  FC_SEGMENT_CODE = 0,
  FC_SEGMENT_READ_ONLY = 1,
  FC_SEGMENT_DATA = 2
} fc_segment;

/* Never grows, because callbacks get arrays of it. */
typedef struct fc_memory_block {
  void* write;        /* Where the library writes it. */
  uintptr_t run;      /* Where compiled code sees it; 0 means at `write`. */
  size_t size;        /* The requested size; set by the library. */
  fc_segment segment; /* The requested segment; set by the library. */
  int is_engines_own; /* Whether the engine's own memory provided it; set by the library. */
} fc_memory_block;

typedef struct fc_memory_request {
  size_t struct_size;
  fc_segment segment;
  size_t size;            /* May be zero. */
  size_t alignment;       /* A power of two. */
  const char* section;    /* The first section it is for, such as ".text". A block for
                           * ".llvm_stackmaps" or ".llvm_faultmaps" has no other section. */
  uintptr_t near_address; /* The block must be near this address; 0: there is no such address. */
  /* Upper bounds for all blocks of the object together, this one included. They may be zero
   * if the object's first block, too, has a near_address. */
  size_t object_code_size;
  size_t object_read_only_size;
  size_t object_data_size;
} fc_memory_request;

/* The engine's own memory, for callbacks. Valid during the callback. */
typedef struct fc_own_memory fc_own_memory;

/* Allocates a block of the engine's own memory. The callback either returns the block unchanged, or
 * the client keeps it and frees it with fc_own_free. FC_RESOURCE_EXHAUSTED if the budget is used
 * up. */
fc_error* fc_own_allocate(fc_own_memory* own, const fc_memory_request* request,
                          fc_memory_block* block);

/* For blocks of fc_own_allocate that the client has kept. The engine itself finalizes and frees
 * those that a callback has returned. fc_own_finalize returns FC_INVALID_ARGUMENT for a block that
 * is not from the engine's own memory; fc_own_free ignores every block that the client does not
 * have. */
fc_error* fc_own_finalize(fc_own_memory* own, const fc_memory_block* blocks, size_t count);
void fc_own_free(fc_own_memory* own, const fc_memory_block* blocks, size_t count);

/* Each callback may be NULL, which means:
 *   allocate_code, allocate_data   the engine's own memory provides the blocks;
 *   finalize                       the client's blocks need no work;
 *   free_blocks                    the client's blocks last until `destroy`, or forever;
 *   destroy                        the client needs no notice.
 * The engine finalizes and frees blocks whose is_engines_own is set. finalize and free_blocks get
 * them too, for bookkeeping, and must do nothing with them. */
typedef struct fc_memory_manager {
  size_t struct_size;
  void* user_data;
  fc_error* (*allocate_code)(void* user_data, fc_own_memory* own, const fc_memory_request* request,
                             fc_memory_block* block);
  /* `read_only` is not zero for FC_SEGMENT_READ_ONLY. */
  fc_error* (*allocate_data)(void* user_data, fc_own_memory* own, const fc_memory_request* request,
                             int read_only, fc_memory_block* block);
  fc_error* (*finalize)(void* user_data, fc_own_memory* own, const fc_memory_block* blocks,
                        size_t count);
  void (*free_blocks)(void* user_data, fc_own_memory* own, const fc_memory_block* blocks,
                      size_t count);
  /* Called once, as the last callback: when the options, all engines made from them and all code
   * detached from those engines are gone, or when the options get another manager and no engine has
   * this one. */
  void (*destroy)(void* user_data);
} fc_memory_manager;

/* NULL means only the engine's own memory. */
void fc_options_set_memory_manager(fc_options* options, const fc_memory_manager* manager);

/* ---- Engine ---- */

/* `options` may be NULL. FC_INVALID_ARGUMENT if an option has an impossible value or names a target
 * other than this machine's; FC_RESOURCE_EXHAUSTED if there is no address space. */
fc_error* fc_engine_create(const fc_options* options, fc_engine** engine);

/* Runs exit handlers and destructors as fc_engine_run_destructors does, then frees all code and
 * data that was not detached. No thread may be running that code, and no address from this engine
 * is valid afterwards. If a destructor throws a C++ exception, the process ends. */
void fc_engine_destroy(fc_engine* engine);

/* The functions fc_engine_add_... add a source module; `module`, which may be NULL, receives its
 * identifier. In lazy mode nothing is compiled. In eager mode the whole module is compiled, and
 * modules that refer to each other must be added by one call of fc_engine_add_files. Errors:
 * FC_INVALID_ARGUMENT if the input is not valid IR or is made for another target;
 * FC_UNIMPLEMENTED, with the name of the construct, for an unsupported construct;
 * FC_ALREADY_EXISTS if another module defines a symbol; in eager mode also any error of compiling,
 * and FC_NOT_FOUND from linking. If adding fails in lazy mode, the engine is unchanged. */

/* IR in memory, which is copied. Messages call the module `name`. */
fc_error* fc_engine_add_bitcode(fc_engine* engine, const void* bitcode, size_t size,
                                const char* name, fc_module_id* module);
fc_error* fc_engine_add_assembly(fc_engine* engine, const char* text, size_t size, const char* name,
                                 fc_module_id* module);

/* A file of bitcode or text; "-" reads standard input. FC_NOT_FOUND if there is no such file. */
fc_error* fc_engine_add_file(fc_engine* engine, const char* path, fc_module_id* module);

/* Adds several files at once. `modules` is NULL or has room for `count` identifiers, which come in
 * the order of `paths`. `libraries` may be NULL; otherwise libraries[i] is the name of the library
 * that paths[i] belongs to, or NULL for "", the program itself. Modules of one library see each
 * other's hidden symbols, and may define symbols that another library defines, too. */
fc_error* fc_engine_add_files(fc_engine* engine, const char* const* paths,
                              const char* const* libraries, size_t count, fc_module_id* modules);

/* Adds a module made with LLVM's C API (an LLVMModuleRef), and its context (an LLVMContextRef). The
 * engine takes over both, without a copy. No other module or builder may be left in the context
 * (types and values need not be disposed of), and the client must not use the context any more.
 * Whatever this function returns, `llvm_module` is gone, and `context` is gone, too, with two
 * exceptions: if `context` is not the module's or is the global context, the function returns
 * FC_INVALID_ARGUMENT and disposes only of the module. Both must come from the libLLVM that this
 * library uses, which is version 19. In libfirstcall_runtime.so, which has no LLVM, this function
 * and the next one do nothing and return FC_UNIMPLEMENTED. */
fc_error* fc_engine_add_module(fc_engine* engine, struct LLVMOpaqueContext* context,
                               struct LLVMOpaqueModule* llvm_module, fc_module_id* module);

/* As fc_engine_add_module, but takes nothing over: the module is copied as bitcode. For modules
 * that share a context or are still needed. No other thread may use the context during the call. */
fc_error* fc_engine_add_module_copy(fc_engine* engine, struct LLVMOpaqueModule* llvm_module,
                                    fc_module_id* module);

/* Adds compiled code: a relocatable object, or an archive, of which only the needed members are
 * linked. Objects are ELF or Mach-O, whatever the engine's triple says. `library` may be NULL.
 * FC_NOT_FOUND if the file cannot be read; FC_INVALID_ARGUMENT if it is no object of this machine;
 * FC_UNIMPLEMENTED if a Mach-O object has something that is not supported; FC_ALREADY_EXISTS as
 * above. */
fc_error* fc_engine_add_object_file(fc_engine* engine, const char* path, const char* library);
fc_error* fc_engine_add_archive(fc_engine* engine, const char* path, const char* library);

/* Finds the address of a function or a variable that a module or an object defines. In lazy mode a
 * function's address is that of its stub, which never changes; nothing is compiled. For a variable,
 * the data of its module is linked. FC_NOT_FOUND if no module defines the name, or if the data
 * needs an undefined symbol; or any error of compiling data. */
fc_error* fc_engine_lookup(fc_engine* engine, const char* name, uintptr_t* address);

typedef struct fc_prepare_options {
  size_t struct_size;
  /* When this time has passed, no further compile begins; 0: there is no limit. */
  uint64_t budget_nanoseconds;
  /* Called after each function, by one thread at a time. If it returns 0, preparing ends with
   * FC_CANCELLED. May be NULL. */
  int (*progress)(void* user_data, size_t done, size_t failed, size_t total);
  void* user_data;
  /* Not 0, with tier 2 (fc_options_set_tier): the functions also get their optimized bodies, as if
   * all of them were hot, and an object cache keeps these. A function that cannot be optimized
   * keeps the code it has. */
  int optimizes;
} fc_prepare_options;

/* Compiles the named functions, or all functions of all modules, on all compile threads, and blocks
 * until that is done. Continues after a failure. `options` may be NULL. Errors: FC_NOT_FOUND,
 * before anything is compiled, if no module defines a name; the error of the first function, in
 * their order, that cannot be compiled; FC_CANCELLED or FC_DEADLINE_EXCEEDED if `options` stopped
 * the work early. */
fc_error* fc_engine_prepare(fc_engine* engine, const char* const* names, size_t count,
                            const fc_prepare_options* options);
fc_error* fc_engine_prepare_all(fc_engine* engine, const fc_prepare_options* options);

/* Calls the constructors (llvm.global_ctors) of every module whose constructors have not run, by
 * priority, then in the order of addition. Stops at the first constructor that cannot be compiled,
 * and returns the error; the next call goes on with this constructor. Stops also at the first one
 * that throws (FC_UNKNOWN); the next call goes on behind it. Waits if another thread runs
 * constructors. */
fc_error* fc_engine_run_constructors(fc_engine* engine);

/* Runs the exit handlers that modules have registered, and the destructors of every module whose
 * constructors have run, in the opposite order. None runs twice. fc_engine_destroy and the
 * process's exit do the same. FC_UNKNOWN if a handler or a destructor throws. */
fc_error* fc_engine_run_destructors(fc_engine* engine);

/* Runs the constructors, then calls the function `entry` (NULL: "main") as main is called, and
 * writes its result to `status`, which may be NULL. If no module defines `entry` (FC_NOT_FOUND) or
 * its signature is not one of main's (FC_INVALID_ARGUMENT), nothing is run. If `entry` cannot be
 * compiled, the constructors have already run. FC_UNKNOWN if `entry` or a constructor throws. Does
 * not run destructors: see fc_engine_run_destructors. */
fc_error* fc_engine_run_main(fc_engine* engine, int argc, const char* const* argv,
                             const char* entry, int* status);

/* Removes a module: runs the exit handlers that it has registered and its destructors, and frees
 * its code, data, unwind tables and registrations with debuggers. No thread may be running its
 * code, and its data must not be used afterwards. If a stub of the module is called later, the call
 * goes to the failure handler; but once 1,024 further functions have been removed, the stub may
 * belong to another function. The module's names may be defined anew. Waits for compiles in
 * progress in all engines of the process. FC_NOT_FOUND if the engine does not have the module (any
 * more); FC_FAILED_PRECONDITION if called from within a compile, or for a module in D while
 * constructors of such modules run. */
fc_error* fc_engine_remove(fc_engine* engine, fc_module_id module);

/* Hands over the finished code of a module. The code stays where it is, but no longer needs the
 * engine or any IR, and the engine no longer knows the module. First the module's remaining
 * functions are compiled and its data is linked. Other modules that the code refers to must still
 * exist when it is called. FC_FAILED_PRECONDITION if the module has constructors that have not run,
 * if its variables are registered with D's runtime, or if called from within a compile;
 * FC_NOT_FOUND as above; or any error of compiling and linking. After an error the engine still has
 * the module. The caller frees `*code` with fc_code_free. */
fc_error* fc_engine_detach(fc_engine* engine, fc_module_id module, fc_code** code);

typedef struct fc_statistics {
  size_t struct_size;
  uint64_t modules;         /* Added so far. */
  uint64_t modules_removed; /* How many of those were removed or detached. */
  uint64_t functions_known; /* Defined by the source modules. */
  uint64_t functions_compiled;
  uint64_t stubs_made;     /* Stubs in use. */
  uint64_t objects_linked; /* Of functions, of data, and those given by the client. */
  uint64_t object_bytes;   /* Size of those objects. */
  uint64_t code_bytes;     /* Size of their code in memory. */
  /* The engine's own memory, at present. */
  uint64_t memory_reserved;  /* Bytes of reserved addresses. */
  uint64_t memory_committed; /* Bytes of those that are in pages in use. */
  uint64_t memory_used;      /* Bytes of those that are allocated. */
  uint64_t arenas;
  /* Nanoseconds spent. */
  uint64_t load_time;  /* Reading and indexing source modules. */
  uint64_t split_time; /* Extracting the modules that are compiled, of one function each. */
  uint64_t emit_time;  /* Generating code. */
  uint64_t link_time;
  /* Optimization of hot functions while the program runs. */
  uint64_t promotions_made;   /* Optimized bodies and OSR continuations that were made. */
  uint64_t promotions_failed; /* Those that failed: see fc_engine_get_failed_promotion. */
  /* Of functions_compiled, those of the baseline code generator. */
  uint64_t functions_baseline;
  /* 1 if the compiler and LLVM were needed; with libfirstcall.so always. */
  uint64_t compilers_made;
  /* Optimized bodies and OSR continuations from an object cache; not in promotions_made. */
  uint64_t promotions_cached;
  /* Of functions_compiled, those that MCJIT has compiled; of objects_linked, those that MCJIT has
   * linked. */
  uint64_t functions_mcjit;
  uint64_t objects_mcjit;
  /* Nanoseconds of processor time: what optimizing hot functions has taken, what that was predicted
   * to be, and what the program was expected to save. */
  uint64_t optimization_time;
  uint64_t optimization_time_predicted;
  uint64_t time_saved_predicted;
  /* Hot functions that were not optimized so far, because that would not pay. */
  uint64_t promotions_put_off;
} fc_statistics;

/* Writes what the engine has done so far: exactly as many bytes as `statistics->struct_size` says,
 * with zeros in the fields that the library does not know. Does not wait for a compile. */
fc_error* fc_engine_get_statistics(fc_engine* engine, fc_statistics* statistics);

/* Returns why the last promotion of a hot function failed, or NULL if none has failed. Such a
 * function keeps the code it has. The caller frees the error. */
fc_error* fc_engine_get_failed_promotion(fc_engine* engine);

/* ---- Detached code ---- */

/* Runs the exit handlers that the code has registered and its destructors, then frees the code and
 * its data. No thread may be running that code. */
void fc_code_free(fc_code* code);

/* The name that messages use for the code; lives as long as the code. */
const char* fc_code_get_name(const fc_code* code);

/* Bytes of its code sections. */
size_t fc_code_get_size(const fc_code* code);

/* Finds the address of a function or a variable that the module defines, other than a thread-local
 * one. The address is valid as long as the code. FC_NOT_FOUND if the module defines no such name.
 */
fc_error* fc_code_lookup(const fc_code* code, const char* name, uintptr_t* address);

/* ---- Calls ----
 *
 * If the client knows a function's signature at build time, it should call the function by its
 * address. The functions below are for signatures known only at run time. They follow the C calling
 * convention for the given types. A struct is therefore given as the struct it is in C, even if a
 * front end has turned it into other types in IR. */

typedef enum fc_kind FC_ENUM_TYPE {
  FC_VOID = 0, /* Results only. */
  FC_BOOL = 1, /* i1 in IR, _Bool in C. */
  FC_INT8 = 2,
  FC_UINT8 = 3,
  FC_INT16 = 4,
  FC_UINT16 = 5,
  FC_INT32 = 6,
  FC_UINT32 = 7,
  FC_INT64 = 8,
  FC_UINT64 = 9,
  FC_INT128 = 10, /* Not allowed in a struct. */
  FC_FLOAT = 11,
  FC_DOUBLE = 12,
  FC_POINTER = 13,
  FC_STRUCT = 14
} fc_kind;

/* Never grows. IR does not distinguish signed from unsigned integers of one width. An integer of
 * another width in IR (i24) is given here as the next wider type. */
typedef struct fc_type {
  fc_kind kind;
  size_t field_count;           /* Of a struct; at least 1. Each array element counts as a field. */
  const struct fc_type* fields; /* Of a struct. */
} fc_type;

typedef struct fc_int128 {
  uint64_t low;
  uint64_t high;
} fc_int128;

/* Never grows. */
typedef struct fc_value {
  fc_type type;
  union {
    uint8_t boolean; /* 0 or 1. */
    int8_t int8;
    uint8_t uint8;
    int16_t int16;
    uint16_t uint16;
    int32_t int32;
    uint32_t uint32;
    int64_t int64;
    uint64_t uint64;
    fc_int128 int128;
    float float32;
    double float64;
    void* pointer;
    /* The struct's address, aligned and laid out as in C. For a result: where to write it. */
    void* structure;
  } as;
} fc_value;

/* Compiles a function that a module defines, if it is not compiled yet, calls it, and writes its
 * result to `result->as`. The client sets `result->type`; `result` is NULL if the function returns
 * nothing. Variable arguments are given as C promotes them. Errors before the call:
 * FC_INVALID_ARGUMENT, with the argument, if the values do not match the function's IR signature;
 * FC_UNIMPLEMENTED if the function cannot be called by C's convention; FC_NOT_FOUND if no module
 * defines it; or any error of compiling it. FC_UNKNOWN if the function throws.
 *
 * Values are not compared with the signature where the signature is unknown: for functions of
 * object files; for a weak function that another definition overrides; for functions of a module
 * that was given as text or as an LLVM module, if the whole module was compiled before the function
 * was first called in this way; and, on AArch64, for a struct that IR has as a pointer to a copy.
 */
fc_error* fc_call(fc_engine* engine, const char* name, const fc_value* arguments, size_t count,
                  fc_value* result);

/* As fc_call, for a function of which only the address is known, such as one of detached code.
 * Nothing is compared: values of types that the function does not take have the same effect as in
 * C. If the call compiles functions and one of them fails, the failure handler is called. */
fc_error* fc_call_address(uintptr_t address, const fc_value* arguments, size_t count,
                          fc_value* result);

/* ---- Engines in processes of their own ----
 *
 * An fc_isolated is an engine in another process, which is a copy of this one as it was when the
 * engine was created. Modules are compiled and run there; whatever their code does, this process
 * goes on. Besides their own errors, all functions return FC_UNAVAILABLE, with the exit status or
 * the signal, if the process has ended, then and until it is restarted; and FC_DEADLINE_EXCEEDED if
 * a call takes longer than the options allow, after which the process is ended. Any number of
 * threads may use an fc_isolated; their calls come one after the other. */

typedef struct fc_isolated fc_isolated;

/* A function of this process that isolated code calls. Called on the thread that waits for the
 * isolated process. `result` has its type, and zeros; it is NULL if the function returns nothing.
 * Pointers are addresses of the isolated process (fc_isolated_read). The function may use
 * `isolated`. If it returns an error, the isolated process is ended, and the call in progress
 * returns the error. */
typedef fc_error* (*fc_isolated_function)(void* user_data, fc_isolated* isolated,
                                          const fc_value* arguments, size_t count,
                                          fc_value* result);

/* Never grows. */
typedef struct fc_isolated_callback {
  const char* name; /* A module may define the name itself; else it means this. */
  fc_type result;   /* Neither the result nor a parameter may be FC_INT128. */
  const fc_type* parameters;
  size_t parameter_count;
  fc_isolated_function function;
  void* user_data;
} fc_isolated_callback;

typedef struct fc_isolation_options {
  size_t struct_size;
  uint64_t call_nanoseconds; /* How long a call may take; 0: there is no limit. */
  uint64_t memory_bytes;     /* Of private writable memory (RLIMIT_DATA); 0: there is no limit. */
  const fc_isolated_callback* callbacks;
  size_t callback_count;
} fc_isolation_options;

/* Starts the process and makes the engine there. `options` and `isolation` may be NULL; functions
 * that `options` has are called in the other process. To be called while no other thread of this
 * process holds locks that an engine needs; best before there is another thread. Errors as
 * fc_engine_create; FC_INVALID_ARGUMENT or FC_UNIMPLEMENTED, with its name, for a callback with
 * types that cannot be passed; FC_INTERNAL if there can be no process. */
fc_error* fc_isolated_create(const fc_options* options, const fc_isolation_options* isolation,
                             fc_isolated** isolated);

/* Gives the engine a second to run destructors; then kills its process. No thread may be in a call
 * of it. */
void fc_isolated_destroy(fc_isolated* isolated);

/* As the functions fc_engine_... of these names. */
fc_error* fc_isolated_add_bitcode(fc_isolated* isolated, const void* bitcode, size_t size,
                                  const char* name, fc_module_id* module);
fc_error* fc_isolated_add_assembly(fc_isolated* isolated, const char* text, size_t size,
                                   const char* name, fc_module_id* module);
fc_error* fc_isolated_add_file(fc_isolated* isolated, const char* path, fc_module_id* module);
fc_error* fc_isolated_remove(fc_isolated* isolated, fc_module_id module);
fc_error* fc_isolated_run_constructors(fc_isolated* isolated);
fc_error* fc_isolated_run_main(fc_isolated* isolated, int argc, const char* const* argv,
                               const char* entry, int* status);

/* As fc_call. Pointers are addresses of the isolated process. FC_UNKNOWN if the function throws. */
fc_error* fc_isolated_call(fc_isolated* isolated, const char* name, const fc_value* arguments,
                           size_t count, fc_value* result);

/* Memory of the isolated process, as by malloc, free and memcpy there. If an address is not valid
 * there, the process ends. FC_RESOURCE_EXHAUSTED if malloc fails. */
fc_error* fc_isolated_allocate(fc_isolated* isolated, size_t size, uint64_t* address);
fc_error* fc_isolated_free(fc_isolated* isolated, uint64_t address);
fc_error* fc_isolated_read(fc_isolated* isolated, uint64_t address, void* bytes, size_t size);
fc_error* fc_isolated_write(fc_isolated* isolated, uint64_t address, const void* bytes,
                            size_t size);

/* Kills the process, whatever it does. Any thread and any signal handler may do this. The call that
 * it interrupts returns FC_UNAVAILABLE. */
void fc_isolated_interrupt(fc_isolated* isolated);

/* Ends the process, if it still runs, and starts another one with the modules that were added and
 * not removed (files are read again), under the same identifiers, but without what they had in
 * memory. Errors as fc_isolated_create and of adding the modules; FC_FAILED_PRECONDITION in a
 * callback. */
fc_error* fc_isolated_restart(fc_isolated* isolated);

/* ---- Code that another process compiles ---- */

/* Runs code, in this process, for another process, which compiles it: an ExecutorEngine
 * (services/executor/executor_engine.h, in C++) at the other end of the stream socket `socket`,
 * which this function takes over. Blocks until that end is closed, then frees the code and returns
 * NULL; calls run on threads of their own meanwhile. Compiled code finds what this program exports
 * (-rdynamic). Needs no LLVM. FC_UNAVAILABLE or FC_INVALID_ARGUMENT if the connection breaks off,
 * or if the other end does not follow the protocol. The other process can have anything done here,
 * so it must be trusted. */
fc_error* fc_serve_executor(int socket);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* FIRSTCALL_CLIENTS_CAPI_FIRSTCALL_H_ */
