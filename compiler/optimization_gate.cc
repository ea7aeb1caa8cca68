#include "compiler/optimization_gate.h"

#include "runtime/unattended_work.h"

namespace firstcall {

bool OptimizationGate::isEnabled() const {
  UnattendedWork::StopIfExiting();
  return is_stopped();
}

}  // namespace firstcall
