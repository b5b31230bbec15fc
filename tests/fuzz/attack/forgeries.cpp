// Implements the changes of a log: every field of every kind of record.
#include <algorithm>
#include <utility>

#include "common/codec/log_codec.h"
#include "common/codec/scene_codec.h"
#include "common/core/limits.h"
#include "common/session/log_records.h"
#include "tests/fuzz/attack/forged_log.h"
#include "tests/fuzz/attack/random_scene.h"
#include "tests/support/worlds.h"

namespace orrery::attack {
namespace {

std::uint32_t draw_index(SplitMix64& draw, std::size_t size) {
  return draw.below(static_cast<std::uint32_t>(size));
}

// Returns a small number, a number just below 2^64, a power of two, or any 64-bit number.
std::uint64_t any_number(SplitMix64& draw) {
  const std::uint64_t kinds[] = {draw.below(100), ~std::uint64_t{0} - draw.below(3),
                                 std::uint64_t{1} << draw.below(64), draw.next()};
  return kinds[draw.below(4)];
}

// Changes one to four bytes after `from`. Returns false if there are none.
bool scribble(std::vector<std::uint8_t>& bytes, SplitMix64& draw, std::size_t from = 0) {
  if (bytes.size() <= from) return false;
  for (std::uint32_t i = 1 + draw.below(4); i > 0; --i) {
    bytes[from + draw_index(draw, bytes.size() - from)] ^=
        static_cast<std::uint8_t>(1 + draw.below(255));
  }
  return true;
}

// A record's position in a log.
struct Place {
  ForgedSegment* segment = nullptr;
  std::size_t index = 0;

  explicit operator bool() const { return segment != nullptr; }
  ForgedRecord& record() const { return segment->records[index]; }
  auto iterator() const { return segment->records.begin() + static_cast<std::ptrdiff_t>(index); }
};

// Returns a random record of the type. Without a type, returns any record except a header.
Place any_place(ForgedLog& log, SplitMix64& draw, std::optional<session::RecordType> type = {}) {
  std::vector<Place> places;
  for (ForgedSegment& segment : log) {
    for (std::size_t i = 0; i < segment.records.size(); ++i) {
      const auto found = static_cast<session::RecordType>(segment.records[i].type);
      if (type ? found == *type : found != session::RecordType::header)
        places.push_back({&segment, i});
    }
  }
  return places.empty() ? Place{} : places[draw_index(draw, places.size())];
}

template <class Change>
bool at_any(ForgedLog& log, SplitMix64& draw, std::optional<session::RecordType> type,
            Change change) {
  const Place place = any_place(log, draw, type);
  return place && change(place);
}

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

// --- ticks ---

bool change_tick_hash(ForgedLog& log, SplitMix64& draw) {
  return at_any(log, draw, session::RecordType::tick, [&](const Place& place) {
    std::vector<std::uint8_t>& payload = place.record().payload;
    if (payload.size() < 8) return false;
    payload[draw.below(8)] ^= static_cast<std::uint8_t>(1u << draw.below(8));
    return true;
  });
}

bool scribble_commands(ForgedLog& log, SplitMix64& draw) {
  return at_any(log, draw, session::RecordType::tick,
                [&](const Place& place) { return scribble(place.record().payload, draw, 8); });
}

template <class Change>
bool change_commands(ForgedLog& log, SplitMix64& draw, Change change) {
  return at_any(log, draw, session::RecordType::tick, [&](const Place& place) {
    std::vector<std::uint8_t>& payload = place.record().payload;
    session::TickRecord tick;
    if (!session::decode_tick(payload, tick, session::RecordType::tick) || !change(tick.commands))
      return false;
    payload.clear();
    ByteWriter out(payload);
    session::encode_tick(tick.hash, tick.commands, out);
    return true;
  });
}

bool drop_command(ForgedLog& log, SplitMix64& draw) {
  return change_commands(log, draw, [&](std::vector<Command>& commands) {
    if (commands.empty()) return false;
    commands.erase(commands.begin() +
                   static_cast<std::ptrdiff_t>(draw_index(draw, commands.size())));
    return true;
  });
}

bool add_commands(ForgedLog& log, SplitMix64& draw) {
  return change_commands(log, draw, [&](std::vector<Command>& commands) {
    const std::uint32_t count = draw.below(8) == 0 ? limits::kCommandsPerTickMax + 1 : 1;
    for (std::uint32_t i = 0; i < count; ++i) {
      commands.push_back(
          {kServer, Sequence{i}, command::Join{ClientId{1 + i % 1024}, Role::admin}});
    }
    if (draw.below(2) == 0) std::stable_sort(commands.begin(), commands.end(), comes_before);
    return true;
  });
}

bool make_old_tick(ForgedLog& log, SplitMix64& draw) {
  return at_any(log, draw, session::RecordType::tick, [&](const Place& place) {
    place.record().type = static_cast<std::uint8_t>(session::RecordType::old_tick);
    return true;
  });
}

// --- checkpoints ---

// Returns the offset of the image in a checkpoint, after the tick and the hash. Returns nothing if
// the record was cut.
std::optional<std::size_t> image_start(const std::vector<std::uint8_t>& payload) {
  constexpr std::size_t kImageBytesMin = 16;
  ByteReader in(payload);
  in.varint();
  in.u64();
  if (!in.ok() || in.remaining() < kImageBytesMin) return {};
  return in.offset();
}

bool change_checkpoint_tick(ForgedLog& log, SplitMix64& draw) {
  return at_any(log, draw, session::RecordType::checkpoint, [&](const Place& place) {
    std::vector<std::uint8_t>& payload = place.record().payload;
    const std::optional<std::size_t> start = image_start(payload);
    if (!start) return false;
    const std::vector<std::uint8_t> rest(payload.begin() + static_cast<std::ptrdiff_t>(*start - 8),
                                         payload.end());
    payload.clear();
    ByteWriter out(payload);
    out.varint(any_number(draw));
    out.bytes(rest);
    return true;
  });
}

bool change_checkpoint_hash(ForgedLog& log, SplitMix64& draw) {
  return at_any(log, draw, session::RecordType::checkpoint, [&](const Place& place) {
    std::vector<std::uint8_t>& payload = place.record().payload;
    const std::optional<std::size_t> start = image_start(payload);
    if (start) payload[*start - 1 - draw.below(8)] ^= 1;
    return start.has_value();
  });
}

// Changes an image. If `sealed`, corrects the image's own checksum.
bool change_image(ForgedLog& log, SplitMix64& draw, bool sealed) {
  return at_any(log, draw, session::RecordType::checkpoint, [&](const Place& place) {
    std::vector<std::uint8_t>& payload = place.record().payload;
    const std::optional<std::size_t> start = image_start(payload);
    if (!start) return false;
    std::vector<std::uint8_t> image(payload.begin() + static_cast<std::ptrdiff_t>(*start),
                                    payload.end());
    constexpr std::size_t kMagicBytes = 4;
    const std::vector<std::uint8_t> before = image;
    if (!scribble(image, draw, kMagicBytes)) return false;
    if (sealed) test::seal(image);
    if (image == before) return false;
    payload.resize(*start);
    payload.insert(payload.end(), image.begin(), image.end());
    return true;
  });
}

bool break_image(ForgedLog& log, SplitMix64& draw) { return change_image(log, draw, false); }
bool forge_image(ForgedLog& log, SplitMix64& draw) { return change_image(log, draw, true); }

bool cut_checkpoint(ForgedLog& log, SplitMix64& draw) {
  return at_any(log, draw, session::RecordType::checkpoint, [&](const Place& place) {
    std::vector<std::uint8_t>& payload = place.record().payload;
    if (payload.empty()) return false;
    payload.resize(draw_index(draw, payload.size()));
    return true;
  });
}

// --- indexes, ends and seals ---

bool change_index(ForgedLog& log, SplitMix64& draw) {
  return at_any(log, draw, session::RecordType::index, [&](const Place& place) {
    std::vector<std::uint8_t>& payload = place.record().payload;
    place.record().as_is = true;
    const std::size_t numbers = payload.size() / 8;
    if (numbers == 0 || draw.below(4) == 0) {
      payload.resize(draw.below(200), 0x55);
      return true;
    }
    std::vector<std::uint8_t> number;
    ByteWriter(number).u64(any_number(draw));
    std::copy(number.begin(), number.end(),
              payload.begin() + static_cast<std::ptrdiff_t>(8 * draw_index(draw, numbers)));
    return true;
  });
}

bool change_end(ForgedLog& log, SplitMix64& draw) {
  return at_any(log, draw, session::RecordType::end, [&](const Place& place) {
    session::encode_end(Tick{any_number(draw)}, place.record().payload);
    return true;
  });
}

bool change_seal(ForgedLog& log, SplitMix64& draw) {
  return at_any(log, draw, session::RecordType::seal,
                [&](const Place& place) { return scribble(place.record().payload, draw); });
}

// --- any record ---

bool remove_record(ForgedLog& log, SplitMix64& draw) {
  return at_any(log, draw, {}, [&](const Place& place) {
    place.segment->records.erase(place.iterator());
    return true;
  });
}

bool repeat_record(ForgedLog& log, SplitMix64& draw) {
  return at_any(log, draw, {}, [&](const Place& place) {
    const ForgedRecord copy = place.record();
    place.segment->records.insert(place.iterator(), copy);
    return true;
  });
}

bool swap_records(ForgedLog& log, SplitMix64& draw) {
  const Place a = any_place(log, draw);
  const Place b = any_place(log, draw);
  if (!a || !b || &a.record() == &b.record()) return false;
  std::swap(a.record(), b.record());
  return true;
}

bool change_type(ForgedLog& log, SplitMix64& draw) {
  return at_any(log, draw, {}, [&](const Place& place) {
    place.record().type = static_cast<std::uint8_t>(draw.below(10));
    return true;
  });
}

bool change_size(ForgedLog& log, SplitMix64& draw) {
  return at_any(log, draw, {}, [&](const Place& place) {
    place.record().size =
        draw.below(2) == 0 ? place.record().payload.size() + draw.below(64) : any_number(draw);
    return true;
  });
}

bool change_payload_size(ForgedLog& log, SplitMix64& draw) {
  return at_any(log, draw, {}, [&](const Place& place) {
    std::vector<std::uint8_t>& payload = place.record().payload;
    place.record().as_is = true;
    const std::size_t sizes[] = {0, draw.below(64), payload.size() + 1 + draw.below(64),
                                 limits::kLogRecordBytesMax + draw.below(2)};
    payload.resize(sizes[draw.below(4)], static_cast<std::uint8_t>(draw.below(256)));
    return true;
  });
}

// --- segments ---

bool change_version(ForgedLog& log, SplitMix64& draw) {
  log[draw_index(draw, log.size())].version = draw.below(8);
  return true;
}

bool add_rest(ForgedLog& log, SplitMix64& draw) {
  ForgedSegment& segment = log[draw_index(draw, log.size())];
  segment.rest.resize(1 + draw.below(3000), 0);
  return scribble(segment.rest, draw);
}

bool remove_segment(ForgedLog& log, SplitMix64& draw) {
  if (log.size() < 2) return false;
  log.erase(log.begin() + static_cast<std::ptrdiff_t>(draw_index(draw, log.size())));
  return true;
}

bool repeat_segment(ForgedLog& log, SplitMix64& draw) {
  const ForgedSegment copy = log[draw_index(draw, log.size())];
  log.insert(log.begin() + static_cast<std::ptrdiff_t>(draw_index(draw, log.size() + 1)), copy);
  return true;
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
    {"tick: hash", change_tick_hash, true},
    {"tick: any byte of the commands", scribble_commands, false},
    {"tick: a command less", drop_command, false},
    {"tick: commands more", add_commands, false},
    {"tick: the old form", make_old_tick, false},
    {"checkpoint: tick", change_checkpoint_tick, false},
    {"checkpoint: hash", change_checkpoint_hash, true},
    {"checkpoint: image with a wrong checksum", break_image, true},
    {"checkpoint: image with a right checksum", forge_image, true},
    {"checkpoint: cut", cut_checkpoint, false},
    {"index", change_index, false},
    {"end", change_end, false},
    {"seal", change_seal, false},
    {"record: removed", remove_record, false},
    {"record: repeated", repeat_record, false},
    {"record: swapped with another", swap_records, false},
    {"record: type", change_type, false},
    {"record: size that it says", change_size, false},
    {"record: size that it has", change_payload_size, false},
    {"segment: version", change_version, false},
    {"segment: bytes after the last record", add_rest, false},
    {"segment: removed", remove_segment, false},
    {"segment: repeated", repeat_segment, false},
};

}  // namespace

std::span<const Forgery> forgeries() { return kForgeries; }

}  // namespace orrery::attack
