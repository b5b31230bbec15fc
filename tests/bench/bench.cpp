// Owns the program `bench`: prints Orrery's figures as one table. Nothing in it is asserted.
#include <cstdarg>
#include <cstdio>

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

int main() {
  using namespace orrery::bench;
  std::printf("Best of %d, CPU time unless said; widest instruction set: %s\n\n", kRounds,
              widest_target());
  print_row("quantity", "aim", "measured", "peer or limit, in this run");
  print_row("---", "---", "---", "---");
  print_free_rows();
  print_target_rows();
  print_thread_rows();
  print_million_rows();
  print_error_rows();
  print_rotation_rows();
  print_image_rows();
  print_session_rows();
}
