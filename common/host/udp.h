// Owns UDP sockets, and the text of their addresses.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "common/core/result.h"
#include "common/host/clock.h"
#include "common/host/random.h"
#include "common/host/sodium_cipher.h"
#include "common/net/environment.h"
#include "common/net/packet.h"

namespace orrery {

// "127.0.0.1:4770", "[::1]:4770" or "localhost:4770". An Error is one printable line that starts
// with the text.
Result<Address> parse_address(const std::string& text);
// The same of where something is sent to: not port 0.
Result<Address> parse_destination(const std::string& text);
std::string format_address(const Address& address);

// A socket that never blocks: what does not fit is lost, as on any other hop.
class UdpNetwork final : public NetEnvironment, public DatagramSource {
 public:
  // Port 0 takes any free one. An Error starts with the address.
  static Result<std::unique_ptr<UdpNetwork>> bind(const Address& address);
  // A socket for talking to `server` alone.
  static Result<std::unique_ptr<UdpNetwork>> towards(const Address& server);

  ~UdpNetwork() override;
  UdpNetwork(const UdpNetwork&) = delete;
  UdpNetwork& operator=(const UdpNetwork&) = delete;

  // What is asked of the system as room for datagrams that wait, each way.
  static constexpr std::size_t kBufferBytes = std::size_t{4} << 20;

  // With the real port.
  const Address& local() const { return local_; }
  // What the system has given for those that were received.
  std::size_t receive_buffer() const;
  // Datagrams that came while it was full, and are lost.
  std::uint64_t overflowed() const;
  // To wait for datagrams with poll().
  int descriptor() const { return descriptor_; }
  // Datagrams that the system did not take.
  std::uint64_t unsent() const { return unsent_; }
  // Why the system says that nothing arrives, as an errno; 0 if it does not say so, or said it many
  // datagrams ago. ECONNREFUSED: nothing listens there (ICMP, to a socket of towards()). Anybody
  // can forge ICMP: this is for messages, and ends no connection.
  int unreachable() const { return sent_since_error_ <= kSentPerError ? error_ : 0; }

  void send(const Address& to, Bytes datagram) override;
  std::uint64_t random() override { return random_u64(); }
  std::uint64_t keyed_hash(Bytes bytes) const override { return keyed_hash_(bytes); }
  const Cipher& cipher() const override { return cipher_; }
  std::uint64_t unix_seconds() const override { return orrery::unix_seconds(); }
  std::optional<std::size_t> receive(Address& from, std::span<std::uint8_t> into) override;

 private:
  friend class UdpBatch;

  // Hosts send one ICMP message a second, and a client that connects sends ten datagrams.
  static constexpr int kSentPerError = 20;

  UdpNetwork(int descriptor, const Address& local);
  void note_error(int error);

  const int descriptor_;
  const Address local_;
  const KeyedHash keyed_hash_;
  const SodiumCipher cipher_;
  std::uint64_t unsent_ = 0;
  int error_ = 0;
  int sent_since_error_ = 0;
};

// Sends and receives by a socket, many datagrams in one call (sendmmsg, recvmmsg), and a train as
// one message (UDP_SEGMENT). What is sent waits for flush(), or until there is no room for more.
// Nothing is allocated after construction.
class UdpBatch final : public NetEnvironment, public DatagramSource {
 public:
  // The socket outlives the batch, and counts what the system does not take.
  explicit UdpBatch(UdpNetwork& network);
  ~UdpBatch() override;
  UdpBatch(const UdpBatch&) = delete;
  UdpBatch& operator=(const UdpBatch&) = delete;

  // Datagrams and trains in one call, at most; and their bytes, which leave them in the L2 cache.
  static constexpr std::size_t kMessagesMax = 64;
  static constexpr std::size_t kBytesMax = kMessagesMax * kPacketBytesMax;

  void send(const Address& to, Bytes datagram) override { append(to, datagram, datagram.size()); }
  void send_train(const Address& to, Bytes datagrams, std::size_t size) override;
  void flush() override;
  std::optional<std::size_t> receive(Address& from, std::span<std::uint8_t> into) override;
  std::uint64_t random() override { return network_.random(); }
  std::uint64_t keyed_hash(Bytes bytes) const override { return network_.keyed_hash(bytes); }
  const Cipher& cipher() const override { return network_.cipher(); }
  std::uint64_t unix_seconds() const override { return network_.unix_seconds(); }

 private:
  struct Message;
  struct Waiting;
  struct Arrived;

  void append(const Address& to, Bytes datagrams, std::size_t size);
  void refused(const Message& message, int error);

  UdpNetwork& network_;
  const std::unique_ptr<Waiting> waiting_;
  const std::unique_ptr<Arrived> arrived_;
  bool takes_trains_ = true;  // the system can cut a train into datagrams itself
};

}  // namespace orrery
