// Implements the changes of a log's ticks, checkpoints, other records and segments.
#include <algorithm>
#include <utility>

#include "common/codec/command_codec.h"
#include "common/core/limits.h"
#include "common/session/log_records.h"
#include "tests/fuzz/attack/forgery_tools.h"
#include "tests/fuzz/attack/random_scene.h"
#include "tests/support/worlds.h"

namespace orrery::attack {
namespace {

// --- ticks ---

// Writes a tick record. encode_tick() takes no more commands than a tick may have, and this does.
void write_tick(std::uint64_t hash, std::span<const Command> commands,
                std::vector<std::uint8_t>& payload) {
  payload.clear();
  ByteWriter out(payload);
  out.u64(hash);
  codec::CommandSource before;
  for (const Command& command : commands) codec::encode_command(command, before, out);
}

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
    write_tick(tick.hash, tick.commands, payload);
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
// another forgery has cut the record.
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

std::vector<Forgery> all_forgeries() {
  const std::span<const Forgery> of_headers = header_forgeries();
  std::vector<Forgery> all(of_headers.begin(), of_headers.end());
  all.insert(all.end(), std::begin(kForgeries), std::end(kForgeries));
  return all;
}

}  // namespace

std::span<const Forgery> forgeries() {
  static const std::vector<Forgery> all = all_forgeries();
  return all;
}

}  // namespace orrery::attack
