// Declares the outside world of a connection, which may be real sockets or a simulation.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "common/core/assert.h"
#include "common/core/bytes.h"
#include "common/net/packet/address.h"
#include "common/net/packet/cipher.h"

namespace orrery::net {

// A time or duration. Times count from an arbitrary moment and never decrease.
using Nanoseconds = std::uint64_t;
inline constexpr Nanoseconds kMillisecond = 1'000'000;
inline constexpr Nanoseconds kSecond = 1000 * kMillisecond;

// An interface to the network, randomness and cryptography of one endpoint.
class NetEnvironment {
 public:
  virtual ~NetEnvironment() = default;

  // Sends a datagram. It may be lost, and may be buffered until flush().
  virtual void send(const Address& to, Bytes datagram) = 0;
  // Sends a train: up to limits::kBatchDatagramsMax datagrams, one after another in `datagrams`.
  // Each has `size` bytes; the last may be shorter. Each may be lost separately. With UDP
  // segmentation offload, a train takes one system call.
  virtual void send_train(const Address& to, Bytes datagrams, std::size_t size) {
    ORRERY_ASSERT(size >= 1 && !datagrams.empty());
    for (; datagrams.size() > size; datagrams = datagrams.subspan(size)) {
      send(to, datagrams.first(size));
    }
    send(to, datagrams);
  }
  // Sends buffered datagrams.
  virtual void flush() {}
  // Returns false while earlier datagrams to this address wait to leave this machine. A datagram
  // sent now would be old when it leaves. A datagram over UDP never waits.
  virtual bool is_clear(const Address& to) const {
    static_cast<void>(to);
    return true;
  }
  // Returns the number of a new route. Each route has another local address and port. The address
  // of a client may change: an old route then reaches nobody.
  virtual std::uint32_t open_route() { return 0; }
  // Makes the following datagrams leave by a route. REQUIRES: open_route() returned it.
  virtual void use_route(std::uint32_t route) { static_cast<void>(route); }
  // Returns 64 unpredictable bits.
  virtual std::uint64_t random() = 0;
  // Returns a hash under a secret key that is constant for the process.
  virtual std::uint64_t keyed_hash(Bytes bytes) const = 0;
  // Returns the cipher for packets and tokens.
  virtual const Cipher& cipher() const = 0;
  // Returns Unix time in seconds, which decides when tokens expire. It can decrease, because an
  // operator may set the clock back.
  virtual std::uint64_t unix_seconds() const = 0;
};

// An address that carries no packets any more, because its WebSocket was closed.
struct ClosedAddress {
  Address address{};
  bool stalled = false;  // this side closed it, because the other side took no bytes for too long
};

// A source of datagrams.
class DatagramSource {
 public:
  virtual ~DatagramSource() = default;

  // Copies the next waiting datagram into `into`, and its sender into `from`. Returns its size, or
  // nothing if no datagram waits. Never blocks. A datagram that does not fit is cut, so offer one
  // byte more than the maximum to detect long ones.
  virtual std::optional<std::size_t> receive(Address& from, std::span<std::uint8_t> into) = 0;
  // Returns the time at which the datagram that receive() returned last arrived at this machine, or
  // `now` if the source does not know. The time is never after `now`.
  virtual Nanoseconds arrival(Nanoseconds now) const { return now; }
  // Returns the next address that was closed since the last call, or nothing. UDP closes none.
  virtual std::optional<ClosedAddress> next_closed() { return std::nullopt; }
};

}  // namespace orrery::net
