#include "remote/makers.h"

#include <algorithm>
#include <iterator>

namespace firstcall {
namespace {

// From the answer that a module is not known to the request for a worker: reading the program takes
// less. A client that finds everything elsewhere never asks for one.
constexpr absl::Duration kUntilWorker = absl::Seconds(1);

}  // namespace

bool Makers::HasRoom(absl::string_view key, absl::Duration now) {
  auto found = makers_.find(key);
  if (found == makers_.end()) return true;
  std::vector<Maker>& makers = found->second;
  makers.erase(std::remove_if(makers.begin(), makers.end(),
                              [&](const Maker& maker) {
                                return !maker.has_worker && now - maker.since > kUntilWorker;
                              }),
               makers.end());
  return makers.size() < most_;
}

void Makers::Add(absl::string_view key, pid_t client, absl::Duration now) {
  std::vector<Maker>& makers = makers_[std::string(key)];
  const auto is_same = [&](const Maker& maker) { return maker.client == client; };
  if (std::none_of(makers.begin(), makers.end(), is_same)) makers.push_back({client, now});
}

void Makers::NoteWorker(pid_t client) {
  for (auto& [key, makers] : makers_) {
    for (Maker& maker : makers) {
      if (maker.client == client) maker.has_worker = true;
    }
  }
}

void Makers::RemoveModule(absl::string_view key) {
  auto found = makers_.find(key);
  if (found != makers_.end()) makers_.erase(found);
}

void Makers::RemoveClient(pid_t client) {
  for (auto entry = makers_.begin(); entry != makers_.end();) {
    std::vector<Maker>& makers = entry->second;
    makers.erase(std::remove_if(makers.begin(), makers.end(),
                                [&](const Maker& maker) { return maker.client == client; }),
                 makers.end());
    entry = makers.empty() ? makers_.erase(entry) : std::next(entry);
  }
}

}  // namespace firstcall
