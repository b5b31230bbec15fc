// Reads and writes files of frames.
#include "client/cli/frame_file.h"

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "common/core/limits.h"
#include "common/core/printable.h"
#include "common/session/log_format.h"

namespace orrery::cli {
namespace {

using codec::DeltaScene;
using codec::QuantisedBody;

constexpr char kMagic[] = "ORRYFRM1";
constexpr std::size_t kMagicBytes = 8;             // without the zero at its end
constexpr std::size_t kHeadBytes = 3 * 4 + 4 * 8;  // after the magic, before the radii
constexpr std::size_t kRecordBytes = 8 * 4;
constexpr std::size_t kBodyBytes = 2 * 4 + kRecordBytes;
constexpr std::size_t kFrameBytes = 8 + 2 * 4;
constexpr std::uint32_t kPublishedBodies = 901;
constexpr std::size_t kPublishedBytes = kPublishedBodies * kRecordBytes;
constexpr double kNumberMax = 1e30;
static_assert(kMagic[kMagicBytes] == 0);
static_assert(kFreeSlots == 4096);
constexpr char kHeldSlots[] = "4096 and one for each body of the largest frame so far";

// The scene of files in the published form, which have no header: a large cube and 900 small ones.
DeltaScene published_scene() {
  DeltaScene scene;
  scene.grid = {.position_step = 1.0 / 512, .orientation_bits = 9};
  scene.gravity = {0, 0, -20.0 * 512 / (60 * 60)};
  scene.slots = kPublishedBodies;
  scene.prototypes = 2;
  return scene;
}

void encode_record(const QuantisedBody& body, ByteWriter& out) {
  out.u32(body.largest);
  for (const std::uint16_t x : body.orientation) out.u32(x);
  for (const std::int32_t x : body.position) out.u32(static_cast<std::uint32_t>(x));
  out.u32(body.active ? 1 : 0);
}

std::string text_of(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.10g", x);
  return text;
}

// Returns an error unless a field is within its range, bounds included. NaN is in no range.
Status check_whole(std::string_view field, std::int64_t value, std::int64_t least,
                   std::int64_t most) {
  if (value >= least && value <= most) return ok_status();
  return Error{std::string(field) + " is " + std::to_string(value) + "; must be " +
               std::to_string(least) + " to " + std::to_string(most)};
}
Status check_real(std::string_view field, double value, double least, double most) {
  if (value >= least && value <= most) return ok_status();
  return Error{std::string(field) + " is " + text_of(value) + "; must be " + text_of(least) +
               " to " + text_of(most)};
}

// Returns an error unless an index is below a count.
Status check_index(std::string_view field, std::uint32_t index, std::size_t count,
                   const char* counted) {
  if (index < count) return ok_status();
  return Error{std::string(field) + " is " + std::to_string(index) + "; must be below " +
               std::to_string(count) + ", " + counted};
}

Error within(const std::string& place, const Error& error) { return error.after(place + ": "); }

}  // namespace

void encode_frame_header(const DeltaScene& scene, std::span<const double> radii,
                         std::vector<std::uint8_t>& out) {
  ByteWriter writer(out);
  writer.bytes({reinterpret_cast<const std::uint8_t*>(kMagic), kMagicBytes});
  writer.u32(scene.slots);
  writer.u32(static_cast<std::uint32_t>(radii.size()));
  writer.u32(scene.grid.orientation_bits);
  writer.f64(scene.grid.position_step);
  for (const double x : {scene.gravity.x, scene.gravity.y, scene.gravity.z}) writer.f64(x);
  for (const double radius : radii) writer.f64(radius);
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

// Returns why fill() found fewer bytes: the file could not be read, or ends unexpectedly.
Error FrameReader::end_error(const std::string& unexpected) const {
  const Status status = bytes_->status();
  return status ? Error{unexpected} : status.error();
}

Result<FrameReader> FrameReader::open(std::unique_ptr<session::ByteSource> bytes) {
  FrameReader reader(std::move(bytes));
  if (!reader.fill(kMagicBytes)) {
    return reader.end_error("has no frames; `orrery record-frames` writes such files");
  }
  const std::string magic(reader.piece_.begin(), reader.piece_.begin() + kMagicBytes);
  reader.has_header_ = magic == kMagic;
  if (!reader.has_header_) {
    if (std::equal(session::kLogMagic.begin(), session::kLogMagic.end(), reader.piece_.begin())) {
      return Error{"is a session log; `orrery record-frames` makes a file of frames from it"};
    }
    if (magic.starts_with("ORRYFRM")) {
      return Error{"header: magic is " + printable(magic) + "; must be " + kMagic};
    }
    reader.scene_ = published_scene();
    reader.radii_ = {0.2 * 512, 0.75 * 512};
    return reader;
  }
  constexpr std::size_t kFixed = kMagicBytes + kHeadBytes;
  const auto short_header = [&](std::size_t size) {
    return reader.end_error("header: ends after " + std::to_string(reader.ready_) + " of " +
                            std::to_string(size) + " bytes");
  };
  if (!reader.fill(kFixed)) return short_header(kFixed);
  const auto radii =
      static_cast<std::size_t>(load_little_endian<4>(reader.piece_.data() + kMagicBytes + 4));
  const Status few = check_whole("header: prototypes", static_cast<std::int64_t>(radii), 0,
                                 std::int64_t{limits::kBodiesMax});
  if (!few) return few.error();
  const std::size_t size = kFixed + 8 * radii;
  if (!reader.fill(size)) return short_header(size);
  const Status status =
      reader.read_header(Bytes(reader.piece_).subspan(kMagicBytes, size - kMagicBytes));
  if (!status) return within("header", status.error());
  reader.ready_ = 0;
  return reader;
}

Status FrameReader::read_header(Bytes start) {
  ByteReader in(start);
  slots_ = in.u32();
  scene_.prototypes = in.u32();
  radii_.resize(scene_.prototypes);
  const std::uint32_t bits = in.u32();
  scene_.grid = {.position_step = in.f64(), .orientation_bits = bits};
  if (Status s = check_whole("slots", slots_, 0, std::int64_t{limits::kBodiesMax}); !s) return s;
  if (Status s = check_whole("orientation_bits", bits, std::int64_t{codec::kOrientationBitsMin},
                             std::int64_t{codec::kOrientationBitsMax});
      !s) {
    return s;
  }
  if (Status s = check_real("position_step", scene_.grid.position_step, 1 / kNumberMax, kNumberMax);
      !s) {
    return s;
  }
  for (double* const x : {&scene_.gravity.x, &scene_.gravity.y, &scene_.gravity.z}) *x = in.f64();
  const Vec3& g = scene_.gravity;
  if (Status s = check_real("gravity x", g.x, -kNumberMax, kNumberMax); !s) return s;
  if (Status s = check_real("gravity y", g.y, -kNumberMax, kNumberMax); !s) return s;
  if (Status s = check_real("gravity z", g.z, -kNumberMax, kNumberMax); !s) return s;
  for (std::size_t i = 0; i < radii_.size(); ++i) {
    radii_[i] = in.f64();
    const Status s = check_real("radius", radii_[i], 1.0, kNumberMax);
    if (!s) return within("prototype " + std::to_string(i), s.error());
  }
  scene_.slots = std::min(slots_, kFreeSlots);
  return ok_status();
}

Status FrameReader::read_record(ByteReader& in, QuantisedBody& body) const {
  static constexpr const char* kComponents[] = {"orientation a", "orientation b", "orientation c"};
  static constexpr const char* kAxes[] = {"position x", "position y", "position z"};
  const std::int64_t most = (std::int64_t{1} << scene_.grid.orientation_bits) - 1;
  const std::int64_t bound = codec::kGridPositionMax;
  const std::uint32_t largest = in.u32();
  if (Status s = check_whole("largest", largest, 0, 3); !s) return s;
  body.largest = static_cast<std::uint8_t>(largest);
  for (std::size_t i = 0; i < body.orientation.size(); ++i) {
    const std::uint32_t x = in.u32();
    if (Status s = check_whole(kComponents[i], x, 0, most); !s) return s;
    body.orientation[i] = static_cast<std::uint16_t>(x);
  }
  for (std::size_t i = 0; i < body.position.size(); ++i) {
    body.position[i] = static_cast<std::int32_t>(in.u32());
    if (Status s = check_whole(kAxes[i], body.position[i], -bound, bound); !s) return s;
  }
  const std::uint32_t active = in.u32();
  if (Status s = check_whole("active", active, 0, 1); !s) return s;
  body.active = active == 1;
  body.present = true;
  body.size = codec::size_of(std::min(radii_[body.prototype], 0x1p31));
  return ok_status();
}

Result<bool> FrameReader::next_published(RecordedFrame& out) {
  // A file without our header is read in the published form.
  const Error other{"the file has no header, so a frame is 901 records of 32 bytes"};
  if (!fill(kPublishedBytes)) {
    if (ready_ == 0) return false;
    const std::string where = std::to_string(ready_) + " of " + std::to_string(kPublishedBytes);
    return end_error("ends after " + where + " bytes; " + other.text());
  }
  out.frame.tick = Tick{++tick_};
  out.frame.bodies.assign(kPublishedBodies, {});
  out.references = {0};
  ByteReader in(Bytes(piece_).first(kPublishedBytes));
  for (std::uint32_t slot = 0; slot < kPublishedBodies; ++slot) {
    QuantisedBody& body = out.frame.bodies[slot];
    body.id = BodyId{slot};
    body.prototype = slot == 0 ? 1 : 0;
    const Status status = read_record(in, body);
    if (status) continue;
    const Error error = within("body " + std::to_string(slot), status.error());
    return frames_ > 0 ? error : Error{error.text() + "; " + other.text()};
  }
  return true;
}

Status FrameReader::read_body(ByteReader& in, RecordedFrame& out) const {
  const BodyId id{in.u32()};
  const std::uint32_t slot = slot_of(id);
  if (Status s = check_index("slot of the id", slot, slots_, "the slots of the header"); !s) {
    return s;
  }
  if (Status s = check_index("slot of the id", slot, scene_.slots, kHeldSlots); !s) return s;
  QuantisedBody& body = out.frame.bodies[slot];
  if (body.present) {
    return Error{"slot of the id is " + std::to_string(slot) + ", which an earlier body has"};
  }
  body.id = id;
  body.prototype = in.u32();
  const Status known =
      check_index("prototype", body.prototype, radii_.size(), "the number in the header");
  if (!known) return known;
  return read_record(in, body);
}

Status FrameReader::read_bodies(std::uint32_t references, std::uint32_t count, RecordedFrame& out) {
  const std::size_t begin = kFrameBytes + std::size_t{4} * references;
  const std::size_t size = begin + kBodyBytes * count;
  if (!fill(size)) {
    if (ready_ < begin) return end_error("ends in its references");
    return end_error("ends in body " + std::to_string((ready_ - begin) / kBodyBytes) + " of " +
                     std::to_string(count));
  }
  const std::uint64_t held = std::uint64_t{kFreeSlots} + count;
  if (held > scene_.slots) {
    scene_.slots = static_cast<std::uint32_t>(std::min<std::uint64_t>(slots_, held));
  }
  ByteReader in(Bytes(piece_).first(size));
  in.bytes(kFrameBytes);
  out.references.resize(references);
  for (std::size_t i = 0; i < out.references.size(); ++i) {
    out.references[i] = in.u32();
    const Status s = check_index("slot", out.references[i], slots_, "the slots of the header");
    if (!s) return within("reference " + std::to_string(i), s.error());
  }
  out.frame.bodies.assign(scene_.slots, {});
  for (std::uint32_t i = 0; i < count; ++i) {
    const Status status = read_body(in, out);
    if (!status) return within("body " + std::to_string(i), status.error());
  }
  return ok_status();
}

Result<bool> FrameReader::next_recorded(RecordedFrame& out) {
  if (!fill(kFrameBytes)) {
    if (ready_ == 0) return false;
    return end_error("ends after " + std::to_string(ready_) + " of the first " +
                     std::to_string(kFrameBytes) + " bytes");
  }
  ByteReader head(Bytes(piece_).first(kFrameBytes));
  out.frame.tick = Tick{head.u64()};
  const std::uint32_t references = head.u32();
  const std::uint32_t bodies = head.u32();
  if (out.frame.tick.value <= tick_) {
    return Error{"tick is " + std::to_string(out.frame.tick.value) + "; must be above " +
                 std::to_string(tick_)};
  }
  tick_ = out.frame.tick.value;
  if (const Status s = check_whole("references", references, 0, slots_); !s) return s.error();
  if (const Status s = check_whole("bodies", bodies, 0, slots_); !s) return s.error();
  const Status status = read_bodies(references, bodies, out);
  if (!status) return status.error();
  return true;
}

Result<bool> FrameReader::next(RecordedFrame& out) {
  Result<bool> read = has_header_ ? next_recorded(out) : next_published(out);
  const Status status = bytes_->status();
  if (read && !read.value() && !status) read = status.error();
  if (!read) return within("frame " + std::to_string(frames_ + 1), read.error());
  frames_ += read.value() ? 1 : 0;
  ready_ = 0;
  return read;
}

}  // namespace orrery::cli
