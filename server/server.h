// Owns the server: one session, from datagrams to datagrams. Time, network and disk are passed in.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/codec/snapshot_codec.h"
#include "common/core/executor.h"
#include "common/net/server_endpoint.h"
#include "common/session/log_writer.h"
#include "common/world/report/world_queries.h"
#include "common/world/world.h"
#include "server/inbox.h"
#include "server/operator/journal.h"
#include "server/senders/event_sender.h"
#include "server/senders/followers.h"
#include "server/senders/interest.h"
#include "server/shadow.h"

namespace orrery::server {

// Datagrams heard in one go, so that a flood cannot hold up the tick; what waits longer is lost as
// in any full buffer. Twice what 1,024 clients may send in a tick.
inline constexpr int kDatagramsPerDrain = 4096;

class Server {
 public:
  // `log` is at the state of the world. Who is joined in that, of a session that is resumed, leaves
  // in the next tick. All references outlive the server.
  Server(World& world, session::SessionLog& log, net::NetEnvironment& network,
         net::DatagramSource& datagrams, const net::Access& access, Executor& executor,
         Journal& journal, net::Nanoseconds now);

  // Snapshots are sent in so many ticks of a second at most; in all, unless this is called. Large
  // worlds are sent less often by themselves.
  void limit_snapshots(std::uint32_t per_second);

  // As ServerEndpoint::limit_clients().
  void limit_clients(double bytes_per_second) { endpoint_.limit_clients(bytes_per_second); }

  // Shows every tick to a shadow, which outlives the server.
  void follow_with(Shadow& shadow) { shadow_ = &shadow; }
  // Null if there is none.
  const Shadow* shadow() const { return shadow_; }

  // Makes one tick: the whole of a server in one function.
  void tick(net::Nanoseconds now);

  // Between ticks that are far apart: hears and answers, and changes nothing in the world.
  void poll(net::Nanoseconds now);

  // Tells the clients that the session is over. Nothing may follow.
  void stop(net::Nanoseconds now);

  const World& world() const { return world_; }
  const net::ServerEndpoint& endpoint() const { return endpoint_; }
  const Inbox& inbox() const { return inbox_; }
  const EventSender& events() const { return events_; }
  // Clients that follow; and so many that came to another state, so far.
  std::size_t followers() const { return followers_.count(); }
  std::uint64_t mismatches() const { return mismatches_; }
  // Returns by how many ticks a client is behind: of one that follows, those that wait to be sent;
  // of others, since the newest message that they have. Nothing while that is not known.
  std::optional<std::uint64_t> lag(ClientId client, net::Nanoseconds now) const;

 private:
  void handle(const net::ServerEvent& event, const net::Address& from, net::Nanoseconds now);
  void leave(const net::ServerEvent& event, net::Nanoseconds now);
  void send_snapshots(net::Nanoseconds now);
  void send_parts(ClientId client, codec::SnapshotEncoder& snapshot, net::Nanoseconds now);
  bool arrives_whole(ClientId client) const;
  std::uint64_t snapshot_interval() const;
  void send_whole(net::Nanoseconds now);
  void send_selected(std::uint64_t interval, net::Nanoseconds now);
  void send_to_followers(net::Nanoseconds now);
  void take_mismatches(ClientId client, net::Nanoseconds now);
  void answer(const net::ServerEvent& event, net::Nanoseconds now);

  World& world_;
  session::SessionLog& log_;
  net::NetEnvironment& network_;
  net::DatagramSource& datagrams_;
  Executor& executor_;
  Journal& journal_;
  Shadow* shadow_ = nullptr;
  net::ServerEndpoint endpoint_;
  Inbox inbox_;
  EventSender events_;
  Followers followers_;
  std::uint64_t mismatches_ = 0;
  codec::SnapshotEncoder snapshot_;   // of all bodies, for all clients
  codec::SnapshotEncoder selection_;  // of those for which one client has room
  Interest interest_;
  // Of each client; client c is at c - 1.
  struct Turn {
    std::uint64_t refilled = 0;  // the tick at which its budget was
    bool waits = false;          // to be sent a selection
  };
  std::vector<Turn> turns_;
  std::uint32_t turn_ = 0;               // the client that had its turn last
  std::uint64_t snapshot_interval_ = 1;  // ticks, at the least
  WorldQueries queries_;
  std::optional<Tick> queries_tick_;                 // that queries_ knows
  std::vector<codec::message::TimedCommand> input_;  // scratch
  std::vector<net::ServerEvent> gone_;               // scratch
  std::vector<Bytes> parts_;                         // scratch
  std::vector<std::uint8_t> message_;                // scratch
  std::vector<WorldHit> hits_;                       // scratch
};

}  // namespace orrery::server
