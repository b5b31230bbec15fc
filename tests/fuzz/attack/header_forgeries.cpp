// Implements the changes of a log's header, and of the scene in it.
#include <algorithm>
#include <utility>

#include "common/codec/log_codec.h"
#include "common/codec/scene_codec.h"
#include "common/core/limits.h"
#include "tests/fuzz/attack/forgery_tools.h"
#include "tests/fuzz/attack/random_scene.h"
#include "tests/support/worlds.h"

namespace orrery::attack {
namespace {

// --- headers ---

template <class Change>
bool change_header(ForgedLog& log, SplitMix64& draw, Change change) {
  return at_any(log, draw, session::RecordType::header, [&](const Place& place) {
    ForgedRecord& record = place.record();
    Result<codec::LogHeader> header = codec::decode_log_header(record.payload);
    if (!header || !change(header.value())) return false;
    codec::LogHeader& changed = header.value();
    if (changed.segment == 0 && changed.scene.empty()) changed.scene = {0};
    if (changed.segment > 0) changed.scene.clear();
    codec::encode_log_header(changed, record.payload);
    return true;
  });
}

bool change_rules(ForgedLog& log, SplitMix64& draw) {
  return change_header(log, draw, [&](codec::LogHeader& header) {
    header.rules = static_cast<std::uint32_t>(any_number(draw));
    return true;
  });
}

bool change_texts(ForgedLog& log, SplitMix64& draw) {
  return change_header(log, draw, [&](codec::LogHeader& header) {
    const char c = static_cast<char>(draw.below(256));
    header.build.assign(draw.below(256), c);
    header.fault.assign(draw.below(codec::kFaultBytesMax), c);
    return true;
  });
}

bool change_session(ForgedLog& log, SplitMix64& draw) {
  return change_header(log, draw, [&](codec::LogHeader& header) {
    header.session[draw_index(draw, header.session.size())] ^= 1;
    return true;
  });
}

bool change_initial_hash(ForgedLog& log, SplitMix64& draw) {
  return change_header(log, draw, [&](codec::LogHeader& header) {
    header.initial_hash ^= std::uint64_t{1} << draw.below(64);
    return true;
  });
}

bool change_segment_number(ForgedLog& log, SplitMix64& draw) {
  return change_header(log, draw, [&](codec::LogHeader& header) {
    header.segment = draw.below(2) == 0 ? draw.below(4) : static_cast<std::uint32_t>(draw.next());
    return true;
  });
}

bool change_after(ForgedLog& log, SplitMix64& draw) {
  return change_header(log, draw, [&](codec::LogHeader& header) {
    header.after_tick = Tick{any_number(draw)};
    if (draw.below(2) == 0) header.after_loss = !header.after_loss;
    return true;
  });
}

bool scribble_header(ForgedLog& log, SplitMix64& draw) {
  return at_any(log, draw, session::RecordType::header, [&](const Place& place) {
    place.record().as_is = true;
    return scribble(place.record().payload, draw);
  });
}

// --- scenes ---

// Returns true if the scene is invalid or small. Valid but expensive scenes are not tested here.
bool is_small(const std::vector<std::uint8_t>& bytes) {
  const Result<Scene> scene = codec::decode_scene(bytes);
  if (!scene) return true;
  const Scene& s = scene.value();
  return s.bodies.size() + s.spare_bodies <= 2048 && s.substeps <= 8;
}

template <class Change>
bool change_scene_bytes(ForgedLog& log, SplitMix64& draw, Change change) {
  return change_header(log, draw, [&](codec::LogHeader& header) {
    return !header.scene.empty() && change(header.scene) && is_small(header.scene);
  });
}

bool scribble_scene(ForgedLog& log, SplitMix64& draw) {
  return change_scene_bytes(log, draw, [&](auto& bytes) { return scribble(bytes, draw); });
}

bool cut_scene(ForgedLog& log, SplitMix64& draw) {
  return change_scene_bytes(log, draw, [&](auto& bytes) {
    bytes.resize(1 + draw_index(draw, bytes.size()));
    return true;
  });
}

bool change_scene(ForgedLog& log, SplitMix64& draw) {
  return change_scene_bytes(log, draw, [&](auto& bytes) {
    Result<Scene> decoded = codec::decode_scene(bytes);
    if (!decoded) return false;
    Scene& scene = decoded.value();
    BodyDef& body = scene.bodies[draw_index(draw, scene.bodies.size())];
    switch (draw.below(6)) {
      case 0:
        scene.gravity.x += 1;
        break;
      case 1:
        body.mass *= 2;
        break;
      case 2:
        body.position.y += 1;
        break;
      case 3:
        scene.bodies.pop_back();
        break;
      case 4:
        scene.spare_bodies = draw.below(100);
        break;
      default:
        scene.tick_rate = 1 + draw.below(1000);
        break;
    }
    if (!validate(scene)) return false;
    codec::encode_scene(scene, bytes);
    return true;
  });
}

bool exchange_scene(ForgedLog& log, SplitMix64& draw) {
  return change_scene_bytes(log, draw, [&](auto& bytes) {
    codec::encode_scene(random_scene(draw.next()), bytes);
    return true;
  });
}

constexpr Forgery kForgeries[] = {
    {"header: rules", change_rules, false},
    {"header: texts", change_texts, false},
    {"header: session", change_session, false},
    {"header: initial hash", change_initial_hash, true},
    {"header: segment number", change_segment_number, false},
    {"header: what it goes on from", change_after, false},
    {"header: any byte", scribble_header, false},
    {"scene: any byte", scribble_scene, false},
    {"scene: cut", cut_scene, false},
    {"scene: a number", change_scene, false},
    {"scene: another", exchange_scene, false},
};

}  // namespace

std::span<const Forgery> header_forgeries() { return kForgeries; }

}  // namespace orrery::attack
