#include "compiler/optimization_gate.h"

namespace firstcall {

bool OptimizationGate::isEnabled() const {
  stop_if_exiting_();
  return is_stopped() || !left_out_.empty();
}

}  // namespace firstcall
