// Computes geometry and effective masses of general contacts at the poses in BodyRows.
//
// Each file of kernels that places contacts includes it inside orrery::physics::HWY_NAMESPACE.

#include "common/physics/wide/wide.inl"

using Tag = hn::CappedTag<double, kBlockLanes>;
using Number = Wide<Tag>;
using Vector = Wide3<Tag>;
using Row = WideRow<Tag>;
using Symmetric = WideSymmetric<Tag>;

constexpr std::uint32_t kLanes = lanes_of<Tag>();
static_assert(kBlockLanes % kLanes == 0);
constexpr std::uint32_t kLaneBits = (1u << kLanes) - 1;

#include "common/physics/contacts/chosen_lanes.inl"

// Intermediate results for one vector of lanes of a general block.
struct Pairing {
  Row motion_a, motion_b;
  Symmetric inertia_a, inertia_b;
  Vector normal;
  Number mass;                      // sum of the inverse masses
  Vector arm_a[kContactPointsMax];  // from the centres of mass to the points
  Vector arm_b[kContactPointsMax];
  Number separation[kContactPointsMax];
  Number points;  // number of points (a mask cannot be a member on every instruction set)
  Number scale;   // gravity scale of B minus the one of A
};

// Returns the radius of the smaller ball of a round contact.
HWY_INLINE Number least_radius(const BallColdBlock& extra, std::uint32_t lane) {
  const Number a(extra.radius_a + lane), b(extra.radius_b + lane);
  const Number least = smaller(a, b);
  return hn::IfThenElse(hn::Gt(least.lanes, hn::Zero(Tag())), least.lanes, larger(a, b).lanes);
}

HWY_INLINE hn::Mask<Tag> has_point(const Pairing& p, std::uint32_t i) {
  return hn::Gt(p.points.lanes, hn::Set(Tag(), static_cast<double>(i)));
}

// Loads velocities, inverse masses and inverse inertias.
HWY_INLINE void load_motions(const BodyRows& rows, const BlockHeader& bodies, std::uint32_t lane,
                             Pairing& p) {
  p.motion_a = RowAddresses<Tag>(rows.motion, bodies.row_a + lane).load();
  p.motion_b = RowAddresses<Tag>(rows.motion, bodies.row_b + lane).load();
  p.inertia_a = RowAddresses<Tag>(rows.inertia, bodies.row_a + lane).load().symmetric();
  p.inertia_b = RowAddresses<Tag>(rows.inertia, bodies.row_b + lane).load().symmetric();
  p.mass = p.motion_a.inverse_mass() + p.motion_b.inverse_mass();
}

// Returns the stored normal speed of a point.
HWY_INLINE Number normal_speed(const Pairing& p, std::uint32_t i) {
  const Number turning = dot(cross(p.arm_b[i], p.normal), p.motion_b.second()) -
                         dot(cross(p.arm_a[i], p.normal), p.motion_a.second());
  return dot(p.normal, p.motion_b.first() - p.motion_a.first()) + turning;
}

// An impact without restitution is at least this many times faster than one with restitution. The
// passes of the substeps stop slower bodies.
constexpr double kPlasticShare = 6;

// An impact waits if less than this share of the energy of the bounce is left at the present
// distance. The bodies would otherwise turn round there, near the top of the bounce.
constexpr double kWaitShare = 0.25;
// Largest overlap after waiting, as a share of the inner radius of the smaller body.
constexpr double kWaitDepth = 0.25;

// The impacts of two bodies in the coming tick, if only gravity accelerates them. A kick of a whole
// substep h precedes each drift, so stored velocities lag by half a kick. Speeds here are the
// present ones: the stored speed plus a h / 2, with a the normal acceleration by gravity.
struct Meeting {
  // `scale` is the gravity scale of B minus the one of A, e the restitution, and `depth_max` the
  // deepest overlap of bodies that wait.
  HWY_INLINE Meeting(const ImpactSettings& settings, Vector normal, Number scale, Number e,
                     Number depth_max)
      : reach(settings.tick + 2 * settings.half_time), restitution(e), depth(depth_max) {
    const double plastic = kPlasticShare * settings.speed_min;
    const Number speed =
        hn::IfThenElse(bounces(), hn::Set(Tag(), settings.speed_min), hn::Set(Tag(), plastic));
    least = speed * speed;
    const Vec3& g = settings.gravity;
    const Vector all = scale * Vector(Number(g.x), Number(g.y), Number(g.z));
    acceleration = dot(normal, all);
    lag = Number(settings.half_time) * all;
    normal_lag = dot(normal, lag);
  }

  // Returns the lanes with restitution.
  HWY_INLINE hn::Mask<Tag> bounces() const { return hn::Gt(restitution.lanes, hn::Zero(Tag())); }

  // Returns the square of the speed at which surfaces meet: w^2 = u^2 - 2 a s. u is the present
  // normal speed and s the separation.
  HWY_INLINE Number impact(Number u, Number s) const {
    return u * u - Number(2.0) * acceleration * s;
  }

  // Returns the separation at the end of the tick and one more substep.
  HWY_INLINE Number end(Number u, Number s) const {
    return s + reach * (u + Number(0.5) * reach * acceleration);
  }

  // Returns the lanes in which the surfaces meet within the tick and one more substep, faster than
  // speed_min. The last relax pass of the tick stops bodies that would meet in the next substep.
  HWY_INLINE hn::Mask<Tag> hits(Number u, Number s) const {
    const auto overlap = hn::Lt(end(u, s).lanes, hn::Zero(Tag()));
    return hn::And(hn::And(hn::Lt(u.lanes, hn::Zero(Tag())), overlap),
                   hn::Gt(impact(u, s).lanes, least.lanes));
  }

  // Returns the present normal speed u1 after an impact with restitution e. After the impact, the
  // bodies have the same energy as if they had left each other at separation 0 with the speed e w:
  //
  //   u1^2 = e^2 w^2 + 2 a s
  //
  // If that is at most kWaitShare of e^2 w^2, they would hardly get farther apart than they are
  // (waits()). Without restitution, the bodies may close a gap by the end of the tick.
  HWY_INLINE Number leave(Number u, Number s) const {
    const Number zero(0.0), e = restitution;
    const Number after = e * e * impact(u, s) + Number(2.0) * acceleration * s;
    const Number closing = zero - (s * inverse_or_zero(reach) + Number(0.5) * reach * acceleration);
    const Number plastic =
        hn::IfThenElseZero(hn::Gt(s.lanes, zero.lanes), smaller(zero, closing).lanes);
    const auto turns = hn::And(deep(u, s), hn::Gt(after.lanes, zero.lanes));
    const auto leaves = hn::And(hn::Or(leaves_now(after, u, s), turns), bounces());
    return hn::IfThenElse(leaves, square_root(larger(after, zero)).lanes, plastic.lanes);
  }

  // Returns the lanes in which an impact has to wait, until the bodies have come nearer.
  HWY_INLINE hn::Mask<Tag> waits(Number u, Number s) const {
    const Number e = restitution;
    const Number after = e * e * impact(u, s) + Number(2.0) * acceleration * s;
    const auto turns = hn::And(deep(u, s), hn::Gt(after.lanes, hn::Zero(Tag())));
    return hn::AndNot(hn::Or(leaves_now(after, u, s), turns), bounces());
  }

  // Returns the lanes in which bodies that wait would overlap too much.
  HWY_INLINE hn::Mask<Tag> deep(Number u, Number s) const {
    return hn::Lt((end(u, s) + depth).lanes, hn::Zero(Tag()));
  }

  // `after` is the square of the present speed after the impact.
  HWY_INLINE hn::Mask<Tag> leaves_now(Number after, Number u, Number s) const {
    return hn::Gt(after.lanes,
                  (Number(kWaitShare) * restitution * restitution * impact(u, s)).lanes);
  }

  Number reach;  // how long the bodies move, time
  Number restitution, depth, least, acceleration, normal_lag;
  Vector lag;  // half a kick of B relative to A
};

// Returns the direction from the anchors on A to those on B: a unit vector on the side of p.normal.
// Returns p.normal if the anchors coincide.
HWY_INLINE Vector core_normal(const ManifoldBlock& block, const ManifoldColdBlock& extra,
                              std::uint32_t lane, Vector between, const WideRotation<Tag>& turn_a,
                              const WideRotation<Tag>& turn_b, const Pairing& p) {
  const Number zero(0.0);
  Vector sum(zero, zero, zero);
  for (std::uint32_t i = 0; i < block.footer.points; ++i) {
    const Vector to = (between + turn_b.to_world(Vector(extra.at_b[i], lane))) -
                      turn_a.to_world(Vector(extra.at_a[i], lane));
    sum = sum + select(has_point(p, i), to, Vector(zero, zero, zero));
  }
  const Number radii = Number(extra.radius_a + lane) + Number(extra.radius_b + lane);
  const auto apart = hn::Gt(dot(sum, p.normal).lanes, (Number(0.25) * radii).lanes);
  return select(apart, inverse_or_zero(square_root(dot(sum, sum))) * sum, p.normal);
}

// Returns the lanes of parts that only pass each other (passing_plane()). Their plane has no
// points: it misses at least one part, and an impulse there would make this part spin.
HWY_INLINE hn::Mask<Tag> passes(const ManifoldColdBlock& extra, std::uint32_t lane) {
  const Number usual = Number(kReuseShare) * Number(extra.inner_radius + lane);
  return hn::Lt(Number(extra.reuse + lane).lanes, (Number(0.5) * usual).lanes);
}

// Moves the points with their bodies. With xA, xB the centres of mass, rA, rB the vectors from them
// to the point as fixed to A and to B, and n the normal,
//
//   slip = (xB + rB) - (xA + rA), separation = separation when made + n . slip
// The point of a round part is at its anchor plus n times the distance when made: its radius and
// half of the separation. Returns a bit mask of the lanes with bodies that have moved too far
// relative to each other. Bit 0 is the lane `lane`.
// If kTurned, the normal of two round parts is the direction between their anchors: it turns with
// neither part.
template <bool kTurned>
HWY_INLINE std::uint32_t place_points(const BodyRows& rows, const ManifoldBlock& block,
                                      const ManifoldColdBlock& extra, std::uint32_t lane,
                                      Pairing& p) {
  const Row a = RowAddresses<Tag>(rows.pose, block.bodies.row_a + lane).load();
  const Row b = RowAddresses<Tag>(rows.pose, block.bodies.row_b + lane).load();
  const WideRotation<Tag> turn_a(a.second(), a.orientation_w());
  const WideRotation<Tag> turn_b(b.second(), b.orientation_w());
  const Vector between = b.first() - a.first();
  const Number zero(0.0), one(1.0), half(0.5);
  const auto of_b = hn::Gt(Number(extra.face_of_b + lane).lanes, zero.lanes);
  p.normal = select(of_b, turn_b.to_world(Vector(extra.normal_b, lane)),
                    turn_a.to_world(Vector(extra.normal_a, lane)));
  p.points = hn::IfThenZeroElse(passes(extra, lane), Number(extra.count + lane).lanes);
  p.scale = b.gravity_scale() - a.gravity_scale();
  const Number radius_a(extra.radius_a + lane), radius_b(extra.radius_b + lane);
  const auto round_a = hn::Gt(radius_a.lanes, zero.lanes);
  const auto round_b = hn::Gt(radius_b.lanes, zero.lanes);
  if constexpr (kTurned) {
    const auto both = hn::And(round_a, round_b);
    if (!hn::AllFalse(Tag(), both)) {
      const Vector normal = core_normal(block, extra, lane, between, turn_a, turn_b, p);
      p.normal = select(both, normal, p.normal);
    }
  }
  const Number share_a(extra.share + lane), share_b = one - share_a;
  Number moved(0.0);
  for (std::uint32_t i = 0; i < block.footer.points; ++i) {
    const Number made(extra.made[i] + lane);
    const Number out_a = hn::IfThenElseZero(round_a, (radius_a + half * made).lanes);
    const Number out_b = hn::IfThenElseZero(round_b, (radius_b + half * made).lanes);
    const Vector from_a = turn_a.to_world(Vector(extra.at_a[i], lane)) + out_a * p.normal;
    const Vector from_b = turn_b.to_world(Vector(extra.at_b[i], lane)) - out_b * p.normal;
    const Vector slip = (between + from_b) - from_a;
    if (i == 0) moved = dot(slip, slip);
    p.separation[i] = made + dot(p.normal, slip);
    // both arms end in one place, so that opposite impulses act at one point
    p.arm_a[i] = from_a + share_a * slip;
    p.arm_b[i] = from_b - share_b * slip;
  }
  // The squared angle of the relative rotation since the geometry was made, approximated by
  // (2 sin(angle / 2))^2.
  const Vector qa = a.second(), qb = b.second();
  const Number wa = a.orientation_w(), wb = b.orientation_w();
  const Vector turned = ((wa * qb) - (wb * qa)) - cross(qa, qb);
  const Number turned_w = wa * wb + dot(qa, qb);
  const Number same =
      dot(turned, Vector(extra.turn, lane)) + turned_w * Number(extra.turn_w + lane);
  const Number angle_2 = Number(4.0) * larger(zero, one - same * same);
  const Number extent(extra.extent + lane), reuse(extra.reuse + lane);
  return bits_of(hn::Gt((moved + angle_2 * (extent * extent)).lanes, (reuse * reuse).lanes));
}

// Returns the largest overlap that counts (kPushShare). `r` is the inner radius. At rest, a soft
// contact of mass m bears the impulse P in each substep h if it is P / (m h w^2) deep.
HWY_INLINE Number deepest_of(Number r, Number impulse_per_mass, const ImpactSettings& settings) {
  const double h = 2 * settings.half_time, loads = kPushLoads * h / (kContactTurn * kContactTurn);
  const Number most = smaller(Number(kPushShareMax) * r, Number(settings.push_most));
  return larger(Number(kPushShare) * r, smaller(Number(loads) * impulse_per_mass, most));
}

// Computes j = r x n and k = I^-1 j (PointRow), and the effective mass 1 / (1/mA + 1/mB + jA.kA +
// jB.kB) of each point. Bounds the overlaps. If kTurned, they may stay as deep as they were, and a
// point that waits stays without effective mass.
template <bool kTurned, class Store>
HWY_INLINE void prepare_points(ManifoldBlock& block, const ManifoldColdBlock& extra,
                               std::uint32_t lane, const ImpactSettings& settings, Pairing& p,
                               const Store& store) {
  const Number inner(extra.inner_radius + lane);
  for (std::uint32_t i = 0; i < block.footer.points; ++i) {
    PointRow& row = block.points[i];
    const Vector j_a = cross(p.arm_a[i], p.normal);
    const Vector j_b = cross(p.arm_b[i], p.normal);
    const Vector k_a = p.inertia_a * j_a, k_b = p.inertia_b * j_b;
    const Number inverse_mass = p.mass + (dot(j_a, k_a) + dot(j_b, k_b));
    store(j_a, row.j_a, lane);
    store(k_a, row.k_a, lane);
    store(j_b, row.j_b, lane);
    store(k_b, row.k_b, lane);
    Number bound = deepest_of(inner, Number(row.impulse + lane) * inverse_mass, settings);
    if constexpr (kTurned) bound = larger(bound, Number(0.0) - Number(row.gap + lane));
    p.separation[i] = larger(p.separation[i], Number(0.0) - bound);
    store(p.separation[i], row.separation, lane);
    store(p.separation[i], row.gap, lane);
    auto acts = has_point(p, i);
    if constexpr (kTurned) {
      acts = hn::And(acts, hn::Not(hn::Eq(Number(row.mass + lane).lanes, hn::Zero(Tag()))));
    }
    const Number mass = inverse_or_zero(inverse_mass);
    store(Number(hn::IfThenElseZero(acts, mass.lanes)), row.mass, lane);
  }
}

// Computes the centre of friction: the weighted mean of the points. Points up to the reuse distance
// above the deepest have weight 1. Beyond it the weight falls, to almost 0 at twice this distance.
template <class Store>
HWY_INLINE void place_friction(ManifoldBlock& block, const ManifoldColdBlock& extra,
                               std::uint32_t lane, const Pairing& p, Vector& center_a,
                               Vector& center_b, const Store& store) {
  const Number zero(0.0), one(1.0), two(2.0), least(1e-10);
  Number deepest = p.separation[0];
  for (std::uint32_t i = 1; i < block.footer.points; ++i) {
    const Number lower = smaller(deepest, p.separation[i]);
    deepest = hn::IfThenElse(has_point(p, i), lower.lanes, deepest.lanes);
  }
  const Number per_distance = inverse_or_zero(Number(extra.reuse + lane));
  Number sum = zero;
  Vector sum_a(zero, zero, zero), sum_b(zero, zero, zero);
  for (std::uint32_t i = 0; i < block.footer.points; ++i) {
    const Number above = (p.separation[i] - deepest) * per_distance;
    const Number share = smaller(larger(two - above, least), one);
    const Number weight = hn::IfThenElseZero(has_point(p, i), share.lanes);
    sum = sum + weight;
    sum_a = sum_a + weight * p.arm_a[i];
    sum_b = sum_b + weight * p.arm_b[i];
  }
  const Number per_sum = inverse_or_zero(sum);
  center_a = per_sum * sum_a;
  center_b = per_sum * sum_b;
  store(center_a, block.arm_a, lane);
  store(center_b, block.arm_b, lane);
  for (std::uint32_t i = 0; i < block.footer.points; ++i) {
    const Vector from_center = p.arm_a[i] - center_a;
    store(square_root(dot(from_center, from_center)), block.lever[i], lane);
  }
}

// Returns the effective mass of sliding: the inverse of the largest eigenvalue of the 2 x 2 matrix
// K of two tangents t1 and t2. With r the vectors from the centres of mass to the centre of
// friction,
//
//   K_ij = (1/mA + 1/mB) (ti . tj) + sum over both bodies of (r x ti) . I^-1 (r x tj)
HWY_INLINE Number tangent_mass(const Pairing& p, Vector center_a, Vector center_b) {
  const Vector first = tangent_of(p.normal);
  const Vector second = cross(p.normal, first);
  const Vector a1 = cross(center_a, first), a2 = cross(center_a, second);
  const Vector b1 = cross(center_b, first), b2 = cross(center_b, second);
  const Vector ka1 = p.inertia_a * a1, ka2 = p.inertia_a * a2;
  const Vector kb1 = p.inertia_b * b1, kb2 = p.inertia_b * b2;
  const Number xx = dot(a1, ka1) + dot(b1, kb1);
  const Number yy = dot(a2, ka2) + dot(b2, kb2);
  const Number xy = dot(a1, ka2) + dot(b1, kb2);
  const Number half(0.5), apart = half * (xx - yy);
  const Number largest = half * (xx + yy) + square_root(apart * apart + xy * xy);
  return inverse_or_zero(p.mass + largest);
}

// Returns the effective mass of twist, 1 / (n . (IA^-1 + IB^-1) n), with n the normal.
HWY_INLINE Number twist_mass(const Pairing& p) {
  return inverse_or_zero(dot(p.normal, p.inertia_a * p.normal + p.inertia_b * p.normal));
}

// Computes the centre and the effective masses of friction.
template <class Store>
HWY_INLINE void prepare_friction(ManifoldBlock& block, const ManifoldColdBlock& extra,
                                 std::uint32_t lane, const Pairing& p, const Store& store) {
  Vector center_a, center_b;
  place_friction(block, extra, lane, p, center_a, center_b, store);
  store(tangent_mass(p, center_a, center_b), block.tangent_mass, lane);
  store(twist_mass(p), block.twist_mass, lane);
}

// Computes the effective mass of rolling, (IA^-1 + IB^-1)^-1, by cofactors.
template <class Store>
HWY_INLINE void prepare_rolling(ManifoldColdBlock& extra, std::uint32_t lane, const Pairing& p,
                                const Store& store) {
  const Symmetric &a = p.inertia_a, &b = p.inertia_b;
  const Number xx = a.xx + b.xx, yy = a.yy + b.yy, zz = a.zz + b.zz;
  const Number xy = a.xy + b.xy, xz = a.xz + b.xz, yz = a.yz + b.yz;
  const Number cxx = yy * zz - yz * yz, cxy = xz * yz - xy * zz, cxz = xy * yz - xz * yy;
  const Number per_determinant = inverse_or_zero(xx * cxx + xy * cxy + xz * cxz);
  store(Vector(per_determinant * cxx, per_determinant * (xx * zz - xz * xz),
               per_determinant * (xx * yy - xy * xy)),
        extra.rolling_mass, lane);
  store(Vector(per_determinant * cxy, per_determinant * cxz, per_determinant * (xy * xz - xx * yz)),
        extra.rolling_mass_mixed, lane);
}
