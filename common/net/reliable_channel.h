// Owns the reliable messages of one side of a connection, and how large they may be.
#pragma once

#include <memory>
#include <vector>

#include "common/net/path.h"
#include "common/net/payload.h"
#include "common/net/reliable_receiver.h"
#include "common/net/reliable_sender.h"

namespace orrery {

// Fragments on their way at one time. Half a megabit is a second of full speed over a path of 250
// ms for the client; what clients say is small, and a thousand of them may say it.
inline constexpr std::uint32_t kFragmentsToClient = 256;
inline constexpr std::uint32_t kFragmentsToServer = 16;

// To a client that is told of events, each fragment a message: also those that wait for its path.
// It may stand still for two seconds of ticks with events, at 60 a second.
inline constexpr std::uint32_t kFragmentsToListener = 128;

// The scene of a million bodies, or their image; and what clients say.
inline constexpr std::size_t kBytesToClientMax = std::size_t{256} << 20;
inline constexpr std::size_t kBytesToServerMax = 1024;

class ReliableChannel {
 public:
  // What the server, or the client, has of it.
  static std::unique_ptr<ReliableChannel> of_server() {
    return std::unique_ptr<ReliableChannel>(
        new ReliableChannel(kFragmentsToClient, kFragmentsToServer, kBytesToServerMax));
  }
  static std::unique_ptr<ReliableChannel> of_client() {
    return std::unique_ptr<ReliableChannel>(
        new ReliableChannel(kFragmentsToServer, kFragmentsToClient, kBytesToClientMax));
  }
  // The same where the client is told of events, and says nothing.
  static std::unique_ptr<ReliableChannel> to_listener() {
    return std::unique_ptr<ReliableChannel>(new ReliableChannel(kFragmentsToListener, 1, 1));
  }
  static std::unique_ptr<ReliableChannel> of_listener() {
    return std::unique_ptr<ReliableChannel>(
        new ReliableChannel(1, kFragmentsToClient, kFragmentBytesMax));
  }

  ReliableSender sender;
  ReliableReceiver receiver;

 private:
  ReliableChannel(std::uint32_t to_them, std::uint32_t to_us, std::size_t bytes_to_us)
      : sender(to_them), receiver(to_us, bytes_to_us) {}
};

}  // namespace orrery
