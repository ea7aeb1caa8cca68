// Calls a function, removes it with its module, and calls another function of its name. It is
// debugged by gdb_test.cc.

#include <cstdio>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "engine/engine.h"

namespace firstcall {
namespace {

absl::StatusOr<int> AddCallAndRemove(Engine& engine, int result) {
  FIRSTCALL_ASSIGN_OR_RETURN(
      const ModuleId id,
      engine.AddAssembly(absl::StrCat("define i32 @replaced() { ret i32 ", result, " }"),
                         "module"));
  FIRSTCALL_ASSIGN_OR_RETURN(int (*function)(), engine.Lookup<int()>("replaced"));
  const int returned = function();
  FIRSTCALL_RETURN_IF_ERROR(engine.Remove(id));
  return returned;
}

absl::Status Run() {
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<Engine> engine, Engine::Create({}));
  FIRSTCALL_ASSIGN_OR_RETURN(const int first, AddCallAndRemove(*engine, 1));
  FIRSTCALL_ASSIGN_OR_RETURN(const int second, AddCallAndRemove(*engine, 2));
  std::printf("returned %d and %d\n", first, second);
  return absl::OkStatus();
}

}  // namespace
}  // namespace firstcall

int main() {
  const absl::Status status = firstcall::Run();
  if (!status.ok()) std::printf("%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
