// Gives the C interface a cipher, random bits, a calendar and plain segments, for a page.
#include <array>

#include "client/api/client_handle.h"
#include "client/api/machine/machine.h"
#include "common/core/rng.h"
#include "common/net/packet/plain_cipher.h"
#include "common/session/log_format.h"

namespace {

std::uint64_t unix_seconds = 0;
orrery::SplitMix64 generator(0);

}  // namespace

// Sets Unix time in seconds and 64 random bits, because the module imports no functions. Call it
// before each orrery_client_connect().
extern "C" [[gnu::visibility("default")]] void orrery_page_set(std::uint64_t now,
                                                               std::uint64_t random) {
  unix_seconds = now;
  generator = orrery::SplitMix64(random);
}

// Tells a client that its WebSocket was closed (Client::lose). REQUIRES: a client without a socket.
extern "C" [[gnu::visibility("default")]] void orrery_page_lost(orrery_client* client,
                                                                std::uint64_t now) {
  client->change([&] { client->client().lose(now); });
}

namespace orrery::api {

// The cipher copies the bytes: a WebSocket protects them, or a proxy with TLS does.
client::ClientEnvironment client_environment() {
  static const net::PlainCipher cipher;
  return {.cipher = &cipher,
          .random = [] { return generator.next(); },
          .unix_seconds = [] { return unix_seconds; }};
}

// A page has no zstd. The server unpacks segments before it sends them.
Result<std::unique_ptr<session::ByteSource>> plain_segment(
    std::unique_ptr<session::ByteSource> file) {
  std::array<std::uint8_t, session::kPackedMagic.size()> start{};
  if (file->read(start) == start.size() && start == session::kPackedMagic) {
    return Error{"it is packed; unpack it with: orrery log export LOG --single -o LOG2"};
  }
  if (!file->seek(0)) return Error{"its source cannot seek"};
  return file;
}

}  // namespace orrery::api
