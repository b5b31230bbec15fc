// Reads the reliable messages of mode plain: the scene, and then events.
#include "client/lib/plain_messages.h"

#include <utility>

#include "common/session/follow_messages.h"

namespace orrery::client {

bool PlainMessages::take(Bytes message, bool has_scene) {
  return has_scene && !std::exchange(scene_came_, true) ? take_scene(message)
                                                        : take_events(message);
}

bool PlainMessages::take_scene(Bytes message) {
  Result<Scene> scene = session::decode_scene_message(message);
  if (!scene) {
    scene_error_ = Error{"sent a scene that cannot be read: " + scene.error().message};
    return false;
  }
  scene_ = std::move(scene.value());
  return true;
}

// Each message has the number of its first event. If that is not the next number, the server has
// dropped the events between.
bool PlainMessages::take_events(Bytes message) {
  codec::message::Events& events = events_.emplace_back();
  const bool sound =
      codec::decode_events(message, events) && events.first >= next_event_.value_or(0);
  if (!sound) {
    events_.pop_back();
    return false;
  }
  missed_ += events.first - next_event_.value_or(events.first);
  next_event_ = events.first + events.events.size();
  return true;
}

}  // namespace orrery::client
