// Collects the commands, joins and leaves for the next tick.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/codec/command_report.h"
#include "common/codec/message_codec.h"
#include "common/core/bytes.h"
#include "common/core/ids.h"
#include "common/core/per_client.h"
#include "common/world/command.h"
#include "common/world/verdict.h"

namespace orrery::server {

// Counts of commands and input messages since the server started.
struct InboxCounters {
  std::uint64_t commands = 0;   // went into ticks
  std::uint64_t repeated = 0;   // copies of received commands; clients send them redundantly
  std::uint64_t gaps = 0;       // input messages dropped: commands before theirs had not arrived
  std::uint64_t late = 0;       // commands that named a tick in the past; queued all the same
  std::uint64_t too_early = 0;  // commands moved to an earlier tick: theirs was too far ahead
  std::uint64_t no_room = 0;    // input messages cut at a full queue; clients resend the rest
};

// Most commands that others than clients may add to a tick (Inbox::close()). With all of them and
// all joins and leaves, the tick still has room for a command of each client.
inline constexpr std::size_t kReserveMax = 4096;

// A queue of commands for each client. Each command goes into at most one tick, in a total order,
// even if the network reorders or duplicates messages. A command for a tick that is past goes into
// the next tick. A command for a tick that is too far ahead goes into the latest tick that is not.
// The commands of a client are limited by its rate: limits::kCommandRateMax for an admin, and the
// number of the scene for others. At most rate + limits::kCommandsBurst commands go
// into a tick, and W * rate + limits::kCommandsQueuedMax in any W ticks. In both, `rate` more are
// for each interval that a slow or paused server skipped. A client's queue has at most
// limits::kCommandsQueuedMax commands.
class Inbox {
 public:
  // `rate`: commands of a player in a tick.
  // REQUIRES: 1 <= clients_max <= limits::kClientsMax; 1 <= rate <= limits::kCommandRateMax.
  explicit Inbox(std::uint32_t clients_max, std::uint32_t rate = 1);

  // Starts the queue of a client, and adds its join to the next tick. `account` is 0 if the client
  // has none. REQUIRES: the client is not joined.
  void join(ClientId client, Role role, std::uint64_t account = 0, Bytes user_data = {});
  // Drops the queue of a client, and adds its leave to the next tick. If its join was to go into
  // the same tick, removes the join instead. REQUIRES: the client is joined.
  void leave(ClientId client);
  // Adds to the next tick a leave for a client that was joined in a resumed session but has no
  // connection now.
  void expel(ClientId client) { leaves_.push_back(client); }

  // Adds to the next tick the loss of an account's spawned bodies, unless the account joins in it.
  void disown(std::uint64_t account) { disowned_.push_back(account); }

  // Queues the new commands of an input message. Counts repeated, late and moved ones. `next` is
  // the tick that closes next. `early` is the time from the arrival of the message until `next`
  // closes, in units of codec::CommandMargin. REQUIRES: the client is joined; `commands` are the
  // client's own, consecutive, and at least one.
  void accept(ClientId client, std::span<const codec::message::TimedCommand> commands, Tick next,
              int early);

  // Returns the sequence up to which every command of the client was received.
  Sequence received(ClientId client) const { return clients_[client].received; }
  // Returns the sequence up to which every command was settled when the last tick closed: applied,
  // or queued for a later tick. The result never decreases. A queued command stays settled even if
  // its tick comes and has no room for it.
  Sequence acknowledged(ClientId client) const { return clients_[client].acknowledged; }
  // Returns the report to the client about its commands: acknowledged(), and the least margin
  // since the last call of reported().
  codec::CommandReport report(ClientId client) const {
    return {clients_[client].acknowledged, clients_[client].margin};
  }
  // Notes that the last report was sent to the client.
  void reported(ClientId client) { clients_[client].margin = {}; }

  // Returns the commands of tick `next`, ascending by (client, sequence). They are valid until the
  // next call. Leaves precede joins, so that a new client can get the id of a client that leaves in
  // the same tick. `skipped` is the number of intervals of the tick rate that passed without a tick
  // since the last call. `reserve` is the number of further commands for which the tick keeps room.
  // REQUIRES: reserve <= kReserveMax.
  std::span<const Command> close(Tick next, std::uint64_t skipped = 0, std::size_t reserve = 0);
  // Returns the malformed commands that were due in the tick of the last close(). They count for
  // the rate of their clients like other commands, and never reach the world.
  std::span<const RefusedCommand> refused() const { return refused_; }

  // Returns the counts since the start.
  const InboxCounters& counters() const { return counters_; }

 private:
  struct Client {
    bool joined = false;
    Sequence received{};
    Sequence acknowledged{};
    Sequence cut{};                 // last command that came while the queue was full
    codec::CommandMargin margin{};  // least margin of the commands since reported()
    std::uint32_t rate = 1;         // commands in a tick
    std::uint64_t booked = 0;       // last place booked by the client's commands (see take())
    std::uint64_t skipped = 0;      // places of intervals without a tick that they may also book
    std::vector<codec::message::TimedCommand> waiting{};  // ascending sequence
  };

  void close_population();
  std::span<Client> used() { return clients_.up_to(highest_); }
  void skip(Tick next, std::uint64_t skipped);
  void take(Client& client, Tick next, std::size_t share);
  void take_all(Tick next, std::size_t reserve);

  PerClient<Client> clients_;
  const std::uint32_t rate_;  // of players
  ClientId highest_{};        // highest id used so far
  Tick skips_until_;          // last tick in which a client may book skipped intervals
  std::vector<ClientId> leaves_;
  std::vector<command::Join> joins_;
  std::vector<std::uint64_t> disowned_;  // accounts
  std::vector<Command> closed_;
  std::vector<RefusedCommand> refused_;
  InboxCounters counters_;
};

}  // namespace orrery::server
