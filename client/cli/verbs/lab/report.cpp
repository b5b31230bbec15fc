// Prints the measurements of `orrery lab`.
#include "client/cli/verbs/lab/report.h"

#include <cstdio>

namespace orrery::cli {

using lab::Real;

std::string number(Real value) { return json::of(static_cast<double>(value)); }
std::string number(const std::optional<Real>& value) {
  return value ? number(*value) : json::null();
}
std::string text(std::string_view value) { return json::of(value); }

std::string step_or_null(const std::optional<std::uint64_t>& step) {
  return step ? json::of(*step) : json::null();
}

void print(const json::Object& object) { std::printf("%s\n", object.text().c_str()); }

int exit_code(const std::string& method, const std::optional<std::uint64_t>& blew_up_at) {
  if (!blew_up_at) return 0;
  std::fprintf(stderr, "orrery: %s: blew up at step %llu; try a smaller --dt or another --method\n",
               method.c_str(), static_cast<unsigned long long>(*blew_up_at));
  return 1;
}

}  // namespace orrery::cli
