#include "engine/optimization_gate.h"

#include <unistd.h>

#include <utility>

namespace firstcall {

void OptimizationGate::ParkForExit(std::function<void()> is_parked) {
  is_parked_ = std::move(is_parked);
  state_ = State::kParks;
}

bool OptimizationGate::isEnabled() const {
  const State state = state_;
  if (state != State::kParks) return state == State::kStopped;
  is_parked_();
  while (true) pause();
}

}  // namespace firstcall
