#include "cache/pack_entries.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/status.h"
#include "base/steady_clock.h"

namespace firstcall {
namespace {

// If the second pack has at most as many bytes as this, all of it comes with its first entry:
// further requests would take longer.
constexpr uint64_t kMostFetchedWhole = 1 << 20;

// How many times the new entries are merged with those of others that write at the same time.
constexpr int kMostMerges = 4;

absl::Status WrongSize() {
  return absl::DataLossError("a pack has another size than its list says");
}

}  // namespace

PackEntries::PackEntries(std::unique_ptr<PackServer> server, std::string key,
                         size_t most_pack_bytes)
    : server_(std::move(server)), most_pack_bytes_(most_pack_bytes), seal_(std::move(key)) {}

std::string PackEntries::ToString() const { return server_->ToString(); }

absl::Duration PackEntries::Left() const { return deadline_ - SteadyNow(); }

std::vector<absl::StatusOr<EntryServer::Contents>> PackEntries::FetchAll(
    absl::Span<const std::string> signatures, absl::Duration timeout) {
  deadline_ = SteadyNow() + timeout;
  std::vector<absl::StatusOr<Current>> all = FetchCurrent(signatures);
  std::vector<absl::StatusOr<Contents>> results;
  for (size_t i = 0; i < signatures.size(); ++i) {
    if (!all[i].ok()) {
      results.emplace_back(all[i].status());
      continue;
    }
    Contents contents;
    PackContents& packs = all[i]->packs;
    Remembered& remembered = remembered_[signatures[i]];
    for (const PackTable::Entry& entry : packs.table.entries) {
      if (entry.pack == 0) {
        contents.entries[entry.part] = std::string(entry.In(packs.start));
      } else {
        contents.others.insert(entry.part);
        remembered.others[entry.part] = entry;
      }
    }
    remembered.list = std::move(packs.list);
    // Its entries have been copied, and the packs of a program may be large.
    packs.start = std::string();
    results.emplace_back(std::move(contents));
  }
  return results;
}

absl::StatusOr<EntryServer::Entries> PackEntries::FetchOne(absl::string_view signature,
                                                           ModulePart part,
                                                           absl::Duration timeout) {
  deadline_ = SteadyNow() + timeout;
  Entries entries;
  const Remembered& remembered = remembered_[std::string(signature)];
  const auto found = remembered.others.find(part);
  if (found == remembered.others.end()) return entries;
  const PackTable::Entry& wanted = found->second;
  const PackList::Pack& pack = remembered.list.packs[wanted.pack];
  if (pack.size > kMostFetchedWhole && wanted.size > 0) {
    FIRSTCALL_ASSIGN_OR_RETURN(
        std::optional<std::string> bytes,
        server_->FetchRange({std::string(signature), pack}, wanted.offset, wanted.size, Left()));
    if (!bytes) return entries;
    if (bytes->size() == wanted.size) {
      entries[part] = *std::move(bytes);
    } else if (bytes->size() == pack.size) {
      entries[part] = std::string(wanted.In(*bytes));
    } else {
      return WrongSize();
    }
    return entries;
  }
  FIRSTCALL_ASSIGN_OR_RETURN(const std::optional<std::string> bytes, FetchPack(signature, pack));
  if (!bytes) return entries;
  for (const auto& [other, entry] : remembered.others) {
    if (entry.pack == wanted.pack) entries[other] = std::string(entry.In(*bytes));
  }
  return entries;
}

absl::Status PackEntries::Send(absl::string_view signature, std::vector<NewEntry> entries,
                               const absl::flat_hash_set<ModulePart>& used,
                               absl::Duration timeout) {
  deadline_ = SteadyNow() + timeout;
  absl::Status status;
  for (int i = 0; i < kMostMerges; ++i) {
    status = MergeOnce(signature, entries, used);
    if (!absl::IsAborted(status)) return status;
  }
  // Others add entries all the time; the next process that misses these will send them.
  return absl::OkStatus();
}

// Nullopt if the server does not have the pack: it may drop what was not used for some time.
absl::StatusOr<std::optional<std::string>> PackEntries::FetchPack(absl::string_view signature,
                                                                  const PackList::Pack& pack) {
  FIRSTCALL_RETURN_IF_ERROR(CheckSize(pack));
  const PackServer::Listed listed = {std::string(signature), pack};
  FIRSTCALL_ASSIGN_OR_RETURN(
      std::optional<std::string> bytes,
      std::move(server_->FetchPacks(absl::MakeConstSpan(&listed, 1), Left()).front()));
  if (bytes && bytes->size() != pack.size) return WrongSize();
  return bytes;
}

absl::Status PackEntries::CheckSize(const PackList::Pack& pack) const {
  if (pack.size <= most_pack_bytes_) return absl::OkStatus();
  return absl::DataLossError("a pack is too large");
}

absl::Status PackEntries::TakeStart(absl::string_view signature, std::string start,
                                    Current& current) const {
  PackContents& packs = current.packs;
  if (start.size() != packs.list.packs[0].size) return WrongSize();
  packs.start = std::move(start);
  FIRSTCALL_ASSIGN_OR_RETURN(packs.table,
                             PackTable::Decode(seal_, signature, packs.list, packs.start));
  return absl::OkStatus();
}

absl::StatusOr<PackEntries::Current> PackEntries::TakeList(
    absl::string_view signature, absl::StatusOr<std::optional<PackServer::Found>> found,
    bool& wants_start) const {
  FIRSTCALL_RETURN_IF_ERROR(found.status());
  Current current;
  if (!*found) return current;
  PackServer::Found& list = **found;
  current.has_list = true;
  current.version = std::move(list.version);
  FIRSTCALL_ASSIGN_OR_RETURN(current.packs.list, PackList::Decode(seal_, signature, list.list));
  FIRSTCALL_RETURN_IF_ERROR(CheckSize(current.packs.list.packs[0]));
  if (list.start) {
    FIRSTCALL_RETURN_IF_ERROR(TakeStart(signature, *std::move(list.start), current));
  } else {
    wants_start = true;
  }
  return current;
}

std::vector<absl::StatusOr<PackEntries::Current>> PackEntries::FetchCurrent(
    absl::Span<const std::string> signatures) {
  std::vector<absl::StatusOr<std::optional<PackServer::Found>>> lists =
      server_->FetchLists(signatures, Left());
  std::vector<absl::StatusOr<Current>> all;
  std::vector<PackServer::Listed> starts;
  std::vector<size_t> places;  // In `all`, of the packs of `starts`.
  for (size_t i = 0; i < signatures.size(); ++i) {
    bool wants_start = false;
    all.push_back(TakeList(signatures[i], std::move(lists[i]), wants_start));
    if (!wants_start) continue;
    starts.push_back({signatures[i], all[i]->packs.list.packs[0]});
    places.push_back(i);
  }
  if (starts.empty()) return all;
  std::vector<absl::StatusOr<std::optional<std::string>>> packs =
      server_->FetchPacks(starts, Left());
  for (size_t i = 0; i < starts.size(); ++i) {
    absl::StatusOr<Current>& current = all[places[i]];
    absl::Status status = packs[i].status();
    if (status.ok() && *packs[i]) {
      status = TakeStart(starts[i].signature, **std::move(packs[i]), *current);
    }
    if (!status.ok()) current = std::move(status);
  }
  return all;
}

absl::Status PackEntries::MergeOnce(absl::string_view signature,
                                    const std::vector<NewEntry>& entries,
                                    const absl::flat_hash_set<ModulePart>& used) {
  const std::string name(signature);
  absl::StatusOr<Current> fetched = std::move(FetchCurrent(absl::MakeConstSpan(&name, 1)).front());
  // What is damaged is replaced, whatever others do meanwhile.
  if (!fetched.ok() && !absl::IsDataLoss(fetched.status())) return fetched.status();
  PackServer::Replacement replacement;
  replacement.must_be_new = fetched.ok() && !fetched->has_list;
  Current old = fetched.ok() ? *std::move(fetched) : Current();
  PackLimits limits;
  limits.most_pack_bytes = most_pack_bytes_;
  absl::StatusOr<PackContents> made = Merge(seal_, signature, old.packs, entries, used, limits);
  if (absl::IsFailedPrecondition(made.status())) {
    FIRSTCALL_ASSIGN_OR_RETURN(old.packs.rest, FetchPack(signature, old.packs.list.packs[1]));
    if (!old.packs.rest) {
      std::vector<PackTable::Entry>& all = old.packs.table.entries;
      all.erase(std::remove_if(all.begin(), all.end(),
                               [](const PackTable::Entry& entry) { return entry.pack == 1; }),
                all.end());
    }
    made = Merge(seal_, signature, old.packs, entries, used, limits);
  }
  FIRSTCALL_RETURN_IF_ERROR(made.status());
  const size_t rest_size = made->rest ? made->rest->size() : 0;
  if (std::max(made->start.size(), rest_size) > most_pack_bytes_) {
    return absl::PermissionDeniedError("there is too much for a pack");
  }
  const std::vector<PackList::Pack>& packs = made->list.packs;
  replacement.list = made->list.Encode(seal_, signature);
  replacement.start = {packs[0].path, std::move(made->start)};
  if (made->rest) replacement.rest = {packs[1].path, *std::move(made->rest)};
  replacement.packs = std::move(made->list);
  replacement.old_packs = std::move(old.packs.list);
  replacement.version = std::move(old.version);
  return server_->Replace(signature, std::move(replacement), Left());
}

}  // namespace firstcall
