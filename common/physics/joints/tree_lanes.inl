// Reads the memory of a batch of trees, computes rows and errors, and factors the matrix.
//
// tree_passes.cpp includes it inside orrery::physics::HWY_NAMESPACE, after wide.inl and
// joint_kinds.inl.

// A pivot is a diagonal entry after the elimination of the columns before it. If it is at most this
// share of the original entry, it is rounding error: its row depends on other rows, and gets no
// impulse.
constexpr double kPivotLeast = 1e-12;

// A vector of lanes of a batch, from `lane` onward, and the addresses of their numbers.
template <class D>
struct Lanes {
  using Number = Wide<D>;
  using Vector = Wide3<D>;
  struct Rotation {
    Vector v;
    Number w;
  };

  const TreeBatch& batch;
  std::uint32_t lane;

  HWY_INLINE double* body(std::uint32_t b, std::uint32_t number) const {
    return batch.bodies + (std::size_t{b} * TreeBody::count + number) * batch.lanes + lane;
  }
  HWY_INLINE const double* link(std::uint32_t l, std::uint32_t number) const {
    return batch.links + (std::size_t{l} * TreeLinkNumbers::count + number) * batch.lanes + lane;
  }
  HWY_INLINE double* row(std::uint32_t r, std::uint32_t number) const {
    return batch.rows + (std::size_t{r} * TreeRow::count + number) * batch.lanes + lane;
  }
  HWY_INLINE double* entry(std::uint32_t e) const {
    return batch.entries + std::size_t{e} * batch.lanes + lane;
  }

  HWY_INLINE Number number(const double* at) const { return Number(at); }
  HWY_INLINE Vector vector(const double* at) const {
    return {Number(at), Number(at + batch.lanes), Number(at + 2 * std::size_t{batch.lanes})};
  }
  HWY_INLINE Rotation rotation(const double* at) const {
    return {vector(at), Number(at + 3 * std::size_t{batch.lanes})};
  }
  HWY_INLINE WideSymmetric<D> symmetric(const double* at) const {
    const std::size_t next = 3 * std::size_t{batch.lanes};
    const Vector diagonal = vector(at), others = vector(at + next);
    return {diagonal.x, diagonal.y, diagonal.z, others.x, others.y, others.z};
  }
  HWY_INLINE void store(double* at, const WideSymmetric<D>& m) const {
    store(at, Vector{m.xx, m.yy, m.zz});
    store(at + 3 * std::size_t{batch.lanes}, Vector{m.xy, m.xz, m.yz});
  }
  HWY_INLINE void store(double* at, Vector v) const {
    v.x.store(at);
    v.y.store(at + batch.lanes);
    v.z.store(at + 2 * std::size_t{batch.lanes});
  }
  HWY_INLINE void store(double* at, const Rotation& q) const {
    store(at, q.v);
    q.w.store(at + 3 * std::size_t{batch.lanes});
  }
};

// Returns the product of two quaternions.
template <class R>
HWY_INLINE R times(const R& a, const R& b) {
  const auto v = cross(a.v, b.v);
  return {(a.w * b.v + b.w * a.v) + v, a.w * b.w - dot(a.v, b.v)};
}
// Returns conjugate(a) * b.
template <class R>
HWY_INLINE R from_to(const R& a, const R& b) {
  const auto v = cross(b.v, a.v);
  return {(a.w * b.v - b.w * a.v) + v, a.w * b.w + dot(a.v, b.v)};
}

// --- frames of links ---

// The points and axes of a link at given poses, in world axes (joint_kinds.inl). Links without
// errors that are angles need no axes, and leave the axes and `turn` unset.
template <class D>
struct LinkFrame {
  using L = Lanes<D>;
  using Number = typename L::Number;
  using Vector = typename L::Vector;
  using Rotation = typename L::Rotation;

  // `position` and `orientation` are indices of TreeBody, for the present or for the next pose.
  HWY_INLINE LinkFrame(const L& lanes, std::uint32_t index, const TreeLink& link,
                       std::uint32_t position, std::uint32_t orientation)
      : rest(lanes.link(index, TreeLinkNumbers::rest)), middle(lanes.batch.plan->middle) {
    const Rotation q_a = lanes.rotation(lanes.body(link.a, orientation));
    const Rotation q_b = lanes.rotation(lanes.body(link.b, orientation));
    const WideRotation<D> r_a(q_a.v, q_a.w), r_b(q_b.v, q_b.w);
    arm_a = r_a.to_world(lanes.vector(lanes.link(index, TreeLinkNumbers::at_a)));
    arm_b = r_b.to_world(lanes.vector(lanes.link(index, TreeLinkNumbers::at_b)));
    between =
        ((lanes.vector(lanes.body(link.b, position)) - lanes.vector(lanes.body(link.a, position))) +
         arm_b) -
        arm_a;
    if (link.lengths == link.rows) return;
    const Rotation axes_a =
        times(q_a, lanes.rotation(lanes.link(index, TreeLinkNumbers::at_a + 3)));
    const Rotation axes_b =
        times(q_b, lanes.rotation(lanes.link(index, TreeLinkNumbers::at_b + 3)));
    const WideRotation<D> w_a(axes_a.v, axes_a.w), w_b(axes_b.v, axes_b.w);
    axes[0] = w_a.first;
    axes[1] = w_a.second;
    axes[2] = w_a.third;
    axis_b = w_b.first;
    turn = from_to(axes_a, axes_b);
  }

  struct Apart {
    Vector n;
    Number distance;
  };
  HWY_INLINE Apart apart() const {
    const Number size = square_root(dot(between, between));
    const auto apart = hn::Gt(size.lanes, hn::Zero(D()));
    const Number share = inverse_or_zero(size);
    const Vector v = share * between;
    return {{hn::IfThenElse(apart, v.x.lanes, hn::Set(D(), 1.0)), v.y, v.z}, size};
  }
  HWY_INLINE Vector angles() const {
    const auto negative = hn::Lt(turn.w.lanes, hn::Zero(D()));
    const Number twice(hn::IfThenElse(negative, hn::Set(D(), -2.0), hn::Set(D(), 2.0)));
    return twice * turn.v;
  }
  template <class Add>
  HWY_INLINE void add_point(Add& add) const {
    const Number zero(0.0), one(1.0);
    const Vector a = arm_a + middle * between, b = arm_b - middle * between;
    add({one, zero, zero}, {zero, a.z, zero - a.y}, {zero, b.z, zero - b.y}, between.x);
    add({zero, one, zero}, {zero - a.z, zero, a.x}, {zero - b.z, zero, b.x}, between.y);
    add({zero, zero, one}, {a.y, zero - a.x, zero}, {b.y, zero - b.x, zero}, between.z);
  }

  Vector arm_a, arm_b;  // from the centres of mass to the points
  Vector between;       // from a's point to b's
  Vector axes[3];       // axes of the joint on a
  Vector axis_b;        // x axis of the joint on b
  Rotation turn;        // orientation of the joint's axes on b, relative to its axes on a
  Number rest;
  Number middle;  // see TreePlan::middle
};
// --- rows ---

// Writes rows and their errors, from the row `next` on.
template <class D>
struct RowWriter {
  using L = Lanes<D>;
  using Number = typename L::Number;
  using Vector = typename L::Vector;

  const L& lanes;
  WideSymmetric<D> inverse_a, inverse_b;
  std::uint32_t next;

  HWY_INLINE void operator()(Vector n, Vector j_a, Vector j_b, Number error) {
    const std::uint32_t r = next++;
    lanes.store(lanes.row(r, TreeRow::n), n);
    lanes.store(lanes.row(r, TreeRow::j_a), j_a);
    lanes.store(lanes.row(r, TreeRow::j_b), j_b);
    lanes.store(lanes.row(r, TreeRow::k_a), inverse_a * j_a);
    lanes.store(lanes.row(r, TreeRow::k_b), inverse_b * j_b);
    error.store(lanes.row(r, TreeRow::error));
  }
};

// Writes errors to the numbers TreeRow::impulse of rows, from the row `next` on.
template <class D>
struct ErrorWriter {
  using Number = typename Lanes<D>::Number;
  using Vector = typename Lanes<D>::Vector;

  const Lanes<D>& lanes;
  std::uint32_t next;

  HWY_INLINE void operator()(Vector, Vector, Vector, Number error) {
    error.store(lanes.row(next++, TreeRow::impulse));
  }
};

// Calls add() for the rows that hold a link together.
template <class D, class Add>
HWY_INLINE void add_rows(const TreeLink& link, const LinkFrame<D>& frame, Add add) {
  ORRERY_ASSERT(link.rows >= link.lengths);
  const auto hold = [&](auto kind) HWY_ATTR __attribute__((always_inline)) {
    kind.hold(frame, add);
  };
  with_kind(link.kind, hold);
  ORRERY_ASSERT(add.next == link.first_row + link.rows);
}

// --- bodies ---

// Returns a field of the body of each lane. The field is `offset` fields after `first`.
template <class D>
HWY_INLINE Wide<D> gather(const Bodies& bodies, BodyField first, std::uint32_t offset,
                          const std::uint32_t* slots) {
  const double* const from =
      bodies.field(static_cast<BodyField>(static_cast<std::uint32_t>(first) + offset));
  double values[lanes_of<D>()];
  for (std::uint32_t i = 0; i < lanes_of<D>(); ++i) values[i] = from[slots[i]];
  return Wide<D>(values);
}

// Returns the matrix in world axes of a tensor with the principal values p.
template <class D>
HWY_INLINE WideSymmetric<D> world_matrix(const WideRotation<D>& r, Wide3<D> p) {
  const Wide3<D> a = p.x * r.first, b = p.y * r.second, c = p.z * r.third;
  return {r.first.x * a.x + r.second.x * b.x + r.third.x * c.x,
          r.first.y * a.y + r.second.y * b.y + r.third.y * c.y,
          r.first.z * a.z + r.second.z * b.z + r.third.z * c.z,
          r.first.x * a.y + r.second.x * b.y + r.third.x * c.y,
          r.first.x * a.z + r.second.x * b.z + r.third.x * c.z,
          r.first.y * a.z + r.second.y * b.z + r.third.y * c.z};
}

template <class D>
HWY_INLINE void load_body(const Bodies& bodies, const Lanes<D>& lanes, std::uint32_t body) {
  const std::uint32_t* const slots =
      lanes.batch.slots + std::size_t{body} * lanes.batch.lanes + lanes.lane;
  const auto get = [&](BodyField first, std::uint32_t offset)
                       HWY_ATTR { return gather<D>(bodies, first, offset, slots); };
  const auto three = [&](BodyField first) HWY_ATTR {
    return Wide3<D>{get(first, 0), get(first, 1), get(first, 2)};
  };
  const Wide3<D> q = three(BodyField::orientation_x);
  const Wide<D> w = get(BodyField::orientation_w, 0);
  const Wide3<D> moments = three(BodyField::inverse_inertia_x);
  const Wide<D> mass = get(BodyField::inverse_mass, 0);
  lanes.store(lanes.body(body, TreeBody::position), three(BodyField::position_x));
  lanes.store(lanes.body(body, TreeBody::orientation), {q, w});
  mass.store(lanes.body(body, TreeBody::inverse_mass));
  lanes.store(lanes.body(body, TreeBody::inverse_moments), moments);
  get(BodyField::gravity_scale, 0).store(lanes.body(body, TreeBody::gravity_scale));
  const auto moves = hn::Gt(mass.lanes, hn::Zero(D()));
  const auto felt = [&](Wide<D> x) HWY_ATTR { return Wide<D>(hn::IfThenElseZero(moves, x.lanes)); };
  const WideRotation<D> r(q, w);
  const WideSymmetric<D> inverse =
      world_matrix(r, Wide3<D>{felt(moments.x), felt(moments.y), felt(moments.z)});
  lanes.store(lanes.body(body, TreeBody::inverse_inertia), inverse);
  lanes.store(lanes.body(body, TreeBody::own_inverse_inertia), inverse);
}

// --- factor ---

// Write entries of the matrix: those for two rows of one link, and those for a row of one link and
// a row of another.
template <class D>
HWY_INLINE void write_own_entries(const Lanes<D>& lanes, const TreePlan& plan,
                                  const TreeLink& link) {
  const Wide<D> mass = Wide<D>(lanes.body(link.a, TreeBody::inverse_mass)) +
                       Wide<D>(lanes.body(link.b, TreeBody::inverse_mass));
  const std::uint32_t end = link.first_row + link.rows;
  for (std::uint32_t c = link.first_row; c < end; ++c) {
    const Wide3<D> n = lanes.vector(lanes.row(c, TreeRow::n));
    const Wide3<D> k_a = lanes.vector(lanes.row(c, TreeRow::k_a));
    const Wide3<D> k_b = lanes.vector(lanes.row(c, TreeRow::k_b));
    for (std::uint32_t r = c; r < end; ++r) {
      const Wide3<D> other_n = lanes.vector(lanes.row(r, TreeRow::n));
      const Wide3<D> j_a = lanes.vector(lanes.row(r, TreeRow::j_a));
      const Wide3<D> j_b = lanes.vector(lanes.row(r, TreeRow::j_b));
      ((mass * dot(n, other_n) + dot(k_a, j_a)) + dot(k_b, j_b))
          .store(lanes.entry(plan.columns[c] + (r - c)));
    }
  }
}

template <class D>
HWY_INLINE void write_coupling(const Lanes<D>& lanes, const TreePlan& plan,
                               const TreeCoupling& coupling) {
  const TreeLink &link = plan.links[coupling.link], &other = plan.links[coupling.other];
  const Wide<D> sign(coupling.sign);
  const Wide<D> mass = Wide<D>(lanes.body(coupling.body, TreeBody::inverse_mass));
  const std::uint32_t k_own = link.a == coupling.body ? TreeRow::k_a : TreeRow::k_b;
  const std::uint32_t j_other = other.a == coupling.body ? TreeRow::j_a : TreeRow::j_b;
  const std::uint32_t end = link.first_row + link.rows;
  for (std::uint32_t c = link.first_row; c < end; ++c) {
    const Wide3<D> n = lanes.vector(lanes.row(c, TreeRow::n));
    const Wide3<D> k = lanes.vector(lanes.row(c, k_own));
    const std::uint32_t entry = plan.columns[c] + (end - c) + coupling.offset;
    for (std::uint32_t i = 0; i < other.rows; ++i) {
      const Wide3<D> other_n = lanes.vector(lanes.row(other.first_row + i, TreeRow::n));
      const Wide3<D> other_j = lanes.vector(lanes.row(other.first_row + i, j_other));
      const Wide<D> value = sign * (mass * dot(n, other_n) + dot(k, other_j));
      double* const at = lanes.entry(entry + i);
      (plan.closes ? Wide<D>(at) + value : value).store(at);
    }
  }
}

// Factors the columns of a link in place: entries below the diagonal become L, and the diagonal
// becomes the inverses of D. Subtracts products of these entries from later columns. `updated`
// points to the elements of plan.updated for this link. Returns a pointer to those for the next
// link.
template <class D>
HWY_INLINE const std::uint32_t* eliminate(const Lanes<D>& lanes, const TreePlan& plan,
                                          const TreeLink& link, const std::uint32_t* updated) {
  const std::uint32_t* next = updated;
  for (std::uint32_t c = link.first_row; c < link.first_row + link.rows; ++c) {
    const std::uint32_t begin = plan.columns[c] + 1, end = plan.columns[c + 1];
    const std::uint32_t own_end = begin + (link.first_row + link.rows - 1 - c);
    const Wide<D> pivot(lanes.entry(begin - 1));
    const Wide<D> least = Wide<D>(kPivotLeast) * Wide<D>(lanes.row(c, TreeRow::impulse));
    const auto sound = hn::Gt(pivot.lanes, least.lanes);
    const Wide<D> inverse = inverse_or_zero(Wide<D>(hn::IfThenElseZero(sound, pivot.lanes)));
    inverse.store(lanes.entry(begin - 1));
    next = updated;
    for (std::uint32_t k = begin; k < end; ++k) {
      const Wide<D> share = inverse * Wide<D>(lanes.entry(k));
      // From its own diagonal on, a later column of this link has entries in the same rows as this
      // column.
      const std::uint32_t first = k < own_end ? plan.columns[c + 1 + (k - begin)] : 0;
      for (std::uint32_t l = k; l < end; ++l) {
        double* const at = lanes.entry(k < own_end ? first + (l - k) : *next++);
        (Wide<D>(at) - share * Wide<D>(lanes.entry(l))).store(at);
      }
      share.store(lanes.entry(k));
    }
  }
  return next;
}

// Solves A p = r. At first, the number TreeRow::impulse of each row has r; p replaces it.
template <class D>
HWY_NOINLINE void substitute(const Lanes<D>& lanes, const TreePlan& plan) {
  for (std::uint32_t c = 0; c < plan.rows; ++c) {
    const Wide<D> value(lanes.row(c, TreeRow::impulse));
    for (std::uint32_t k = plan.columns[c] + 1; k < plan.columns[c + 1]; ++k) {
      double* const at = lanes.row(plan.entry_rows[k], TreeRow::impulse);
      (Wide<D>(at) - Wide<D>(lanes.entry(k)) * value).store(at);
    }
  }
  for (std::uint32_t c = plan.rows; c-- > 0;) {
    double* const at = lanes.row(c, TreeRow::impulse);
    Wide<D> value = Wide<D>(lanes.entry(plan.columns[c])) * Wide<D>(at);
    for (std::uint32_t k = plan.columns[c] + 1; k < plan.columns[c + 1]; ++k) {
      value = value -
              Wide<D>(lanes.entry(k)) * Wide<D>(lanes.row(plan.entry_rows[k], TreeRow::impulse));
    }
    value.store(at);
  }
}

// Cuts errors to what a turn by JointRows::kCutTurn removes, and marks their lanes as open. If a
// substep closed joints that a hit opened far, bodies would get speeds that no hit gave them.
// REQUIRES: the diagonal of the matrix is not factored yet.
template <class D>
HWY_INLINE void cut_errors(const Lanes<D>& lanes, const TreePlan& plan) {
  for (std::uint32_t r = 0; r < plan.rows; ++r) {
    const Wide3<D> k_a = lanes.vector(lanes.row(r, TreeRow::k_a));
    const Wide3<D> k_b = lanes.vector(lanes.row(r, TreeRow::k_b));
    const Wide<D> k = larger(dot(k_a, k_a), dot(k_b, k_b));
    const Wide<D> error(lanes.row(r, TreeRow::error));
    const Wide<D> most = Wide<D>(JointRows::kCutTurn) * Wide<D>(lanes.entry(plan.columns[r]));
    const auto over = hn::Gt((error * error * k).lanes, (most * most).lanes);
    if (hn::AllFalse(D(), over)) continue;
    const Wide<D> size = most / square_root(k),
                  cut = larger(smaller(error, size), Wide<D>(0.0) - size);
    Wide<D>(hn::IfThenElse(over, cut.lanes, error.lanes)).store(lanes.row(r, TreeRow::error));
    double* const open = lanes.batch.open + lanes.lane;
    Wide<D>(hn::IfThenElse(over, hn::Set(D(), 1.0), Wide<D>(open).lanes)).store(open);
  }
}

// Adds the compliance of the links that close loops: the share TreeBatch::compliance of the
// response of free bodies. The rows of a loop may nearly depend on each other, as in a flat net.
// Without compliance, a small error would then make impulses without bound.
template <class D>
HWY_INLINE void soften_loops(const Lanes<D>& lanes, const TreePlan& plan) {
  ORRERY_ASSERT(plan.closes);
  const Wide<D> more = Wide<D>(1.0) + Wide<D>(lanes.batch.compliance + lanes.lane);
  for (const TreeLink& link : plan.links) {
    if (!link.closes) continue;
    for (std::uint32_t r = link.first_row; r < link.first_row + link.rows; ++r) {
      double* const at = lanes.entry(plan.columns[r]);
      (more * Wide<D>(at)).store(at);
    }
  }
}

// Factors the matrix of the present rows.
template <class D>
HWY_NOINLINE void factor_rows(const Lanes<D>& lanes) {
  const TreePlan& plan = *lanes.batch.plan;
  const std::size_t entries = plan.closes ? plan.entry_rows.size() : 0;
  for (std::uint32_t e = 0; e < entries; ++e) Wide<D>(0.0).store(lanes.entry(e));
  for (const TreeLink& link : plan.links) write_own_entries(lanes, plan, link);
  for (const TreeCoupling& coupling : plan.couplings) write_coupling(lanes, plan, coupling);
  for (std::uint32_t c = 0; c < plan.rows; ++c) {
    Wide<D>(lanes.entry(plan.columns[c])).store(lanes.row(c, TreeRow::impulse));
  }
  if (!plan.loose) cut_errors(lanes, plan);
  if (plan.closes) soften_loops(lanes, plan);
  const std::uint32_t* updated = plan.updated.data();
  for (const TreeLink& link : plan.links) updated = eliminate(lanes, plan, link, updated);
}
