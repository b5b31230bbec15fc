// Computes the rows of a batch of trees, and factors their matrix.
//
// tree_passes.cpp includes it inside orrery::physics::HWY_NAMESPACE, after tree_lanes.inl.

// A pivot is a diagonal entry after the elimination of the columns before it. If it is at most this
// share of the original entry, it is rounding error: its row depends on other rows, and gets no
// impulse.
constexpr double kPivotLeast = 1e-12;

// --- rows ---

// Writes the rows of a link.
template <class D>
struct Rows {
  using L = Lanes<D>;
  using Number = typename L::Number;
  using Vector = typename L::Vector;

  const L& lanes;
  const TreeLink& link;
  const LinkFrame<D>& frame;
  WideSymmetric<D> inverse_a, inverse_b;
  std::uint32_t next;  // row

  HWY_INLINE void add(Vector n, Vector j_a, Vector j_b) {
    const std::uint32_t r = next++;
    lanes.store(lanes.row(r, TreeRow::n), n);
    lanes.store(lanes.row(r, TreeRow::j_a), j_a);
    lanes.store(lanes.row(r, TreeRow::j_b), j_b);
    lanes.store(lanes.row(r, TreeRow::k_a), inverse_a * j_a);
    lanes.store(lanes.row(r, TreeRow::k_b), inverse_b * j_b);
  }
  HWY_INLINE void add_point() {
    const Number zero(0.0), one(1.0);
    const Vector &a = frame.arm_a, &b = frame.arm_b;
    add({one, zero, zero}, {zero, a.z, zero - a.y}, {zero, b.z, zero - b.y});
    add({zero, one, zero}, {zero - a.z, zero, a.x}, {zero - b.z, zero, b.x});
    add({zero, zero, one}, {a.y, zero - a.x, zero}, {b.y, zero - b.x, zero});
  }
  HWY_INLINE void add_turn(int axis) {
    const Number zero(0.0);
    add({zero, zero, zero}, frame.axes[axis], frame.axes[axis]);
  }
  HWY_INLINE void add_distance() {
    const Number size = square_root(dot(frame.between, frame.between));
    const auto apart = hn::Gt(size.lanes, hn::Zero(D()));
    const Number share = inverse_or_zero(size);
    const Vector v = share * frame.between;
    const Vector n{hn::IfThenElse(apart, v.x.lanes, hn::Set(D(), 1.0)), v.y, v.z};
    add(n, cross(frame.arm_a, n), cross(frame.arm_b, n));
  }
  HWY_INLINE void add_all() {
    switch (link.kind) {
      case JointKind::distance:
        return add_distance();
      case JointKind::ball:
        return add_point();
      case JointKind::hinge:
        add_point();
        add_turn(1);
        return add_turn(2);
      case JointKind::slider: {
        const Vector arm_a = frame.arm_a + frame.between;
        for (int i = 1; i < 3; ++i) {
          const Vector& n = frame.axes[i];
          add(n, cross(arm_a, n), cross(frame.arm_b, n));
        }
        for (int i = 0; i < 3; ++i) add_turn(i);
        return;
      }
      case JointKind::weld:
        add_point();
        for (int i = 0; i < 3; ++i) add_turn(i);
    }
  }
};

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
  const Wide3<D> a = felt(moments.x) * r.first;
  const Wide3<D> b = felt(moments.y) * r.second;
  const Wide3<D> c = felt(moments.z) * r.third;
  double* const at = lanes.body(body, TreeBody::inverse_inertia);
  const std::size_t stride = lanes.batch.lanes;
  const Wide<D> numbers[6] = {r.first.x * a.x + r.second.x * b.x + r.third.x * c.x,
                              r.first.y * a.y + r.second.y * b.y + r.third.y * c.y,
                              r.first.z * a.z + r.second.z * b.z + r.third.z * c.z,
                              r.first.x * a.y + r.second.x * b.y + r.third.x * c.y,
                              r.first.x * a.z + r.second.x * b.z + r.third.x * c.z,
                              r.first.y * a.z + r.second.y * b.z + r.third.y * c.z};
  for (int i = 0; i < 6; ++i) numbers[i].store(at + i * stride);
}

template <class D>
HWY_INLINE WideSymmetric<D> inverse_inertia(const Lanes<D>& lanes, std::uint32_t body) {
  const double* const at = lanes.body(body, TreeBody::inverse_inertia);
  const std::size_t stride = lanes.batch.lanes;
  return {Wide<D>(at),
          Wide<D>(at + stride),
          Wide<D>(at + 2 * stride),
          Wide<D>(at + 3 * stride),
          Wide<D>(at + 4 * stride),
          Wide<D>(at + 5 * stride)};
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
      (sign * (mass * dot(n, other_n) + dot(k, other_j))).store(lanes.entry(entry + i));
    }
  }
}

// Factors the columns of a link in place: entries below the diagonal become those of L, and those
// of the diagonal the inverses of D. Subtracts products of these entries from later columns.
// `updated` points to the elements of plan.updated for this link. Returns a pointer to those for
// the next link.
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
HWY_INLINE void substitute(const Lanes<D>& lanes, const TreePlan& plan) {
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

template <class D>
void factor_lanes(const Bodies& bodies, const Lanes<D>& lanes) {
  const TreePlan& plan = *lanes.batch.plan;
  for (std::uint32_t b = 0; b < plan.bodies; ++b) load_body(bodies, lanes, b);
  for (std::uint32_t i = 0; i < plan.links.size(); ++i) {
    const TreeLink& link = plan.links[i];
    const LinkFrame<D> frame(lanes, i, link, TreeBody::position, TreeBody::orientation);
    Rows<D>{
        lanes,         link, frame, inverse_inertia(lanes, link.a), inverse_inertia(lanes, link.b),
        link.first_row}
        .add_all();
    RowErrors<D>{lanes, frame, TreeRow::error, link.first_row}.add_all(
        link.kind, lanes.link(i, TreeLinkNumbers::rest));
  }
  for (const TreeLink& link : plan.links) write_own_entries(lanes, plan, link);
  for (const TreeCoupling& coupling : plan.couplings) write_coupling(lanes, plan, coupling);
  for (std::uint32_t c = 0; c < plan.rows; ++c) {
    Wide<D>(lanes.entry(plan.columns[c])).store(lanes.row(c, TreeRow::impulse));
  }
  const std::uint32_t* updated = plan.updated.data();
  for (const TreeLink& link : plan.links) updated = eliminate(lanes, plan, link, updated);
}
