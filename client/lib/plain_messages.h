// Reads the reliable messages of mode plain: the scene, and then events.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/codec/event_codec.h"
#include "common/core/result.h"
#include "common/world/scenes/scene.h"

namespace orrery::client {

// The scene and the events that a server has sent, in order.
class PlainMessages {
 public:
  // Takes the next message. `has_scene`: the server sends the scene first, as its welcome says.
  // Returns false if the message does not decode, or repeats the number of an earlier event.
  bool take(Bytes message, bool has_scene);

  // Returns the scene; nullptr until it has arrived.
  const Scene* scene() const { return scene_ ? &*scene_ : nullptr; }
  // Returns why the scene that arrived cannot be used. The message continues "the server ".
  const std::optional<Error>& scene_error() const { return scene_error_; }
  // Returns the messages with events since the last forget_events(), in order.
  const std::vector<codec::message::Events>& events() const { return events_; }
  void forget_events() { events_.clear(); }
  // Returns the number of events that the server has dropped since the first that arrived.
  std::uint64_t missed() const { return missed_; }

 private:
  bool take_scene(Bytes message);
  bool take_events(Bytes message);

  bool scene_came_ = false;  // a message with a scene came, even if it does not decode
  std::optional<Scene> scene_;
  std::optional<Error> scene_error_;
  std::vector<codec::message::Events> events_;
  std::optional<std::uint64_t> next_event_;  // number of the next event in the session
  std::uint64_t missed_ = 0;
};

}  // namespace orrery::client
