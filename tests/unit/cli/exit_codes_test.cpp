// Tests the exit codes of errors, and that client/README.md lists all of them.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "client/cli/unusable.h"
#include "tests/support/source_path.h"

namespace orrery {
namespace {

TEST(ExitCodes, ThePageHasThoseOfAllErrors) {
  std::ifstream file(test::source_path("client/README.md"));
  std::ostringstream page;
  page << file.rdbuf();
  for (std::uint8_t i = 0; i < kErrorCodes; ++i) {
    const Error error{"it is wrong", static_cast<ErrorCode>(i)};
    const std::string name = "\n| `" + std::string(name_of(error.code)) + "` | ";
    const std::size_t row = page.str().find(name);
    ASSERT_NE(row, std::string::npos) << name;
    const std::size_t end = page.str().find('\n', row + 1);
    EXPECT_EQ(page.str().substr(end - 4, 4), " " + std::to_string(cli::exit_code_of(error)) + " |")
        << name;
  }
}

}  // namespace
}  // namespace orrery
