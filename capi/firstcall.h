/* firstcall's C API: give it LLVM IR, get addresses back that can be called at once; each function
 * is compiled the first time it is called.
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
 *  1. Errors. What can fail returns an fc_error*: NULL is success, anything else belongs to the
 *     caller and is freed with fc_error_free. Then no out-parameter has been written. The comment
 *     of a function names the codes that are its own; FC_INVALID_ARGUMENT for a null pointer
 *     where none is allowed, and FC_RESOURCE_EXHAUSTED for want of memory, can always come.
 *  2. Ownership. What a function named ..._create or an out-parameter of type fc_engine** or
 *     fc_code** gives belongs to the caller, until it is given to the function ..._free or
 *     ..._destroy of its kind, which does nothing for NULL. Everything else that a pointer leads
 *     to, in either direction, is borrowed for the duration of the call: the library copies what
 *     it keeps, and so must a callback.
 *  3. Threads. fc_engine and fc_code may be used by any threads at once, except by the one
 *     function that frees them. fc_options may be used by one thread at a time, fc_error by any
 *     if none frees it.
 *  4. Callbacks get the `user_data` they were registered with. They may be called by any thread,
 *     by several at once, and from inside a first call; they return (a failure handler may also
 *     exit the process), without a C++ exception or a longjmp. A function that is called while
 *     code is being compiled must not remove or detach modules (that is FC_FAILED_PRECONDITION)
 *     or destroy the engine.
 *  5. C++ exceptions do not leave any function of this header: one that compiled code throws out
 *     of fc_call, fc_engine_run_main and their like becomes FC_UNKNOWN. (It does pass through a
 *     call that the client makes itself, by an address.)
 *  6. Versions. Functions, enumerators and fields stay what they are; new ones come at the end. A
 *     struct that may grow begins with its own size in bytes, which whoever fills it in sets: the
 *     client, or, where it is an argument of a callback, the library. Fields beyond that size
 *     count as zero.
 *  7. Addresses are uintptr_t, which a pointer to data and a pointer to a function can be cast to
 *     and from in ISO C; 0 is none. Sizes are in bytes, times in nanoseconds.
 */

#ifndef FIRSTCALL_CAPI_FIRSTCALL_H_
#define FIRSTCALL_CAPI_FIRSTCALL_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An enumeration may come with a value that it does not list, from a newer client or a careless
 * one. C++ allows that only of an enumeration whose type is named, which it can be since 2011. */
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

/* Of one engine; never used twice. */
typedef uint64_t fc_module_id;

/* ---- Errors ---- */

typedef enum fc_error_code FC_ENUM_TYPE {
  FC_OK = 0,
  FC_CANCELLED = 1,          /* A callback said so. */
  FC_UNKNOWN = 2,            /* A C++ exception of compiled code. */
  FC_INVALID_ARGUMENT = 3,   /* Bad IR, a bad option, values that are not what a function takes. */
  FC_DEADLINE_EXCEEDED = 4,  /* A budget of time is used up. */
  FC_NOT_FOUND = 5,          /* A file, a symbol, a module. */
  FC_ALREADY_EXISTS = 6,     /* A symbol that another module defines. */
  FC_RESOURCE_EXHAUSTED = 8, /* Memory. */
  FC_FAILED_PRECONDITION =
      9,                 /* Not now: a function that needs itself, a module that was removed. */
  FC_UNIMPLEMENTED = 12, /* A construct that the README lists. */
  FC_INTERNAL = 13       /* LLVM gave up, or a callback did not keep its contract. */
} fc_error_code;

/* FC_OK for NULL. */
fc_error_code fc_error_get_code(const fc_error* error);

/* Operation, function and cause, as text that ends with a zero and lives as long as the error; ""
 * for NULL. */
const char* fc_error_get_message(const fc_error* error);

/* An error for a callback to return. Any code but FC_OK; `message` may be NULL. Never NULL. */
fc_error* fc_error_create(fc_error_code code, const char* message);

void fc_error_free(fc_error* error);

/* ---- Options ---- */

/* All defaults: what suits a program that should start fast. NULL if there is no memory. The
 * setters copy; a value that is not possible is reported by fc_engine_create. Strings may be NULL,
 * which means the default. May be used for several engines, and freed when those have been created.
 */
fc_options* fc_options_create(void);
void fc_options_free(fc_options* options);

typedef enum fc_mode FC_ENUM_TYPE {
  FC_MODE_LAZY = 0, /* Each function is compiled the first time it is called. */
  FC_MODE_EAGER = 1 /* Each module is compiled and linked whole when it is added. */
} fc_mode;
void fc_options_set_mode(fc_options* options, fc_mode mode);

/* 0 (the default) to 3: how much work code generation does. */
void fc_options_set_codegen_level(fc_options* options, int level);

/* What is done for a function of a lazily compiled module: 0 generates code; 1 optimizes its IR
 * first, together with what it calls, and generates code at level 2 at least; 2 (the default)
 * generates code, and replaces what turns out to be hot by what 1 makes, also while it runs: on a
 * thread of the engine's, if there is a second processor. */
void fc_options_set_tier(fc_options* options, int tier);

/* Where functions are compiled: 0 (the default) on the thread that calls one, else on so many
 * threads of the engine's, so that callers may have small stacks. With those, `speculation` is how
 * much of their time they may spend on what running functions are likely to call. */
void fc_options_set_compile_threads(fc_options* options, size_t threads);
void fc_options_set_speculation_budget(fc_options* options, uint64_t nanoseconds);

/* Whether a crash inside LLVM becomes the failure of the function that was being compiled. Takes
 * the process's handlers of SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP and SIGABRT while the engine
 * lives. */
void fc_options_set_contain_crashes(fc_options* options, int enabled);

/* The target; by default this process's triple and this machine's CPU with all its features.
 * `features` as -mattr: "+avx2,-bmi". */
void fc_options_set_triple(fc_options* options, const char* triple);
void fc_options_set_architecture(fc_options* options, const char* architecture);
void fc_options_set_cpu(fc_options* options, const char* cpu);
void fc_options_set_features(fc_options* options, const char* features);

/* By default position-independent code in the small code model. */
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

/* Bytes of code and data that the engine's own memory may hold at any time; more is
 * FC_RESOURCE_EXHAUSTED. */
void fc_options_set_memory_budget(fc_options* options, size_t bytes);

/* Whether symbols that no module defines are looked for in the process; yes by default. */
void fc_options_set_search_process(fc_options* options, int enabled);

/* Returns the address of `symbol`, or 0. Asked for what no module defines, before the process is
 * searched. */
typedef uintptr_t (*fc_symbol_finder)(void* user_data, const char* symbol);
void fc_options_set_symbol_finder(fc_options* options, fc_symbol_finder finder, void* user_data);

/* A stub was called whose function cannot be compiled. */
typedef struct fc_failed_call {
  size_t struct_size;
  const char* function;
  const char* module;
  fc_error_code code;
  const char* message;
} fc_failed_call;

/* Told of that on the thread that made the call. Returns the address of code of the same signature
 * to go on with, or 0 for the default: print the message and exit with status 70. May exit.
 * Outlives the engine with code that was detached from it: so must `user_data`. */
typedef uintptr_t (*fc_failure_handler)(void* user_data, const fc_failed_call* call);
void fc_options_set_failure_handler(fc_options* options, fc_failure_handler handler,
                                    void* user_data);

/* ---- Memory ----
 *
 * Who provides the memory that code and data of modules lie in; stubs always lie in the engine's
 * own. Code is compiled to lie anywhere then, which costs a load for each reference to another
 * module.
 *
 * The contract of the callbacks:
 *  - Several threads link at once, and so call them at once.
 *  - A block is zeroed, aligned as asked, and lasts until it is freed, however long that is:
 *    longer than the engine, if code was detached from it.
 *  - The blocks of one object lie within 2000 MiB of each other:
 *    for all but the first, `near_address` says of what. Blocks of different objects may lie
 *    anywhere.
 *  - The library writes a block at `write` and before `finalize` only, except for writable data,
 *    whose `write` and `run` must be one address: compiled code writes there. `finalize` comes
 *    once for each object, with all its blocks, when their contents are complete. After it, code
 *    must be executable and everything readable at `run`, and processors must not see what was
 *    there before. No page need ever be writable and executable at once; but code of other
 *    objects may be running meanwhile, so what is given other permissions in `finalize` must not
 *    share pages with another object.
 *  - `free_blocks` comes at most once for a block, with no code of it running, whether it was
 *    finalized or not: a few bytes of data that are no object's, such as a module's __dso_handle,
 *    never are.
 *  - An error means that nothing has changed, and becomes the failure of what was being linked.
 *    The callbacks make errors with fc_error_create, or pass on those they got.
 *  - Nothing else is promised: not how many objects there are, nor in which order or sizes they
 *    ask.
 */

typedef enum fc_segment FC_ENUM_TYPE {
  FC_SEGMENT_CODE = 0,
  FC_SEGMENT_READ_ONLY = 1,
  FC_SEGMENT_DATA = 2
} fc_segment;

/* Does not grow: callbacks get arrays of it. */
typedef struct fc_memory_block {
  void* write;        /* Where the library writes it. */
  uintptr_t run;      /* Where it will be seen; 0 means at `write`. */
  size_t size;        /* As asked; set by the library. */
  fc_segment segment; /* As asked; set by the library. */
  int is_engines_own; /* Whether the engine's own memory provided it; set by the library. */
} fc_memory_block;

typedef struct fc_memory_request {
  size_t struct_size;
  fc_segment segment;
  size_t size;         /* May be zero. */
  size_t alignment;    /* A power of two. */
  const char* section; /* What it is for, such as ".text". */
  uintptr_t near_address;
  /* What all blocks of the object need at most, this one included. */
  size_t object_code_size;
  size_t object_read_only_size;
  size_t object_data_size;
} fc_memory_request;

/* The engine's own memory, for a callback to use. Valid during the callback. */
typedef struct fc_own_memory fc_own_memory;

/* A block of the engine's own memory, to be returned from a callback as it is, or to be kept by the
 * client and freed with fc_own_free. FC_RESOURCE_EXHAUSTED if the budget is used up. */
fc_error* fc_own_allocate(fc_own_memory* own, const fc_memory_request* request,
                          fc_memory_block* block);

/* For blocks of fc_own_allocate that the client has kept, not for those it has returned: of these,
 * the engine takes care. FC_INVALID_ARGUMENT for a block of somebody else's; fc_own_free leaves it
 * alone. */
fc_error* fc_own_finalize(fc_own_memory* own, const fc_memory_block* blocks, size_t count);
void fc_own_free(fc_own_memory* own, const fc_memory_block* blocks, size_t count);

/* Each callback may be NULL. What that means:
 *   allocate_code, allocate_data   the engine's own memory provides it;
 *   finalize                       nothing has to be done for the client's blocks;
 *   free_blocks                    the client's blocks last until `destroy`, or for ever;
 *   destroy                        the client wants no notice.
 * Blocks whose is_engines_own is set are finalized and freed by the engine. finalize and
 * free_blocks see them too, for bookkeeping, and have nothing to do for them. */
typedef struct fc_memory_manager {
  size_t struct_size;
  void* user_data;
  fc_error* (*allocate_code)(void* user_data, fc_own_memory* own, const fc_memory_request* request,
                             fc_memory_block* block);
  /* `read_only`: not zero for FC_SEGMENT_READ_ONLY. */
  fc_error* (*allocate_data)(void* user_data, fc_own_memory* own, const fc_memory_request* request,
                             int read_only, fc_memory_block* block);
  fc_error* (*finalize)(void* user_data, fc_own_memory* own, const fc_memory_block* blocks,
                        size_t count);
  void (*free_blocks)(void* user_data, fc_own_memory* own, const fc_memory_block* blocks,
                      size_t count);
  /* Called once, after everything else, when the options, all engines made from them and all code
   * detached from those are gone, or the options get another manager and no engine has this one. */
  void (*destroy)(void* user_data);
} fc_memory_manager;

/* NULL: the engine's own memory only. */
void fc_options_set_memory_manager(fc_options* options, const fc_memory_manager* manager);

/* ---- Engine ---- */

/* `options` may be NULL. FC_INVALID_ARGUMENT if they ask for what is not possible, or name a target
 * that is not this machine's; FC_RESOURCE_EXHAUSTED if there is no address space. */
fc_error* fc_engine_create(const fc_options* options, fc_engine** engine);

/* Runs exit handlers and destructors as fc_engine_run_destructors does, and frees all code and data
 * that was not detached. No thread may be running any of it, and no address from this engine is
 * valid afterwards. A C++ exception out of a destructor ends the process. */
void fc_engine_destroy(fc_engine* engine);

/* The functions fc_engine_add_... take a source module; `module` may be NULL. In lazy mode nothing
 * is compiled; in eager mode the whole module is, and modules that refer to each other must be
 * added by one call of fc_engine_add_files. FC_INVALID_ARGUMENT if the input is not valid IR, or is
 * made for another target; FC_UNIMPLEMENTED, with its name, for a construct that is not supported;
 * FC_ALREADY_EXISTS if a symbol is defined by another module; and in eager mode all that compiling
 * and FC_NOT_FOUND that linking can give. A module that fails in lazy mode leaves nothing behind.
 */

/* In memory, which is copied. `name` stands for it in messages. */
fc_error* fc_engine_add_bitcode(fc_engine* engine, const void* bitcode, size_t size,
                                const char* name, fc_module_id* module);
fc_error* fc_engine_add_assembly(fc_engine* engine, const char* text, size_t size, const char* name,
                                 fc_module_id* module);

/* Bitcode or text; "-" reads standard input. FC_NOT_FOUND if there is no such file. */
fc_error* fc_engine_add_file(fc_engine* engine, const char* path, fc_module_id* module);

/* Several at once, `modules` (NULL, or room for `count`) in the same order. Of `libraries`, which
 * may be NULL, each is the name of the library a module belongs to, or NULL for "", the program
 * itself: modules of one library see each other's hidden symbols, and may define what another
 * library defines too. */
fc_error* fc_engine_add_files(fc_engine* engine, const char* const* paths,
                              const char* const* libraries, size_t count, fc_module_id* modules);

/* A module made with LLVM's C API (an LLVMModuleRef), and the context it lives in (an
 * LLVMContextRef). The engine takes both over, without a copy: nothing else may be in the context
 * any more (types and values need not be disposed of; other modules and builders must have been),
 * and nobody else may use it. Whatever this returns, `module` is gone, and so is `context`, unless
 * it is not the module's or is the global context: then FC_INVALID_ARGUMENT says so, and only the
 * module has been disposed of. Both must come from the libLLVM that this library uses, which is
 * version 19. */
fc_error* fc_engine_add_module(fc_engine* engine, struct LLVMOpaqueContext* context,
                               struct LLVMOpaqueModule* llvm_module, fc_module_id* module);

/* The same, but nothing is taken over: bitcode is written and added. For modules that share a
 * context, or are still needed. Whoever else uses the context must not do so meanwhile. */
fc_error* fc_engine_add_module_copy(fc_engine* engine, struct LLVMOpaqueModule* llvm_module,
                                    fc_module_id* module);

/* Code that was compiled before: a relocatable object, or an archive, of whose members only those
 * are linked that are needed. `library` may be NULL. FC_NOT_FOUND if it cannot be read,
 * FC_INVALID_ARGUMENT if it is not an ELF object of this machine, FC_ALREADY_EXISTS as above. */
fc_error* fc_engine_add_object_file(fc_engine* engine, const char* path, const char* library);
fc_error* fc_engine_add_archive(fc_engine* engine, const char* path, const char* library);

/* The address of a function or a variable that a module defines. A function's is its stub's, which
 * never changes; nothing is compiled. A variable's module has its data linked. FC_NOT_FOUND if no
 * module defines it, or if data needs a symbol that is nowhere. */
fc_error* fc_engine_lookup(fc_engine* engine, const char* name, uintptr_t* address);

typedef struct fc_prepare_options {
  size_t struct_size;
  /* No function is begun after so long; 0: there is no limit. */
  uint64_t budget_nanoseconds;
  /* Told after each function, by one thread at a time; 0 ends it (FC_CANCELLED). May be NULL. */
  int (*progress)(void* user_data, size_t done, size_t failed, size_t total);
  void* user_data;
} fc_prepare_options;

/* Compiles the named functions, or all of all modules, now, on all compile threads, and goes on
 * after a failure. Blocks until that is done. `options` may be NULL. FC_NOT_FOUND, before anything
 * is compiled, if no module defines a name; the failure of the first function in order that cannot
 * be compiled; FC_CANCELLED or FC_DEADLINE_EXCEEDED if `options` ended it before. */
fc_error* fc_engine_prepare(fc_engine* engine, const char* const* names, size_t count,
                            const fc_prepare_options* options);
fc_error* fc_engine_prepare_all(fc_engine* engine, const fc_prepare_options* options);

/* Calls the constructors (llvm.global_ctors) of every module for which that has not been done.
 * Stops at the first one that cannot be compiled. */
fc_error* fc_engine_run_constructors(fc_engine* engine);

/* Runs the exit handlers that modules have registered and the destructors of every module whose
 * constructors have run, in the opposite order. Also done by fc_engine_destroy, and at exit. */
fc_error* fc_engine_run_destructors(fc_engine* engine);

/* Runs constructors, then the function `entry` (NULL: "main") as main is run, and writes what it
 * returns to `status`, which may be NULL. FC_NOT_FOUND if no module defines it, FC_INVALID_ARGUMENT
 * if its signature is not one of main's; nothing has run then. What compiling it can give comes
 * after the constructors have run. */
fc_error* fc_engine_run_main(fc_engine* engine, int argc, const char* const* argv,
                             const char* entry, int* status);

/* Removes a module: runs the exit handlers that it has registered and its destructors, and frees
 * its code, data, unwind tables and registrations with debuggers. No thread may be running its
 * code, and nobody use its data afterwards. A stub of it that is called later goes to the failure
 * handler, until more than 1,024 further functions have been removed: then it may be another
 * function's. Its names may be defined anew. Waits for compiles in progress, in all engines of the
 * process. FC_NOT_FOUND if there is no such module (any more); FC_FAILED_PRECONDITION if called
 * from within a compile. */
fc_error* fc_engine_remove(fc_engine* engine, fc_module_id module);

/* Hands the finished code of a module over: it stays where it is, but does not need the engine or
 * any IR any more, and the engine does not know the module any more. Compiles first what of it is
 * not compiled, and links its data. What it refers to in other modules must be there when it is
 * called. FC_FAILED_PRECONDITION if the module has constructors that have not run, or if called
 * from within a compile; FC_NOT_FOUND as above; or what compiling and linking can give. The engine
 * goes on having the module after an error. */
fc_error* fc_engine_detach(fc_engine* engine, fc_module_id module, fc_code** code);

typedef struct fc_statistics {
  size_t struct_size;
  uint64_t modules;         /* Added. */
  uint64_t modules_removed; /* Of those; detached ones included. */
  uint64_t functions_known;
  uint64_t functions_compiled;
  uint64_t stubs_made;     /* Those in use. */
  uint64_t objects_linked; /* Of functions, of data, and those given by the client. */
  uint64_t object_bytes;   /* Of those. */
  uint64_t code_bytes;     /* Of their code, in memory. */
  /* Of the engine's own memory, at present. */
  uint64_t memory_reserved;  /* Addresses. */
  uint64_t memory_committed; /* Of these, pages in use. */
  uint64_t memory_used;      /* Of these, bytes handed out. */
  uint64_t arenas;
  /* Nanoseconds spent. */
  uint64_t load_time;  /* Reading and indexing source modules. */
  uint64_t split_time; /* Making modules of one function each. */
  uint64_t emit_time;  /* Generating code. */
  uint64_t link_time;
  /* Of hot functions, if those are optimized while the program runs. */
  uint64_t bodies_promoted;   /* Optimized bodies and continuations that were made. */
  uint64_t promotions_failed; /* Those that could not be: see fc_engine_get_failed_promotion. */
} fc_statistics;

/* Fills in as many bytes as `statistics->struct_size` says, with zeros where the library knows of
 * nothing. */
fc_error* fc_engine_get_statistics(fc_engine* engine, fc_statistics* statistics);

/* Why the last hot function that could not be optimized could not be, or NULL if there was none.
 * Such a function goes on with the code it has. To be freed like any error. */
fc_error* fc_engine_get_failed_promotion(fc_engine* engine);

/* ---- Detached code ---- */

/* Runs the exit handlers that the code has registered and its destructors, and frees the code and
 * its data. No thread may be running any of it. */
void fc_code_free(fc_code* code);

/* What messages name it by; lives as long as the code. */
const char* fc_code_get_name(const fc_code* code);

/* Bytes of its code sections. */
size_t fc_code_get_size(const fc_code* code);

/* The address of a function or a variable that the module defines, other than a thread-local one.
 * Valid as long as the code. FC_NOT_FOUND if there is none of that name. */
fc_error* fc_code_lookup(const fc_code* code, const char* name, uintptr_t* address);

/* ---- Calls ----
 *
 * A function whose signature the client knows when it is compiled is best called by its address.
 * These call one whose signature is known at run time only. They go the way C goes for the given
 * types, so a struct is given as the struct it is in C, although a front end may have made other IR
 * of it. */

typedef enum fc_kind FC_ENUM_TYPE {
  FC_VOID = 0, /* For results only. */
  FC_BOOL = 1, /* i1 in IR, _Bool in C. */
  FC_INT8 = 2,
  FC_UINT8 = 3,
  FC_INT16 = 4,
  FC_UINT16 = 5,
  FC_INT32 = 6,
  FC_UINT32 = 7,
  FC_INT64 = 8,
  FC_UINT64 = 9,
  FC_INT128 = 10, /* Not in a struct. */
  FC_FLOAT = 11,
  FC_DOUBLE = 12,
  FC_POINTER = 13,
  FC_STRUCT = 14
} fc_kind;

/* Does not grow. Signed and unsigned integers of one width are the same to IR; a narrower integer
 * of IR (i24) is given as the next wider one here. */
typedef struct fc_type {
  fc_kind kind;
  size_t field_count;           /* Of a struct; at least one. An array counts as its elements. */
  const struct fc_type* fields; /* Of a struct. */
} fc_type;

typedef struct fc_int128 {
  uint64_t low;
  uint64_t high;
} fc_int128;

/* Does not grow. */
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
    void*
        structure; /* Where it is, aligned and laid out as in C; as a result, where to write it. */
  } as;
} fc_value;

/* Calls a function that a module defines, after compiling it, and writes what it returns to
 * `result->as`. The client sets `result->type`; NULL if nothing is returned. FC_INVALID_ARGUMENT,
 * with the argument, if the values are not what the function's IR signature says; FC_UNIMPLEMENTED
 * if it cannot be called as C calls; FC_NOT_FOUND if no module defines it; or what compiling it can
 * give: nothing is called then. FC_UNKNOWN if it throws. Variable arguments are given as C promotes
 * them. Not compared, because nobody knows the signature, are the types of a function of an object
 * file, and of one whose module was given as text or as an LLVM module and was compiled completely
 * before it was first called in this way; on AArch64, a struct that IR has as a pointer to a copy.
 */
fc_error* fc_call(fc_engine* engine, const char* name, const fc_value* arguments, size_t count,
                  fc_value* result);

/* The same for a function of which only the address is known, such as one of detached code.
 * Compares nothing: values of other types than the function takes do what they do in C. What it
 * calls first is compiled by the call; failures of that go to the failure handler. */
fc_error* fc_call_address(uintptr_t address, const fc_value* arguments, size_t count,
                          fc_value* result);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* FIRSTCALL_CAPI_FIRSTCALL_H_ */
