// Combines the sender and receiver of reliable messages, with their limits.
#pragma once

#include <memory>
#include <vector>

#include "common/net/channel/path_estimator.h"
#include "common/net/channel/reliable_receiver.h"
#include "common/net/channel/reliable_sender.h"
#include "common/net/packet/payload.h"

namespace orrery::net {

// Window sizes: fragments in flight. 256 full fragments per round trip of 250 ms are 1.2 MB per
// second. Clients send little, and a server has room for a thousand of them.
inline constexpr std::uint32_t kFragmentsToClient = 256;
inline constexpr std::uint32_t kFragmentsToServer = 16;

// Window towards a client with events, including fragments that wait. Each event message is a
// fragment, so the path may stall for two seconds of ticks with events at 60 ticks per second.
inline constexpr std::uint32_t kFragmentsToListener = 128;

// Maximum message sizes: the scene or image of a million bodies, and a client's message.
inline constexpr std::size_t kBytesToClientMax = std::size_t{256} << 20;
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
  // Returns the server's side of a client that receives events and sends nothing.
  static std::unique_ptr<ReliableChannel> events_server() {
    return std::unique_ptr<ReliableChannel>(new ReliableChannel(kFragmentsToListener, 1, 1));
  }
  // Returns the client's side of the same.
  static std::unique_ptr<ReliableChannel> events_client() {
    return std::unique_ptr<ReliableChannel>(
        new ReliableChannel(1, kFragmentsToClient, kFragmentBytesMax));
  }

  ReliableSender sender;
  ReliableReceiver receiver;

 private:
  ReliableChannel(std::uint32_t to_them, std::uint32_t to_us, std::size_t bytes_to_us)
      : sender(to_them), receiver(to_us, bytes_to_us) {}
};

}  // namespace orrery::net
