// Reads the reliable messages of the server: the scene, values, notices, events,
// refusals, and ticks to follow.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "client/lib/arrivals.h"
#include "client/lib/follower.h"
#include "client/lib/session_values.h"
#include "common/codec/event_codec.h"
#include "common/codec/refusal_codec.h"
#include "common/core/result.h"
#include "common/world/scenes/scene.h"

namespace orrery::client {

// Counts since the start of a connection.
struct MessageCounters {
  std::uint64_t malformed = 0;        // messages that did not decode
  std::uint64_t refused = 0;          // commands with a refusal that arrived
  std::uint64_t refusals_missed = 0;  // further refused commands, which the server did not name
  std::uint64_t events = 0;           // received from the server, or of the followed world
  std::uint64_t events_missed = 0;    // left out since the first, by the server or for lack of room
};

// The reliable messages that a server has sent, in order.
class ReliableMessages {
 public:
  // With a follower, the messages about its world go to it. If `wants_events` is true, events()
  // then has the events of its world. REQUIRES: the follower outlives this object.
  ReliableMessages(Follower* follower, bool wants_events)
      : follower_(follower), wants_events_(wants_events) {}

  // Takes the next message. `self` is this client, and `given` its newest command. REQUIRES: the
  // message has at least one byte.
  void take(Bytes message, ClientId self, Sequence given);
  // Forgets events, refusals and notices. Call it before each datagram.
  void forget();

  // Returns the scene; nullptr until it has arrived.
  const Scene* scene() const;
  // Returns why the scene that arrived cannot be used, if there is no follower. The message
  // continues "the server ".
  const std::optional<Error>& scene_error() const { return scene_error_; }
  // Returns the values of the session.
  const std::vector<NamedValue>& values() const;
  // Return the events, the refusals and the notices since the last forget(), in order.
  const std::vector<codec::message::Events>& events() const { return events_.all(); }
  const std::vector<codec::message::Refusal>& refusals() const { return refusals_; }
  const std::vector<codec::message::Notice>& notices() const { return notices_; }
  // Returns the counts since construction.
  const MessageCounters& counters() const { return counters_; }

 private:
  bool take_scene(Bytes message);
  bool take_events(Bytes message);
  bool take_refusals(Bytes message, Sequence given);
  bool take_values(Bytes message);
  bool take_notices(Bytes message);
  void step_follower(Bytes message, ClientId self);

  Follower* const follower_;
  const bool wants_events_;
  bool scene_came_ = false;  // a message with a scene came, even if it does not decode
  std::optional<Scene> scene_;
  std::optional<Error> scene_error_;
  EventList events_;
  std::vector<codec::message::Refusal> refusals_;
  SessionValues values_;
  std::vector<codec::message::Notice> notices_;
  std::optional<std::uint64_t> next_event_;  // number of the next event in the session
  std::uint64_t next_refusal_ = 0;           // number of the next refusal of the connection
  codec::message::Events decoded_;           // scratch
  MessageCounters counters_;
};

}  // namespace orrery::client
