// Tests key files: valid contents, and line and text of each error.
#include "common/host/net/key_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "common/host/net/udp.h"
#include "common/net/packet/address_text.h"
#include "tests/unit/host/text/scene_text.h"

namespace orrery {
namespace {

const std::string kDigits = "000102030405060708090a0b0c0d0e0f101112131415161718191A1B1C1D1E1F";

// A file with this text and mode. The destructor removes it.
class TextFile {
 public:
  explicit TextFile(const std::string& text, mode_t mode = 0600) {
    std::ofstream(path_, std::ios::binary) << text;
    EXPECT_EQ(::chmod(path_.c_str(), mode), 0);
  }
  ~TextFile() { ::unlink(path_.c_str()); }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  const std::string path_ = ::testing::TempDir() + "key_file_test." + std::to_string(::getpid());
};

Result<host::KeyFile> read(const std::string& text) {
  return host::read_key_file(TextFile(text).path());
}

TEST(KeyFile, HasAKeyAndWhatElseTheSidesAgreeOn) {
  const auto plain = read(kDigits);
  ASSERT_TRUE(plain) << plain.error().text();
  for (std::uint8_t i = 0; i < 32; ++i) EXPECT_EQ(plain.value().key[i], i);
  EXPECT_EQ(plain.value().protocol_id, net::kDefaultProtocolId);
  EXPECT_FALSE(plain.value().server);
  const auto whole = read(kDigits + "\n\nserver [::1]:4770\n\tprotocol-id  77  \n\n");
  ASSERT_TRUE(whole) << whole.error().text();
  EXPECT_EQ(whole.value().protocol_id, 77u);
  EXPECT_EQ(net::format_address(whole.value().server.value()), "[::1]:4770");
}

TEST(KeyFile, MayHaveLineEndsOfWindows) {
  const auto file = read(kDigits + "\r\nprotocol-id 5\r\nserver 10.0.0.1:1\r\n");
  ASSERT_TRUE(file) << file.error().text();
  EXPECT_EQ(file.value().protocol_id, 5u);
}

TEST(KeyFile, TakesAProtocolIdInDecimalOrHexadecimal) {
  const std::pair<const char*, std::uint64_t> cases[] = {
      {"0", 0},
      {"010", 10},
      {"0x10", 16},
      {"0XfF", 255},
      {"18446744073709551615", 0xffffffffffffffff},
      {"0xffffffffffffffff", 0xffffffffffffffff},
  };
  for (const auto& [text, id] : cases) {
    const auto file = read(kDigits + "\nprotocol-id " + text);
    ASSERT_TRUE(file) << text << ": " << file.error().text();
    EXPECT_EQ(file.value().protocol_id, id) << text;
  }
}

struct Mistake {
  const char* name;
  std::string text;
  std::string words;  // the error after the path
};

const std::string kForm =
    "; the first line must be 64 hexadecimal digits, as `openssl rand -hex 32` prints them";
const std::string kIdForm = "protocol-id must be one number below 2^64, as 1234 or (in hex) 0x4d2";
const std::string kServerForm =
    "server must be one address and port, as 10.0.0.1:4770 or [::1]:4770";
const std::string kUnknown =
    "unknown word; after the key, a line is `protocol-id N` or `server ADDR:PORT`";

const Mistake kMistakes[] = {
    {"empty", "", "is empty" + kForm},
    {"blank", " \r\n\n", "is empty" + kForm},
    {"short", kDigits.substr(1), "line 1: the key has 63 hexadecimal digits" + kForm},
    {"long", kDigits + "0", "line 1: the key has 65 hexadecimal digits" + kForm},
    {"large", std::string(4097, '0'), "not a key file: it is larger than 4096 bytes" + kForm},
    {"no digits", "\npassword",
     "line 2: character 1 of the key is not a hexadecimal digit" + kForm},
    {"prefix", "0x" + kDigits.substr(2),
     "line 1: character 2 of the key is not a hexadecimal digit" + kForm},
    {"binary", std::string("\x01\x80\0z", 4), "line 1: has bytes that are not plain text" + kForm},
    {"escape", kDigits + " \x1b[2J", "line 1: has bytes that are not plain text" + kForm},
    {"mark", "\xef\xbb\xbf" + kDigits,
     "line 1: starts with a byte order mark; save the file as plain text without it"},
    {"one line", kDigits + " protocol-id 1", "line 1: the key must be alone on its line"},
    {"no key", "protocol-id 1\n" + kDigits, "line 1: protocol-id comes before the key" + kForm},
    {"second key", kDigits + "\n" + kDigits,
     "line 2: a second key; a key file has one, on its first line"},
    {"unknown", kDigits + "\nprotocol_id 1", "line 2: " + kUnknown},
    {"equals", kDigits + "\n\nprotocol-id=1", "line 3: " + kUnknown},
    {"no id", kDigits + "\nprotocol-id", "line 2: " + kIdForm},
    {"word as id", kDigits + "\nprotocol-id x", "line 2: " + kIdForm},
    {"negative id", kDigits + "\nprotocol-id -1", "line 2: " + kIdForm},
    {"id without digits", kDigits + "\nprotocol-id 0x", "line 2: " + kIdForm},
    {"id of 65 bits", kDigits + "\nprotocol-id 0x10000000000000000", "line 2: " + kIdForm},
    {"two ids on a line", kDigits + "\nprotocol-id 1 2", "line 2: " + kIdForm},
    {"id twice", kDigits + "\nprotocol-id 1\nprotocol-id 1",
     "line 3: protocol-id is given twice; keep one"},
    {"no server", kDigits + "\nserver", "line 2: " + kServerForm},
    {"key as server", kDigits + "\nserver " + kDigits, "line 2: " + kServerForm},
    {"port 0", kDigits + "\nserver 10.0.0.1:0", "line 2: " + kServerForm},
    {"server twice", kDigits + "\nserver 10.0.0.1:1\nserver 10.0.0.2:1",
     "line 3: server is given twice; keep one"},
};

TEST(KeyFile, NamesTheLineOfAMistakeAndWhatWouldBeRight) {
  for (const Mistake& mistake : kMistakes) {
    const TextFile text(mistake.text);
    const auto file = host::read_key_file(text.path());
    ASSERT_FALSE(file) << mistake.name;
    EXPECT_EQ(test::line_and_message(file.error()), mistake.words) << mistake.name;
    EXPECT_EQ(file.error().place.source, text.path()) << mistake.name;
  }
}

TEST(KeyFile, IsNeverRepeatedInAnError) {
  for (const Mistake& mistake : kMistakes) {
    const auto file = read(mistake.text);
    ASSERT_FALSE(file) << mistake.name;
    EXPECT_EQ(file.error().text().find("0102"), std::string::npos) << mistake.name;
    EXPECT_EQ(file.error().text().find("pass"), std::string::npos) << mistake.name;
    for (const char c : file.error().text()) EXPECT_TRUE(c >= 0x20 && c <= 0x7e) << mistake.name;
  }
}

TEST(KeyFile, MustBeAFileForItsOwnerAlone) {
  for (const mode_t mode : {0640, 0604, 0660, 0602}) {
    const TextFile text(kDigits, mode);
    EXPECT_EQ(host::read_key_file(text.path()).error().text(),
              text.path() + ": others may read or write it; make it yours alone (chmod 600)");
  }
  EXPECT_EQ(host::read_key_file("/no/key").error().text(), "/no/key: No such file or directory");
  const std::string folder = ::testing::TempDir();
  EXPECT_EQ(host::read_key_file(folder).error().text(), folder + ": not a file");
}

// Sets $CREDENTIALS_DIRECTORY to a folder for the life of this object.
class CredentialsFolder {
 public:
  explicit CredentialsFolder(const std::string& folder) {
    ::setenv("CREDENTIALS_DIRECTORY", folder.c_str(), 1);
  }
  ~CredentialsFolder() { ::unsetenv("CREDENTIALS_DIRECTORY"); }
  CredentialsFolder(const CredentialsFolder&) = delete;
  CredentialsFolder& operator=(const CredentialsFolder&) = delete;
};

TEST(KeyFile, MayBeACredentialThatItsGroupReads) {
  const TextFile text(kDigits, 0440);
  EXPECT_FALSE(host::read_key_file(text.path()));
  {
    const CredentialsFolder folder(::testing::TempDir());
    const auto file = host::read_key_file(text.path());
    EXPECT_TRUE(file) << file.error().text();
  }
  const CredentialsFolder elsewhere("/");
  EXPECT_FALSE(host::read_key_file(text.path()));
}

TEST(KeyFile, IsNoCredentialIfOthersReadItOrTheGroupWritesIt) {
  const CredentialsFolder folder(::testing::TempDir());
  for (const mode_t mode : {0444, 0460, 0442}) {
    EXPECT_FALSE(host::read_key_file(TextFile(kDigits, mode).path())) << mode;
  }
}

TEST(KeyFile, IsNoCredentialIfALinkLeadsOutOfTheFolder) {
  const std::string name = ::testing::TempDir() + "key_file_test.folder";
  ASSERT_EQ(::mkdir(name.c_str(), 0700), 0);
  const TextFile text(kDigits, 0440);
  ASSERT_EQ(::symlink(text.path().c_str(), (name + "/key").c_str()), 0);
  {
    const CredentialsFolder folder(name);
    EXPECT_FALSE(host::read_key_file(name + "/key"));
  }
  ::unlink((name + "/key").c_str());
  ::rmdir(name.c_str());
}

}  // namespace
}  // namespace orrery
