// Combines the sender and receiver of reliable messages, with their limits.
#pragma once

#include <memory>
#include <vector>

#include "common/net/channel/path_estimator.h"
#include "common/net/channel/reliable_receiver.h"
#include "common/net/channel/reliable_sender.h"
#include "common/net/packet/payload.h"

namespace orrery::net {

// Sizes of the windows towards a client in mode follow (codec::message::Mode) and towards a server.
// The size is the number of fragments that may be sent before the oldest of them is acknowledged.
// 256 full fragments per round trip of 250 ms are 1.2 MB per second. Towards the server a small
// window is enough, because clients send little. A small window also takes little memory in a
// server with a thousand clients.
inline constexpr std::uint32_t kFragmentsToClient = 256;
inline constexpr std::uint32_t kFragmentsToServer = 16;

// Size of the window towards a client in mode plain or delta. Fragments that are not sent yet take
// room in this window too. An event message is one fragment. With one message per tick at 60 ticks
// per second, the window is full after two seconds without an acknowledgement.
inline constexpr std::uint32_t kFragmentsToPlain = 128;

// Maximum bytes of a message: to a client in mode follow, to a client in mode plain or delta, and
// to a server. kBytesToClientMax is enough for the scene or image of a million bodies.
// kBytesToPlainMax limits the scene that a client in mode plain or delta gets. At half of
// CongestionControl::kRateFirst, the largest such scene takes half a minute.
inline constexpr std::size_t kBytesToClientMax = std::size_t{256} << 20;
inline constexpr std::size_t kBytesToPlainMax = std::size_t{16} << 20;
inline constexpr std::size_t kBytesToServerMax = 1024;

// The reliable messages of one side of a connection, in both directions.
class ReliableChannel {
 public:
  // Returns the server's side in mode follow.
  static std::unique_ptr<ReliableChannel> follow_server() {
    return std::unique_ptr<ReliableChannel>(
        new ReliableChannel(kFragmentsToClient, kFragmentsToServer, kBytesToServerMax));
  }
  // Returns the client's side in mode follow.
  static std::unique_ptr<ReliableChannel> follow_client() {
    return std::unique_ptr<ReliableChannel>(
        new ReliableChannel(kFragmentsToServer, kFragmentsToClient, kBytesToClientMax));
  }
  // Returns the server's side in mode plain or delta: the scene and events go out, and nothing
  // comes in.
  static std::unique_ptr<ReliableChannel> plain_server() {
    return std::unique_ptr<ReliableChannel>(new ReliableChannel(kFragmentsToPlain, 1, 1));
  }
  // Returns the client's side in mode plain or delta.
  static std::unique_ptr<ReliableChannel> plain_client() {
    return std::unique_ptr<ReliableChannel>(
        new ReliableChannel(1, kFragmentsToClient, kBytesToPlainMax));
  }

  ReliableSender sender;
  ReliableReceiver receiver;

 private:
  ReliableChannel(std::uint32_t to_them, std::uint32_t to_us, std::size_t bytes_to_us)
      : sender(to_them), receiver(to_us, bytes_to_us) {}
};

}  // namespace orrery::net
