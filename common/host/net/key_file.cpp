// Reads and writes key files, and checks that they are fit to hold a secret.
#include "common/host/net/key_file.h"

#include <fcntl.h>
#include <sodium.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "common/core/printable.h"
#include "common/host/process/failure.h"
#include "common/host/process/random.h"
#include "common/net/packet/address_text.h"

namespace orrery::host {
namespace {

// The first words of the lines after the key.
constexpr std::string_view kProtocolId = "protocol-id";
constexpr std::string_view kServer = "server";

// A file descriptor that closes itself.
class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  operator int() const { return descriptor_; }
  int release() { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_;
};

Error failure(const std::string& path) {
  return Error{explain_error(errno), ErrorCode::io}.in(path);
}

bool has_group_or_other_access(const struct stat& found) {
  return (found.st_mode & (S_IRWXG | S_IRWXO)) != 0;
}

// Returns true if the user of this process owns the file, and nobody else may read or write it.
bool is_private_to_user(const struct stat& found) {
  return found.st_uid == ::geteuid() && !has_group_or_other_access(found);
}

// Returns true for a file in the folder that systemd gives to a service for its credentials. On
// tmpfs, root owns the file, and an access-control list lets only this user read it. Its mode is
// 0440 then, because a list appears as rights of the group.
bool is_credential(const std::string& path, const struct stat& found) {
  const char* const folder = std::getenv("CREDENTIALS_DIRECTORY");
  if (folder == nullptr || (found.st_mode & (S_IWGRP | S_IXGRP | S_IRWXO)) != 0) return false;
  if (found.st_uid != 0 && found.st_uid != ::geteuid()) return false;
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(path, error);
  return !error && real.parent_path() == std::filesystem::canonical(folder, error) && !error;
}

// Returns the words between spaces and tabs. A carriage return counts as a space. The words are
// views of the line, because copies of a key would stay in memory.
std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view kSpaces = " \t\r";
  std::vector<std::string_view> words;
  for (std::size_t at = 0; (at = line.find_first_not_of(kSpaces, at)) != line.npos;) {
    const std::size_t end = std::min(line.find_first_of(kSpaces, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

bool is_plain_text(std::string_view line) {
  return std::all_of(line.begin(), line.end(),
                     [](char c) { return (c >= 0x20 && c <= 0x7e) || c == '\t' || c == '\r'; });
}

bool is_hexadecimal(char digit) { return std::isxdigit(static_cast<unsigned char>(digit)) != 0; }

Error no_key(const std::string& why) {
  return Error{why + "; the first line must be 64 hexadecimal digits, as `openssl rand -hex 32` " +
               "prints them"};
}

Status parse_key(const std::vector<std::string_view>& words, net::Key& key) {
  const std::string_view digits = words[0];
  if (digits == kProtocolId || digits == kServer) {
    return no_key(std::string(digits) + " comes before the key");
  }
  const auto wrong = std::find_if_not(digits.begin(), digits.end(), is_hexadecimal);
  if (wrong != digits.end()) {
    return no_key("character " + std::to_string(wrong - digits.begin() + 1) +
                  " of the key is not a hexadecimal digit");
  }
  if (digits.size() != 2 * key.size()) {
    return no_key("the key has " + std::to_string(digits.size()) + " hexadecimal digits");
  }
  if (words.size() > 1) return Error{"the key must be alone on its line"};
  ::sodium_hex2bin(key.data(), key.size(), digits.data(), digits.size(), nullptr, nullptr, nullptr);
  return ok_status();
}

// Reads a decimal number, or a hexadecimal one after 0x.
std::optional<std::uint64_t> parse_number(std::string_view text) {
  const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
  if (is_hex) text.remove_prefix(2);
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [read_to, error] = std::from_chars(text.data(), end, number, is_hex ? 16 : 10);
  if (error != std::errc{} || read_to != end) return std::nullopt;
  return number;
}

// A parser that takes the lines of a key file one after another. Its errors never repeat text that
// may be part of a key.
class KeyFileParser {
 public:
  Status take(std::string_view line) {
    if (line.starts_with("\xef\xbb\xbf")) {
      return Error{"starts with a byte order mark; save the file as plain text without it"};
    }
    if (!is_plain_text(line)) return no_key("has bytes that are not plain text");
    const std::vector<std::string_view> words = words_of(line);
    if (words.empty()) return ok_status();
    if (has_key_) return take_setting(words);
    has_key_ = true;
    return parse_key(words, file_.key);
  }

  bool has_key() const { return has_key_; }
  const KeyFile& file() const { return file_; }

 private:
  Status take_setting(const std::vector<std::string_view>& words) {
    const std::string_view name = words[0];
    const std::string_view value = words.size() == 2 ? words[1] : "";
    if (name == kProtocolId) return take_protocol_id(value);
    if (name == kServer) return take_server(value);
    const bool is_key = name.size() >= 32 && std::all_of(name.begin(), name.end(), is_hexadecimal);
    if (is_key) return Error{"a second key; a key file has one, on its first line"};
    return Error{"unknown word; after the key, a line is `protocol-id N` or `server ADDR:PORT`"};
  }

  Status take_protocol_id(std::string_view value) {
    if (has_protocol_id_) return Error{"protocol-id is given twice; keep one"};
    has_protocol_id_ = true;
    const auto number = parse_number(value);
    if (!number) {
      return Error{"protocol-id must be one number below 2^64, as 1234 or (in hex) 0x4d2"};
    }
    file_.protocol_id = *number;
    return ok_status();
  }

  Status take_server(std::string_view value) {
    if (file_.server) return Error{"server is given twice; keep one"};
    const auto server = net::parse_destination(std::string(value));
    if (!server) {
      return Error{"server must be one address and port, as 10.0.0.1:4770 or [::1]:4770"};
    }
    file_.server = server.value();
    return ok_status();
  }

  KeyFile file_;
  bool has_key_ = false;
  bool has_protocol_id_ = false;
};

Status make_folder(const std::string& path) {
  if (::mkdir(path.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
    return Error{explain_error(errno) +
                     "; this folder is for the key of development mode: set XDG_RUNTIME_DIR to an "
                     "existing folder, unset it, or give a --key-file",
                 ErrorCode::io}
        .in(path);
  }
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) return failure(path);
  if (!S_ISDIR(found.st_mode) || !is_private_to_user(found)) {
    return Error{"holds keys, so it must be a folder that you own, with mode 700"}.in(path);
  }
  return ok_status();
}

std::string run_folder() {
  const char* const folder = std::getenv("XDG_RUNTIME_DIR");
  if (folder != nullptr && folder[0] == '/') return folder;
  return "/tmp/orrery-" + std::to_string(::geteuid());
}

// Returns the text of the key file that a server writes for its clients.
SecretBytes run_key_text(const net::Key& key, const net::Address& server) {
  constexpr std::size_t kDigits = 2 * net::kKeyBytes;
  const std::string rest = "\nprotocol-id " + std::to_string(net::kDefaultProtocolId) +
                           "\nserver " + net::format_address(server) + "\n";
  std::vector<std::uint8_t> text(kDigits + 1);  // sodium_bin2hex() appends a zero byte
  text.reserve(kDigits + rest.size());
  ::sodium_bin2hex(reinterpret_cast<char*>(text.data()), text.size(), key.data(), key.size());
  text.pop_back();
  text.insert(text.end(), rest.begin(), rest.end());
  return SecretBytes(std::move(text));
}

}  // namespace

Result<SecretBytes> read_secret(const std::string& path, std::size_t bytes_max) {
  const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file < 0) return failure(path);
  struct stat found {};
  if (::fstat(file, &found) != 0) return failure(path);
  if (!S_ISREG(found.st_mode)) return Error{"not a file"}.in(path);
  const bool credential = is_credential(path, found);
  if (!credential && has_group_or_other_access(found)) {
    return Error{"others may read or write it; make it yours alone (chmod 600)"}.in(path);
  }
  if (!credential && !is_private_to_user(found)) {
    return Error{"belongs to another user; make it yours (chown)"}.in(path);
  }
  std::vector<std::uint8_t> bytes(bytes_max + 1);
  const ssize_t size = ::read(file, bytes.data(), bytes.size());
  if (size < 0) return failure(path);
  bytes.resize(static_cast<std::size_t>(size));
  return SecretBytes(std::move(bytes));
}

Status write_secret(const std::string& path, Bytes bytes) {
  const File file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (file < 0) return failure(path);
  while (!bytes.empty()) {
    const ssize_t size = ::write(file, bytes.data(), bytes.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) {
      const Error error = failure(path);
      ::unlink(path.c_str());
      return error;
    }
    bytes = bytes.subspan(static_cast<std::size_t>(size));
  }
  if (::fsync(file) != 0) {
    const Error error = failure(path);
    ::unlink(path.c_str());
    return error;
  }
  return ok_status();
}

Result<KeyFile> read_key_file(const std::string& path) {
  const auto bytes = read_secret(path, kKeyFileBytesMax);
  return bytes ? parse_key_file(path, bytes.value()) : bytes.error();
}

Result<KeyFile> parse_key_file(const std::string& path, Bytes bytes) {
  if (bytes.size() > kKeyFileBytesMax) {
    return no_key("not a key file: it is larger than 4096 bytes").in(path);
  }
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  KeyFileParser parser;
  for (std::uint32_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const Status status = parser.take(line);
    if (!status) {
      Error error = status.error().in(path);
      error.place.line = number;
      return error;
    }
  }
  if (!parser.has_key()) return no_key("is empty").in(path);
  return parser.file();
}

std::string run_key_path(std::uint16_t port) {
  return run_folder() + "/" + std::to_string(port) + ".key";
}

Result<std::unique_ptr<DevelopmentKey>> DevelopmentKey::write(const net::Address& server) {
  const Status folder = make_folder(run_folder());
  if (!folder) return folder.error();
  const std::string path = run_key_path(server.port);
  const File old(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (old >= 0 && ::flock(old, LOCK_EX | LOCK_NB) != 0) {
    return Error{
        "is the key of a server that runs at another address; choose another port, or give a "
        "--key-file"}
        .in(path);
  }
  net::Key key;
  fill_random(key);
  const SecretBytes text = run_key_text(key, server);
  // Writes a temporary file and renames it, so that the file under the final name is always
  // complete.
  const std::string draft = path + "." + std::to_string(::getpid());
  ::unlink(draft.c_str());
  const Status written = write_secret(draft, text);
  if (!written) return written.error();
  File file(::open(draft.c_str(), O_RDONLY | O_CLOEXEC));
  if (file < 0 || ::flock(file, LOCK_EX | LOCK_NB) != 0 ||
      ::rename(draft.c_str(), path.c_str()) != 0) {
    const Error error = failure(draft);
    ::unlink(draft.c_str());
    return error;
  }
  return std::unique_ptr<DevelopmentKey>(new DevelopmentKey(path, key, file.release()));
}

DevelopmentKey::~DevelopmentKey() {
  // If the open file has no name any more, another file may have replaced it. That file belongs to
  // another server and must stay.
  struct stat found {};
  if (::fstat(descriptor_, &found) == 0 && found.st_nlink > 0) ::unlink(path_.c_str());
  ::close(descriptor_);
}

}  // namespace orrery::host
