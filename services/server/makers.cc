#include "services/server/makers.h"

#include <algorithm>
#include <iterator>

namespace firstcall {
namespace {

// From the answer that a module is not known to the request for a worker: reading the program takes
// less. A client that finds everything elsewhere never asks for one.
constexpr absl::Duration kUntilWorker = absl::Seconds(1);

}  // namespace

template <typename Predicate>
void Makers::RemoveIf(Predicate is_removed) {
  for (auto entry = makers_.begin(); entry != makers_.end();) {
    std::vector<Maker>& makers = entry->second;
    makers.erase(std::remove_if(makers.begin(), makers.end(), is_removed), makers.end());
    entry = makers.empty() ? makers_.erase(entry) : std::next(entry);
  }
}

void Makers::RemoveIdle(absl::Duration now) {
  RemoveIf([&](const Maker& maker) {
    return now - maker.since > kUntilWorker && workers_.count(maker.client) == 0;
  });
}

bool Makers::HasRoom(absl::string_view key, absl::Duration now) {
  RemoveIdle(now);
  auto found = makers_.find(key);
  return found == makers_.end() || found->second.size() < most_;
}

void Makers::Add(absl::string_view key, absl::string_view client, absl::Duration now) {
  RemoveIdle(now);
  std::vector<Maker>& makers = makers_[std::string(key)];
  const auto is_same = [&](const Maker& maker) { return maker.client == client; };
  if (std::none_of(makers.begin(), makers.end(), is_same)) {
    makers.push_back({std::string(client), now});
  }
}

void Makers::NoteWorker(absl::string_view client) { ++workers_[std::string(client)]; }

void Makers::RemoveModule(absl::string_view key) {
  auto found = makers_.find(key);
  if (found != makers_.end()) makers_.erase(found);
}

void Makers::RemoveWorker(absl::string_view client) {
  auto found = workers_.find(client);
  if (found == workers_.end() || --found->second > 0) return;
  workers_.erase(found);
  RemoveIf([&](const Maker& maker) { return maker.client == client; });
}

}  // namespace firstcall
