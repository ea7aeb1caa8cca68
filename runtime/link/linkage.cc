#include "runtime/link/linkage.h"

#include <utility>

#include "base/status.h"
#include "object/object_loader.h"

namespace firstcall {
namespace {

OtherLinkers LinkersOf(Compiler& compiler, bool come_first) {
  return {[&compiler] { return compiler.MakeLinker(); }, come_first};
}

}  // namespace

Linkage::Linkage(Options options, Compiler& compiler, CodeSpace& code_space,
                 ExitHandlers& exit_handlers, Listener& listener)
    : failures_(std::make_shared<CallFailures>(std::move(options.failure_handler))),
      precompiled_(exit_handlers, code_space),
      definitions_(options.search_other_libraries),
      functions_(code_space.stubs(), failures_),
      outside_(std::move(options.outside), definitions_, code_space.host_thread_locals()),
      weak_symbols_(definitions_, outside_),
      resolver_(outside_, definitions_, functions_),
      objects_(compiler, LinkersOf(compiler, options.compiler_links), code_space, weak_symbols_,
               resolver_, object_constructors_, listener),
      function_linker_(LinkersOf(compiler, options.compiler_links), weak_symbols_, resolver_,
                       object_constructors_, code_space),
      optimized_cache_(resolver_, function_linker_) {}

void Linkage::Connect(FunctionProvider& compiler) {
  functions_.Connect(compiler);
  resolver_.Connect(objects_, compiler);
}

absl::Status Linkage::Add(SourceModule& module) {
  FIRSTCALL_RETURN_IF_ERROR(definitions_.Add(module));
  NoteAddition();
  return absl::OkStatus();
}

absl::Status Linkage::AddObject(std::string name, ObjectBytes contents, bool is_archive_member,
                                LibraryId library) {
  FIRSTCALL_RETURN_IF_ERROR(precompiled_.Add(std::move(name), std::move(contents),
                                             is_archive_member, library, definitions_));
  NoteAddition();
  return absl::OkStatus();
}

void Linkage::NoteAddition() {
  objects_.NoteAddition();
  functions_.NoteAddition();
}

void Linkage::Remove(SourceModule& module) {
  definitions_.Remove(module);
  objects_.NoteRemoval();
}

}  // namespace firstcall
