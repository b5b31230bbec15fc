// Prints an event as one line of JSON.
#pragma once

#include <cstdio>

#include "client/cli/json.h"
#include "common/core/ids.h"
#include "common/world/events.h"

namespace orrery::cli {

inline void print_event(Tick tick, const WorldEvent& event) {
  json::Object object;
  object.add("tick", json::of(tick.value))
      .add("event", json::of(std::string_view(event_name(event.kind))))
      .add("a", json::of(event.a.value))
      .add("b", json::of(event.b.value))
      .add("part_a", json::of(std::uint32_t{event.part_a}))
      .add("part_b", json::of(std::uint32_t{event.part_b}));
  if (event.kind == EventKind::hit) {
    object.add("speed", json::of(event.speed))
        .add("at", json::of(event.at))
        .add("normal", json::of(event.normal));
  }
  std::printf("%s\n", object.text().c_str());
}

}  // namespace orrery::cli
