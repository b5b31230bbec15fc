// Serves one session: turns received datagrams into ticks and sends the results. Time, network and
// log are passed in.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/core/executor.h"
#include "common/net/server_endpoint.h"
#include "common/session/writer/log_writer.h"
#include "common/world/world.h"
#include "server/clients.h"
#include "server/kicks.h"
#include "server/operator/operator_log.h"
#include "server/senders/followers.h"
#include "server/senders/plain_messages.h"
#include "server/senders/ray_answers.h"
#include "server/senders/refusals.h"
#include "server/senders/snapshot_sender.h"
#include "server/shadow.h"
#include "server/tick_times.h"

namespace orrery::server {

// Most datagrams read in one poll: as many as 1,024 clients may send in a tick
// (net::kPacketsPerTick each). The limit keeps a flood from delaying the tick. Further datagrams
// wait in the socket buffer. When that is full, the kernel drops new ones.
inline constexpr int kDatagramsPerDrain = 4096;

// The outside world of a server. One socket may be both `network` and `datagrams`.
struct ServerEnvironment {
  net::NetEnvironment& network;
  net::DatagramSource& datagrams;
  Executor& executor;
  OperatorLog& operator_log;
};

// The senders of replies to what a client asked for.
struct Replies {
  RayAnswers rays;
  Refusals refusals;
  Kicks kicks;
};

// A session, its clients, and the order of the work in a tick.
class Server {
 public:
  // REQUIRES: `log` is at the state of `world`, and all references outlive the server. If `world`
  // comes from a session that crashed, the first tick removes the clients that were joined then.
  Server(World& world, session::SessionLog& log, const ServerEnvironment& environment,
         const net::Access& access, net::Nanoseconds now);

  // Returns the sender of snapshots, for its settings.
  SnapshotSender& snapshots() { return snapshots_; }

  // Limits each client; see ServerEndpoint::limit_clients().
  void limit_clients(const net::ClientLimits& limits) { clients_.endpoint.limit_clients(limits); }

  // Passes every tick to a shadow (server/shadow.h). REQUIRES: the shadow exists at every later
  // tick().
  void follow_with(Shadow& shadow) { shadow_ = &shadow; }
  // Returns the shadow, or null if there is none.
  const Shadow* shadow() const { return shadow_; }

  // Runs one tick: receives, steps the world, logs, sends.
  void tick(net::Nanoseconds now) { step(close(now), now); }

  // The parts of tick(). close() receives, and returns the commands of the next tick in total
  // order, which are valid until the next call. It leaves room for `reserve` further commands.
  // step() makes the tick with these commands, or with others in their place.
  // REQUIRES: they are called in turn; the commands are those that step() of a world can take.
  std::span<const Command> close(net::Nanoseconds now, std::size_t reserve = 0);
  void step(std::span<const Command> commands, net::Nanoseconds now);

  // Receives and answers datagrams without changing the world. Each tick starts with a poll(). At
  // low tick rates, call it between ticks too.
  void poll(net::Nanoseconds now);

  // Polls once more, then sends a disconnect to all clients. REQUIRES: no other call follows.
  void stop(net::Nanoseconds now);

  const World& world() const { return world_; }
  const net::ServerEndpoint& endpoint() const { return clients_.endpoint; }
  const Inbox& inbox() const { return clients_.inbox; }
  std::uint64_t events_left_out() const { return plain_messages_.events_left_out(); }
  // Returns the refused commands.
  const Refusals& refusals() const { return replies_.refusals; }
  // Return the number of connected followers, and the number of followers since the start that
  // reported another state than the server's.
  std::size_t followers() const { return followers_.count(); }
  std::uint64_t mismatches() const { return followers_.mismatches(); }
  // Returns the lag of a client in ticks. For a follower this is the number of ticks not sent yet.
  // For other clients it is the age of the newest message that they have acknowledged. Returns
  // nothing while a client has acknowledged nothing.
  std::optional<std::uint64_t> lag(ClientId client, net::Nanoseconds now) const;

 private:
  void handle(const net::ServerEvent& event, const net::Address& from, net::Nanoseconds arrived,
              net::Nanoseconds now);
  void hang_up(net::Nanoseconds now);
  void leave(const net::ServerEvent& event, net::Nanoseconds now);
  void take_mismatches(ClientId client, net::Nanoseconds now);

  World& world_;
  session::SessionLog& log_;
  const ServerEnvironment environment_;
  Shadow* shadow_ = nullptr;
  TickTimes times_;
  const net::SharedBytes header_message_;
  Clients clients_;
  SnapshotSender snapshots_;
  PlainMessages plain_messages_;
  Followers followers_;
  Replies replies_;
  std::vector<codec::message::TimedCommand> input_;  // scratch
  std::vector<net::ServerEvent> gone_;               // scratch
};

}  // namespace orrery::server
