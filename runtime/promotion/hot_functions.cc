#include "runtime/promotion/hot_functions.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace firstcall {
namespace {

// While several functions are active, an iteration, or a call of a function without polls, is
// assumed to take this long. So 400 of them make a function hot (100 ms of activity), as do 400
// calls of a function whose loops have no polls.
constexpr absl::Duration kSlowIteration = absl::Microseconds(250);

}  // namespace

HotFunction& HotFunctions::Get(FunctionKey key) {
  std::unique_ptr<HotFunction>& function = functions_[key];
  if (function == nullptr) function = std::make_unique<HotFunction>(promoter_, key, interval_);
  return *function;
}

const HotFunction* HotFunctions::Find(FunctionKey key) const {
  auto found = functions_.find(key);
  return found == functions_.end() ? nullptr : found->second.get();
}

// Which of the active functions the time went into is not known. Each gets an equal share, or what
// its iterations take if these are slow, if that is more.
void HotFunctions::NoteActivity(absl::Duration elapsed) {
  std::vector<std::pair<HotFunction*, int64_t>> active;
  for (const auto& [key, function] : functions_) {
    const int64_t moves = function->first_body().TakeMoves();
    if (moves > 0) active.push_back({function.get(), moves});
  }
  if (active.empty()) return;
  const absl::Duration share = elapsed / static_cast<int64_t>(active.size());
  for (const auto& [function, moves] : active) {
    function->first_body().NoteActivity(std::min(elapsed, std::max(share, moves * kSlowIteration)));
  }
}

void HotFunctions::NoteTimes(const Since& since, PromotionBooks& books) {
  std::vector<std::pair<HotFunction*, uint64_t>> active;
  uint64_t all = 0;
  for (const auto& [key, function] : functions_) {
    const uint64_t work = function->first_body().TakeWork();
    if (work == 0) {
      function->first_body().NoteIdleness(since.elapsed);
      continue;
    }
    active.push_back({function.get(), work});
    all += work;
  }
  books.NoteProgram(since.elapsed, since.time, all);
  for (const auto& [function, work] : active) function->first_body().NoteTime(books.TimeOf(work));
}

bool HotFunctions::LookAtCounters(const Since& since, PromotionBooks& books, WaitingList& waiting) {
  NoteTimes(since, books);
  // A loop that waits, for a child or for input, saves nothing meanwhile.
  NoteActivity(books.totals().weighs_gains ? std::min(since.active, since.time) : since.active);
  bool has_found = false;
  for (const auto& [key, function] : functions_) {
    if (!function->Look(books.LongestActivity(function->first_body()))) continue;
    waiting.Add(*function);
    has_found = true;
  }
  return has_found;
}

HotFunction* HotFunctions::FindForIdleTime(const PromotionBooks& books) {
  HotFunction* found = nullptr;
  for (const auto& [key, function] : functions_) {
    if (!function->IsWorthIdleTime() || !books.Pays(function->first_body())) continue;
    if (found == nullptr ||
        function->first_body().counted_calls() > found->first_body().counted_calls()) {
      found = function.get();
    }
  }
  return found;
}

void HotFunctions::ForgetTimes() {
  for (const auto& [key, function] : functions_) function->first_body().ForgetTime();
}

void HotFunctions::TurnAwayPolls() {
  for (const auto& [key, function] : functions_) function->first_body().polls().TurnAway();
}

void HotFunctions::TurnAwayPolls(const SourceModule& module) {
  for (const auto& [key, function] : functions_) {
    if (key.module == &module) function->first_body().polls().TurnAway();
  }
}

std::vector<std::unique_ptr<HotFunction>> HotFunctions::Take(const SourceModule& module) {
  std::vector<std::unique_ptr<HotFunction>> taken;
  for (uint32_t i = 0; i < module.index().size(); ++i) {
    auto found = functions_.find({const_cast<SourceModule*>(&module), SymbolOrdinal{i}});
    if (found == functions_.end()) continue;
    taken.push_back(std::move(found->second));
    functions_.erase(found);
  }
  return taken;
}

std::vector<BranchCounts> HotFunctions::CountsOf(const SourceModule& module,
                                                 BranchCounterBlock::FindTarget find_target) const {
  std::vector<BranchCounts> counts;
  for (const auto& [key, function] : functions_) {
    if (key.module != &module) continue;
    if (std::optional<BranchCounts> own =
            function->counting_body().Counts(key.ordinal, find_target)) {
      counts.push_back(*std::move(own));
    }
  }
  return counts;
}

PromotionStats HotFunctions::Collect() const {
  PromotionStats stats;
  for (const auto& [key, function] : functions_) {
    FunctionHotness hotness = function->hotness();
    hotness.module = key.module->name();
    hotness.function = std::string(key.module->index().at(key.ordinal).name);
    stats.functions.push_back(std::move(hotness));
  }
  std::sort(stats.functions.begin(), stats.functions.end(),
            [](const FunctionHotness& a, const FunctionHotness& b) { return a.polls > b.polls; });
  return stats;
}

}  // namespace firstcall
