// Writes and reads the held state of commands: thrusts, ways, drives, values, changes of bodies.
#include "common/world/image/held_image.h"

#include "common/core/limits.h"
#include "common/math/range.h"

namespace orrery {
namespace {

// Added to the number of thrusts if ways or drives follow the thrusts.
constexpr std::uint32_t kHasDrives = 0x80000000;
// Added to the number of thrusts if values follow the thrusts, ways and drives.
constexpr std::uint32_t kHasValues = 0x40000000;
// Added to the number of thrusts if changes of bodies follow all of these.
constexpr std::uint32_t kHasChanges = 0x20000000;
static_assert(limits::kThrustsMax < kHasChanges);

// Positions of bodies in an image of a solved scene are below this.
constexpr double kReachMax = 0x1p130;

// Bits of the fields of a drive.
constexpr std::uint8_t kHasMotor = 1;
constexpr std::uint8_t kHasServo = 2;

// Bits of the fields of a changed body.
constexpr std::uint8_t kHasFilter = 1;
constexpr std::uint8_t kHasGravityScale = 2;

bool read_thrusts(ByteReader& r, std::uint32_t count, Controls& controls) {
  ORRERY_ASSERT(controls.thrusts.empty());
  if (count > limits::kThrustsMax) return false;
  for (std::uint32_t i = 0; i < count && r.ok(); ++i) {
    HeldThrust t;
    t.body.value = r.u32();
    t.client.value = r.u32();
    t.force = get_vec3f(r);
    t.torque = get_vec3f(r);
    const bool ascending =
        controls.thrusts.empty() || slot_of(controls.thrusts.back().body) < slot_of(t.body);
    if (!ascending || !find_client(controls, t.client) || !within(t.force, limits::kForceMax) ||
        !within(t.torque, limits::kForceMax)) {
      return false;
    }
    controls.thrusts.push_back(t);
  }
  return r.ok();
}

void put(ByteWriter& w, const Pose& pose) {
  for (const double x : {pose.position.x, pose.position.y, pose.position.z, pose.orientation.x,
                         pose.orientation.y, pose.orientation.z, pose.orientation.w}) {
    w.f64(x);
  }
}

// Reads a pose. Returns false unless the components of its position are within a limit.
bool get_pose(ByteReader& r, double limit, Pose& pose) {
  for (double* const x : {&pose.position.x, &pose.position.y, &pose.position.z, &pose.orientation.x,
                          &pose.orientation.y, &pose.orientation.z, &pose.orientation.w}) {
    *x = r.f64();
  }
  const Quat& q = pose.orientation;
  const double norm = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
  return within(pose.position, limit) && within(norm - 1, 1e-9);
}

// Reads the ways. They have begun and have not ended, so their ticks contain `tick`.
bool read_ways(ByteReader& r, Tick tick, Controls& controls) {
  ORRERY_ASSERT(controls.ways.empty());
  const std::uint32_t count = r.u32();
  for (std::uint32_t i = 0; i < count && r.ok(); ++i) {
    Way way;
    way.body.value = r.u32();
    const bool sound =
        get_pose(r, kReachMax, way.from) && get_pose(r, 2 * limits::kLengthMax, way.to);
    way.begin = r.u64();
    way.ticks = r.u32();
    const bool ascending =
        controls.ways.empty() || slot_of(controls.ways.back().body) < slot_of(way.body);
    if (!sound || !ascending || way.ticks > limits::kWayTicksMax || way.begin >= tick.value ||
        tick.value - way.begin >= way.ticks) {
      return false;
    }
    controls.ways.push_back(way);
  }
  return r.ok();
}

static_assert(limits::kKeyBytesMax <= 0xFFFF && limits::kValueBytesMax <= 0xFFFF);

bool is_motor(const MotorDrive& m, const physics::JointTraits& traits) {
  const double most = traits.is_angle ? limits::kAngularSpeedMax : limits::kSpeedMax;
  return within(m.speed, most) && within(m.max, 0, limits::kForceMax);
}

bool is_servo(const ServoDrive& s, const physics::JointTraits& traits) {
  return within(s.position, traits.least, traits.most) &&
         (s.frequency == 0 || within(s.frequency, 1e-6, 1e6)) && within(s.damping_ratio, 0, 1e6) &&
         within(s.max, 0, limits::kForceMax);
}

bool read_drives(ByteReader& r, const Scene& scene, Controls& controls) {
  ORRERY_ASSERT(controls.drives.empty());
  const std::uint32_t count = r.u32();
  for (std::uint32_t i = 0; i < count && r.ok(); ++i) {
    JointDrive drive;
    drive.joint = r.u32();
    const std::uint8_t has = r.u8();
    const bool ascending = controls.drives.empty() || controls.drives.back().joint < drive.joint;
    if (!ascending || drive.joint >= scene.joints.size() || has == 0 ||
        has > (kHasMotor | kHasServo)) {
      return false;
    }
    const physics::JointTraits& traits = physics::traits_of(scene.joints[drive.joint].kind);
    if (!traits.moves) return false;
    if ((has & kHasMotor) != 0) {
      MotorDrive& motor = drive.motor.emplace();
      motor.speed = r.f32();
      motor.max = r.f32();
      if (!is_motor(motor, traits)) return false;
    }
    if ((has & kHasServo) != 0) {
      ServoDrive& servo = drive.servo.emplace();
      servo.position = r.f32();
      servo.frequency = r.f32();
      servo.damping_ratio = r.f32();
      servo.max = r.f32();
      if (!is_servo(servo, traits)) return false;
    }
    controls.drives.push_back(drive);
  }
  return r.ok();
}

// Reads the bytes of a key or value. Returns false if there are none, or too many.
template <std::size_t kMax>
bool read_bytes(ByteReader& r, BoundedBytes<kMax>& bytes) {
  ORRERY_ASSERT(bytes.empty());
  const std::size_t size = r.u16();
  if (size == 0 || size > kMax) return false;
  bytes = BoundedBytes<kMax>(r.bytes(size));
  return r.ok();
}

bool read_values(ByteReader& r, Controls& controls) {
  ORRERY_ASSERT(controls.values.empty());
  const std::uint32_t count = r.u32();
  if (count == 0 || count > limits::kValuesMax) return false;
  controls.values.reserve(limits::kValuesMax);
  for (std::uint32_t i = 0; i < count; ++i) {
    NamedValue v;
    if (!read_bytes(r, v.key) || !read_bytes(r, v.value)) return false;
    if (!controls.values.empty() && !(controls.values.back().key < v.key)) return false;
    controls.values.push_back(v);
  }
  return true;
}

bool read_changes(ByteReader& r, Controls& controls) {
  ORRERY_ASSERT(controls.changes.empty());
  const std::uint32_t count = r.u32();
  if (count == 0) return false;
  for (std::uint32_t i = 0; i < count; ++i) {
    BodyChange change;
    change.body.value = r.u32();
    const std::uint8_t has = r.u8();
    if ((has & kHasFilter) != 0) {
      const std::uint32_t category = r.u32();
      change.filter = BodyChange::Filter{category, r.u32()};
    }
    if ((has & kHasGravityScale) != 0) {
      change.gravity_scale = r.f32();
      if (!within(*change.gravity_scale, limits::kGravityScaleMax)) return false;
    }
    const bool ascending =
        controls.changes.empty() || slot_of(controls.changes.back().body) < slot_of(change.body);
    if (!r.ok() || !ascending || has == 0 || has > (kHasFilter | kHasGravityScale)) return false;
    controls.changes.push_back(change);
  }
  return true;
}

void put_changes(ByteWriter& w, const Controls& c) {
  ORRERY_ASSERT(!c.changes.empty());
  w.u32(static_cast<std::uint32_t>(c.changes.size()));
  for (const BodyChange& change : c.changes) {
    ORRERY_ASSERT(change.filter || change.gravity_scale);
    w.u32(change.body.value);
    w.u8(static_cast<std::uint8_t>((change.filter ? kHasFilter : 0) |
                                   (change.gravity_scale ? kHasGravityScale : 0)));
    if (change.filter) {
      w.u32(change.filter->category);
      w.u32(change.filter->mask);
    }
    if (change.gravity_scale) w.f32(*change.gravity_scale);
  }
}

void put_values(ByteWriter& w, const Controls& c) {
  ORRERY_ASSERT(!c.values.empty() && c.values.size() <= limits::kValuesMax);
  w.u32(static_cast<std::uint32_t>(c.values.size()));
  for (const NamedValue& v : c.values) {
    for (const Bytes bytes : {v.key.view(), v.value.view()}) {
      w.u16(static_cast<std::uint16_t>(bytes.size()));
      w.bytes(bytes);
    }
  }
}

void put_drives(ByteWriter& w, const Controls& c) {
  ORRERY_ASSERT(!c.ways.empty() || !c.drives.empty());
  w.u32(static_cast<std::uint32_t>(c.ways.size()));
  for (const Way& way : c.ways) {
    ORRERY_ASSERT(way.ticks >= 1);
    w.u32(way.body.value);
    put(w, way.from);
    put(w, way.to);
    w.u64(way.begin);
    w.u32(way.ticks);
  }
  w.u32(static_cast<std::uint32_t>(c.drives.size()));
  for (const JointDrive& drive : c.drives) {
    ORRERY_ASSERT(drive.motor || drive.servo);
    w.u32(drive.joint);
    w.u8(static_cast<std::uint8_t>((drive.motor ? kHasMotor : 0) | (drive.servo ? kHasServo : 0)));
    if (drive.motor) {
      w.f32(drive.motor->speed);
      w.f32(drive.motor->max);
    }
    if (drive.servo) {
      w.f32(drive.servo->position);
      w.f32(drive.servo->frequency);
      w.f32(drive.servo->damping_ratio);
      w.f32(drive.servo->max);
    }
  }
}

}  // namespace

void put_vec3f(ByteWriter& w, const Vec3f& v) {
  w.f32(v.x);
  w.f32(v.y);
  w.f32(v.z);
}

Vec3f get_vec3f(ByteReader& r) {
  const float x = r.f32();
  const float y = r.f32();
  const float z = r.f32();
  return {x, y, z};
}

void encode_held(const Controls& c, ByteWriter& w) {
  ORRERY_ASSERT(c.thrusts.size() <= limits::kThrustsMax);
  const bool drives = !c.ways.empty() || !c.drives.empty();
  w.u32(static_cast<std::uint32_t>(c.thrusts.size()) | (drives ? kHasDrives : 0) |
        (c.values.empty() ? 0 : kHasValues) | (c.changes.empty() ? 0 : kHasChanges));
  for (const HeldThrust& t : c.thrusts) {
    w.u32(t.body.value);
    w.u32(t.client.value);
    put_vec3f(w, t.force);
    put_vec3f(w, t.torque);
  }
  if (drives) put_drives(w, c);
  if (!c.values.empty()) put_values(w, c);
  if (!c.changes.empty()) put_changes(w, c);
}

bool decode_held(ByteReader& r, const Scene& scene, Tick tick, Controls& controls) {
  ORRERY_ASSERT(controls.thrusts.empty() && controls.values.empty());
  const std::uint32_t count = r.u32();
  if (!read_thrusts(r, count & ~(kHasDrives | kHasValues | kHasChanges), controls)) return false;
  if ((count & kHasDrives) != 0) {
    const bool sound = read_ways(r, tick, controls) && read_drives(r, scene, controls);
    if (!sound || (controls.ways.empty() && controls.drives.empty())) return false;
  }
  if ((count & kHasValues) != 0 && !read_values(r, controls)) return false;
  return (count & kHasChanges) == 0 || read_changes(r, controls);
}

}  // namespace orrery
