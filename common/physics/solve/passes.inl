// Defines the common parts of the passes over round and general contacts.
//
// Each file of passes includes it inside orrery::physics::HWY_NAMESPACE.

#include "common/physics/wide/wide.inl"

using AllLanes = hn::CappedTag<double, kBlockLanes>;
using OneLane = hn::CappedTag<double, 1>;
static_assert(kBlockLanes % lanes_of<AllLanes>() == 0);
static_assert(lanes_of<OneLane>() == 1);

// Returns a bit for each lane of a mask.
template <class D>
HWY_INLINE std::uint32_t bits_of(hn::Mask<D> mask) {
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(D(), mask, bytes);
  return bytes[0] & ((1u << lanes_of<D>()) - 1);
}

// Calls body(tag, block, extra, lane) for the contacts in a range of blocks. Usually a call is for
// a vector of lanes, of which `lane` is the first. If the range names a single lane, the calls are
// for this lane only, and `tag` is OneLane.
template <class View, class Body>
HWY_INLINE void for_lanes(const View& view, BlockRange range, Body body) {
  for (std::uint32_t i = range.begin; i < range.end; ++i) {
    if (range.lane == kBlockLanes) {
      for (std::uint32_t lane = 0; lane < kBlockLanes; lane += lanes_of<AllLanes>()) {
        body(AllLanes(), view.blocks[i], view.extras[i], lane);
      }
    } else {
      body(OneLane(), view.blocks[i], view.extras[i], range.lane);
    }
  }
}

// As for_lanes(), for the lanes in the bit mask chosen(block) only. A vector with only some such
// lanes is split.
template <class View, class Chosen, class Body>
HWY_INLINE void for_chosen(const View& view, BlockRange range, Chosen chosen, Body body) {
  constexpr std::uint32_t kAll = (1u << lanes_of<AllLanes>()) - 1;
  for (std::uint32_t i = range.begin; i < range.end; ++i) {
    std::uint32_t lanes = chosen(view.blocks[i]);
    if (range.lane != kBlockLanes) lanes &= 1u << range.lane;
    for (std::uint32_t lane = 0; lanes >> lane != 0; lane += lanes_of<AllLanes>()) {
      const std::uint32_t some = lanes >> lane & kAll;
      if (some == kAll) {
        body(AllLanes(), view.blocks[i], view.extras[i], lane);
        continue;
      }
      for (std::uint32_t one = 0; some >> one != 0; ++one) {
        if (some >> one & 1) body(OneLane(), view.blocks[i], view.extras[i], lane + one);
      }
    }
  }
}

// The velocities of both bodies of some contacts, while a pass changes them.
template <class D>
struct Motions {
  template <class Block>
  HWY_INLINE Motions(const BodyRows& rows, const Block& block, std::uint32_t lane)
      : from_a(rows.motion, block.bodies.row_a + lane),
        from_b(rows.motion, block.bodies.row_b + lane),
        writes_a(std::uint32_t{block.footer.writes_a} >> lane),
        writes_b(std::uint32_t{block.footer.writes_b} >> lane) {
    const WideRow<D> a = from_a.load();
    const WideRow<D> b = from_b.load();
    v_a = a.first(), w_a = a.second(), mass_a = a.inverse_mass(), inertia_a = a.inverse_inertia_x();
    v_b = b.first(), w_b = b.second(), mass_b = b.inverse_mass(), inertia_b = b.inverse_inertia_x();
  }
  HWY_INLINE void store() const {
    from_a.store({v_a.x, v_a.y, v_a.z, w_a.x, w_a.y, w_a.z, mass_a, inertia_a}, writes_a);
    from_b.store({v_b.x, v_b.y, v_b.z, w_b.x, w_b.y, w_b.z, mass_b, inertia_b}, writes_b);
  }
  // Applies an impulse to b and its opposite to a, at the centres of mass.
  HWY_INLINE void push(Wide3<D> impulse) {
    v_a = v_a - mass_a * impulse;
    v_b = v_b + mass_b * impulse;
  }
  // Returns the mask of the lanes in which a body cannot be pushed: its inverse mass is 0.
  HWY_INLINE auto any_static() const { return hn::Eq((mass_a * mass_b).lanes, hn::Zero(D())); }

  RowAddresses<D> from_a, from_b;
  std::uint32_t writes_a, writes_b;
  Wide3<D> v_a, w_a, v_b, w_b;
  Wide<D> mass_a, inertia_a, mass_b, inertia_b;  // inverse masses and inertias
};

// Returns `fixed` in the lanes with a body that cannot be pushed, and `moving` in the others.
template <class D>
HWY_INLINE Wide<D> pick(const Motions<D>& m, double fixed, double moving) {
  return Wide<D>(hn::IfThenElse(m.any_static(), hn::Set(D(), fixed), hn::Set(D(), moving)));
}

// A normal impulse as a function of the normal speed u: max(constant - slope u, 0). The speed u at
// a point depends on the impulse at the previous point of the contact. Constant and slope do not:
// the processor can compute them earlier.
template <class D>
struct ImpulseRule {
  HWY_INLINE Wide<D> to(Wide<D> speed) const {
    return larger(constant - slope * speed, Wide<D>(0.0));
  }

  Wide<D> constant, slope;
};

// The parameters of the normal constraint in the solve pass, for each lane. Contacts with a body
// that cannot be pushed are stiffer.
template <class D>
struct NormalConstraint {
  // `soft_mass` is Softness::mass.
  HWY_INLINE NormalConstraint(const PassSettings& pass, const Motions<D>& m, Wide<D> soft_mass)
      : inverse_time(pass.inverse_time),
        mass(soft_mass),
        rate(soft_mass * pick(m, pass.fixed.rate, pass.moving.rate)) {}

  // Returns the rule that replaces the normal impulse P by P'. s is the separation, u the normal
  // speed, m the effective mass, and h the length of the substep. `mass` and `rate` are the fields
  // of Softness:
  //
  //   overlap, s <= 0  P' = mass P - m (mass u + mass rate s)  (soft)
  //   gap, s > 0       P' = P - m (u + s / h)  (speculative: the gap may close within the substep)
  //
  // A negative P' becomes 0.
  HWY_INLINE ImpulseRule<D> answer(Wide<D> effective_mass, Wide<D> s, Wide<D> impulse) const {
    const auto gap = hn::Gt(s.lanes, hn::Zero(D()));
    const Wide<D> bias = hn::IfThenElse(gap, (s * inverse_time).lanes, (rate * s).lanes);
    const Wide<D> share = hn::IfThenElse(gap, hn::Set(D(), 1.0), mass.lanes);
    return {share * impulse - effective_mass * bias, effective_mass * share};
  }

  Wide<D> inverse_time, mass, rate;
};

// Returns the rule of a relax pass, which ignores overlap: P' = P - m (u + max(s / h, 0)), with the
// symbols of NormalConstraint::answer().
template <class D>
HWY_INLINE ImpulseRule<D> relax_rule(Wide<D> effective_mass, Wide<D> s, Wide<D> impulse,
                                     Wide<D> inverse_time) {
  return {impulse - effective_mass * larger(s * inverse_time, Wide<D>(0.0)), effective_mass};
}

// Clamps a warm-start impulse to +-kForceMax. An image may contain any number, and a hard hit can
// leave an impulse that is too large to apply again.
template <class D>
HWY_INLINE Wide<D> bounded(Wide<D> impulse) {
  return smaller(Wide<D>(limits::kForceMax), larger(Wide<D>(-limits::kForceMax), impulse));
}
// Clamps a stored impulse in place, and returns it.
template <class D>
HWY_INLINE Wide<D> start_impulse(double* kept) {
  const Wide<D> impulse = bounded(Wide<D>(kept));
  impulse.store(kept);
  return impulse;
}
template <class D>
HWY_INLINE Wide3<D> start_impulse(Lanes3& kept, std::uint32_t lane) {
  return {start_impulse<D>(kept.x + lane), start_impulse<D>(kept.y + lane),
          start_impulse<D>(kept.z + lane)};
}

// Clamps the stored impulse of a point in place, and multiplies it by `share`. Sets it to 0 if the
// point does not act, or has a gap s that does not close within the substep at the normal speed u:
// the impulse was of an impact that is over. Adds the impulse to `all`, and returns the rest of it.
template <class D>
HWY_INLINE Wide<D> closing_impulse(double* kept, Wide<D> share, Wide<D> effective_mass, Wide<D> s,
                                   Wide<D> u, Wide<D> inverse_time, Wide<D>& all) {
  const auto none = hn::Zero(D());
  const auto apart = hn::And(hn::Gt(s.lanes, none), hn::Gt((u + s * inverse_time).lanes, none));
  const auto acts = hn::AndNot(apart, hn::Gt(effective_mass.lanes, none));
  const Wide<D> impulse = bounded(Wide<D>(kept));
  all = all + impulse;
  const Wide<D> left(hn::IfThenElseZero(acts, (share * impulse).lanes));
  left.store(kept);
  return left;
}

// Multiplies a stored impulse of friction or rolling resistance in place by left / all, the share
// of the normal impulses that is left.
template <class D>
HWY_INLINE void keep_share(double* kept, Wide<D> left, Wide<D> all) {
  const Wide<D> share = left * inverse_or_zero(all);
  const auto whole = hn::Eq(left.lanes, all.lanes);
  const Wide<D> impulse(kept);
  Wide<D>(hn::IfThenElse(whole, impulse.lanes, (share * impulse).lanes)).store(kept);
}
template <class D>
HWY_INLINE void keep_share(Lanes3& kept, std::uint32_t lane, Wide<D> left, Wide<D> all) {
  keep_share<D>(kept.x + lane, left, all);
  keep_share<D>(kept.y + lane, left, all);
  keep_share<D>(kept.z + lane, left, all);
}

// Removes the part of a warm-start friction impulse along `normal`, because the surface may have
// turned since the last tick. Stores and returns the rest.
template <class D>
HWY_INLINE Wide3<D> along_surface(Lanes3& friction_impulse, Wide3<D> normal, std::uint32_t lane) {
  const Wide3<D> before = start_impulse<D>(friction_impulse, lane);
  const Wide3<D> along = before - dot(before, normal) * normal;
  along.store(friction_impulse, lane);
  return along;
}
