// Reads and writes files with the key that seals connect tokens.
//
// A key file is text. Empty lines do not count. The first line is the key, 64 hexadecimal digits.
// Two more lines may follow, each once:
// - `protocol-id N`, in decimal or hexadecimal (0x1f).
// - `server ADDR:PORT`, the address of the server that connect tokens name.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/core/bytes.h"
#include "common/core/erase.h"
#include "common/core/result.h"
#include "common/net/packet/connect_token.h"

namespace orrery::host {

// Secret bytes, which are erased when their life ends.
class SecretBytes {
 public:
  explicit SecretBytes(std::vector<std::uint8_t> bytes) : bytes_(std::move(bytes)) {}
  ~SecretBytes() { erase_secret(bytes_); }
  SecretBytes(SecretBytes&&) = default;
  SecretBytes& operator=(SecretBytes&&) = delete;

  operator Bytes() const { return bytes_; }

 private:
  std::vector<std::uint8_t> bytes_;
};

// Reads at most bytes_max + 1 bytes of a file that holds a secret; the extra byte shows that a file
// is too large. Refuses a file that belongs to another user, or that other users may read or write.
// Accepts a credential of systemd: a file in $CREDENTIALS_DIRECTORY that root owns, and that its
// group may read. An Error starts with the path.
Result<SecretBytes> read_secret(const std::string& path, std::size_t bytes_max);

// Writes a new file that only its owner may read or write, completely or not at all. Fails if the
// file exists. An Error starts with the path.
Status write_secret(const std::string& path, Bytes bytes);

// The content of a key file.
struct KeyFile {
  net::Key key{};
  std::uint64_t protocol_id = net::kDefaultProtocolId;
  std::optional<net::Address> server;
};

// Largest key file.
inline constexpr std::size_t kKeyFileBytesMax = 4096;

// Reads a key file with read_secret(). An Error about a line names its number. No Error repeats
// text that may be part of a key.
Result<KeyFile> read_key_file(const std::string& path);

// Does the same with the bytes of the file. An Error starts with `path`.
Result<KeyFile> parse_key_file(const std::string& path, Bytes bytes);

// Returns the path of the key that a server generates if it is given none, for clients of the same
// user. It is PORT.key in $XDG_RUNTIME_DIR, or in /tmp/orrery-UID.
std::string run_key_path(std::uint16_t port);

// The key file of a running server. It exists as long as this object.
class DevelopmentKey {
 public:
  // Generates a key and writes its file. Replaces a file that a killed server has left. Fails if a
  // running server holds the file, because it uses the same port at another address. Makes the
  // folder if it is missing; only this user may have access to it. An Error starts with the path.
  static Result<std::unique_ptr<DevelopmentKey>> write(const net::Address& server);

  // Removes the file, unless another server has replaced it.
  ~DevelopmentKey();
  DevelopmentKey(const DevelopmentKey&) = delete;
  DevelopmentKey& operator=(const DevelopmentKey&) = delete;

  // Return the path of the file and the key.
  const std::string& path() const { return path_; }
  const net::Key& key() const { return key_; }

 private:
  DevelopmentKey(std::string path, const net::Key& key, int descriptor)
      : path_(std::move(path)), key_(key), descriptor_(descriptor) {}

  const std::string path_;
  const net::Key key_;
  const int descriptor_;  // locked while the server runs
};

}  // namespace orrery::host
