#include "runtime/promotion/promotion_job.h"

#include <utility>

namespace firstcall {
namespace {

thread_local const PromotionJob* current = nullptr;  // The job that this thread does.

}  // namespace

PromotionJob::Scope::Scope(const PromotionJob& job) : outer_(std::exchange(current, &job)) {}

PromotionJob::Scope::~Scope() { current = outer_; }

bool PromotionJob::IsOfThisThread() const { return this == current; }

}  // namespace firstcall
