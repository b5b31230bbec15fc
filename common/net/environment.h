// Owns what connections need of the outside world, so that they run on sockets as on a simulation.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "common/core/bytes.h"
#include "common/net/address.h"
#include "common/net/cipher.h"

namespace orrery {

// Time since some moment in the past, never going back.
using Nanoseconds = std::uint64_t;
inline constexpr Nanoseconds kMillisecond = 1'000'000;
inline constexpr Nanoseconds kSecond = 1000 * kMillisecond;

class NetEnvironment {
 public:
  virtual ~NetEnvironment() = default;

  // May lose it, and may keep it until flush().
  virtual void send(const Address& to, Bytes datagram) = 0;
  // Several in a row, at most limits::kTrainDatagramsMax: every `size` bytes are one; the last may
  // have fewer. Each may be lost by itself.
  virtual void send_train(const Address& to, Bytes datagrams, std::size_t size) {
    for (; datagrams.size() > size; datagrams = datagrams.subspan(size)) {
      send(to, datagrams.first(size));
    }
    send(to, datagrams);
  }
  // Sends what was kept.
  virtual void flush() {}
  // 64 bits that nobody can guess.
  virtual std::uint64_t random() = 0;
  // A hash under a key that nobody else knows, and that stays for the process.
  virtual std::uint64_t keyed_hash(Bytes bytes) const = 0;
  virtual const Cipher& cipher() const = 0;
  // Seconds since 1970, which is what tokens expire by. It may be set, also back.
  virtual std::uint64_t unix_seconds() const = 0;
};

// Where datagrams come from.
class DatagramSource {
 public:
  virtual ~DatagramSource() = default;

  // The next datagram that has come, or nothing; never waits. Returns its size; what does not fit
  // is cut, so room for one byte more than a datagram may have tells those that are too long.
  virtual std::optional<std::size_t> receive(Address& from, std::span<std::uint8_t> into) = 0;
};

}  // namespace orrery
