#include "tools/cache_command.h"

#include <algorithm>
#include <cstdio>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/status.h"
#include "cache/cache_directory.h"
#include "cache/digest_table.h"
#include "cache/pack.h"
#include "llvm/Object/ObjectFile.h"
#include "tools/default_cache.h"

namespace firstcall {
namespace {

constexpr char kUsage[] =
    "usage: firstcall cache list|show|verify|clear [--object-cache-dir=DIR] [PACK...]\n"
    "\n"
    "  list    a line for each pack: its name, entries, bytes, and the module it is of; of the\n"
    "          entries those that are optimized: bodies, and continuations of running loops\n"
    "  show    what the objects of a pack were made from, and the entries in their order, with "
    "the\n"
    "          functions their objects define, and how long optimized ones have not been used\n"
    "  verify  reads every entry and says which are damaged\n"
    "  clear   removes packs; without PACK, the digests of source files as well\n"
    "\n"
    "DIR is $FIRSTCALL_CACHE if it is not given. Without PACK, all packs; a part of a name will "
    "do.\n";

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

}  // namespace

int RunCacheCommand(const std::vector<std::string>& arguments) {
  const Verb* verb = nullptr;
  std::string path = ChooseCache().directory;
  Packs parts;
  for (size_t i = 0; i < arguments.size(); ++i) {
    absl::string_view argument = arguments[i];
    if (absl::ConsumePrefix(&argument, "--object-cache-dir=") ||
        absl::ConsumePrefix(&argument, "-object-cache-dir=")) {
      path = std::string(argument);
    } else if (argument == "--help") {
      Print(kUsage);
      return 0;
    } else if (absl::StartsWith(argument, "-")) {
      return Report(absl::StrCat("unknown option '", argument, "'\n", kUsage));
    } else if (verb != nullptr) {
      parts.emplace_back(argument);
    } else {
      for (const Verb& known : kVerbs) {
        if (known.name == argument) verb = &known;
      }
      if (verb == nullptr) return Report(absl::StrCat("cannot '", argument, "' a cache\n", kUsage));
    }
  }
  if (verb == nullptr) return Report(kUsage);
  if (path.empty()) return Report("which object cache? Give --object-cache-dir=DIR");
  absl::StatusOr<std::unique_ptr<CacheDirectory>> directory =
      CacheDirectory::Open(path, CacheDirectory::Existence::kMustExist);
  if (!directory.ok()) return Report(directory.status().message());
  absl::StatusOr<Packs> packs = ChoosePacks(**directory, parts);
  if (!packs.ok()) return Report(packs.status().message());
  int result = 0;
  for (const std::string& name : *packs) {
    if (verb->run(**directory, name) != 0) result = 1;
  }
  // What was digested belongs to no pack: it goes when everything goes.
  if (verb->run == &Clear && parts.empty() && Clear(**directory, kDigestTableName) != 0) result = 1;
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    return Report("cannot write the output");
  }
  return result;
}

}  // namespace firstcall
