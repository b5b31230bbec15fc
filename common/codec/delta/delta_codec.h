// The delta codec: a frame of bodies as its difference to a frame that the receiver has.
//
// Coding is stateless: bytes depend on the scene, the baseline and the frame alone, so a lost frame
// never breaks a decoder. Arithmetic is as common/ARCHITECTURE.md asks, so every machine codes and
// decodes the same bytes. README.md explains the predictions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/codec/delta/delta_scene.h"
#include "common/codec/delta/grid.h"
#include "common/codec/delta/weights.h"
#include "common/core/bytes.h"
#include "common/core/ids.h"
#include "common/math/vec3f.h"

namespace orrery::codec {

// Bodies after a tick, indexed by slot: DeltaScene::slots of them. A baseline of nothing has none.
struct QuantisedFrame {
  Tick tick;
  std::vector<QuantisedBody> bodies;
};

// How a body moved from the baseline of its frame to its frame, and how wrong each prediction of
// that motion was. The next frame is predicted from this.
struct BodyMotion {
  std::uint32_t slot = 0;
  std::array<std::int32_t, 3> displacement{};  // steps
  Vec3f rotation;                              // vector along the axis, of length tan(angle / 2)
  std::array<float, kPositionPredictors> position_errors{};  // squares, steps
  std::array<float, kRotationPredictors> rotation_errors{};  // squares, steps of orientation
};

// A frame that both sides have, and the motions that predict the next one. The default is the
// baseline of a client that has nothing: no bodies, at tick 0.
struct CodedFrame {
  QuantisedFrame frame;
  std::uint32_t span = 0;           // ticks from its own baseline, or from tick 0 if it has none
  std::vector<BodyMotion> motions;  // of the bodies that changed, ascending by slot
  std::vector<std::uint32_t> references;  // slots of bodies that somebody moves
  std::uint64_t bodies_checksum = 0;      // of the bodies: a sum over them
  // Of everything here. Two sides with equal checksums can code against this frame.
  std::uint64_t checksum = 0;
};

// Levels of coding. `fast` blends predictions with fitted weights, and writes with a range coder.
// `cheap` needs less CPU time and more bytes: it takes one prediction for a body, and writes plain
// bits. A frame is decoded at the level at which it was encoded; its baseline can have another.
enum class DeltaLevel : std::uint8_t { cheap, fast };

// Encodes and decodes frames. It holds only tables and scratch memory.
class DeltaCodec {
 public:
  DeltaCodec(DeltaScene scene, DeltaLevel level, const Weights& weights = kFittedWeights);
  ~DeltaCodec();
  DeltaCodec(DeltaCodec&&) noexcept;
  DeltaCodec& operator=(DeltaCodec&&) noexcept;

  // Sets, or returns, the level of the next frames.
  void set_level(DeltaLevel level);
  DeltaLevel level() const;

  // Returns the numbers of the scene.
  const DeltaScene& scene() const;

  // Appends `frame` as a difference to `baseline` to `out`, and sets `coded` to the frame as the
  // decoder has it. `references` are slots of bodies that somebody moves; other bodies are often
  // pushed or carried by these. Slots without a body are ignored.
  // REQUIRES: the baseline is older than the frame, or it is the default. Both have as many slots
  // as the scene. `coded` is not `baseline`.
  void encode(const CodedFrame& baseline, const QuantisedFrame& frame,
              std::span<const std::uint32_t> references, CodedFrame& coded,
              std::vector<std::uint8_t>& out);

  // Decodes untrusted bytes into `coded`, whose frame has the given tick. Returns false if the
  // bytes are not a difference to this baseline; `coded` is then meaningless. Bytes that were coded
  // with another baseline are not always noticed. The caller must know the baseline. REQUIRES: the
  // baseline is older than the tick, or it is the default.
  bool decode(const CodedFrame& baseline, Tick tick, Bytes bytes, CodedFrame& coded);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Returns the checksum of the bodies of a frame, as CodedFrame::bodies_checksum has it.
std::uint64_t checksum_of(const QuantisedFrame& frame);

}  // namespace orrery::codec
