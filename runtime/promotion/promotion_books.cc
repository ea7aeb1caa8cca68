#include "runtime/promotion/promotion_books.h"

#include <algorithm>

namespace firstcall {
namespace {

// What optimizing a function takes besides what its size does; and what each byte of its first body
// adds. Measured on an x86-64 server (docs/adr/0070). This run's optimizations correct it.
constexpr absl::Duration kCostOfAFunction = absl::Microseconds(2500);
constexpr absl::Duration kCostOfAByte = absl::Microseconds(8);
// The correction is at most this, or its reciprocal; and what was measured counts against so much
// that came as predicted.
constexpr double kMostCorrection = 4;
constexpr absl::Duration kWeightOfPrediction = absl::Milliseconds(50);
// LLVM is loaded for the first optimization, and makes its tables.
constexpr absl::Duration kCostOfTheFirst = absl::Milliseconds(30);

// What a byte of a first body that is run through takes, until this run has measured it; and the
// limits of what may be measured. A load that misses all caches is not the rule.
constexpr double kNanosecondsOfAByte = 0.2;
constexpr double kLeastNanosecondsOfAByte = 0.05;
constexpr double kMostNanosecondsOfAByte = 0.5;
constexpr absl::Duration kWeightOfRate = absl::Milliseconds(10);

// For how long a function is expected to run, in proportion to how long it has run.
constexpr double kTimeLeft = 1.5;
// Which part of a first body's time an optimized body saves, and which part of the time of a loop
// with its callees: these may be optimized bodies already, but may be inlined.
constexpr double kSavedOfBody = 0.65;
constexpr double kSavedOfActivity = 0.2;

// With a processor to spare, the first optimization costs the program this part, and the others
// cost nothing: a program that ends soon should not have LLVM loaded for it.
constexpr double kPartOfTheFirst = 0.5;

constexpr absl::Duration kLongestActivity = absl::Milliseconds(100);

// A thread that gets less of a processor than this takes the program's time.
constexpr double kLeastSpare = 0.5;
// How fast the measured load follows the program.
constexpr absl::Duration kMemoryOfLoad = absl::Milliseconds(50);

absl::Duration CostBySize(const FirstBody& body) {
  return kCostOfAFunction + kCostOfAByte * static_cast<int64_t>(body.code_bytes());
}

}  // namespace

void PromotionBooks::BeginAnew() {
  const PromotionTotals before = totals_;
  *this = PromotionBooks(before.weighs_gains);
  totals_.processors = before.processors;
}

void PromotionBooks::NoteProgram(absl::Duration elapsed, absl::Duration time, uint64_t work) {
  last_time_ = time;
  last_work_ = work;
  if (elapsed > absl::ZeroDuration()) {
    const double weight = absl::FDivDuration(elapsed, elapsed + kMemoryOfLoad);
    load_ += weight * (absl::FDivDuration(time, elapsed) - load_);
  }
  if (totals_.optimizations > 0) return;
  measured_time_ += time;
  measured_work_ += work;
}

absl::Duration PromotionBooks::TimeOf(uint64_t work) const {
  if (work == 0 || last_work_ == 0) return absl::ZeroDuration();
  const double prior = absl::ToDoubleNanoseconds(kWeightOfRate);
  const double rate = (prior + absl::ToDoubleNanoseconds(measured_time_)) /
                      (prior / kNanosecondsOfAByte + static_cast<double>(measured_work_));
  const double bounded = std::clamp(rate, kLeastNanosecondsOfAByte, kMostNanosecondsOfAByte);
  const double share = static_cast<double>(work) / static_cast<double>(last_work_);
  return std::min(absl::Nanoseconds(bounded * static_cast<double>(work)), share * last_time_);
}

absl::Duration PromotionBooks::CostOf(const FirstBody& body) const {
  if (totals_.time == absl::ZeroDuration()) return CostBySize(body) + kCostOfTheFirst;
  const double correction = absl::FDivDuration(kWeightOfPrediction + costs_that_came_,
                                               kWeightOfPrediction + costs_by_size_);
  return CostBySize(body) * std::clamp(correction, 1 / kMostCorrection, kMostCorrection);
}

absl::Duration PromotionBooks::GainOf(const FirstBody& body) const {
  const absl::Duration gain =
      std::max(kTimeLeft * kSavedOfBody * body.time_taken(), kSavedOfActivity * body.activity());
  if (body.idle() == absl::ZeroDuration()) return gain;
  // What has not run for longer than it has run before may have ended.
  const absl::Duration ran = std::max(body.time_taken(), body.activity());
  return gain * absl::FDivDuration(ran, ran + body.idle());
}

// A program that runs needs a processor, also if other processes keep it from using all of one.
bool PromotionBooks::HasSpare() const {
  return totals_.processors - std::max(1.0, load_) >= kLeastSpare;
}

double PromotionBooks::PartOfCost() const {
  if (!HasSpare()) return 1;
  return totals_.optimizations == 0 ? kPartOfTheFirst : 0;
}

bool PromotionBooks::Pays(const FirstBody& body) const {
  return !totals_.weighs_gains || GainOf(body) >= PartOfCost() * CostOf(body);
}

absl::Duration PromotionBooks::LongestActivity(const FirstBody& body) const {
  if (!totals_.weighs_gains || HasSpare()) return kLongestActivity;
  return CostOf(body) / kSavedOfActivity;
}

void PromotionBooks::NoteOptimization(const FirstBody& body, const Prediction& predicted,
                                      absl::Duration time) {
  if (totals_.optimizations > 0) {
    costs_by_size_ += CostBySize(body);
    costs_that_came_ += time;
  }
  ++totals_.optimizations;
  totals_.predicted_cost += predicted.cost;
  totals_.predicted_gain += predicted.gain;
  totals_.time += time;
}

}  // namespace firstcall
