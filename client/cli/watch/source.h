// The source of a live view: a client that receives snapshots, or follows a server.
#pragma once

#include <string>

#include "client/cli/watch/moment.h"
#include "client/udp/udp_client.h"
#include "common/core/result.h"

namespace orrery::cli {

// Gives the current state of a server's bodies to a live view.
class Source {
 public:
  // REQUIRES: the client outlives the source.
  explicit Source(client::UdpClient& client) : client_(client) {}

  // Waits a few milliseconds for a datagram, then updates the client. Call it several times per
  // tick.
  void update();

  // Returns the bodies to show now; nullptr if there are none yet. The result is valid until the
  // next call. A follower's bodies are those of the newest tick.
  const Moment* moment();

  // Returns true if the client has ended, or if a followed world differs from the server's.
  bool has_ended() const;
  // Returns true if there is no need to wait for shapes: a usable scene has arrived, or the server
  // does not send it because it is too large.
  bool has_shapes() const;
  // Returns an Error if the bodies will never have their shapes, because the scene that arrived
  // cannot be used. The live view shows boxes then.
  const Status& usable() const { return usable_; }

 private:
  void take_scene();
  bool show_snapshots();
  void show_world(const World& world);
  std::string note() const;

  client::UdpClient& client_;
  bool ended_ = false;
  bool scene_came_ = false;
  std::uint64_t epoch_ = 0;  // epoch of the server that sent the newest scene
  bool has_scene_ = false;   // `models_` come from a scene, not from the default
  Status usable_ = ok_status();
  Models models_;  // boxes, until the scene has arrived
  Moment moment_;
};

}  // namespace orrery::cli
