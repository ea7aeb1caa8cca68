#include "tools/cache_command.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/status.h"
#include "cache/cache_directory.h"
#include "cache/digest_table.h"
#include "cache/open_shared_cache.h"
#include "cache/pack.h"
#include "cache/shared_cache.h"
#include "llvm/Object/ObjectFile.h"
#include "tools/default_cache.h"
#include "tools/server_packs.h"

namespace firstcall {
namespace {

constexpr char kUsage[] =
    "usage: firstcall cache list|show|verify|clear [--object-cache-dir=DIR] [PACK...]\n"
    "       firstcall cache list|verify|pull --object-cache=URL [--object-cache-key-file=FILE]\n"
    "           [--object-cache-setting=NAME=VALUE]... [--object-cache-dir=DIR] [options] PROGRAM\n"
    "       firstcall cache push --object-cache=URL [--object-cache-key-file=FILE]\n"
    "           [--object-cache-setting=NAME=VALUE]... [--object-cache-dir=DIR] [PACK...]\n"
    "\n"
    "  list    a line for each pack: its name, entries, bytes, and the module it is of; of the\n"
    "          entries those that are optimized: bodies, and continuations of running loops\n"
    "  show    what the objects of a pack were made from, and the entries in their order, with "
    "the\n"
    "          functions their objects define, and how long optimized ones have not been used\n"
    "  verify  reads every entry and says which are damaged\n"
    "  clear   removes packs; without PACK, the digests of source files as well\n"
    "  push    sends packs to a server that machines share\n"
    "  pull    takes all that such a server has for a program, run with these options, into DIR\n"
    "\n"
    "DIR is $FIRSTCALL_CACHE if it is not given. Without PACK, all packs; a part of a name will "
    "do.\n"
    "With URL, list and verify look at what a server has for a program: a server does not say for\n"
    "which programs it has something. It is waited for up to a minute, unless the setting\n"
    "budget=MILLISECONDS says otherwise.\n";

using Packs = std::vector<std::string>;

void Print(absl::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

int Report(absl::string_view message) {
  std::fprintf(stderr, "firstcall: %s\n", std::string(message).c_str());
  return 1;
}

int ReportDamage(const CacheDirectory& directory, absl::string_view name,
                 const absl::Status& status) {
  return Report(
      absl::StrCat("object cache '", directory.path(), "/", name, "': ", status.message()));
}

int List(const CacheDirectory& directory, const std::string& name) {
  absl::StatusOr<std::unique_ptr<Pack>> pack = Pack::Open(directory.file(), name);
  if (!pack.ok()) return ReportDamage(directory, name, pack.status());
  const auto optimized = std::count_if((*pack)->entries().begin(), (*pack)->entries().end(),
                                       [](const Pack::Entry& entry) { return entry.part.ages(); });
  Print(absl::StrFormat("%s %7d entries, %d optimized %11d bytes  %s\n", name,
                        (*pack)->entries().size(), optimized, (*pack)->file_size(),
                        (*pack)->label()));
  return 0;
}

// The functions that an entry's object defines, each after a blank; empty if it defines none.
std::string FunctionsIn(const Pack& pack, const Pack::Entry& entry) {
  std::string names;
  absl::StatusOr<ObjectCache::Bytes> bytes = pack.Read(entry);
  if (!bytes.ok()) return " (damaged)";
  auto object = llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(llvm::StringRef(bytes->data(), bytes->size()), "entry"));
  if (!object) {
    llvm::consumeError(object.takeError());
    return names;
  }
  for (const llvm::object::SymbolRef& symbol : (*object)->symbols()) {
    llvm::Expected<llvm::object::SymbolRef::Type> type = symbol.getType();
    llvm::Expected<uint32_t> flags = symbol.getFlags();
    llvm::Expected<llvm::StringRef> name = symbol.getName();
    if (type && flags && name && *type == llvm::object::SymbolRef::ST_Function &&
        (*flags & llvm::object::SymbolRef::SF_Undefined) == 0) {
      absl::StrAppend(&names, " ", absl::string_view(name->data(), name->size()));
    }
    if (!type) llvm::consumeError(type.takeError());
    if (!flags) llvm::consumeError(flags.takeError());
    if (!name) llvm::consumeError(name.takeError());
  }
  return names;
}

int Show(const CacheDirectory& directory, const std::string& name) {
  absl::StatusOr<std::unique_ptr<Pack>> pack = Pack::Open(directory.file(), name);
  if (!pack.ok()) return ReportDamage(directory, name, pack.status());
  Print(absl::StrCat(name, "\nmodule ", (*pack)->label(), "\n",
                     absl::StrReplaceAll((*pack)->signature(), {{" ", "\n"}}), "\n"));
  for (const Pack::Entry& entry : (*pack)->EntriesInOrder()) {
    const bool has_functions = entry.part.kind == ModulePart::Kind::kFunction ||
                               entry.part.kind == ModulePart::Kind::kDebuggerFunction ||
                               entry.part.ages();
    const std::string age =
        entry.age == 0 ? "" : absl::StrCat(", not used by the last ", entry.age, " writing runs");
    Print(absl::StrFormat("%10d  %s%s%s\n", entry.size, entry.part.ToString(),
                          has_functions ? FunctionsIn(**pack, entry) : "", age));
  }
  return 0;
}

int Verify(const CacheDirectory& directory, const std::string& name) {
  absl::StatusOr<std::unique_ptr<Pack>> pack = Pack::Open(directory.file(), name);
  if (!pack.ok()) return ReportDamage(directory, name, pack.status());
  int result = 0;
  for (const Pack::Entry& entry : (*pack)->entries()) {
    absl::Status status = (*pack)->Read(entry).status();
    if (!status.ok()) result = ReportDamage(directory, name, status);
  }
  if (result == 0) {
    Print(absl::StrCat(name, " is sound: ", (*pack)->entries().size(), " entries\n"));
  }
  return result;
}

int Clear(const CacheDirectory& directory, const std::string& name) {
  absl::Status status = directory.Remove(name);
  return status.ok() ? 0 : Report(status.message());
}

struct Verb {
  absl::string_view name;
  int (*run)(const CacheDirectory& directory, const std::string& name);
};
constexpr Verb kVerbs[] = {{"list", List}, {"show", Show}, {"verify", Verify}, {"clear", Clear}};

absl::StatusOr<Packs> ChoosePacks(const CacheDirectory& directory, const Packs& parts) {
  FIRSTCALL_ASSIGN_OR_RETURN(Packs all, directory.PackNames());
  if (parts.empty()) return all;
  Packs chosen;
  for (const std::string& part : parts) {
    const size_t before = chosen.size();
    for (const std::string& name : all) {
      if (absl::StrContains(name, part)) chosen.push_back(name);
    }
    if (chosen.size() == before) {
      return absl::NotFoundError(
          absl::StrCat("object cache '", directory.path(), "' has no pack '", part, "'"));
    }
  }
  return chosen;
}

// What the command line says.
struct Arguments {
  const Verb* verb = nullptr;  // Null for push and pull.
  bool pushes = false;
  bool pulls = false;
  std::string path = ChooseCache().directory;
  Packs parts;
  std::string unknown_option;
  // Options that are unknown here, and what else follows the verb, in their order.
  std::vector<std::string> rest;
  std::string url;
  SharedCacheSettings settings = {{"budget", "60000"}};

  bool has_verb() const { return pushes || pulls || verb != nullptr; }
  // Whether a program is looked for on a server.
  bool asks_server() const {
    return pulls ||
           (!url.empty() && verb != nullptr && (verb->run == &List || verb->run == &Verify));
  }
};

// Removes "--NAME=" or "-NAME=" from the beginning of `argument`. Returns whether it was there.
bool ConsumeOption(absl::string_view name, absl::string_view& argument) {
  const std::string option = absl::StrCat("-", name, "=");
  return absl::ConsumePrefix(&argument, "-" + option) || absl::ConsumePrefix(&argument, option);
}

// Sets what an argument that begins with a dash says.
void TakeOption(absl::string_view argument, Arguments& taken) {
  if (ConsumeOption("object-cache-dir", argument)) {
    taken.path = std::string(argument);
  } else if (ConsumeOption("object-cache", argument)) {
    taken.url = std::string(argument);
  } else if (ConsumeOption("object-cache-key-file", argument)) {
    taken.settings.emplace_back("key-file", argument);
  } else if (ConsumeOption("object-cache-setting", argument) && absl::StrContains(argument, '=')) {
    taken.settings.push_back(absl::StrSplit(argument, absl::MaxSplits('=', 1)));
  } else {
    if (taken.unknown_option.empty()) taken.unknown_option = std::string(argument);
    taken.rest.emplace_back(argument);
  }
}

// Sets the verb that `argument` names.
absl::Status TakeVerb(absl::string_view argument, Arguments& taken) {
  taken.pushes = argument == "push";
  taken.pulls = argument == "pull";
  for (const Verb& known : kVerbs) {
    if (known.name == argument) taken.verb = &known;
  }
  if (taken.has_verb()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("cannot '", argument, "' a cache\n", kUsage));
}

absl::StatusOr<Arguments> Parse(const std::vector<std::string>& arguments) {
  Arguments taken;
  for (const std::string& argument : arguments) {
    if (absl::StartsWith(argument, "-")) {
      TakeOption(argument, taken);
    } else if (!taken.has_verb()) {
      FIRSTCALL_RETURN_IF_ERROR(TakeVerb(argument, taken));
    } else {
      taken.parts.push_back(argument);
      taken.rest.push_back(argument);
    }
  }
  if (!taken.has_verb()) return absl::InvalidArgumentError(kUsage);
  if (taken.pulls && taken.url.empty()) {
    return absl::InvalidArgumentError("pull from where? Give --object-cache=URL");
  }
  if (taken.asks_server() && taken.parts.empty()) {
    return absl::InvalidArgumentError(
        "for which program? A server does not say for which it has something");
  }
  if (!taken.unknown_option.empty() && !taken.asks_server()) {
    return absl::InvalidArgumentError(
        absl::StrCat("unknown option '", taken.unknown_option, "'\n", kUsage));
  }
  if (taken.pushes && taken.url.empty()) {
    return absl::InvalidArgumentError("push where? Give --object-cache=URL");
  }
  if (taken.path.empty() && (taken.pulls || !taken.asks_server())) {
    return absl::InvalidArgumentError("which object cache? Give --object-cache-dir=DIR");
  }
  return taken;
}

// Sends the sound entries of a pack.
int Push(const CacheDirectory& directory, const std::string& name, const Arguments& arguments) {
  absl::StatusOr<std::unique_ptr<Pack>> pack = Pack::Open(directory.file(), name);
  if (!pack.ok()) return ReportDamage(directory, name, pack.status());
  int result = 0;
  // A cache for each pack, because a cache without a front keeps all that it was given.
  absl::StatusOr<std::unique_ptr<SharedCache>> cache =
      OpenSharedCache(arguments.url, arguments.settings, /*front=*/nullptr,
                      [&](absl::string_view message) { result = Report(message); });
  if (!cache.ok()) return Report(cache.status().message());
  for (const Pack::Entry& entry : (*pack)->entries()) {
    absl::StatusOr<ObjectCache::Bytes> bytes = (*pack)->Read(entry);
    if (bytes.ok()) {
      (*cache)->Store({(*pack)->label(), (*pack)->signature(), entry.part}, *std::move(bytes));
    } else {
      result = ReportDamage(directory, name, bytes.status());
    }
  }
  (*cache)->Flush();
  if (result == 0) Print(absl::StrCat(name, " was sent\n"));
  return result;
}

// Sends packs until one of them cannot be sent.
int PushAll(const CacheDirectory& directory, const Packs& packs, const Arguments& arguments) {
  for (const std::string& name : packs) {
    if (Push(directory, name, arguments) != 0) return 1;
  }
  return 0;
}

}  // namespace

int RunCacheCommand(const std::vector<std::string>& arguments) {
  if (std::find(arguments.begin(), arguments.end(), "--help") != arguments.end()) {
    Print(kUsage);
    return 0;
  }
  const absl::StatusOr<Arguments> taken = Parse(arguments);
  if (!taken.ok()) return Report(taken.status().message());
  if (taken->asks_server()) {
    ServerRequest request;
    request.verb = taken->pulls                ? ServerRequest::Verb::kPull
                   : taken->verb->run == &List ? ServerRequest::Verb::kList
                                               : ServerRequest::Verb::kVerify;
    request.url = taken->url;
    request.settings = taken->settings;
    request.directory = taken->path;
    request.run_arguments = taken->rest;
    return RunServerRequest(request);
  }
  absl::StatusOr<std::unique_ptr<CacheDirectory>> directory =
      CacheDirectory::Open(taken->path, CacheDirectory::Existence::kMustExist);
  if (!directory.ok()) return Report(directory.status().message());
  absl::StatusOr<Packs> packs = ChoosePacks(**directory, taken->parts);
  if (!packs.ok()) return Report(packs.status().message());
  int result = taken->pushes ? PushAll(**directory, *packs, *taken) : 0;
  for (const std::string& name : *packs) {
    if (!taken->pushes && taken->verb->run(**directory, name) != 0) result = 1;
  }
  // What was digested belongs to no pack: it goes when everything goes.
  const bool clears_all = !taken->pushes && taken->verb->run == &Clear && taken->parts.empty();
  if (clears_all && Clear(**directory, kDigestTableName) != 0) result = 1;
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    return Report("cannot write the output");
  }
  return result;
}

}  // namespace firstcall
