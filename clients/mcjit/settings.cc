#include "clients/mcjit/settings.h"

#include <memory>
#include <utility>

#include "clients/mcjit/environment.h"
#include "clients/orc/engine_target.h"
#include "llvm/Target/TargetMachine.h"

namespace firstcall {
namespace {

// Enough for most programs, and a process may have hundreds of engines. A full arena is followed by
// others.
constexpr SegmentSizes kArena = {size_t{16} << 20, size_t{16} << 20, size_t{32} << 20};

}  // namespace

EngineOptions OptionsFor(const llvm::TargetMachine& target_machine) {
  EngineOptions options;
  SetEngineTarget(target_machine, options);
  auto target_options = std::make_shared<llvm::TargetOptions>(target_machine.Options);
  target_options->EmulatedTLS = false;
  options.target_options = std::move(target_options);
  options.arena_sizes = kArena;
  Environment::Get().ApplyTo(options);
  return options;
}

}  // namespace firstcall
