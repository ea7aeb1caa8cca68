#include "runtime/promotion/continuations.h"

#include <utility>

namespace firstcall {

struct Continuations::Answer {
  uint32_t loop = 0;
  Continuation continuation;
  std::atomic<uint64_t> entered{0};
  Answer* next = nullptr;
};

Continuations::~Continuations() {
  for (Answer* answer = latest_; answer != nullptr;) {
    delete std::exchange(answer, answer->next);
  }
}

Continuations::Answer* Continuations::Find(uint32_t loop) const {
  Answer* found = latest_.load(std::memory_order_acquire);
  while (found != nullptr && found->loop != loop) found = found->next;
  return found;
}

bool Continuations::Has(uint32_t loop) const {
  const Answer* answer = Find(loop);
  return answer != nullptr && answer->continuation.code != nullptr;
}

Continuations::Entrance Continuations::Enter(uint32_t loop) {
  Answer* answer = Find(loop);
  if (answer == nullptr || answer->continuation.code == nullptr) return {};
  answer->entered.fetch_add(1, std::memory_order_relaxed);
  return {answer->continuation.code, answer->continuation.exit.get()};
}

std::vector<std::shared_ptr<const LoopExit>> Continuations::exits() const {
  std::vector<std::shared_ptr<const LoopExit>> exits;
  for (const Answer* answer = latest_; answer != nullptr; answer = answer->next) {
    if (answer->continuation.exit != nullptr) exits.push_back(answer->continuation.exit);
  }
  return exits;
}

uint64_t Continuations::entered() const {
  uint64_t entered = 0;
  for (const Answer* answer = latest_; answer != nullptr; answer = answer->next) {
    entered += answer->entered;
  }
  return entered;
}

void Continuations::Give(uint32_t loop, Continuation continuation) {
  auto* answer = new Answer;
  answer->loop = loop;
  answer->continuation = std::move(continuation);
  answer->next = latest_.load(std::memory_order_relaxed);
  latest_.store(answer, std::memory_order_release);
}

}  // namespace firstcall
