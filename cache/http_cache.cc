#include "cache/http_cache.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/steady_clock.h"
#include "cache/entry_server.h"
#include "cache/shared_packs.h"

namespace firstcall {
namespace {

// If the second pack has at most as many bytes as this, all of it comes with its first entry:
// further requests would take longer.
constexpr uint64_t kMostFetchedWhole = 1 << 20;

// How many times the new entries are merged with those of others that write at the same time.
constexpr int kMostMerges = 4;

constexpr int kOk = 200, kPartialContent = 206, kNotFound = 404, kGone = 410, kConflict = 409,
              kPreconditionFailed = 412;

absl::Status Unexpected(const HttpAnswer& answer) {
  return absl::UnavailableError(absl::StrCat("HTTP status ", answer.status));
}

// That the server does not take what is to be stored is no reason not to ask it for entries. (413:
// it is too large; 507: the disk is full.)
absl::Status CheckStored(const HttpAnswer& answer) {
  if (answer.status >= 200 && answer.status < 300) return absl::OkStatus();
  const bool is_refusal =
      (answer.status >= 400 && answer.status < 500) || answer.status == 501 || answer.status == 507;
  return is_refusal ? absl::PermissionDeniedError(Unexpected(answer).message())
                    : Unexpected(answer);
}

class HttpEntries final : public EntryServer {
 public:
  explicit HttpEntries(const HttpCache::Options& options)
      : name_(options.address.url),
        most_pack_bytes_(options.most_pack_bytes),
        seal_(options.key),
        connection_(options.address, options.identity) {}

  std::string ToString() const override { return name_; }

  bool learns() const override { return true; }

  absl::StatusOr<Contents> FetchAll(absl::string_view signature, absl::Duration timeout) override {
    deadline_ = SteadyNow() + timeout;
    Contents contents;
    FIRSTCALL_ASSIGN_OR_RETURN(Current current, FetchCurrent(signature));
    Remembered& remembered = remembered_[std::string(signature)];
    for (const PackTable::Entry& entry : current.packs.table.entries) {
      std::string part = entry.part.ToString();
      if (entry.pack == 0) {
        contents.entries[std::move(part)] = std::string(entry.In(current.packs.start));
      } else {
        contents.others.insert(part);
        remembered.others[std::move(part)] = entry;
      }
    }
    remembered.list = std::move(current.packs.list);
    return contents;
  }

  absl::StatusOr<Entries> FetchOne(absl::string_view signature, const std::string& name,
                                   absl::Duration timeout) override {
    deadline_ = SteadyNow() + timeout;
    Entries entries;
    const Remembered& remembered = remembered_[std::string(signature)];
    const auto found = remembered.others.find(name);
    if (found == remembered.others.end()) return entries;
    const PackTable::Entry& wanted = found->second;
    const PackList::Pack& pack = remembered.list.packs[wanted.pack];
    HttpRequest request;
    request.path = pack.path;
    request.most_bytes = most_pack_bytes_;
    if (pack.size > kMostFetchedWhole && wanted.size > 0) {
      request.range = {wanted.offset, wanted.offset + wanted.size - 1};
    }
    FIRSTCALL_ASSIGN_OR_RETURN(const HttpAnswer answer, Ask(std::move(request)));
    if (answer.status == kNotFound || answer.status == kGone) return entries;
    if (answer.status == kPartialContent && answer.body.size() == wanted.size) {
      entries[name] = answer.body;
    } else if (answer.status == kOk && answer.body.size() == pack.size) {
      for (const auto& [other, entry] : remembered.others) {
        if (entry.pack == wanted.pack) entries[other] = std::string(entry.In(answer.body));
      }
    } else if (answer.status == kOk || answer.status == kPartialContent) {
      return absl::DataLossError("a pack has another size than its list says");
    } else {
      return Unexpected(answer);
    }
    return entries;
  }

  absl::Status Send(absl::string_view signature, std::vector<NewEntry> entries,
                    const absl::flat_hash_set<ModulePart>& used, absl::Duration timeout) override {
    deadline_ = SteadyNow() + timeout;
    absl::Status status;
    for (int i = 0; i < kMostMerges; ++i) {
      status = MergeOnce(signature, entries, used);
      if (!absl::IsAborted(status)) return status;
    }
    // Others add entries all the time; the next process that misses these will send them.
    return absl::OkStatus();
  }

 private:
  // What the server has of a signature at one moment.
  struct Current {
    bool has_list = false;
    std::string etag;    // Of the list.
    PackContents packs;  // No entries if the start pack is missing.
  };
  // What FetchOne must know.
  struct Remembered {
    PackList list;
    absl::flat_hash_map<std::string, PackTable::Entry> others;
  };

  absl::StatusOr<HttpAnswer> Ask(HttpRequest request) {
    return connection_.Ask(std::move(request), deadline_ - SteadyNow());
  }

  // Nullopt if there is no such file.
  absl::StatusOr<std::optional<HttpAnswer>> Get(const std::string& path, size_t most_bytes) {
    HttpRequest request;
    request.path = path;
    request.most_bytes = most_bytes;
    FIRSTCALL_ASSIGN_OR_RETURN(HttpAnswer answer, Ask(std::move(request)));
    if (answer.status == kNotFound || answer.status == kGone) return std::nullopt;
    if (answer.status != kOk) return Unexpected(answer);
    return std::optional<HttpAnswer>(std::move(answer));
  }

  absl::StatusOr<std::optional<std::string>> GetPack(const PackList::Pack& pack) {
    if (pack.size > most_pack_bytes_) return absl::DataLossError("a pack is too large");
    FIRSTCALL_ASSIGN_OR_RETURN(std::optional<HttpAnswer> answer, Get(pack.path, pack.size));
    if (!answer) return std::nullopt;
    if (answer->body.size() != pack.size) {
      return absl::DataLossError("a pack has another size than its list says");
    }
    return std::optional<std::string>(std::move(answer->body));
  }

  // A server may drop packs that were not used for some time.
  absl::StatusOr<Current> FetchCurrent(absl::string_view signature) {
    Current current;
    FIRSTCALL_ASSIGN_OR_RETURN(std::optional<HttpAnswer> list,
                               Get(ListPath(signature), kMostListBytes));
    if (!list) return current;
    current.has_list = true;
    current.etag = list->etag;
    PackContents& packs = current.packs;
    FIRSTCALL_ASSIGN_OR_RETURN(packs.list, PackList::Decode(seal_, signature, list->body));
    FIRSTCALL_ASSIGN_OR_RETURN(std::optional<std::string> start, GetPack(packs.list.packs[0]));
    if (!start) return current;
    packs.start = *std::move(start);
    FIRSTCALL_ASSIGN_OR_RETURN(packs.table,
                               PackTable::Decode(seal_, signature, packs.list, packs.start));
    return current;
  }

  absl::StatusOr<HttpAnswer> Put(const std::string& path, std::string bytes,
                                 const std::string& etag = "", bool must_be_new = false) {
    HttpRequest request;
    request.path = path;
    request.stored = std::make_shared<const std::string>(std::move(bytes));
    request.etag = etag;
    request.must_be_new = must_be_new;
    return Ask(std::move(request));
  }

  absl::Status PutPack(std::string bytes) {
    if (bytes.size() > most_pack_bytes_) {
      return absl::PermissionDeniedError("there is too much for a pack");
    }
    const std::string path = PackPath(bytes);
    FIRSTCALL_ASSIGN_OR_RETURN(const HttpAnswer answer, Put(path, std::move(bytes)));
    return CheckStored(answer);
  }

  // Aborted if another process has replaced the list meanwhile.
  absl::Status MergeOnce(absl::string_view signature, const std::vector<NewEntry>& entries,
                         const absl::flat_hash_set<ModulePart>& used) {
    absl::StatusOr<Current> fetched = FetchCurrent(signature);
    // What is damaged is replaced, whatever others do meanwhile.
    if (!fetched.ok() && !absl::IsDataLoss(fetched.status())) return fetched.status();
    const bool is_new = fetched.ok() && !fetched->has_list;
    Current old = fetched.ok() ? *std::move(fetched) : Current();
    PackLimits limits;
    limits.most_pack_bytes = most_pack_bytes_;
    absl::StatusOr<PackContents> made = Merge(seal_, signature, old.packs, entries, used, limits);
    if (absl::IsFailedPrecondition(made.status())) {
      FIRSTCALL_ASSIGN_OR_RETURN(old.packs.rest, GetPack(old.packs.list.packs[1]));
      if (!old.packs.rest) {
        std::vector<PackTable::Entry>& all = old.packs.table.entries;
        all.erase(std::remove_if(all.begin(), all.end(),
                                 [](const PackTable::Entry& entry) { return entry.pack == 1; }),
                  all.end());
      }
      made = Merge(seal_, signature, old.packs, entries, used, limits);
    }
    FIRSTCALL_RETURN_IF_ERROR(made.status());
    if (made->rest) FIRSTCALL_RETURN_IF_ERROR(PutPack(*std::move(made->rest)));
    FIRSTCALL_RETURN_IF_ERROR(PutPack(std::move(made->start)));
    // A weak ETag matches nothing.
    const bool has_etag = !old.etag.empty() && !absl::StartsWith(old.etag, "W/");
    FIRSTCALL_ASSIGN_OR_RETURN(const HttpAnswer answer,
                               Put(ListPath(signature), made->list.Encode(seal_, signature),
                                   has_etag ? old.etag : "", is_new));
    if (answer.status == kPreconditionFailed || answer.status == kConflict) {
      return absl::AbortedError("another process has written the list");
    }
    return CheckStored(answer);
  }

  const std::string name_;
  const size_t most_pack_bytes_;
  const Seal seal_;
  HttpConnection connection_;
  absl::Duration deadline_;  // Of the call that runs, as SteadyNow.
  absl::flat_hash_map<std::string, Remembered> remembered_;
};

}  // namespace

HttpCache::HttpCache(const Options& options)
    : SharedCache(options, std::make_unique<HttpEntries>(options)) {}

}  // namespace firstcall
