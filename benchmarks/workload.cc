#include "benchmarks/workload.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace firstcall::benchmarks {
namespace {

// `native` is the file in native/: all kinds of bitcode of a program share one.
Workload MakeWorkload(const std::string& directory, absl::string_view name,
                      absl::string_view native, std::vector<std::string> arguments = {}) {
  Workload workload;
  workload.name = std::string(name);
  workload.bitcode = absl::StrCat(directory, "/", name, ".bc");
  workload.native = absl::StrCat(directory, "/native/", native);
  workload.arguments = std::move(arguments);
  return workload;
}

// Reads NAME.run: a line for the standard input, then one for each argument.
void ReadRun(const std::string& path, Workload* workload) {
  std::ifstream file(path);
  std::string line;
  if (std::getline(file, line) && !line.empty()) workload->input = line;
  while (std::getline(file, line)) workload->arguments.push_back(line);
}

}  // namespace

std::vector<Workload> AllWorkloads(const std::string& directory) {
  std::vector<Workload> workloads;
  for (absl::string_view program : {"hello", "small", "stream"}) {
    workloads.push_back(MakeWorkload(directory, program, program));
    workloads.push_back(MakeWorkload(directory, absl::StrCat(program, "O2"), program));
  }
  for (absl::string_view lua : {"lua", "luaO2"}) {
    workloads.push_back(MakeWorkload(directory, lua, "lua", {"-e", "print((\"hi\"):rep(3))"}));
  }
  for (absl::string_view sqlite : {"sq", "sqO2"}) {
    workloads.push_back(MakeWorkload(directory, sqlite, "sq"));
  }
  for (int length : {1, 100, 500, 1000, 2000, 10000}) {
    const std::string name = absl::StrCat("chain_", length);
    workloads.push_back(MakeWorkload(directory, name, name));
  }
  workloads.back().larger_than = "chain_2000";
  workloads.back().times = 5;
  return workloads;
}

std::vector<Workload> ComputeWorkloads(const std::string& directory, Length length) {
  std::vector<Workload> workloads;
  const auto add = [&](absl::string_view name, std::vector<std::string> arguments) {
    Workload workload;
    workload.name = std::string(name);
    workload.bitcode = absl::StrCat(directory, "/compute/", name, ".bc");
    workload.optimized = absl::StrCat(directory, "/compute/", name, "opt.bc");
    workload.native = absl::StrCat(directory, "/native/", name);
    workload.arguments = std::move(arguments);
    workloads.push_back(std::move(workload));
  };
  // The usual argument is the default of the program, of which the long one is three times as much.
  struct Scaled {
    absl::string_view name;
    int long_scale;
  };
  for (const Scaled& program : std::initializer_list<Scaled>{{"bodies", 1680},
                                                             {"bytecode", 840},
                                                             {"containers", 14100},
                                                             {"hashing", 114000},
                                                             {"matrix", 3060},
                                                             {"one_loop", 81000},
                                                             {"permutations", 555},
                                                             {"recursion", 4500},
                                                             {"sorting", 2550},
                                                             {"spectral", 7650},
                                                             {"strings", 18600},
                                                             {"virtual_calls", 240000}}) {
    add(program.name, length == Length::kUsual
                          ? std::vector<std::string>{}
                          : std::vector<std::string>{absl::StrCat(program.long_scale)});
  }
  std::vector<std::string> lua = {absl::StrCat(directory, "/compute/work.lua")};
  if (length == Length::kLong) lua.push_back("195");
  add("lua", std::move(lua));
  add("sq", {absl::StrCat(directory, length == Length::kUsual ? "/compute/work.sql"
                                                              : "/compute/long_work.sql")});
  return workloads;
}

absl::StatusOr<std::vector<Workload>> OthersWorkloads(const std::string& directory) {
  const std::string others = absl::StrCat(directory, "/others");
  std::vector<Workload> workloads;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(others, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() != ".run") continue;
    const std::string name = entry->path().stem().string();
    Workload workload = MakeWorkload(others, name, name);
    ReadRun(entry->path().string(), &workload);
    workloads.push_back(std::move(workload));
  }
  if (workloads.empty()) {
    return absl::NotFoundError(
        absl::StrCat(others, " has no programs; benchmarks/fetch_others.sh fetches them"));
  }
  std::sort(workloads.begin(), workloads.end(),
            [](const Workload& a, const Workload& b) { return a.name < b.name; });
  return workloads;
}

std::vector<absl::string_view> SmallPrograms() { return {"hello", "helloO2", "small", "smallO2"}; }

std::vector<std::string> CommandLine(const Contestant& contestant, const Workload& workload) {
  std::vector<std::string> command = contestant.command;
  command.push_back(command.empty()              ? workload.native
                    : contestant.takes_optimized ? workload.optimized
                                                 : workload.bitcode);
  command.insert(command.end(), workload.arguments.begin(), workload.arguments.end());
  return command;
}

}  // namespace firstcall::benchmarks
