// Reads and writes files of frames.
#include "client/cli/frame_file.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "common/core/limits.h"

namespace orrery::cli {
namespace {

using codec::DeltaScene;
using codec::QuantisedBody;

constexpr char kMagic[] = "ORRYFRM1";
constexpr std::size_t kMagicBytes = 8;
constexpr std::size_t kHeadBytes = 3 * 4 + 4 * 8;  // after the magic, before the radii
constexpr std::size_t kRecordBytes = 8 * 4;
constexpr std::size_t kBodyBytes = 2 * 4 + kRecordBytes;
constexpr std::size_t kFrameBytes = 8 + 2 * 4;
constexpr std::uint32_t kPublishedBodies = 901;
constexpr std::size_t kPublishedBytes = kPublishedBodies * kRecordBytes;

// The scene of the published form.
DeltaScene published_scene() {
  DeltaScene scene;
  scene.grid = {.position_step = 1.0 / 512, .orientation_bits = 9};
  scene.gravity = {0, 0, -20.0 * 512 / (60 * 60)};
  scene.slots = kPublishedBodies;
  scene.radii = {0.2 * 512, 0.75 * 512};
  return scene;
}

void encode_record(const QuantisedBody& body, ByteWriter& out) {
  out.u32(body.largest);
  for (const std::uint16_t x : body.orientation) out.u32(x);
  for (const std::int32_t x : body.position) out.u32(static_cast<std::uint32_t>(x));
  out.u32(body.active ? 1 : 0);
}

bool is_number(double x) { return std::isfinite(x) && std::abs(x) <= 1e30; }

}  // namespace

void encode_frame_header(const DeltaScene& scene, std::vector<std::uint8_t>& out) {
  ByteWriter writer(out);
  writer.bytes({reinterpret_cast<const std::uint8_t*>(kMagic), kMagicBytes});
  writer.u32(scene.slots);
  writer.u32(static_cast<std::uint32_t>(scene.radii.size()));
  writer.u32(scene.grid.orientation_bits);
  writer.f64(scene.grid.position_step);
  for (const double x : {scene.gravity.x, scene.gravity.y, scene.gravity.z}) writer.f64(x);
  for (const double radius : scene.radii) writer.f64(radius);
}

void encode_frame(const RecordedFrame& frame, std::vector<std::uint8_t>& out) {
  const std::vector<QuantisedBody>& bodies = frame.frame.bodies;
  const auto count = std::count_if(bodies.begin(), bodies.end(),
                                   [](const QuantisedBody& body) { return body.present; });
  ByteWriter writer(out);
  writer.u64(frame.frame.tick.value);
  writer.u32(static_cast<std::uint32_t>(frame.references.size()));
  writer.u32(static_cast<std::uint32_t>(count));
  for (const std::uint32_t slot : frame.references) writer.u32(slot);
  for (const QuantisedBody& body : bodies) {
    if (!body.present) continue;
    writer.u32(body.id.value);
    writer.u32(body.prototype);
    encode_record(body, writer);
  }
}

// Reads until piece_ has this many bytes. Returns false if the file ends before.
bool FrameReader::fill(std::size_t size) {
  constexpr std::size_t kStep = std::size_t{1} << 20;  // memory grows with the bytes that come
  while (ready_ < size) {
    const std::size_t end = std::min(size, ready_ + kStep);
    piece_.resize(std::max(piece_.size(), end));
    const std::size_t got = bytes_->read(std::span(piece_).subspan(ready_, end - ready_));
    ready_ += got;
    if (got == 0) return false;
  }
  return true;
}

Result<FrameReader> FrameReader::open(std::unique_ptr<session::ByteSource> bytes) {
  FrameReader reader(std::move(bytes));
  if (!reader.fill(kMagicBytes)) {
    if (const Status status = reader.bytes_->status(); !status) return status.error();
    return Error{"has no frames; `orrery record-frames` writes such files"};
  }
  reader.has_header_ = std::memcmp(reader.piece_.data(), kMagic, kMagicBytes) == 0;
  if (!reader.has_header_) {
    reader.scene_ = published_scene();
    return reader;
  }
  const Error short_header{"ends in its header"};
  if (!reader.fill(kMagicBytes + kHeadBytes)) return short_header;
  const auto radii =
      static_cast<std::size_t>(load_little_endian<4>(reader.piece_.data() + kMagicBytes + 4));
  if (radii > limits::kBodiesMax) return Error{"names more than 1048576 prototypes"};
  const std::size_t size = kMagicBytes + kHeadBytes + 8 * radii;
  if (!reader.fill(size)) return short_header;
  const Status status =
      reader.read_header(Bytes(reader.piece_).subspan(kMagicBytes, size - kMagicBytes));
  if (!status) return status.error();
  reader.ready_ = 0;
  return reader;
}

Status FrameReader::read_header(Bytes start) {
  ByteReader in(start);
  scene_.slots = in.u32();
  scene_.radii.resize(in.u32());
  scene_.grid.orientation_bits = in.u32();
  scene_.grid.position_step = in.f64();
  for (double* const x : {&scene_.gravity.x, &scene_.gravity.y, &scene_.gravity.z}) *x = in.f64();
  for (double& radius : scene_.radii) radius = in.f64();
  if (scene_.slots > limits::kBodiesMax) return Error{"names more than 1048576 slots"};
  const std::uint32_t bits = scene_.grid.orientation_bits;
  if (bits < codec::kOrientationBitsMin || bits > codec::kOrientationBitsMax) {
    return Error{"states orientations of other than 6 to 15 bits"};
  }
  const double step = scene_.grid.position_step;
  if (!(step > 1e-30 && step < 1e30)) return Error{"states a step of position out of range"};
  const Vec3& g = scene_.gravity;
  if (!is_number(g.x) || !is_number(g.y) || !is_number(g.z)) {
    return Error{"states a gravity out of range"};
  }
  const bool sound = std::all_of(scene_.radii.begin(), scene_.radii.end(),
                                 [](double x) { return x >= 1 && x <= 1e30; });
  if (!sound) return Error{"states a radius out of range"};
  return ok_status();
}

Status FrameReader::read_body(ByteReader& in, QuantisedBody& body) {
  const Error wrong{"has a body that is not on the grid"};
  const std::uint32_t largest = in.u32();
  body.largest = static_cast<std::uint8_t>(largest);
  for (std::uint16_t& x : body.orientation) {
    const std::uint32_t component = in.u32();
    if (component >> scene_.grid.orientation_bits != 0) return wrong;
    x = static_cast<std::uint16_t>(component);
  }
  for (std::int32_t& x : body.position) {
    x = static_cast<std::int32_t>(in.u32());
    if (x < -codec::kGridPositionMax || x > codec::kGridPositionMax) return wrong;
  }
  const std::uint32_t active = in.u32();
  if (largest > 3 || active > 1) return wrong;
  body.active = active == 1;
  body.present = true;
  return ok_status();
}

Result<bool> FrameReader::next_published(RecordedFrame& out) {
  if (!fill(kPublishedBytes)) {
    if (ready_ == 0) return false;
    return Error{
        "is neither a file of `orrery record-frames`, nor frames of 901 records of 32 bytes"};
  }
  out.frame.tick = Tick{++tick_};
  out.frame.bodies.assign(kPublishedBodies, {});
  out.references = {0};
  ByteReader in(Bytes(piece_).first(kPublishedBytes));
  for (std::uint32_t slot = 0; slot < kPublishedBodies; ++slot) {
    QuantisedBody& body = out.frame.bodies[slot];
    body.id = BodyId{slot};
    body.prototype = slot == 0 ? 1 : 0;
    const Status status = read_body(in, body);
    if (!status) return status.error();
  }
  ready_ = 0;
  return true;
}

Status FrameReader::read_bodies(std::uint32_t count, std::uint64_t references, RecordedFrame& out) {
  const std::size_t size = kFrameBytes + 4 * references + kBodyBytes * count;
  if (!fill(size)) return Error{"ends in a frame"};
  ByteReader in(Bytes(piece_).first(size));
  in.bytes(kFrameBytes);
  out.references.resize(references);
  for (std::uint32_t& slot : out.references) slot = in.u32();
  out.frame.bodies.assign(scene_.slots, {});
  for (std::uint32_t i = 0; i < count; ++i) {
    const BodyId id{in.u32()};
    if (slot_of(id) >= scene_.slots) return Error{"has a body beyond its slots"};
    QuantisedBody& body = out.frame.bodies[slot_of(id)];
    if (body.present) return Error{"has two bodies in one slot"};
    body.id = id;
    body.prototype = in.u32();
    if (body.prototype >= scene_.radii.size()) return Error{"has a body without a prototype"};
    if (const Status status = read_body(in, body); !status) return status;
  }
  ready_ = 0;
  return ok_status();
}

Result<bool> FrameReader::next(RecordedFrame& out) {
  const bool starts = has_header_ ? fill(kFrameBytes) : fill(1);
  if (const Status status = bytes_->status(); !status) return status.error();
  if (!starts && ready_ == 0) return false;
  if (!has_header_) return next_published(out);
  if (!starts) return Error{"ends in a frame"};
  ByteReader head(Bytes(piece_).first(kFrameBytes));
  out.frame.tick = Tick{head.u64()};
  const std::uint32_t references = head.u32();
  const std::uint32_t bodies = head.u32();
  if (out.frame.tick.value <= tick_) return Error{"has frames whose ticks do not ascend"};
  if (references > scene_.slots || bodies > scene_.slots) {
    return Error{"has a frame of more bodies than slots"};
  }
  tick_ = out.frame.tick.value;
  const Status status = read_bodies(bodies, references, out);
  if (!status) return status.error();
  return true;
}

}  // namespace orrery::cli
