// UDP sockets, with one or many datagrams in a system call.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "common/core/result.h"
#include "common/host/net/sodium_cipher.h"
#include "common/host/process/clock.h"
#include "common/host/process/random.h"
#include "common/net/environment.h"
#include "common/net/packet/packet.h"

namespace orrery::host {

// A socket that never blocks. Datagrams that do not fit into its buffers are lost, as anywhere on
// the network.
class UdpNetwork final : public net::NetEnvironment, public net::DatagramSource {
 public:
  // Opens a socket at an address. Port 0 takes any free port. An Error starts with the address.
  static Result<std::unique_ptr<UdpNetwork>> bind(const net::Address& address);
  // Opens a socket for communication with `server` only.
  static Result<std::unique_ptr<UdpNetwork>> towards(const net::Address& server);

  ~UdpNetwork() override;
  UdpNetwork(const UdpNetwork&) = delete;
  UdpNetwork& operator=(const UdpNetwork&) = delete;

  // Bytes of buffer requested from the system for waiting datagrams, in each direction.
  static constexpr std::size_t kBufferBytes = std::size_t{4} << 20;

  // Returns the local address, with the actual port.
  const net::Address& local() const { return local_; }
  // Returns the bytes that the system has granted for received datagrams.
  std::size_t receive_buffer() const;
  // Returns the number of datagrams lost because that buffer was full.
  std::uint64_t overflowed() const;
  // Returns the file descriptor, for waiting with poll().
  int descriptor() const { return descriptor_; }
  // Returns the number of datagrams that the system refused to send.
  std::uint64_t unsent() const { return unsent_; }
  // Returns the last error (an errno) about datagrams that were not sent or did not arrive. A full
  // buffer is not such an error. ECONNREFUSED means that nothing listens at the server's address;
  // only a socket of towards() gets this ICMP report. Returns 0 if there was no error, or if it is
  // more than kSentPerError datagrams old. Anybody can forge ICMP, so use this for messages and
  // never to end a connection.
  int unreachable() const { return sent_since_error_ <= kSentPerError ? error_ : 0; }

  void send(const net::Address& to, Bytes datagram) override;
  std::uint64_t random() override { return random_u64(); }
  std::uint64_t keyed_hash(Bytes bytes) const override { return keyed_hash_(bytes); }
  const net::Cipher& cipher() const override { return cipher_; }
  std::uint64_t unix_seconds() const override { return host::unix_seconds(); }
  std::optional<std::size_t> receive(net::Address& from, std::span<std::uint8_t> into) override;

 private:
  friend class UdpBatch;

  // An error is out of date when more than this many datagrams were sent after it. A host may send
  // only one ICMP report a second, and a connecting client sends ten datagrams in that time.
  static constexpr int kSentPerError = 20;

  UdpNetwork(int descriptor, const net::Address& local);
  void note_error(int error);

  const int descriptor_;
  const net::Address local_;
  const KeyedHash keyed_hash_;
  const SodiumCipher cipher_;
  std::uint64_t unsent_ = 0;
  int error_ = 0;
  int sent_since_error_ = 0;
};

// Sends and receives many datagrams of a socket in one system call (sendmmsg, recvmmsg). A train
// goes to the system as one message (UDP_SEGMENT). Datagrams are sent at flush(), or when there is
// no room for more. Nothing is allocated after construction.
class UdpBatch final : public net::NetEnvironment, public net::DatagramSource {
 public:
  // The socket must outlive the batch. The socket counts the datagrams that the system refuses
  // (unsent()).
  explicit UdpBatch(UdpNetwork& network);
  ~UdpBatch() override;
  UdpBatch(const UdpBatch&) = delete;
  UdpBatch& operator=(const UdpBatch&) = delete;

  // Limits of one system call: the number of messages (datagrams or trains), and the bytes of all
  // messages together. These bytes fit in the L2 cache.
  static constexpr std::size_t kMessagesMax = 64;
  static constexpr std::size_t kBytesMax = kMessagesMax * net::kPacketBytesMax;

  void send(const net::Address& to, Bytes datagram) override {
    append(to, datagram, datagram.size());
  }
  void send_train(const net::Address& to, Bytes datagrams, std::size_t size) override;
  void flush() override;
  std::optional<std::size_t> receive(net::Address& from, std::span<std::uint8_t> into) override;
  net::Nanoseconds arrival(net::Nanoseconds now) const override;
  std::uint64_t random() override { return network_.random(); }
  std::uint64_t keyed_hash(Bytes bytes) const override { return network_.keyed_hash(bytes); }
  const net::Cipher& cipher() const override { return network_.cipher(); }
  std::uint64_t unix_seconds() const override { return network_.unix_seconds(); }

 private:
  struct Message;
  struct Waiting;
  struct Arrived;

  void append(const net::Address& to, Bytes datagrams, std::size_t size);
  void refused(const Message& message, int error);

  UdpNetwork& network_;
  const std::unique_ptr<Waiting> waiting_;
  const std::unique_ptr<Arrived> arrived_;
  bool has_segmentation_offload_ = true;  // the system can split a train into datagrams itself
};

}  // namespace orrery::host
