#include "engine/optimization_gate.h"

#include "engine/unattended_work.h"

namespace firstcall {

bool OptimizationGate::isEnabled() const {
  UnattendedWork::StopIfExiting();
  return is_stopped();
}

}  // namespace firstcall
