// Prints the measurements of `orrery lab`.
#include "client/lab/verbs/report.h"

#include <cstdio>

namespace orrery::cli {

int exit_code(const std::string& method, const std::optional<std::uint64_t>& blew_up_at) {
  if (!blew_up_at) return 0;
  std::fprintf(stderr, "orrery: %s: blew up at step %llu; try a smaller --dt or another --method\n",
               method.c_str(), static_cast<unsigned long long>(*blew_up_at));
  return 1;
}

}  // namespace orrery::cli
