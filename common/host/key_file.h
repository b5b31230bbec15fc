// Owns the files that hold the key with which connect tokens are sealed.
//
// Text: a line of 64 hexadecimal digits; then, if there are any, the lines `protocol-id N` and
// `server ADDR:PORT` (by which tokens name the server).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "common/core/result.h"
#include "common/net/connect_token.h"

namespace orrery {

struct KeyFile {
  Key key{};
  std::uint64_t protocol_id = kDefaultProtocolId;
  std::optional<Address> server;
};

// Refuses a file that others than its owner, who is who runs this, may read or write. An Error
// starts with the path.
Result<KeyFile> read_key_file(const std::string& path);

// Where a server that was given no key puts the one that it drew, for clients of the same user:
// PORT.key in $XDG_RUNTIME_DIR, or else in /tmp/orrery-UID.
std::string run_key_path(std::uint16_t port);

// That file, for as long as the server runs.
class RunKey {
 public:
  // Draws a key and writes it, in place of what a server that was killed has left. The folder is
  // made if need be; it must be this user's alone. An Error starts with the path.
  static Result<std::unique_ptr<RunKey>> write(const Address& server);

  ~RunKey();
  RunKey(const RunKey&) = delete;
  RunKey& operator=(const RunKey&) = delete;

  const std::string& path() const { return path_; }
  const Key& key() const { return key_; }

 private:
  RunKey(std::string path, const Key& key) : path_(std::move(path)), key_(key) {}

  const std::string path_;
  const Key key_;
};

}  // namespace orrery
