// An exception that leaves a noexcept function calls the program's own terminate handler.
#include <cstdio>
#include <cstdlib>
#include <exception>

namespace {

void Throw() { throw 1; }
void Promise() noexcept { Throw(); }
void OnTerminate() {
  std::printf("terminate handler\n");
  std::exit(9);
}

}  // namespace

int main() {
  std::set_terminate(OnTerminate);
  Promise();
  return 0;
}
