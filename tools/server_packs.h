// What a server that machines share has for a program: `firstcall cache list|verify|pull` with
// --object-cache=URL. A server does not say which programs it knows, so the program is loaded, as a
// run would load it, to learn the signatures of its modules. Tested in
// tests/command/shared_cache_test.cc.

#ifndef FIRSTCALL_TOOLS_SERVER_PACKS_H_
#define FIRSTCALL_TOOLS_SERVER_PACKS_H_

#include <string>
#include <vector>

#include "cache/open_shared_cache.h"

namespace firstcall {

struct ServerRequest {
  enum class Verb { kList, kVerify, kPull };
  Verb verb = Verb::kList;
  std::string url;
  SharedCacheSettings settings;
  std::string directory;                   // For kPull: the cache that gets the entries.
  std::vector<std::string> run_arguments;  // The options of a run, and the program.
};

// Prints to standard output, and errors to standard error. Returns the command's exit status: 1 if
// the server has nothing for the program, if something is damaged, or if something fails. To be
// called once, from main.
int RunServerRequest(const ServerRequest& request);

}  // namespace firstcall

#endif  // FIRSTCALL_TOOLS_SERVER_PACKS_H_
