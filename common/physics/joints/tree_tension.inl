// Adds inertia to light bodies under tension, so that trees stay stable.
//
// tree_passes.cpp includes it inside orrery::physics::HWY_NAMESPACE, after tree_lanes.inl.
//
// A joint pulls at the arm r of a body with a force f, whose direction is constant in a substep. If
// the body turns, the torque r x f changes as that of a spring with the stiffness K = r . f.
// Leapfrog with a spring gains energy without bound if h^2 K > 4 I, with h the substep and I the
// inertia. Light links under a heavy weight have such springs. With h^2 K / 4 more inertia,
// leapfrog is the implicit midpoint rule, which is stable for any K and has no damping. (N. M.
// Newmark, J. Eng. Mech. Div. ASCE 85, 1959. The stiffness: M. Tournier, M. Nesme, B. Gilles, F.
// Faure, Stable Constrained Dynamics, ACM Trans. Graph. 34, 2015.)
//
// The solver needs more than that. A tension of fixed direction cannot keep a chain together if its
// links swing far in a substep.

// The largest ratio h^2 K / (4 I) of a body that gets no inertia. Other bodies get kExcessInertia
// times the excess. The fastest links then swing by at most 0.7 rad of phase in a substep.
constexpr double kTensionMost = 0.5;
constexpr double kExcessInertia = 8;

// The share of their relative spin that two bodies with added inertia lose in a substep, if their
// masses are equal. The motion that it damps is too fast for a substep.
constexpr double kTensionFriction = 0.25;

// If Newton's method does not converge, the bodies get the inertia of a point mass at their arms.
// It is kShareFirst of the largest mass of the tree, and kShareGrowth times as much each time.
constexpr double kShareFirst = 1.0 / 32;
constexpr double kShareGrowth = 8;
constexpr int kAttemptsMax = 5;

// Returns true if a link has rows for all three coordinates of its point.
inline bool holds_point(const TreeLink& link) { return link.lengths == 3; }

// Returns an arm of a link from its cross products j (LinkFrame::add_point).
template <class D>
HWY_INLINE Wide3<D> arm_of(const Lanes<D>& lanes, const TreeLink& link, std::uint32_t j) {
  ORRERY_ASSERT(holds_point(link));
  const std::size_t stride = lanes.batch.lanes;
  return {Wide<D>(lanes.row(link.first_row + 1, j) + 2 * stride),
          Wide<D>(lanes.row(link.first_row + 2, j)),
          Wide<D>(lanes.row(link.first_row, j) + stride)};
}

// Calls take(body, arm, on_a) for both bodies of each link that holds a point.
template <class D, class Take>
HWY_INLINE void for_arms(const Lanes<D>& lanes, const TreePlan& plan, Take take) {
  for (const TreeLink& link : plan.links) {
    if (!holds_point(link)) continue;
    take(link.a, arm_of(lanes, link, TreeRow::j_a), link, true);
    take(link.b, arm_of(lanes, link, TreeRow::j_b), link, false);
  }
}

// Computes the inverse inertia of the bodies with their added inertia, and k of the rows.
template <class D>
HWY_NOINLINE void add_inertia(const Lanes<D>& lanes) {
  const TreePlan& plan = *lanes.batch.plan;
  for (std::uint32_t b = 0; b < plan.bodies; ++b) {
    const Wide<D> added(lanes.body(b, TreeBody::added_inertia));
    const auto more = hn::Gt(added.lanes, hn::Zero(D()));
    const auto with = [&](std::uint32_t i) HWY_ATTR {
      const Wide<D> inverse(lanes.body(b, TreeBody::inverse_moments + i));
      return inverse / (Wide<D>(1.0) + added * inverse);
    };
    const auto q = lanes.rotation(lanes.body(b, TreeBody::orientation));
    const auto in_world = world_matrix(WideRotation<D>(q.v, q.w), {with(0), with(1), with(2)});
    const auto own = lanes.symmetric(lanes.body(b, TreeBody::own_inverse_inertia));
    const auto either = [&](Wide<D> x, Wide<D> y)
                            HWY_ATTR { return Wide<D>(hn::IfThenElse(more, x.lanes, y.lanes)); };
    lanes.store(
        lanes.body(b, TreeBody::inverse_inertia),
        {either(in_world.xx, own.xx), either(in_world.yy, own.yy), either(in_world.zz, own.zz),
         either(in_world.xy, own.xy), either(in_world.xz, own.xz), either(in_world.yz, own.yz)});
  }
  for (const TreeLink& link : plan.links) {
    const auto a = lanes.symmetric(lanes.body(link.a, TreeBody::inverse_inertia));
    const auto b = lanes.symmetric(lanes.body(link.b, TreeBody::inverse_inertia));
    for (std::uint32_t r = link.first_row; r < link.first_row + link.rows; ++r) {
      lanes.store(lanes.row(r, TreeRow::k_a), a * lanes.vector(lanes.row(r, TreeRow::j_a)));
      lanes.store(lanes.row(r, TreeRow::k_b), b * lanes.vector(lanes.row(r, TreeRow::j_b)));
    }
  }
}

// Finds h^2 K / 4 of each body from the impulses of a substep of length h. Returns false if no body
// can have a ratio above kTensionMost.
template <class D>
HWY_INLINE bool find_stiffness(const Lanes<D>& lanes, const TreePlan& plan, double h) {
  ORRERY_ASSERT(h > 0);
  const Wide<D> none(0.0), quarter(0.25 * h);
  for (std::uint32_t b = 0; b < plan.bodies; ++b) none.store(lanes.body(b, TreeBody::stiffness));
  const std::size_t next = std::size_t{TreeRow::count} * lanes.batch.lanes;
  const auto take = [&](std::uint32_t body, Wide3<D> arm, const TreeLink& link, bool on_a)
                        HWY_ATTR {
                          const double* const p = lanes.row(link.first_row, TreeRow::impulse);
                          const Wide3<D> pull{Wide<D>(p), Wide<D>(p + next), Wide<D>(p + 2 * next)};
                          const Wide<D> along = quarter * dot(arm, pull);
                          double* const sum = lanes.body(body, TreeBody::stiffness);
                          (Wide<D>(sum) + larger(on_a ? along : none - along, none)).store(sum);
                        };
  for_arms(lanes, plan, take);
  Wide<D> most(0.0);
  for (std::uint32_t b = 0; b < plan.bodies; ++b) {
    const Wide3<D> inverse = lanes.vector(lanes.body(b, TreeBody::inverse_moments));
    const Wide<D> trace = (inverse.x + inverse.y) + inverse.z;
    most = larger(most, trace * Wide<D>(lanes.body(b, TreeBody::stiffness)));
  }
  return !hn::AllFalse(D(), hn::Gt(most.lanes, hn::Set(D(), 2 * kTensionMost)));
}

// Finds the ratio of h^2 K / 4 to I of each body. Half the trace of 1 / I, without its part along
// the arm, replaces 1 / I. This is exact for a body that is symmetric about its arms.
template <class D>
HWY_INLINE void find_ratios(const Lanes<D>& lanes, const TreePlan& plan) {
  const Wide<D> none(0.0), half(0.5);
  for (std::uint32_t b = 0; b < plan.bodies; ++b) none.store(lanes.body(b, TreeBody::ratio));
  const auto take = [&](std::uint32_t body, Wide3<D> arm, const TreeLink&, bool) HWY_ATTR {
    const auto w = lanes.symmetric(lanes.body(body, TreeBody::own_inverse_inertia));
    const Wide<D> across =
        ((w.xx + w.yy) + w.zz) - inverse_or_zero(dot(arm, arm)) * dot(arm, w * arm);
    const Wide<D> all = half * (Wide<D>(lanes.body(body, TreeBody::stiffness)) * across);
    double* const at = lanes.body(body, TreeBody::ratio);
    larger(Wide<D>(at), all).store(at);
  };
  for_arms(lanes, plan, take);
}

// Finds the added inertia of the bodies in the lanes that do not keep theirs (TreeBatch::kept).
// Returns true if some body has or had any: then the matrix was factored again.
template <class D>
HWY_NOINLINE bool find_tension(const Lanes<D>& lanes, const TreePlan& plan, double h) {
  if (plan.loose) return false;
  ORRERY_ASSERT(!lanes.batch.repeats && lanes.batch.kept != nullptr);
  const bool may = find_stiffness(lanes, plan, h);
  if (!may && !*lanes.batch.stiff) return false;
  find_ratios(lanes, plan);
  const auto finds = hn::Eq(Wide<D>(lanes.batch.kept + lanes.lane).lanes, hn::Zero(D()));
  Wide<D> most(0.0);
  for (std::uint32_t b = 0; b < plan.bodies; ++b) {
    const Wide<D> ratio(lanes.body(b, TreeBody::ratio));
    const Wide<D> excess = larger(ratio - Wide<D>(kTensionMost), Wide<D>(0.0));
    const Wide<D> found = (Wide<D>(kExcessInertia) * (excess * inverse_or_zero(ratio))) *
                          Wide<D>(lanes.body(b, TreeBody::stiffness));
    double* const at = lanes.body(b, TreeBody::added_inertia);
    const Wide<D> before(at);
    Wide<D>(hn::IfThenElse(finds, found.lanes, before.lanes)).store(at);
    most = larger(most, Wide<D>(hn::IfThenElseZero(finds, larger(before, found).lanes)));
  }
  if (hn::AllFalse(D(), hn::Gt(most.lanes, hn::Zero(D())))) return false;
  *lanes.batch.stiff = true;
  add_inertia(lanes);
  factor_rows(lanes);
  return true;
}

// Adds the inertia of a point mass to the bodies, in the lanes of `lost`: of `share` of the largest
// mass, less for bodies with almost this mass. Factors the matrix again.
template <class D>
HWY_NOINLINE void add_points(const Lanes<D>& lanes, const TreePlan& plan, double share,
                             const hn::Mask<D>& lost) {
  ORRERY_ASSERT(share > 0);
  const Wide<D> none(0.0), one(1.0);
  const auto mass_of = [&](std::uint32_t b) HWY_ATTR {
    return inverse_or_zero(Wide<D>(lanes.body(b, TreeBody::inverse_mass)));
  };
  Wide<D> most(0.0);
  for (std::uint32_t b = 0; b < plan.bodies; ++b) {
    most = larger(most, mass_of(b));
    none.store(lanes.body(b, TreeBody::stiffness));
  }
  const auto take = [&](std::uint32_t body, Wide3<D> arm, const TreeLink&, bool) HWY_ATTR {
    double* const at = lanes.body(body, TreeBody::stiffness);
    (Wide<D>(at) + dot(arm, arm)).store(at);
  };
  for_arms(lanes, plan, take);
  for (std::uint32_t b = 0; b < plan.bodies; ++b) {
    const Wide<D> lighter = larger(one - inverse_or_zero(most) * mass_of(b), none);
    const Wide<D> point = Wide<D>(share) * (lighter * most);
    const auto moves =
        hn::And(lost, hn::Gt(Wide<D>(lanes.body(b, TreeBody::inverse_mass)).lanes, hn::Zero(D())));
    double* const at = lanes.body(b, TreeBody::added_inertia);
    const Wide<D> before(at);
    const Wide<D> after = larger(before, point * Wide<D>(lanes.body(b, TreeBody::stiffness)));
    Wide<D>(hn::IfThenElse(moves, after.lanes, before.lanes)).store(at);
  }
  *lanes.batch.stiff = true;
  add_inertia(lanes);
  factor_rows(lanes);
}

// Damps the relative spin of linked bodies with added inertia. The angular momentum, with the added
// inertia, stays.
template <class D>
HWY_NOINLINE void damp_links(const Lanes<D>& lanes, const TreePlan& plan) {
  ORRERY_ASSERT(*lanes.batch.stiff && !lanes.batch.repeats);
  for (const TreeLink& link : plan.links) {
    const Wide<D> a(lanes.body(link.a, TreeBody::added_inertia));
    const Wide<D> b(lanes.body(link.b, TreeBody::added_inertia));
    const Wide<D> inertia = (a * b) * inverse_or_zero(a + b);
    double* const at_a = lanes.body(link.a, TreeBody::angular_velocity);
    double* const at_b = lanes.body(link.b, TreeBody::angular_velocity);
    const Wide3<D> w_a = lanes.vector(at_a), w_b = lanes.vector(at_b);
    const Wide3<D> p = (Wide<D>(kTensionFriction) * inertia) * (w_b - w_a);
    const auto k_a = lanes.symmetric(lanes.body(link.a, TreeBody::inverse_inertia));
    const auto k_b = lanes.symmetric(lanes.body(link.b, TreeBody::inverse_inertia));
    lanes.store(at_a, w_a + k_a * p);
    lanes.store(at_b, w_b - k_b * p);
  }
}

// Returns the sum of v . m v' + w . I w' over all bodies. The functions motion(body) and
// other(body) return (v, w) and (v', w'). For equal motions, it is twice the kinetic energy.
template <class D, class Motion, class Other>
HWY_INLINE Wide<D> product(const Lanes<D>& lanes, const TreePlan& plan, Motion motion,
                           Other other) {
  Wide<D> sum(0.0);
  for (std::uint32_t b = 0; b < plan.bodies; ++b) {
    const auto q = lanes.rotation(lanes.body(b, TreeBody::orientation));
    const WideRotation<D> axes(q.v, q.w);
    const auto [v, turn] = motion(b);
    const auto [u, other_turn] = other(b);
    const Wide3<D> w = axes.to_body(turn), x = axes.to_body(other_turn);
    const Wide3<D> inverse = lanes.vector(lanes.body(b, TreeBody::inverse_moments));
    sum = sum + inverse_or_zero(Wide<D>(lanes.body(b, TreeBody::inverse_mass))) * dot(v, u);
    sum = sum +
          ((inverse_or_zero(inverse.x) * (w.x * x.x) + inverse_or_zero(inverse.y) * (w.y * x.y)) +
           inverse_or_zero(inverse.z) * (w.z * x.z));
  }
  return sum;
}

// Returns a function that returns the velocities of a body at the index `velocity` of TreeBody.
template <class D>
HWY_INLINE auto motion_at(const Lanes<D>& lanes, std::uint32_t velocity) {
  return [&lanes, velocity](std::uint32_t b) HWY_ATTR {
    return std::pair(lanes.vector(lanes.body(b, velocity)),
                     lanes.vector(lanes.body(b, velocity + 3)));
  };
}

// Returns twice the kinetic energy of the velocities at the index `velocity` of TreeBody.
template <class D>
HWY_NOINLINE Wide<D> twice_energy(const Lanes<D>& lanes, const TreePlan& plan,
                                  std::uint32_t velocity) {
  const auto motion = motion_at(lanes, velocity);
  return product(lanes, plan, motion, motion);
}

// Returns the lanes in which Newton's method has more than doubled the kinetic energy of a net. It
// does so if rows nearly depend on each other, as in a level bridge.
template <class D>
HWY_NOINLINE hn::Mask<D> gains_energy(const Lanes<D>& lanes, const TreePlan& plan) {
  ORRERY_ASSERT(plan.closes);
  const Wide<D> before = twice_energy(lanes, plan, TreeBody::start_velocity);
  const Wide<D> after = twice_energy(lanes, plan, TreeBody::velocity);
  return hn::Gt(after.lanes, (Wide<D>(2.0) * before).lanes);
}

// In lanes with added inertia, scales the changes since the start velocities by a share from 0 to
// 1, so that twice the kinetic energy is at most `most`, or that of the start velocities if this is
// more. The matrix has the added inertia, which contacts do not see. Without this bound, joints and
// contacts that are solved in turn could gain energy in each turn.
template <class D>
HWY_NOINLINE void bound_energy(const Lanes<D>& lanes, const TreePlan& plan, const Wide<D>& most) {
  ORRERY_ASSERT(*lanes.batch.stiff && lanes.batch.repeats);
  constexpr std::uint32_t kStart = TreeBody::start_velocity - TreeBody::velocity;
  constexpr double kChangesLeast = 1e-300;  // the inverse of less is infinite
  const Wide<D> none(0.0), one(1.0);
  const auto start = motion_at(lanes, TreeBody::start_velocity);
  const auto end = motion_at(lanes, TreeBody::velocity);
  const auto change = [&](std::uint32_t b) HWY_ATTR {
    const auto [v, w] = start(b);
    const auto [next_v, next_w] = end(b);
    return std::pair(next_v - v, next_w - w);
  };
  // A share s leaves before + 2 s along + s^2 of_changes.
  const Wide<D> before = product(lanes, plan, start, start);
  const Wide<D> along = product(lanes, plan, start, change);
  const Wide<D> of_changes = product(lanes, plan, change, change);
  const Wide<D> room = larger(most - before, none);
  const Wide<D> root = square_root(along * along + of_changes * room);
  const Wide<D> share = larger(smaller((root - along) * inverse_or_zero(of_changes), one), none);
  Wide<D> added = none;
  for (std::uint32_t b = 0; b < plan.bodies; ++b) {
    added = larger(added, Wide<D>(lanes.body(b, TreeBody::added_inertia)));
  }
  const auto scaled = hn::And(hn::Gt(added.lanes, none.lanes),
                              hn::Gt(of_changes.lanes, hn::Set(D(), kChangesLeast)));
  for (std::uint32_t b = 0; b < plan.bodies; ++b) {
    for (std::uint32_t i = 0; i < 6; ++i) {
      double* const at = lanes.body(b, TreeBody::velocity + i);
      const Wide<D> none_of_it(lanes.body(b, TreeBody::velocity + i + kStart)), all_of_it(at);
      const Wide<D> some = none_of_it + share * (all_of_it - none_of_it);
      Wide<D>(hn::IfThenElse(scaled, some.lanes, all_of_it.lanes)).store(at);
    }
  }
}

// Keeps the energy of the first pass over a tree with added inertia. Passes that repeat stay below
// it. They may need as much again, because contacts open joints.
template <class D>
HWY_NOINLINE void keep_energy(const Lanes<D>& lanes, const TreePlan& plan) {
  if (!*lanes.batch.stiff) return;
  double* const energy = lanes.batch.energy + lanes.lane;
  if (lanes.batch.repeats) return bound_energy(lanes, plan, Wide<D>(energy));
  twice_energy(lanes, plan, TreeBody::velocity).store(energy);
}
