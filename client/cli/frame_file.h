// Files of recorded frames, with which the delta codec is measured.
//
// A file has one of two forms, and can be compressed with zstd. All numbers are little-endian.
//
// - The form of G. Fiedler's "Snapshot Compression Challenge" (2015): frames of 901 records of
// eight
//   int32, without a header: largest component, three components of the orientation, position x, y,
//   z, and whether the body is touched. The scene is known: cubes of 0.4 m, the first of 1.5 m;
//   positions in 1/512 m, 9 bits, 60 frames a second, gravity 20 m/s^2 along -z.
// - The form of `orrery record-frames`:
//
//     "ORRYFRM1"  slots u32  prototypes u32  orientation bits u32  position step f64
//     gravity 3 f64 (steps per tick squared)  radii f64 each (steps)
//     frames:  tick u64  references u32  bodies u32
//              references: slot u32 each
//              bodies: id u32  prototype u32  a record of eight int32 as above, each
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/codec/delta/delta_codec.h"
#include "common/core/result.h"
#include "common/session/byte_source.h"

namespace orrery::cli {

// A frame with the slots of bodies that somebody moves.
struct RecordedFrame {
  codec::QuantisedFrame frame;
  std::vector<std::uint32_t> references;
};

// Append the header, or a frame, in the form of `orrery record-frames`.
void encode_frame_header(const codec::DeltaScene& scene, std::vector<std::uint8_t>& out);
void encode_frame(const RecordedFrame& frame, std::vector<std::uint8_t>& out);

// Reads a file of frames in order, in either form.
class FrameReader {
 public:
  // Reads the header. An Error says what is wrong with the bytes.
  static Result<FrameReader> open(std::unique_ptr<session::ByteSource> bytes);

  // Returns the numbers of the scene.
  const codec::DeltaScene& scene() const { return scene_; }

  // Reads the next frame. Returns false at the end of the file. An Error says what is wrong.
  Result<bool> next(RecordedFrame& out);

 private:
  explicit FrameReader(std::unique_ptr<session::ByteSource> bytes) : bytes_(std::move(bytes)) {}
  Status read_header(Bytes start);
  bool fill(std::size_t size);
  Status read_body(ByteReader& in, codec::QuantisedBody& body);
  Result<bool> next_published(RecordedFrame& out);
  Status read_bodies(std::uint32_t count, std::uint64_t references, RecordedFrame& out);

  std::unique_ptr<session::ByteSource> bytes_;
  codec::DeltaScene scene_;
  bool has_header_ = false;
  std::uint64_t tick_ = 0;           // of the last frame
  std::vector<std::uint8_t> piece_;  // the bytes of what is read next
  std::size_t ready_ = 0;            // bytes of piece_ that were read before
};

}  // namespace orrery::cli
