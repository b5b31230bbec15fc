// Makes sessions in the delta codec, and defines the inputs of the fuzz target `delta`.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/codec/delta/world_frame.h"
#include "common/codec/message_codec.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/support/command_stream.h"

namespace orrery::fuzz {

// An input begins with a DeltaInput and the index of a session, one byte each. Then come:
// - changed: frame and baseline (one byte each), and changes of the correct bytes of the frame;
// - raw: frame and baseline, and the bytes to decode;
// - received: steps of a receiver.
// Numbers beyond the last possible value are reduced modulo the number of values.
enum class DeltaInput : std::uint8_t { changed, raw, received };
inline constexpr std::uint8_t kDeltaInputs = 3;

// A change is one byte, then a place (two bytes) and a value (one byte).
enum class DeltaChange : std::uint8_t { flip, cut, insert, erase };
inline constexpr std::uint8_t kDeltaChanges = 4;

// A step is one byte, followed by its arguments, which the comments list before the colon. An
// argument is one byte, except `bytes`.
enum class DeltaStep : std::uint8_t {
  part,        // frame, part: deliver a part of the frame, coded against its baseline
  whole_part,  // frame, part: deliver a part of the frame, coded against nothing
  misdirect,   // frame, baseline: deliver all parts with the tick of another baseline
  acknowledge,
  hostile,  // count, bytes: deliver bytes that no server sent
};
inline constexpr std::uint8_t kDeltaSteps = 5;

inline constexpr std::size_t kCodedFrames = 20;
inline constexpr std::size_t kCodedDistance = 2;  // frames from a frame to its baseline

// A session under commands. Its frames are two ticks apart.
struct CodedSession {
  Scene scene;
  codec::DeltaScene numbers{};
  std::vector<codec::QuantisedFrame> frames{};
  std::vector<codec::DeltaLevel> levels{};             // of the frames
  std::vector<codec::CodedFrame> coded{};              // the frames as the encoder has them
  std::vector<std::vector<std::uint8_t>> bytes{};      // each against its baseline
  std::vector<std::vector<std::uint8_t>> unrelated{};  // each against nothing
  codec::CodedFrame nothing{};

  // Returns the baseline of a frame.
  const codec::CodedFrame& baseline(std::size_t frame) const {
    return frame < kCodedDistance ? nothing : coded[frame - kCodedDistance];
  }
};

// Returns a session of a built-in scene. Its frames are of one level, or of each level in turn: no
// baseline then has the level of its frame.
inline CodedSession coded_session(const char* scene_name, std::optional<codec::DeltaLevel> level) {
  constexpr std::size_t kLevels = static_cast<std::size_t>(codec::DeltaLevel::fast) + 1;
  CodedSession session{.scene = built_in_scene(scene_name).value()};
  session.numbers = codec::delta_scene_of(session.scene);
  World world(session.scene);
  CommandStream stream(7);
  SerialExecutor serial;
  codec::DeltaCodec encoder(session.numbers, codec::DeltaLevel{});
  std::vector<std::uint32_t> references;
  while (session.frames.size() < kCodedFrames) {
    for (int tick = 0; tick < 2; ++tick) step(world, stream.next(world), serial);
    const std::size_t at = session.frames.size();
    codec::quantise(world, session.numbers.grid, session.frames.emplace_back());
    codec::find_references(world, references);
    const auto turn = static_cast<codec::DeltaLevel>(at / kCodedDistance % kLevels);
    encoder.set_level(session.levels.emplace_back(level.value_or(turn)));
    codec::CodedFrame coded, unused;
    encoder.encode(session.baseline(at), session.frames[at], references, coded,
                   session.bytes.emplace_back());
    encoder.encode(session.nothing, session.frames[at], references, unused,
                   session.unrelated.emplace_back());
    session.coded.push_back(coded);
  }
  return session;
}

// Returns the welcome of a session, as far as a receiver of frames needs it.
inline codec::message::Welcome welcome_of(const CodedSession& session) {
  codec::message::Welcome welcome;
  welcome.tick_time = tick_time(session.scene);
  welcome.frames = session.numbers;
  return welcome;
}

// Returns the sessions that an input can name.
inline std::vector<CodedSession> coded_sessions() {
  std::vector<CodedSession> sessions;
  sessions.push_back(coded_session("playground", std::nullopt));
  sessions.push_back(coded_session("ragdolls:1", std::nullopt));
  using enum codec::DeltaLevel;
  for (const auto level : {fast, cheap}) {
    sessions.push_back(coded_session("playground", level));
  }
  return sessions;
}

}  // namespace orrery::fuzz
