// firstcall's public face: give it LLVM IR, get addresses back that can be called at once; each
// function is compiled the first time it is called.
//
//   FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<Engine> engine, Engine::Create());
//   FIRSTCALL_RETURN_IF_ERROR(engine->AddFile("program.bc").status());
//   FIRSTCALL_ASSIGN_OR_RETURN(int (*square)(int), engine->Lookup<int(int)>("square"));
//   int nine = square(3);
//
// Thread-safe: modules may be added, looked up and run by any threads at once.

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
#include "engine/detached_code.h"
#include "engine/foreign_value.h"
#include "engine/options.h"
#include "engine/stats.h"

namespace llvm {
class LLVMContext;
class Module;
}  // namespace llvm

namespace firstcall {

// A file, and the library it belongs to. Modules of one library see each other's hidden
// symbols, and may define what another library defines too: each library comes first for itself,
// then the others in the order they were first named. "" is the program itself, and all there is
// unless the user needs more.
struct LibraryFile {
  std::string path;
  std::string library;
};

class Engine {
 public:
  // InvalidArgument if the options name a target that is not this machine's; ResourceExhausted if
  // there is no address space for an arena.
  static absl::StatusOr<std::unique_ptr<Engine>> Create(EngineOptions options = {});

  // Runs exit handlers and destructors as RunDestructors does, and frees all code and data that was
  // not detached. No thread may be running any of it, and no address from this engine is valid
  // afterwards.
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // The Add functions take a source module. In lazy mode nothing is compiled; in eager mode the
  // whole module is, and modules that refer to each other must be added by one call of AddFiles.
  // Errors: InvalidArgument if the input is not valid IR, or is made for another target, with the
  // position or the function and the reason; Unimplemented, with its name, for a construct that is
  // not supported; AlreadyExists if a symbol is defined by another module; and in eager mode all
  // that compiling and NotFound that linking can give. Modules that fail leave nothing behind.

  // LLVM bitcode or assembly text; "-" reads standard input. NotFound if there is no such file.
  absl::StatusOr<ModuleId> AddFile(const std::string& path);
  absl::StatusOr<std::vector<ModuleId>> AddFiles(absl::Span<const std::string> paths);
  absl::StatusOr<std::vector<ModuleId>> AddFiles(absl::Span<const LibraryFile> files);

  // Bitcode or text in memory, which is copied. `name` stands for it in messages.
  absl::StatusOr<ModuleId> AddBitcode(absl::string_view bitcode, absl::string_view name);
  absl::StatusOr<ModuleId> AddAssembly(absl::string_view text, absl::string_view name);

  // A module in memory with its context, both of which the engine takes over.
  absl::StatusOr<ModuleId> AddModule(std::unique_ptr<llvm::LLVMContext> context,
                                     std::unique_ptr<llvm::Module> module);

  // Code that was compiled before: a relocatable object, or an archive, of whose members only those
  // are linked that are needed. NotFound if it cannot be read, InvalidArgument if it is not an ELF
  // object of this machine, AlreadyExists as above. What it needs is looked for when it is linked.
  absl::Status AddObjectFile(const std::string& path, absl::string_view library = "");
  absl::Status AddArchive(const std::string& path, absl::string_view library = "");

  // The address of a function or a variable that a module defines. A function's is its stub's,
  // which never changes; nothing is compiled. A variable's module has its data linked. NotFound if
  // no module defines it, or if data needs a symbol that is nowhere.
  absl::StatusOr<void*> LookupAddress(absl::string_view name);

  // The same, as a pointer to a function of the given type, which is not checked:
  // Lookup<int(int)>("square").
  template <typename Signature>
  absl::StatusOr<Signature*> Lookup(absl::string_view name) {
    static_assert(std::is_function_v<Signature>, "Lookup wants a function type, as int(int)");
    absl::StatusOr<void*> address = LookupAddress(name);
    if (!address.ok()) return address.status();
    return reinterpret_cast<Signature*>(*address);
  }

  // Calls a function that a module defines with values whose types are known at run time only, and
  // writes what it returns to `result` (of type void if that is nothing). It is compiled first.
  // InvalidArgument, with the argument, if the values are not what its IR signature says;
  // Unimplemented if it cannot be called as C calls; NotFound if no module defines it; or what
  // compiling it can give: nothing is called then. Trusted are the types of a function of an object
  // file, and of one whose module was given in memory and was compiled before, all of it. What the
  // function throws goes to the caller.
  absl::Status Call(absl::string_view name, const ForeignValue& result,
                    absl::Span<const ForeignValue> arguments);

  // Compiles the named functions, or all functions of all modules, now, on all compile threads, and
  // goes on after a failure. Blocks until that is done. NotFound, before anything is compiled, if
  // no module defines a name; the failure of the first function in order that cannot be compiled;
  // Cancelled or DeadlineExceeded if `options` ended it before.
  absl::Status Prepare(absl::Span<const absl::string_view> names,
                       const PrepareOptions& options = {});
  absl::Status PrepareAll(const PrepareOptions& options = {});

  // Removes a module: runs the exit handlers that it has registered and its destructors, and frees
  // its code, data, unwind tables and registrations with debuggers. No thread may be running its
  // code, and nobody use its data afterwards. A stub of it that is called later goes to the failure
  // handler (FailedPrecondition), until more than 1,024 further functions have been removed: then
  // it may be another function's. Its names may be defined anew. Waits for compiles in progress,
  // in all engines of the process. NotFound if there is no such module (any more);
  // FailedPrecondition if called from within a compile.
  absl::Status Remove(ModuleId module);

  // Hands the finished code of a module over: it stays where it is, but does not need this engine
  // or any IR any more, and the engine does not know the module any more. Compiles first what of it
  // is not compiled, and links its data. What the code refers to in other modules must be there
  // when it is called: it may be detached too. FailedPrecondition if the module has constructors
  // that have not run, or if called from within a compile; NotFound as above; or what compiling and
  // linking can give. The engine goes on having the module after an error.
  absl::StatusOr<std::unique_ptr<DetachedCode>> Detach(ModuleId module);

  // Calls the constructors (llvm.global_ctors) of every module for which that has not been done, in
  // the order the modules were added. Stops at the first one that cannot be compiled.
  absl::Status RunConstructors();

  // Runs the exit handlers that modules have registered and have not run, and the destructors
  // (llvm.global_dtors) of every module whose constructors have run, in the opposite order. Done by
  // the engine's destructor, and at exit() while it lives.
  void RunDestructors();

  // Runs constructors, then the function `entry` as main is run, with `arguments` as its argv and
  // an errno of 0, and returns what it returns. NotFound if no module defines it, InvalidArgument
  // if its signature is not one of main's; nothing has run then. What compiling it can give comes
  // after the constructors have run. Destructors are left to whoever ends the program.
  absl::StatusOr<int> RunMain(absl::Span<const std::string> arguments,
                              absl::string_view entry = "main");

  // The errors RunMain has for `entry` before anything runs. With an object cache, what it has
  // found out is kept, so that RunMain need not read the module.
  absl::Status CheckMain(absl::string_view entry = "main");

  Stats stats() const;

 private:
  struct Parts;
  explicit Engine(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_ENGINE_H_
