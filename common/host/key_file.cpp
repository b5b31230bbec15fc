// Owns the reading and writing of key files, and what makes one fit to hold a secret.
#include "common/host/key_file.h"

#include <fcntl.h>
#include <sodium.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <utility>

#include "common/core/printable.h"
#include "common/host/random.h"
#include "common/host/udp.h"

namespace orrery {
namespace {

constexpr std::size_t kKeyFileBytesMax = 4096;

// A file that closes itself.
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
  return Error{printable(path) + ": " + std::strerror(errno)};
}

bool is_ours_alone(const struct stat& found) {
  return found.st_uid == ::geteuid() && (found.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

std::optional<Key> parse_key(const std::string& text) {
  Key key;
  std::size_t size = 0;
  const bool whole = text.size() == 2 * key.size();
  if (!whole || ::sodium_hex2bin(key.data(), key.size(), text.data(), text.size(), nullptr, &size,
                                 nullptr) != 0) {
    return std::nullopt;
  }
  return size == key.size() ? std::optional(key) : std::nullopt;
}

std::string hexadecimal(const Key& key) {
  std::array<char, 2 * std::tuple_size_v<Key> + 1> text;
  return ::sodium_bin2hex(text.data(), text.size(), key.data(), key.size());
}

std::optional<std::uint64_t> parse_number(const std::string& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// The lines behind the key.
bool parse_rest(std::istream& lines, KeyFile& file) {
  std::string word, value;
  while (lines >> word) {
    if (!(lines >> value)) return false;
    if (word == "protocol-id") {
      const auto id = parse_number(value);
      if (!id) return false;
      file.protocol_id = *id;
    } else if (word == "server") {
      const auto server = parse_destination(value);
      if (!server) return false;
      file.server = server.value();
    } else {
      return false;
    }
  }
  return true;
}

Status make_folder(const std::string& path) {
  if (::mkdir(path.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
    return Error{failure(path).message +
                 "; the key of development mode goes there: set XDG_RUNTIME_DIR to a folder that "
                 "is there, or unset it, or give a --key-file"};
  }
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) return failure(path);
  if (!S_ISDIR(found.st_mode) || !is_ours_alone(found)) {
    return Error{printable(path) + ": must be a folder of yours with mode 700, as keys go there"};
  }
  return ok_status();
}

std::string run_folder() {
  const char* const folder = std::getenv("XDG_RUNTIME_DIR");
  if (folder != nullptr && folder[0] == '/') return folder;
  return "/tmp/orrery-" + std::to_string(::geteuid());
}

// What a server writes for its clients.
std::string run_key_text(const Key& key, const Address& server) {
  return hexadecimal(key) + "\nprotocol-id " + std::to_string(kDefaultProtocolId) + "\nserver " +
         format_address(server) + "\n";
}

}  // namespace

Result<std::vector<std::uint8_t>> read_secret(const std::string& path, std::size_t bytes_max) {
  const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file < 0) return failure(path);
  struct stat found {};
  if (::fstat(file, &found) != 0) return failure(path);
  if (!S_ISREG(found.st_mode)) return Error{printable(path) + ": not a file"};
  if (!is_ours_alone(found)) {
    return Error{printable(path) +
                 ": others may read it; it must be yours (chown), and yours alone (chmod 600)"};
  }
  std::vector<std::uint8_t> bytes(bytes_max + 1);
  const ssize_t size = ::read(file, bytes.data(), bytes.size());
  if (size < 0) return failure(path);
  bytes.resize(static_cast<std::size_t>(size));
  return bytes;
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
  return ok_status();
}

Result<KeyFile> read_key_file(const std::string& path) {
  const auto bytes = read_secret(path, kKeyFileBytesMax);
  if (!bytes) return bytes.error();
  const Error unsound{printable(path) +
                      ": not a key file; `openssl rand -hex 32` writes one: 64 hexadecimal digits"};
  std::istringstream lines(std::string(bytes.value().begin(), bytes.value().end()));
  std::string digits;
  lines >> digits;
  const auto key = parse_key(digits);
  KeyFile file;
  if (!key || bytes.value().size() > kKeyFileBytesMax || !parse_rest(lines, file)) return unsound;
  file.key = *key;
  return file;
}

std::string run_key_path(std::uint16_t port) {
  return run_folder() + "/" + std::to_string(port) + ".key";
}

Result<std::unique_ptr<RunKey>> RunKey::write(const Address& server) {
  const Status folder = make_folder(run_folder());
  if (!folder) return folder.error();
  const std::string path = run_key_path(server.port);
  const File old(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (old >= 0 && ::flock(old, LOCK_EX | LOCK_NB) != 0) {
    return Error{printable(path) + ": is that of a server that runs, at another address; choose " +
                 "another port, or give a --key-file"};
  }
  Key key;
  fill_random(key);
  const std::string text = run_key_text(key, server);
  // A file of its own under the name, whole or not at all.
  const std::string draft = path + "." + std::to_string(::getpid());
  ::unlink(draft.c_str());
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  const Status written = write_secret(draft, Bytes(bytes, text.size()));
  if (!written) return written.error();
  File file(::open(draft.c_str(), O_RDONLY | O_CLOEXEC));
  if (file < 0 || ::flock(file, LOCK_EX | LOCK_NB) != 0 ||
      ::rename(draft.c_str(), path.c_str()) != 0) {
    const Error error = failure(draft);
    ::unlink(draft.c_str());
    return error;
  }
  return std::unique_ptr<RunKey>(new RunKey(path, key, file.release()));
}

RunKey::~RunKey() {
  // Without a name, the file was replaced, and what has the name now is another's.
  struct stat found {};
  if (::fstat(descriptor_, &found) == 0 && found.st_nlink > 0) ::unlink(path_.c_str());
  ::close(descriptor_);
}

}  // namespace orrery
