// Owns the files that hold the key with which connect tokens are sealed.
//
// Text: a line of 64 hexadecimal digits; then, if there are any, the lines `protocol-id N`
// (decimal, or hexadecimal: 0x1f) and `server ADDR:PORT` (by which tokens name the server), each
// once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/core/bytes.h"
#include "common/core/result.h"
#include "common/net/connect_token.h"

namespace orrery {

// Reads a file that holds a secret, up to bytes_max + 1 bytes of it. Refuses one that others than
// its owner, who is who runs this, may read or write. An Error starts with the path.
Result<std::vector<std::uint8_t>> read_secret(const std::string& path, std::size_t bytes_max);

// Writes a new file that is its owner's alone, whole or not at all. An Error starts with the path.
Status write_secret(const std::string& path, Bytes bytes);

struct KeyFile {
  Key key{};
  std::uint64_t protocol_id = kDefaultProtocolId;
  std::optional<Address> server;
};

// Reads a key file as read_secret() does. An Error about its text names the line, and repeats
// nothing that may be a key.
Result<KeyFile> read_key_file(const std::string& path);

// Where a server that was given no key puts the one that it drew, for clients of the same user:
// PORT.key in $XDG_RUNTIME_DIR, or else in /tmp/orrery-UID.
std::string run_key_path(std::uint16_t port);

// That file, for as long as the server runs.
class RunKey {
 public:
  // Draws a key and writes it, in place of what a server that was killed has left; not in that of
  // one that runs, which has the same port of another address. The folder is made if need be; it
  // must be this user's alone. An Error starts with the path.
  static Result<std::unique_ptr<RunKey>> write(const Address& server);

  ~RunKey();
  RunKey(const RunKey&) = delete;
  RunKey& operator=(const RunKey&) = delete;

  const std::string& path() const { return path_; }
  const Key& key() const { return key_; }

 private:
  RunKey(std::string path, const Key& key, int descriptor)
      : path_(std::move(path)), key_(key), descriptor_(descriptor) {}

  const std::string path_;
  const Key key_;
  const int descriptor_;  // locked as long as the server runs
};

}  // namespace orrery
