// Files of recorded frames, with which the delta codec is measured. schema/frames.md specifies
// them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/codec/delta/delta_codec.h"
#include "common/core/result.h"
#include "common/session/byte_source.h"

namespace orrery::cli {

// A frame, and the slots of the bodies that clients or scripts move.
struct RecordedFrame {
  codec::QuantisedFrame frame;
  std::vector<std::uint32_t> references;
};

// Append the header, or a frame, in the form of `orrery record-frames`. `radii`: half of the
// smallest extent of each prototype, in steps.
void encode_frame_header(const codec::DeltaScene& scene, std::span<const double> radii,
                         std::vector<std::uint8_t>& out);
void encode_frame(const RecordedFrame& frame, std::vector<std::uint8_t>& out);

// Slots that a file may claim without bodies in them. Beyond these, it may claim as many more slots
// as its largest frame so far has bodies. Memory therefore grows with the bytes of the file, not
// with the number in its header.
inline constexpr std::uint32_t kFreeSlots = 4096;

// Reads a file of frames in order, in either form.
class FrameReader {
 public:
  // Reads the header. An Error names the field that is wrong.
  static Result<FrameReader> open(std::unique_ptr<session::ByteSource> bytes);

  // Returns the numbers of the scene. Its number of slots is the number that the frames have needed
  // so far. It grows up to the number in the header.
  const codec::DeltaScene& scene() const { return scene_; }
  // Returns half of the smallest extent of each prototype, in steps.
  const std::vector<double>& radii() const { return radii_; }

  // Reads the next frame, with a body for each slot of scene(). Returns false at the end of the
  // file. An Error names the frame, the body and the field that is wrong.
  Result<bool> next(RecordedFrame& out);

 private:
  explicit FrameReader(std::unique_ptr<session::ByteSource> bytes) : bytes_(std::move(bytes)) {}
  Status read_header(Bytes start);
  bool fill(std::size_t size);
  Error end_error(const std::string& unexpected) const;
  Status read_record(ByteReader& in, codec::QuantisedBody& body) const;
  Result<bool> next_published(RecordedFrame& out);
  Result<bool> next_recorded(RecordedFrame& out);
  Status read_bodies(std::uint32_t references, std::uint32_t count, RecordedFrame& out);
  Status read_body(ByteReader& in, RecordedFrame& out) const;

  std::unique_ptr<session::ByteSource> bytes_;
  codec::DeltaScene scene_;
  std::vector<double> radii_;
  std::uint32_t slots_ = 0;  // number of slots in the header
  bool has_header_ = false;
  std::uint64_t frames_ = 0;         // frames read so far
  std::uint64_t tick_ = 0;           // of the last frame
  std::vector<std::uint8_t> piece_;  // the bytes to decode next
  std::size_t ready_ = 0;            // bytes of piece_ that have been read
};

}  // namespace orrery::cli
