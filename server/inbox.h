// Owns what waits for the next tick: commands of clients, joins and leaves.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/codec/message_codec.h"
#include "common/core/ids.h"
#include "common/world/command.h"

namespace orrery::server {

struct InboxCounters {
  std::uint64_t commands = 0;   // taken into ticks
  std::uint64_t repeated = 0;   // had come before: redundancy at work
  std::uint64_t gaps = 0;       // messages that left commands out
  std::uint64_t late = 0;       // meant for a tick that was past
  std::uint64_t too_early = 0;  // meant for a tick too far ahead, and refused
  std::uint64_t no_room = 0;    // too many waited; the client sends them again
};

// Each command is taken once, those of a tick in the order of their client, whatever the network
// does, and no client is faster than time: of each at most W + limits::kCommandsBurst go into any W
// ticks. Memory is bounded: limits::kCommandsQueuedMax for each client.
class Inbox {
 public:
  explicit Inbox(std::uint32_t clients_max);

  void join(ClientId client, Role role);
  void leave(ClientId client);
  // A client that the world knows, and that has no connection: the session was resumed.
  void expel(ClientId client) { leaves_.push_back(client); }

  // Takes what is new of an input message, whose commands follow one another; `next` is the tick
  // that comes.
  void accept(ClientId client, std::span<const codec::message::TimedCommand> commands, Tick next);

  // Everything of this client up to here has come.
  Sequence received(ClientId client) const { return at(client).received; }
  // When the last tick was closed everything of this client up to here had gone into a tick, was
  // refused, or was for a later one. Never falls, also where that tick comes and has no room.
  Sequence acknowledged(ClientId client) const { return at(client).acknowledged; }

  // What goes into tick `next`, in ascending (client, sequence); valid until the next call. Leaves
  // come before joins, so that a slot can change hands within a tick.
  std::span<const Command> close(Tick next);

  const InboxCounters& counters() const { return counters_; }

 private:
  struct Client {
    bool joined = false;
    Sequence received{};
    Sequence acknowledged{};
    std::uint64_t booked = 0;  // the tick up to which its commands have used its time
    std::vector<codec::message::TimedCommand> waiting{};  // ascending sequence
  };

  Client& at(ClientId client);
  const Client& at(ClientId client) const;
  void close_population();
  std::span<Client> used() { return std::span(clients_).first(slots_); }
  void take(Client& client, Tick next, std::size_t share);
  void take_all(Tick next);

  std::vector<Client> clients_;  // client c is at c - 1
  std::uint32_t slots_ = 0;      // that were ever taken
  std::vector<ClientId> leaves_;
  std::vector<command::Join> joins_;
  std::vector<Command> closed_;
  InboxCounters counters_;
};

}  // namespace orrery::server
