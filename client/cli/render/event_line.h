// Prints an event as one line of JSON.
#pragma once

#include <cstdio>

#include "client/cli/json.h"
#include "common/core/ids.h"
#include "common/world/events.h"

namespace orrery::cli {

inline void print_event(Tick tick, const WorldEvent& event) {
  json::Object object;
  object.add({{"tick", tick.value}, {"event", event_name(event.kind)}});
  if (is_of_one_body(event.kind)) {
    object.add("body", event.a.value);
  } else {
    object.add({{"a", event.a.value}, {"b", event.b.value}});
  }
  if (event.kind == EventKind::joint_broke) {
    object.add("joint", event.joint);
  } else if (!is_of_one_body(event.kind)) {
    object.add({{"part_a", std::uint32_t{event.part_a}}, {"part_b", std::uint32_t{event.part_b}}});
  }
  if (event.kind == EventKind::hit) {
    object.add({{"speed", event.speed}, {"at", event.at}, {"normal", event.normal}});
  }
  json::print(object.text());
}

}  // namespace orrery::cli
