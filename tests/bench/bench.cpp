// Prints Orrery's performance figures as one table. No figure makes it fail.
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <iterator>
#include <string_view>

#include "tests/bench/machine.h"
#include "tests/bench/rows.h"
#include "tests/bench/table.h"

namespace orrery::bench {

std::string format(const char* format, ...) {
  char text[200];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return text;
}

void print_row(const std::string& quantity, const std::string& aim, const std::string& measured,
               const std::string& beside) {
  std::printf("| %s | %s | %s | %s |\n", quantity.c_str(), aim.c_str(), measured.c_str(),
              beside.c_str());
  std::fflush(stdout);
}

}  // namespace orrery::bench

namespace {

struct Group {
  const char* name;
  void (*print)();
};

constexpr Group kGroups[] = {
    {"free", orrery::bench::print_free_rows},
    {"free", orrery::bench::print_target_rows},
    {"free", orrery::bench::print_million_rows},
    {"free", orrery::bench::print_error_rows},
    {"contacts", orrery::bench::print_contact_rows},
    {"fidelity", orrery::bench::print_fidelity_rows},
    {"field", orrery::bench::print_field_rows},
    {"threads", orrery::bench::print_thread_rows},
    {"methods", orrery::bench::print_tether_rows},
    {"methods", orrery::bench::print_method_rows},
    {"rotation", orrery::bench::print_rotation_rows},
    {"image", orrery::bench::print_image_rows},
    {"session", orrery::bench::print_session_rows},
    {"wire", orrery::bench::print_wire_rows},
    {"wire", orrery::bench::print_tick_rows},
    {"wire", orrery::bench::print_follow_rows},
    {"frames", orrery::bench::print_frame_rows},
    {"served", orrery::bench::print_served_rows},
};

}  // namespace

// Prints all groups, or the one named on the command line.
int main(int count, char** arguments) {
  using namespace orrery::bench;
  const std::string_view wanted = count == 2 ? arguments[1] : "";
  const auto is_wanted = [&](const Group& g) { return wanted.empty() || wanted == g.name; };
  const bool asks_help = wanted == "--help";
  if (count > 2 || std::none_of(std::begin(kGroups), std::end(kGroups), is_wanted)) {
    std::fprintf(asks_help ? stdout : stderr,
                 "usage: bench [free | contacts | fidelity | field | methods | rotation | image | "
                 "session | wire | frames | served | threads]\n");
    return asks_help ? 0 : 2;
  }
  std::printf("Best of %d, CPU time unless said; widest instruction set: %s\n\n", kRounds,
              widest_target());
  print_row("quantity", "aim", "measured", "peer or limit, in this run");
  print_row("---", "---", "---", "---");
  for (const Group& group : kGroups) {
    if (is_wanted(group)) group.print();
  }
}
