// `firstcall cache ...`: looks at an object cache, and removes what is in it.

#ifndef FIRSTCALL_TOOLS_CACHE_COMMAND_H_
#define FIRSTCALL_TOOLS_CACHE_COMMAND_H_

#include <string>
#include <vector>

namespace firstcall {

// Runs the command with what stands behind the word `cache`, and returns its exit status: 0, or 1
// if it could not be done or something in the cache is damaged.
int RunCacheCommand(const std::vector<std::string>& arguments);

}  // namespace firstcall

#endif  // FIRSTCALL_TOOLS_CACHE_COMMAND_H_
