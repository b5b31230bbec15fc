// Tests the name of a build: a log header accepts it, and it contains everything that can affect
// computed numbers.
#include "common/host/process/build.h"

#include <gtest/gtest.h>

#include <regex>

#include "common/codec/log_codec.h"
#include "common/core/printable.h"
#include "common/core/versions.h"

namespace orrery {
namespace {

TEST(Build, NamesProgramCompilerProcessorAndFlags) {
  const std::string name = host::build_name();
  EXPECT_EQ(printable(name), name);
  const std::regex form(
      "orrery [0-9.]+(, commit [0-9a-f]{12,}(-changed)?)?, (g|clang)\\+\\+ [0-9.]+, "
      "(x86-64|aarch64|another architecture), (Debug|RelWithDebInfo -O2|Release "
      "-O3|[0-9a-f]{64}).*");
  EXPECT_TRUE(std::regex_match(name, form)) << name;
  codec::LogHeader header;
  header.build = name;
  header.segment = 1;
  std::vector<std::uint8_t> bytes;
  codec::encode_log_header(header, bytes);
  const Result<codec::LogHeader> read = codec::decode_log_header(bytes);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read.value().build, name);
}

TEST(Build, AnswersVersionWithCommitAndRules) {
  const std::string text = host::version_text("orreryd");
  const std::regex form("orreryd [0-9.]+ \\((commit [0-9a-f]{12,}(-changed)?, )?rules [0-9]+\\)");
  EXPECT_TRUE(std::regex_match(text, form)) << text;
  EXPECT_NE(text.find("rules " + std::to_string(kRulesVersion) + ')'), std::string::npos) << text;
  const bool has_commit = host::build_name().find(", commit ") != std::string::npos;
  EXPECT_EQ(text.find("(commit ") != std::string::npos, has_commit) << text;
}

}  // namespace
}  // namespace orrery
