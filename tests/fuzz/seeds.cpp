// Writes the seeds of the fuzz targets, most of them small valid inputs, into CORPUS/TARGET/.
//
//   build/bin/fuzz_seeds tests/fuzz/corpus
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "common/codec/command_codec.h"
#include "common/codec/event_codec.h"
#include "common/codec/message_codec.h"
#include "common/codec/refusal_codec.h"
#include "common/codec/scene_codec.h"
#include "common/codec/snapshot_codec.h"
#include "common/host/disk/packing/packed_segment.h"
#include "common/host/text/scene_writer.h"
#include "common/net/packet/fragment.h"
#include "common/net/packet/packet.h"
#include "common/net/packet/payload.h"
#include "common/net/packet/ticket.h"
#include "common/session/writer/log_writer.h"
#include "common/world/image/image.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/fuzz/coded_session.h"
#include "tests/fuzz/exchange_step.h"
#include "tests/fuzz/http_seeds.h"
#include "tests/fuzz/sealed_log.h"
#include "tests/support/command_stream.h"
#include "tests/support/linked_scene.h"
#include "tests/support/lossy_log.h"
#include "tests/support/memory_log.h"
#include "tests/support/open_cipher.h"

namespace orrery {
namespace {

std::filesystem::path corpus;

void write(const std::string& target, const std::string& name, Bytes bytes) {
  const std::filesystem::path folder = corpus / target;
  std::filesystem::create_directories(folder);
  std::ofstream file(folder / name, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

void write_scene(const Scene& scene, const std::string& name) {
  std::vector<std::uint8_t> bytes;
  codec::encode_scene(scene, bytes);
  write("scene", name, bytes);
  const std::string text = host::json_of_scene(scene);
  bytes.assign(text.begin(), text.end());
  write("scene", name + ".json", bytes);
}

void write_scenes() {
  write_scene(test::linked_scene(), "linked");
  for (const char* spec : {"tumble", "lander", "solar", "springs:4", "tethers:2", "playground",
                           "crates:3", "bullet", "mesh:8", "jumble:8", "ragdolls:1"}) {
    std::string name = spec;
    std::replace(name.begin(), name.end(), ':', '-');
    write_scene(built_in_scene(spec).value(), name);
  }
}

// Writes images without their checksum, which the target adds.
void write_images(const Scene& scene, const std::string& name) {
  World world(scene);
  CommandStream stream(1);
  SerialExecutor serial;
  std::vector<std::uint8_t> image;
  for (const std::uint64_t tick : {0u, 60u, 600u}) {
    while (world.tick().value < tick) step(world, stream.next(world), serial);
    save_image(world, image);
    write("image", name + std::to_string(tick), Bytes(image).first(image.size() - 8));
  }
}

// Writes twelve files of at least 60 bytes of random commands each.
void write_commands() {
  World world(built_in_scene("playground").value());
  CommandStream stream(2);
  SerialExecutor serial;
  for (int file = 0; file < 12; ++file) {
    std::vector<std::uint8_t> bytes;
    ByteWriter writer(bytes);
    codec::CommandSource before;
    while (bytes.size() < 60) {
      for (const Command& command : stream.next(world))
        codec::encode_command(command, before, writer);
      step(world, {}, serial);
    }
    write("command", std::to_string(file), bytes);
  }
}

template <class Encode>
void write_payload(net::MessageType type, const std::string& name, Encode encode_message) {
  std::vector<std::uint8_t> text;
  net::encode_payload_header({.type = type, .sequence = 7, .ack = 5, .ack_bits = 3}, text);
  encode_message(text);
  write("packet", name, text);
}

template <class Message>
void write_message(net::MessageType type, const std::string& name, const Message& m) {
  write_payload(type, name, [&](std::vector<std::uint8_t>& out) { codec::encode(m, out); });
}

// Writes a connect token, and a request, a response and a keep-alive packet.
void write_connection() {
  const test::OpenCipher cipher;
  net::PrivateToken token{.client_id = 1, .timeout_seconds = 5};
  token.servers = {net::Address{{}, 2}};
  const net::ConnectToken whole = net::make_connect_token(
      cipher, {}, {net::kDefaultProtocolId, 1045, {}}, 1000, token, token.servers);
  write("packet", "token", net::encode_connect_token(whole));
  write_payload(net::MessageType::ticket, "ticket",
                [&](std::vector<std::uint8_t>& out) { net::encode_ticket(whole, out); });
  std::vector<std::uint8_t> bytes;
  net::encode_request(whole, bytes);
  write("packet", "request", bytes);
  bytes.clear();
  const net::PacketSealer sealer(cipher, net::kDefaultProtocolId);
  sealer.seal({}, net::PacketType::response, 1,
              net::make_challenge(cipher, {}, 0, {.client_id = 1}), bytes);
  write("packet", "response", bytes);
  bytes.clear();
  sealer.seal({}, net::PacketType::keep_alive, 300, std::vector<std::uint8_t>(net::kKeepAliveBytes),
              bytes);
  write("packet", "keep_alive", bytes);
}

void write_packets() {
  write_message(net::MessageType::hello, "hello",
                codec::message::Hello{kProtocolVersion, codec::protocol_schema_hash(), true});
  write_message(net::MessageType::welcome, "welcome",
                codec::message::Welcome{ClientId{1}, Role::play, 60, 1.0 / 60, 48, "playground"});
  write_message(net::MessageType::goodbye, "goodbye",
                codec::message::Goodbye{EndReason::timed_out});
  const WorldEvent hit{EventKind::hit, BodyId{1}, BodyId{2}, 0, 3, 4.5, {1, 2, 3}, {0, 1, 0}};
  write_payload(net::MessageType::reliable, "events", [&](std::vector<std::uint8_t>& out) {
    std::vector<std::uint8_t> events;
    codec::encode_events(Tick{5}, 6, std::vector<WorldEvent>(codec::kEventsPerMessage, hit),
                         events);
    ByteWriter(out).varint(3);
    ByteWriter(out).varint(0);
    net::encode_fragment({.number = 0, .last = true, .bytes = events}, out);
  });
  write_payload(net::MessageType::reliable, "refusals", [](std::vector<std::uint8_t>& out) {
    const std::vector<codec::message::Refusal> refusals = {{Tick{5}, Sequence{3}, Verdict::role},
                                                           {Tick{5}, Sequence{4}, Verdict::full}};
    std::vector<std::uint8_t> message;
    codec::encode_refusals(6, refusals, message);
    ByteWriter(out).varint(3);
    ByteWriter(out).varint(0);
    net::encode_fragment({.number = 0, .last = true, .bytes = message}, out);
  });
  write_message(net::MessageType::query, "query", codec::message::Query{7, {1, 2, 3}, {0, -10, 0}});
  write_message(net::MessageType::answer, "answer",
                codec::message::Answer{7, Tick{5}, true, BodyId{1}, 2, 0.5, {0, 1, 0}});
  const std::vector<codec::message::TimedCommand> commands = {
      {Tick{4}, {ClientId{3}, Sequence{1}, command::Grab{BodyId{2}, {1, 2, 3}, {4, 5, 6}}}},
      {Tick{5}, {ClientId{3}, Sequence{2}, command::Move{{7, 8, 9}}}},
      {Tick{}, {ClientId{3}, Sequence{3}, command::Release{}}}};
  write_payload(net::MessageType::input, "input",
                [&](std::vector<std::uint8_t>& out) { codec::encode_input(commands, out); });
  write_connection();
  const World world(built_in_scene("tumble").value());
  codec::SnapshotEncoder snapshot;
  snapshot.encode(world);
  write_payload(net::MessageType::snapshot, "selection", [&](std::vector<std::uint8_t>& out) {
    const std::vector<std::uint32_t> slots = {0};
    const std::vector<std::uint64_t> told(world.bodies().tiles(), ~std::uint64_t{0});
    codec::SnapshotEncoder selection;
    selection.encode(world, {slots, told, 0});
    const Bytes part = selection.part(0, {Sequence{3}, {}});
    out.insert(out.end(), part.begin(), part.end());
  });
  write_payload(net::MessageType::snapshot, "snapshot", [&](std::vector<std::uint8_t>& out) {
    const Bytes part = snapshot.part(0, {Sequence{3}, {}});
    out.insert(out.end(), part.begin(), part.end());
  });
}

// Writes datagrams that consist of fragments. Before each datagram comes its length.
void write_fragments(const std::string& name,
                     const std::vector<std::vector<net::Fragment>>& datagrams) {
  std::vector<std::uint8_t> bytes;
  for (const std::vector<net::Fragment>& datagram : datagrams) {
    std::vector<std::uint8_t> fragments;
    for (const net::Fragment& fragment : datagram) net::encode_fragment(fragment, fragments);
    bytes.push_back(static_cast<std::uint8_t>(fragments.size()));
    bytes.insert(bytes.end(), fragments.begin(), fragments.end());
  }
  write("reliable", name, bytes);
}

void write_reliable() {
  const std::vector<std::uint8_t> text = {1, 2, 3, 4, 5, 6, 7, 8};
  write_fragments("in_order", {{{0, true, text}}, {{1, false, text}, {2, true, text}}});
  write_fragments("overtaken", {{{2, true, text}}, {{0, false, text}}, {{1, false, text}}});
  write_fragments("repeated", {{{0, true, text}}, {{1, false, text}}, {{0, false, text}}});
  write_fragments("beyond", {{{15, true, text}}, {{16, true, text}}});
  std::vector<std::uint8_t> acks;
  ByteWriter writer(acks);
  for (std::uint32_t sequence = 0; sequence < 40; ++sequence) {
    writer.u32(sequence);
    writer.u32(sequence % 5 == 0 ? 0x15 : 0xffffffff);
  }
  write("reliable", "acks", acks);
}

// Writes connections with network faults, as steps of the target `exchange`.
void write_exchanges() {
  using enum fuzz::ExchangeStep;
  using Steps = std::vector<std::uint8_t>;
  const auto u8 = [](fuzz::ExchangeStep step) { return static_cast<std::uint8_t>(step); };
  // Delivers one datagram in each direction.
  const Steps turn = {u8(to_server), u8(to_client)};
  const Steps later = {u8(wait), 13};
  const Steps long_wait = {u8(wait), 255, u8(wait), 255, u8(wait), 255};
  const auto write_steps = [](const char* name, std::initializer_list<Steps> parts) {
    Steps whole;
    for (const Steps& part : parts) whole.insert(whole.end(), part.begin(), part.end());
    write("exchange", name, whole);
  };
  write_steps("connects", {turn,
                           turn,
                           turn,
                           {u8(say_input), u8(say_snapshot)},
                           turn,
                           {u8(again_to_server), 0, u8(again_to_client), 0},
                           later,
                           turn});
  write_steps("loses", {{u8(lose_to_server)},
                        later,
                        {u8(to_server), u8(lose_to_client)},
                        later,
                        turn,
                        later,
                        turn,
                        turn,
                        turn,
                        long_wait});
  write_steps("elsewhere", {{u8(to_server), u8(from_elsewhere), 0, u8(to_client)},
                            {u8(changed_to_server), 0, 30, 1, u8(changed_to_client), 0, 5, 128},
                            turn,
                            {u8(foreign), 2, 3, 0x25, 1, 2}});
  // Six seconds later, a stranger replays the request, and a response that was not delivered.
  write_steps("elsewhere-later", {later,
                                  turn,
                                  later,
                                  long_wait,
                                  {u8(from_elsewhere), 4, u8(from_elsewhere), 3},
                                  later,
                                  later,
                                  long_wait});
  write_steps("rogue", {{u8(rogue_request), u8(rogue_response), u8(rogue_packet), 1, 1, 0, 0},
                        turn,
                        {u8(rogue_packet), 2, 2, 0, 3, 1, 0, 0, u8(rogue_packet), 3, 3, 0, 0}});
}

// Writes frames and messages of mode delta, as inputs of the target `delta`.
void write_deltas() {
  using Input = std::vector<std::uint8_t>;
  const auto u8 = [](auto x) { return static_cast<std::uint8_t>(x); };
  const auto changed = u8(fuzz::DeltaInput::changed), raw = u8(fuzz::DeltaInput::raw);
  const auto flip = u8(fuzz::DeltaChange::flip), cut = u8(fuzz::DeltaChange::cut);
  const std::vector<fuzz::CodedSession> sessions = fuzz::coded_sessions();
  for (std::uint8_t s = 0; s < sessions.size(); ++s) {
    const std::string name = std::to_string(s);
    write("delta", "correct-" + name, Input{changed, s, 9, 0});
    write("delta", "elsewhere-" + name, Input{changed, s, 9, 3});
    write("delta", "flipped-" + name, Input{changed, s, 11, 0, flip, 20, 0, 1, flip, 2, 0, 128});
    write("delta", "cut-" + name, Input{changed, s, 13, 0, cut, 30, 0, 0});
    for (const std::size_t frame : {0u, 9u, 15u}) {
      Input input = {raw, s, u8(frame), 0};
      const Input& bytes = sessions[s].bytes[frame];
      input.insert(input.end(), bytes.begin(), bytes.end());
      write("delta", "raw-" + name + "-" + std::to_string(frame), input);
    }
    Input arrivals = {raw, s, 9, 0};  // of bodies that the baseline has
    const Input& bytes = sessions[s].unrelated[9];
    arrivals.insert(arrivals.end(), bytes.begin(), bytes.end());
    write("delta", "arrivals-" + name, arrivals);
  }
  const std::uint8_t part = u8(fuzz::DeltaStep::part), whole = u8(fuzz::DeltaStep::whole_part);
  const std::uint8_t other = u8(fuzz::DeltaStep::misdirect), ack = u8(fuzz::DeltaStep::acknowledge);
  const std::uint8_t received = u8(fuzz::DeltaInput::received);
  Input all = {received, 0};
  Input lossy = {received, 1};
  for (std::uint8_t frame = 0; frame < fuzz::kCodedFrames; ++frame) {
    for (std::uint8_t at = 0; at <= frame % 3; ++at) {
      all.insert(all.end(), {part, frame, at, ack});
      if (frame % 7 != 3) lossy.insert(lossy.end(), {part, frame, at});
      if (frame % 7 == 0) lossy.insert(lossy.end(), {whole, frame, at, ack});
    }
    if (frame > 5) lossy.insert(lossy.end(), {other, frame, 1});
  }
  write("delta", "received", all);
  write("delta", "received-lossy", lossy);
  all.insert(all.end(), {u8(fuzz::DeltaStep::hostile), 12, 50, 2, 0, 0, 0, 1, 0, 0, 1, 2, 3, 4});
  write("delta", "received-hostile", all);
}

void write_logs() {
  for (const std::string scene : fuzz::kLogScenes) {
    const std::vector<std::uint8_t> open = fuzz::session_log(scene.c_str(), false);
    write("log", scene + "-torn", Bytes(open).first(open.size() - 5));
    write("log", scene, fuzz::session_log(scene.c_str(), true));
    for (const std::size_t segment_bytes : {std::size_t{1} << 30, std::size_t{1}}) {
      std::vector<std::uint8_t> segments;
      for (const auto& [name, segment] : fuzz::sealed_log(scene.c_str(), segment_bytes)) {
        segments.insert(segments.end(), segment.begin(), segment.end());
      }
      write("log", scene + (segment_bytes == 1 ? "-sealed-segments" : "-sealed"), segments);
    }
  }
}

// Writes sealed, closed and packed logs of one segment each.
void write_packed_logs() {
  for (const std::string scene : fuzz::kLogScenes) {
    const std::vector<std::uint8_t> log =
        fuzz::sealed_log(scene.c_str(), std::size_t{1} << 30).at("LOG");
    test::SimulatedDisk disk(1);
    test::MemorySource source(log);
    ORRERY_ASSERT(host::pack_segment(source, log.size(), disk, "LOG") == 0);
    write("log", scene + "-packed", disk.content().at("LOG"));
  }
}

// Writes two segments in one file.
void write_segments() {
  Scene scene = built_in_scene("tumble").value();
  scene.tick_rate = 2;
  World world(std::move(scene));
  SerialExecutor serial;
  test::MemorySegments segments;
  std::optional<session::SessionLog> log(
      std::in_place, segments, session::make_log_header(world, "seed", codec::SessionId{}));
  for (int tick = 0; tick < 50; ++tick) {
    if (tick == 30) test::begin_segment(world, segments, log);
    step(world, {}, serial);
    log->append_tick(world);
  }
  log->close();
  std::vector<std::uint8_t> both = segments.segments[0];
  both.insert(both.end(), segments.segments[1].begin(), segments.segments[1].end());
  write("log", "tumble-segments", both);
}

// For each of two faults of the disk, writes a file with both segments of a log.
void write_lossy_logs() {
  for (const test::Loss loss : {test::Loss::sync, test::Loss::ticks}) {
    Scene scene = built_in_scene("tumble").value();
    scene.tick_rate = 1;
    const auto segments = test::lossy_log(scene, 1, 60, loss).log.segments;
    std::vector<std::uint8_t> both = segments[0];
    both.insert(both.end(), segments[1].begin(), segments[1].end());
    write("log", loss == test::Loss::sync ? "tumble-failed-sync" : "tumble-lost-ticks", both);
  }
}

void write_http() {
  for (const auto& [name, input] : fuzz::http_seeds()) {
    write("http", name, {reinterpret_cast<const std::uint8_t*>(input.data()), input.size()});
  }
}

}  // namespace
}  // namespace orrery

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: fuzz_seeds CORPUS\n");
    return 2;
  }
  orrery::corpus = arguments[1];
  orrery::write_scenes();
  orrery::write_images(orrery::built_in_scene("playground").value(), "tick-");
  orrery::write_images(orrery::built_in_scene("jumble:12").value(), "jumble-");
  orrery::write_images(orrery::test::linked_scene(), "linked-");
  orrery::write_commands();
  orrery::write_packets();
  orrery::write_reliable();
  orrery::write_exchanges();
  orrery::write_deltas();
  orrery::write_logs();
  orrery::write_packed_logs();
  orrery::write_segments();
  orrery::write_lossy_logs();
  orrery::write_http();
  return 0;
}
