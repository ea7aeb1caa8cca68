// `firstcall cache ...`: shows the contents of an object cache, and removes them.

#ifndef FIRSTCALL_TOOLS_CACHE_COMMAND_H_
#define FIRSTCALL_TOOLS_CACHE_COMMAND_H_

#include <string>
#include <vector>

namespace firstcall {

// Runs the command with the arguments after the word `cache`, and returns its exit status: 0, or 1
// if it failed or something in the cache is damaged.
int RunCacheCommand(const std::vector<std::string>& arguments);

}  // namespace firstcall

#endif  // FIRSTCALL_TOOLS_CACHE_COMMAND_H_
