// Tests the configuration file: the meaning of keys, and line and text of each error.
#include "server/options.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "common/net/packet/address_text.h"

namespace orrery {
namespace {

const std::string kPath = ::testing::TempDir() + "options_test." + std::to_string(::getpid());

// Returns the result of `orreryd --config FILE` with this text and more arguments.
Result<server::CommandLine> read(const std::string& text, std::vector<std::string> more = {}) {
  std::ofstream(kPath, std::ios::binary) << text;
  std::vector<std::string> words = {"orreryd", "--config", kPath};
  words.insert(words.end(), more.begin(), more.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  auto result = server::parse_command_line(static_cast<int>(arguments.size()), arguments.data());
  ::unlink(kPath.c_str());
  return result;
}

// The default limit carries all bodies of any world at 60 ticks per second, and no more than that.
TEST(Config, AClientHasALimit) {
  const auto limit = [](const char* text) { return read(text).value().options.client_kbit; };
  const double full = 60 * 64 * (1200 + 25 + 8 + 40) * 8 / 1000.0;  // kbit/s
  EXPECT_GE(limit(""), full);
  EXPECT_LT(limit(""), 1.1 * full);
  EXPECT_EQ(limit("client-kbit = 512\n"), 512u);
}

TEST(Config, HasTheOptionsOfTheCommandLineAsKeys) {
  const auto read_all = read(
      "# a comment\n"
      "scene = \"springs:100\"  # another\n"
      "listen = '127.0.0.1:0'\nlog = \"a=b.orrery\"\nrate = 30\nsnapshot-rate = 10\n"
      "ticks = \"18446744073709551615\"\nthreads = 0x2\nshadow = true\nkey-file = \"k\"\n"
      "public = \"10.0.0.1:1\"\nprotocol-id = 1_000\ntoken-life = 60\nseal-key = \"s\"\n"
      "log-level = \"debug\"\nlog-format = \"json\"\n");
  ASSERT_TRUE(read_all) << read_all.error().text();
  const server::Options& options = read_all.value().options;
  EXPECT_EQ(options.scene, "springs:100");
  EXPECT_EQ(options.listen, "127.0.0.1:0");
  EXPECT_EQ(options.log, "a=b.orrery");
  EXPECT_EQ(options.rate, 30u);
  EXPECT_EQ(options.snapshot_rate, 10u);
  EXPECT_EQ(options.ticks, 18446744073709551615u);
  EXPECT_EQ(options.threads, 2u);
  EXPECT_TRUE(options.shadow);
  EXPECT_EQ(options.key_file, "k");
  EXPECT_EQ(options.public_address, "10.0.0.1:1");
  EXPECT_EQ(options.protocol_id, 1000u);
  EXPECT_EQ(options.token_life, 60u);
  EXPECT_EQ(options.seal_key, "s");
  EXPECT_EQ(options.log_level, server::LogLevel::debug);
  EXPECT_EQ(options.log_format, server::LogFormat::json);
}

TEST(Config, GivesWayToTheCommandLine) {
  const auto both = read("threads = 2\nticks = 5\nlog-level = \"debug\"\n",
                         {"--threads", "3", "--log-level", "warn"});
  ASSERT_TRUE(both) << both.error().text();
  EXPECT_EQ(both.value().options.threads, 3u);
  EXPECT_EQ(both.value().options.ticks, 5u);
  EXPECT_EQ(both.value().options.log_level, server::LogLevel::warn);
}

TEST(Config, MayComeFromWindows) {
  const auto windows = read("\xef\xbb\xbfscene = \"solar\"\r\n\r\nthreads = 2\r\n");
  ASSERT_TRUE(windows) << windows.error().text();
  EXPECT_EQ(windows.value().options.scene, "solar");
  EXPECT_EQ(windows.value().options.threads, 2u);
}

TEST(Config, MayHaveComments) {
  const auto commented =
      read("# all\nscene = \"solar\" # \"mine\"\nlog = 'a#b'# c\nthreads = 2 # d\n");
  ASSERT_TRUE(commented) << commented.error().text();
  EXPECT_EQ(commented.value().options.scene, "solar");
  EXPECT_EQ(commented.value().options.log, "a#b");
  EXPECT_EQ(commented.value().options.threads, 2u);
}

struct Mistake {
  std::string text;
  std::string words;  // the error, without the path
};

const std::string kHeader =
    "a configuration file has no sections and no keys with dots; write KEY = VALUE";
const std::string kForm =
    "; a line is KEY = VALUE, each key once: scene = \"solar\", threads = 2 or shadow = true";
const std::string kQuotes = " must be text in quotes: ";
const std::string kThreads = " is not a whole number from 1 to 256";

const Mistake kMistakes[] = {
    // Texts that are not TOML.
    {"scene = solar", "1:9: scene" + kQuotes + "scene = \"solar\""},
    {"\xef\xbb\xbfscene = solar", "1:9: scene" + kQuotes + "scene = \"solar\""},
    {"\n\r\n scene = solar # mine\r\n", "3:10: scene" + kQuotes + "scene = \"solar\""},
    {"listen = 127.0.0.1:4770", "1:12: listen" + kQuotes + "listen = \"127.0.0.1:4770\""},
    {"log = a\\b", "1:7: log" + kQuotes + "log = \"...\""},
    {"shadow = yes", "1:10: shadow must be true or false"},
    {"scene = 'solar", "1:15: Error while parsing literal string: encountered end-of-file" + kForm},
    {"scene = \"a\" \"b\"",
     "1:13: Error while parsing key-value pair: expected a comment or whitespace, saw '\"'" +
         kForm},
    {"scene = \"\"\"solar\nticks = 3\n",
     "2:11: Error while parsing string: encountered end-of-file" + kForm},
    {"log = \"C:\\logs\"",
     "1:11: Error while parsing string: unknown escape sequence '\\l'" + kForm},
    {"threads = 010", "1:14: threads: 010" + kThreads},
    {"threads = 2 ticks = 3", "1:13: threads: 2 ticks = 3" + kThreads},
    {"threads = 2\nscene = \"solar\"\nthreads = 3",
     "3:11: threads is given twice, first in line 1; keep one of them"},
    {"threads = 99999999999999999999", "1:31: threads: 99999999999999999999" + kThreads},
    {"ticks = 18446744073709551615",
     "1:29: ticks: numbers above 9223372036854775807 must be in quotes: "
     "ticks = \"18446744073709551615\""},
    {"scene: solar", "1:6: Error while parsing key-value pair: expected '=', saw ':'" + kForm},
    {"scene =\nticks = 3", "1:8: scene is empty; give it a value, or leave the line out"},
    {"scene = \"\xff\"", "1:9: Encountered invalid utf-8 sequence" + kForm},
    {"threads = 2\nspeed = 3\nscene = solar", "3:9: scene" + kQuotes + "scene = \"solar\""},
    {"speed = fast", "1:11: unknown key speed; there are "},
    // Values of a wrong type.
    {"scene = 3", "1:1: scene" + kQuotes + "scene = \"3\""},
    {"log = true", "1:1: log" + kQuotes + "log = \"true\""},
    {"scene = [\n\"solar\"\n]", "1:1: scene" + kQuotes + "scene = \"...\""},
    {"scene = {name = \"solar\"}", "1:1: scene" + kQuotes + "scene = \"...\""},
    {"threads = 2.0", "1:1: threads: 2.0" + kThreads},
    {"threads = true", "1:1: threads: true" + kThreads},
    {"threads = [2]", "1:1: threads: [ 2 ]" + kThreads},
    {"threads = \"two\"", "1:1: threads: two" + kThreads},
    {"shadow = 1", "1:1: shadow must be true or false"},
    {"shadow = \"true\"", "1:1: shadow must be true or false"},
    // Options whose value is one of a list of names.
    {"log-level = \"loud\"", "1:1: log-level: loud is not one of debug, info, warn, error"},
    {"log-format = 3", "1:1: log-format" + kQuotes + "log-format = \"3\""},
    // Numbers out of range.
    {"scene = \"solar\"\n\nthreads = 0\n", "3:1: threads: 0" + kThreads},
    {"threads = -1", "1:1: threads: -1" + kThreads},
    {"rate = 100000", "1:1: rate: 100000 is not a whole number from 1 to 1000"},
    // Keys.
    {"\"--threads\" = 2", "1:1: unknown key --threads; the key is threads"},
    {"--threads = 2", "1:1: unknown key --threads; the key is threads"},
    {"key_file = \"k\"", "1:1: unknown key key_file; the key is key-file"},
    {"Threads = 2", "1:1: unknown key Threads; the key is threads"},
    {"ticsk = 3", "1:1: unknown key ticsk; did you mean ticks?"},
    {"\"\\u001b\" = 3", "1:1: unknown key \\x1b; there are "},
    {"config = \"x\"", "1:1: config is for the command line only"},
    {"resume = \"x\"", "1:1: resume is for the command line only"},
    {"help = true", "1:1: help is for the command line only"},
    // Sections, empty values, and files that are too large.
    {"server.threads = 2", "1:1: " + kHeader},
    {"# mine\n[server]\nthreads = 2", "2:2: " + kHeader},
    {"[[server]]\nthreads = 2", "1:3: " + kHeader},
    {"[a.b]\nthreads = 2", "1:2: " + kHeader},
    {"scene = \"\"", "1:1: scene is empty; give it a value, or leave the line out"},
    {std::string(65537, '#'), "is larger than 64 KiB"},
};

TEST(Config, NamesTheLineAndTheKeyOfAMistake) {
  for (const Mistake& mistake : kMistakes) {
    const auto result = read(mistake.text);
    ASSERT_FALSE(result) << mistake.text;
    const bool in_line = mistake.words.find(": ") != std::string::npos;
    const std::string expected = kPath + (in_line ? ":" : ": ") + mistake.words;
    const std::string shown = result.error().text();
    EXPECT_EQ(shown.substr(0, expected.size()), expected) << mistake.text;
    const bool lists_keys = expected.ends_with(' ');
    if (!lists_keys) {
      EXPECT_EQ(shown, expected) << mistake.text;
    }
  }
}

// A program finds the key or the option in the place, and never in the message.
TEST(Config, AnErrorHasItsKeyOrOptionAsPlace) {
  EXPECT_EQ(read("rate = 3\nscene = solar").error().place.key, "scene");
  EXPECT_EQ(read("rate = 0").error().place.key, "rate");
  const auto refused = [](std::vector<std::string> words) {
    return read("", std::move(words)).error();
  };
  EXPECT_EQ(refused({"--threads", "0"}).place.key, "--threads");
  EXPECT_EQ(refused({"--threads", "0"}).code, ErrorCode::invalid);
  EXPECT_EQ(refused({"--rate", "1", "--rate", "2"}).place.key, "--rate");
  EXPECT_EQ(refused({"--rate"}).place.key, "--rate");
  EXPECT_EQ(refused({"--token-life", "5"}).place.key, "--token-life");
  EXPECT_EQ(refused({"--keep", "1h", "--seal-key", "k"}).place.key, "--keep");
}

TEST(Config, IsReadFromTopToBottom) {
  const auto result = read("speed = 3\nkey_file = \"k\"\n");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().text().find(kPath + ":1:1: unknown key speed"), 0u);
}

// Returns the address of the web side as text, `off`, or the error.
std::string web_of(const std::string& text) {
  const auto parsed = read(text);
  if (!parsed) return parsed.error().text();
  const auto web = server::web_address(parsed.value().options);
  if (!web) return web.error().text();
  return web.value() ? net::format_address(*web.value()) : "off";
}

TEST(Config, ServesAPageOnThisMachineByDefault) {
  EXPECT_EQ(web_of(""), "127.0.0.1:4780");
  EXPECT_EQ(web_of("listen = \"127.0.0.1:4770\"\n"), "127.0.0.1:4780");
  EXPECT_EQ(web_of("listen = \"127.0.0.1:0\"\n"), "off");
  EXPECT_EQ(web_of("listen = \"10.0.0.1:4770\"\nkey-file = \"k\"\n"), "off");
  EXPECT_EQ(web_of("web = \"off\"\n"), "off");
  EXPECT_EQ(web_of("web = \"[::1]:5\"\nlisten = \"127.0.0.1:0\"\n"), "[::1]:5");
}

TEST(Config, ServesAPageBeyondThisMachineOnlyWithAKey) {
  EXPECT_EQ(web_of("web = \"10.0.0.1:80\"\nkey-file = \"k\"\n"), "10.0.0.1:80");
  for (const char* address : {"10.0.0.1:80", "0.0.0.0:80", "[::]:80"}) {
    const std::string error = web_of("web = \"" + std::string(address) + "\"\n");
    EXPECT_NE(error.find("needs --key-file"), std::string::npos) << error;
  }
  const std::string error = web_of("web = \"nowhere\"\n");
  EXPECT_NE(error.find("--web nowhere"), std::string::npos) << error;
}

TEST(Config, NamesEveryKeyThereIs) {
  const std::string line = read("nonsense = 1").error().text();
  for (const char* key : {"scene", "listen", "log", "seal-key", "rate", "snapshot-rate", "ticks",
                          "threads", "delta-level", "key-file", "public", "protocol-id",
                          "token-life", "shadow", "log-level", "log-format", "web"}) {
    EXPECT_NE(line.find(key), std::string::npos) << key;
  }
  for (const char* other : {"config", "help", "version", "resume"}) {
    EXPECT_EQ(line.find(other, kPath.size()), std::string::npos) << other;
  }
}

}  // namespace
}  // namespace orrery
