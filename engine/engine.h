// The public interface of firstcall. An engine takes LLVM IR and returns addresses that can be
// called at once. Each function is compiled when it is called for the first time.
//
//   FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<Engine> engine, Engine::Create());
//   FIRSTCALL_RETURN_IF_ERROR(engine->AddFile("program.bc").status());
//   FIRSTCALL_ASSIGN_OR_RETURN(int (*square)(int), engine->Lookup<int(int)>("square"));
//   int nine = square(3);
//
// (The macros are those of base/status.h.)
//
// Thread-safe: any threads may add, look up and run modules at the same time.
//
// Blocking: Call, Prepare, PrepareAll, Detach, RunMain, RunConstructors, RunDestructors, Remove,
// the destructor and the look-up of a variable block until what they need is compiled, linked or
// has run; so do the functions that add modules in eager mode. The look-up of a function and stats
// never wait for a compile. Adding a module and CheckMain read the module or ask the object cache,
// and may load LLVM.
//
// Ownership: the engine owns code, data and stubs. An address stays valid until its module is
// removed or the engine is destroyed; after Detach, as long as the DetachedCode.

#ifndef FIRSTCALL_ENGINE_ENGINE_H_
#define FIRSTCALL_ENGINE_ENGINE_H_

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/ids.h"
#include "engine/options.h"
#include "foreign/foreign_value.h"
#include "runtime/program/detached_code.h"
#include "seam/stats.h"

namespace llvm {
class LLVMContext;
class Module;
}  // namespace llvm

namespace firstcall {

class CompilerProvider;

// A file and the library that it belongs to. The modules of one library see each other's hidden
// symbols. Two libraries may define the same symbol: a module finds the definition of its own
// library first, then those of the other libraries, in the order in which the libraries were first
// named. "" is the program itself; most users need no other library.
struct LibraryFile {
  std::string path;
  std::string library;
};

class Engine {
 public:
  // InvalidArgument if the options name a target other than this machine's, if `backend` and
  // `baseline` contradict each other, if the client's memory manager or one of its event listeners
  // is null, or if the arenas are to have more than 2,000 MiB. NotFound if one of the options'
  // shared libraries cannot be loaded. ResourceExhausted if the process has no address space for an
  // arena. A program that is linked with //engine:runtime_engine loads LLVM only when something has
  // to be compiled. In such a program errors of the target, and Unavailable if LLVM's library
  // cannot be loaded, are returned by the call that needs LLVM.
  static absl::StatusOr<std::unique_ptr<Engine>> Create(EngineOptions options = {});

  // For this project's own programs: the same, with a compiler half from elsewhere
  // (engine/compiler_provider.h, which is not installed). The provider must exist for as long as
  // the process. If the provider makes the compiler only when something has to be compiled, errors
  // of the options are returned by the call that needs the compiler.
  static absl::StatusOr<std::unique_ptr<Engine>> Create(EngineOptions options,
                                                        CompilerProvider& provider);

  // Runs exit handlers and destructors as RunDestructors does. Then frees all code and data that
  // was not detached. No thread may be running that code, and no address from this engine is valid
  // afterwards.
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // AddFile, AddFiles, AddBitcode, AddAssembly and AddModule add source modules. They return an
  // identifier for each module, for Remove, Detach and LookupAddress. In lazy mode they compile
  // nothing. In eager mode they compile whole modules, and modules that refer to each other must be
  // added by one call of AddFiles.
  //
  // Errors: InvalidArgument, with the position or the function and the reason, if the input is not
  // valid IR or is made for another target; Unimplemented, with its name, for an unsupported
  // construct; AlreadyExists if another module has a strong definition of a symbol. In eager mode
  // also all errors of compiling, and NotFound from linking. After an error no module of the call
  // has been added, except if the call came from within a compile, for example from the symbol
  // finder: then some may have been.

  // Adds files of LLVM bitcode or assembly text; AddFiles returns the identifiers in the order of
  // the files. "-" is standard input. A file may be replaced or deleted afterwards, but must not be
  // written to before the engine has read it. With an object cache, that is when something first
  // has to be compiled: if the file was written to before, functions that are not in the cache
  // fail. NotFound if there is no such file.
  absl::StatusOr<ModuleId> AddFile(const std::string& path);
  absl::StatusOr<std::vector<ModuleId>> AddFiles(absl::Span<const std::string> paths);
  absl::StatusOr<std::vector<ModuleId>> AddFiles(absl::Span<const LibraryFile> files);

  // Adds bitcode or text in memory, of which the engine makes a copy. Messages use `name`.
  // `library` is as in LibraryFile.
  absl::StatusOr<ModuleId> AddBitcode(absl::string_view bitcode, absl::string_view name,
                                      absl::string_view library = "");
  absl::StatusOr<ModuleId> AddAssembly(absl::string_view text, absl::string_view name);

  // Adds a module in memory. The engine takes over both the module and its context, which must
  // contain nothing else that the client still uses. Not available in //engine:runtime_engine.
  absl::StatusOr<ModuleId> AddModule(std::unique_ptr<llvm::LLVMContext> context,
                                     std::unique_ptr<llvm::Module> module);

  // Adds code that is already compiled: a relocatable object, or an archive, of which only the
  // members that are needed are linked. Symbols that it refers to are looked up when it is linked.
  // Objects are ELF or Mach-O, whatever the engine's triple says. NotFound if the file cannot be
  // read; InvalidArgument if it is no object of this machine; Unimplemented if a Mach-O object has
  // something that docs/limits.md lists; AlreadyExists as above. After an error in an archive, the
  // members before the faulty one stay added.
  absl::Status AddObjectFile(const std::string& path, absl::string_view library = "");
  absl::Status AddArchive(const std::string& path, absl::string_view library = "");

  // Returns the address of a function or a variable that a module or an object defines. In lazy
  // mode a module's function has the address of its stub. The address of a function never changes,
  // and looking it up compiles nothing, except that an object file is linked when one of its
  // functions is looked up. Looking up a variable links the data of its module; a thread-local one
  // has the address that it has for the calling thread. If a weak definition gives way to one of
  // the process, the address is that of the process's definition. NotFound if nothing defines the
  // name, or if what is linked refers to a symbol that does not exist; ResourceExhausted; an error
  // of compiling data.
  absl::StatusOr<void*> LookupAddress(absl::string_view name);

  // The same for a definition of one module, by its name in the source. Also finds functions and
  // variables that are local to the module (internal). NotFound if the module does not define the
  // name, or is not in this engine.
  absl::StatusOr<void*> LookupAddress(ModuleId module, absl::string_view name);

  // As the first LookupAddress, as a pointer to a function of the given type:
  // Lookup<int(int)>("square"). The type is not checked.
  template <typename Signature>
  absl::StatusOr<Signature*> Lookup(absl::string_view name) {
    static_assert(std::is_function_v<Signature>, "Lookup wants a function type, as int(int)");
    absl::StatusOr<void*> address = LookupAddress(name);
    if (!address.ok()) return address.status();
    return reinterpret_cast<Signature*>(*address);
  }

  // Calls a function that a module or an object defines, with values whose types are known only at
  // run time, and writes the returned value to `result` (whose type is void if the function returns
  // nothing). Compiles the function first, if it is not compiled yet.
  //
  // InvalidArgument, with the argument, if the values do not match the function's IR signature;
  // Unimplemented if the function cannot be called by C's calling convention; NotFound if nothing
  // defines the name; or an error of compiling. After an error nothing was called. An exception
  // that the function throws reaches the caller.
  //
  // The types are not checked if the function comes from an object file, if a weak definition gave
  // way to one of the process, or if the signature is gone: the module was given as text or as an
  // llvm::Module, all its functions are compiled, and the tier is not kAuto.
  absl::Status Call(absl::string_view name, const ForeignValue& result,
                    absl::Span<const ForeignValue> arguments);

  // Compiles the named functions, or all functions of all modules, on all compile threads.
  // Continues after a failure, and blocks until all are done. The data of a named variable is
  // linked. NotFound, before anything is compiled, if nothing defines a name; otherwise the failure
  // of the first function, in the given order, that cannot be compiled; Cancelled or
  // DeadlineExceeded if `options` stopped the work early.
  absl::Status Prepare(absl::Span<const absl::string_view> names,
                       const PrepareOptions& options = {});
  absl::Status PrepareAll(const PrepareOptions& options = {});

  // Removes a module: runs the exit handlers that it has registered and its destructors, then frees
  // its code, data, unwind tables and registrations with debuggers. Its names may be defined again.
  // No thread may be running its code, and nothing may use its data afterwards. A later call of one
  // of its stubs goes to the failure handler (FailedPrecondition). This holds until more than 1,024
  // further functions have been removed: then the stub may belong to another function. Waits for
  // compiles in progress in all engines of the process, but only some milliseconds for LLVM to
  // optimize a hot function. NotFound if there is no such module, or no longer; FailedPrecondition
  // if called from within a compile, or for a module in D while constructors of such modules run.
  absl::Status Remove(ModuleId module);

  // Hands over the finished code of a module. The code stays where it is and no longer needs this
  // engine or any IR, and the engine forgets the module. First compiles those functions of the
  // module that are not compiled, and links its data. Other modules that the code refers to must
  // still exist, in an engine or detached, when the code runs. FailedPrecondition if the module has
  // constructors that have not run, if its variables are registered with D's runtime, or if called
  // from within a compile; NotFound as for Remove; or an error of compiling and linking. After an
  // error the engine still has the module.
  absl::StatusOr<std::unique_ptr<DetachedCode>> Detach(ModuleId module);

  // Calls the constructors of all modules (llvm.global_ctors) and object files, except those that
  // were called before: by priority, then in the order of addition, modules first. Stops at the
  // first constructor that cannot be compiled, and returns why; the next call goes on with that
  // constructor. An exception that a constructor throws reaches the caller; the next call goes on
  // behind that constructor. If another thread runs constructors, waits for that thread; a
  // constructor may call this itself, but must not wait for a thread that does. As GNU libc does,
  // passes `arguments` to the constructors as argc and argv, and the environment; the strings exist
  // until the engine is destroyed.
  absl::Status RunConstructors(absl::Span<const std::string> arguments = {});

  // Runs the exit handlers that modules have registered and that have not run yet. Then runs, in
  // the reverse order, the destructors (llvm.global_dtors) of each module whose constructors have
  // begun. The engine's destructor does this, too, and so does exit(), if RunConstructors or
  // RunMain was called and the engine still exists. Nothing runs twice. A destructor that cannot
  // be compiled goes to the failure handler.
  void RunDestructors();

  // Sets errno to 0, runs constructors, then calls the function `entry` as main, with `arguments`
  // as its argv. Returns its result. NotFound if no module defines `entry`, InvalidArgument if its
  // signature is not one of main's: in both cases nothing has run. An error of compiling `entry`
  // comes after the constructors have run. RunMain does not run destructors.
  absl::StatusOr<int> RunMain(absl::Span<const std::string> arguments,
                              absl::string_view entry = "main");

  // Returns the errors that RunMain returns for `entry` before it runs anything. With an object
  // cache the result is kept, so that RunMain need not read the module.
  absl::Status CheckMain(absl::string_view entry = "main");

  // Hands everything that was compiled for the object cache to it, and flushes it. A cache on disk
  // waits for other writers, for a second at most; one behind a server waits for what is left of
  // its budget. Failures go to the cache's `warn`. The engine's destructor does this, too. Does
  // nothing without a cache.
  void FlushCache();

  // Counts and times so far. Does not wait for a compile.
  Stats stats() const;

 private:
  struct Parts;
  explicit Engine(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_ENGINE_H_
