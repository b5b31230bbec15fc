// Changes the impulses of all points of a contact at once, before a pass changes them one by one.
//
// general_passes.cpp includes it inside orrery::physics::HWY_NAMESPACE, before its passes.

// Returns the normal speed of a point.
template <class D>
HWY_INLINE Wide<D> normal_speed(const Motions<D>& m, const PointRow& row, Wide3<D> normal,
                                std::uint32_t lane) {
  const Wide<D> turning = dot(Wide3<D>(row.j_b, lane), m.w_b) - dot(Wide3<D>(row.j_a, lane), m.w_a);
  return dot(normal, m.v_b - m.v_a) + turning;
}

// The changes of linear velocity per unit of normal impulse: subtracted on a, added on b. push()
// takes the angular changes from the row.
template <class D>
struct PerImpulse {
  HWY_INLINE PerImpulse(const Motions<D>& m, Wide3<D> normal)
      : a(m.mass_a * normal), b(m.mass_b * normal) {}
  HWY_INLINE void push(Motions<D>& m, const PointRow& row, Wide<D> impulse,
                       std::uint32_t lane) const {
    m.v_a = m.v_a - impulse * a;
    m.v_b = m.v_b + impulse * b;
    m.w_a = m.w_a - impulse * Wide3<D>(row.k_a, lane);
    m.w_b = m.w_b + impulse * Wide3<D>(row.k_b, lane);
  }

  Wide3<D> a, b;
};

// One after the other, the points of a body that falls flat get different impulses, and the body
// turns. Therefore, if the first point changes its speed like an impact on a body that cannot be
// pushed, all points first change together. Point i would change its impulse by d_i if it were the
// only one, and gets f d_i. The best common factor f minimizes the energy along d. With K the
// speeds of all points per impulse, and the slope of each rule,
//
//   f = (sum of d^2 / slope) / (d K d + sum of d^2 (1 / slope - 1 / mass)), at most 1
//
// In a flat fall this is the exact answer, so the rest of the pass changes nothing. Otherwise the
// points would change their speeds differently. The factor is then multiplied by 2 least / most - 1
// of these speeds, or 0 if that is negative.

// Sets the impulses of the points together in some lanes. `rule(row)` returns the ImpulseRule of a
// point.
template <class D, class Rule>
HWY_INLINE void push_together(Motions<D>& m, ManifoldBlock& block, Wide3<D> normal,
                              const PerImpulse<D>& per_impulse, hn::Mask<D> some,
                              std::uint32_t lane, Rule rule) {
  const Wide<D> zero(0.0), one(1.0);
  const Wide3<D> none(zero, zero, zero);
  Wide<D> changes[kContactPointsMax], wanted = zero, soft = zero, most = zero, least(1e300);
  Motions<D> after = m;
  after.v_a = after.v_b = after.w_a = after.w_b = none;
  for (std::uint32_t i = 0; i < block.footer.points; ++i) {
    const PointRow& row = block.points[i];
    const ImpulseRule<D> of_point = rule(row);
    const Wide<D> change =
        of_point.to(normal_speed(m, row, normal, lane)) - Wide<D>(row.impulse + lane);
    const Wide<D> speed = change * inverse_or_zero(of_point.slope);
    const Wide<D> per_slope = change * speed;
    const auto acts = hn::Gt(Wide<D>(row.mass + lane).lanes, hn::Zero(D()));
    most = larger(most, per_slope * inverse_or_zero(of_point.slope));
    least = hn::IfThenElse(acts, smaller(least, speed * speed).lanes, least.lanes);
    wanted = wanted + per_slope;
    soft = soft + (per_slope - change * change * inverse_or_zero(Wide<D>(row.mass + lane)));
    per_impulse.push(after, row, change, lane);
    changes[i] = change;
  }
  Wide<D> gained = soft;
  for (std::uint32_t i = 0; i < block.footer.points; ++i) {
    gained = gained + changes[i] * normal_speed(after, block.points[i], normal, lane);
  }
  const Wide<D> best = smaller(one, wanted * inverse_or_zero(gained));
  const Wide<D> flat =
      larger(zero, Wide<D>(2.0) * square_root(least * inverse_or_zero(most)) - one);
  // No bit of the other lanes may change: adding 0 would turn -0 into 0 there.
  const auto chosen = [some](Wide<D> yes, Wide<D> no) HWY_ATTR {
    return Wide<D>(hn::IfThenElse(some, yes.lanes, no.lanes));
  };
  after = m;
  for (std::uint32_t i = 0; i < block.footer.points; ++i) {
    PointRow& row = block.points[i];
    const Wide<D> old(row.impulse + lane), change = flat * best * changes[i];
    chosen(old + change, old).store(row.impulse + lane);
    per_impulse.push(after, row, change, lane);
  }
  const auto chosen3 = [&](Wide3<D> yes, Wide3<D> no) HWY_ATTR {
    return Wide3<D>(chosen(yes.x, no.x), chosen(yes.y, no.y), chosen(yes.z, no.z));
  };
  m.v_a = chosen3(after.v_a, m.v_a), m.w_a = chosen3(after.w_a, m.w_a);
  m.v_b = chosen3(after.v_b, m.v_b), m.w_b = chosen3(after.w_b, m.w_b);
}

// Does so in the lanes of bodies that hit each other.
template <class D, class Rule>
HWY_INLINE void begin_together(Motions<D>& m, ManifoldBlock& block, Wide3<D> normal,
                               const PerImpulse<D>& per_impulse, const PassSettings& pass,
                               std::uint32_t lane, Rule rule) {
  if (block.footer.points < 2) return;
  const PointRow& first = block.points[0];
  const Wide<D> impulse = rule(first).to(normal_speed(m, first, normal, lane));
  const Wide<D> change = impulse - Wide<D>(first.impulse + lane);
  const Wide<D> least = Wide<D>(kImpactKicks * pass.kick) * Wide<D>(first.mass + lane);
  const auto hits = hn::Gt((change * change).lanes, (least * least).lanes);
  // A lane with one point may not depend on those with more, which share its block.
  const auto several = hn::Gt(Wide<D>(block.points[1].mass + lane).lanes, hn::Zero(D()));
  const auto some = hn::And(hn::And(m.any_static(), hits), several);
  if (!hn::AllFalse(D(), some)) push_together(m, block, normal, per_impulse, some, lane, rule);
}
