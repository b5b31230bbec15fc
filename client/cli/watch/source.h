// The sources of live views: a client that receives snapshots, or a world that follows a server.
#pragma once

#include <optional>

#include "client/cli/watch/moment.h"
#include "client/lib/connection.h"
#include "client/lib/frames.h"
#include "common/host/net/udp.h"

namespace orrery::cli {

// A connection that delivers the bodies of a server.
class Source {
 public:
  Source(host::UdpNetwork& network, client::Connection& connection)
      : network_(network), connection_(connection) {}
  virtual ~Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  // Receives the waiting datagrams, and sends those that are due. REQUIRES: several calls per tick.
  void update(net::Nanoseconds now);

  // Returns the bodies to show now, valid until the next call; nullptr if there are none yet.
  virtual const Moment* moment(net::Nanoseconds now) = 0;

  // Returns true if no newer bodies will arrive.
  virtual bool has_ended() const {
    return connection_.endpoint().state() == net::ClientState::ended;
  }

  // Returns the file descriptor to wait for.
  int descriptor() const { return network_.descriptor(); }

 protected:
  const client::Connection& connection() const { return connection_; }

 private:
  virtual void take(const client::Snapshot* snapshot, net::Nanoseconds now) = 0;

  host::UdpNetwork& network_;
  client::Connection& connection_;
};

// Snapshots, shown a little later than they arrive so that bodies move smoothly.
class SnapshotSource final : public Source {
 public:
  using Source::Source;
  const Moment* moment(net::Nanoseconds now) override;

 private:
  void take(const client::Snapshot* snapshot, net::Nanoseconds now) override;

  std::optional<client::Frames> frames_;
  Tick first_;     // tick of the first snapshot
  Models models_;  // boxes, until the scene has arrived
  bool has_scene_ = false;
  Moment moment_;
};

// The world of a follower, as of the newest tick.
class FollowedSource final : public Source {
 public:
  FollowedSource(host::UdpNetwork& network, client::Connection& connection,
                 const client::Follower& follower)
      : Source(network, connection), follower_(follower) {}
  const Moment* moment(net::Nanoseconds now) override;
  bool has_ended() const override {
    return Source::has_ended() || follower_.mismatch().has_value();
  }

 private:
  void take(const client::Snapshot*, net::Nanoseconds) override {}

  const client::Follower& follower_;
  std::optional<Models> models_;
  Moment moment_;
};

}  // namespace orrery::cli
