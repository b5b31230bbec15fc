// Reads the memory of a batch of trees, and finds the errors of joints.
//
// tree_passes.cpp includes it inside orrery::physics::HWY_NAMESPACE, after wide.inl.

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

// The points and axes of a link at given poses, in world axes. The errors of distance and ball
// links need only the points, so these links leave the axes and `turn` unset.
template <class D>
struct LinkFrame {
  using L = Lanes<D>;
  using Vector = typename L::Vector;
  using Rotation = typename L::Rotation;

  // `position` and `orientation` are indices of TreeBody, for the present or for the next pose.
  HWY_INLINE LinkFrame(const L& lanes, std::uint32_t index, const TreeLink& link,
                       std::uint32_t position, std::uint32_t orientation) {
    const Rotation q_a = lanes.rotation(lanes.body(link.a, orientation));
    const Rotation q_b = lanes.rotation(lanes.body(link.b, orientation));
    const WideRotation<D> r_a(q_a.v, q_a.w), r_b(q_b.v, q_b.w);
    arm_a = r_a.to_world(lanes.vector(lanes.link(index, TreeLinkNumbers::at_a)));
    arm_b = r_b.to_world(lanes.vector(lanes.link(index, TreeLinkNumbers::at_b)));
    between =
        ((lanes.vector(lanes.body(link.b, position)) - lanes.vector(lanes.body(link.a, position))) +
         arm_b) -
        arm_a;
    if (link.kind == JointKind::distance || link.kind == JointKind::ball) return;
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

  Vector arm_a, arm_b;  // from the centres of mass to the points
  Vector between;       // from a's point to b's
  Vector axes[3];       // axes of the joint on a
  Vector axis_b;        // x axis of the joint on b
  Rotation turn;        // orientation of the joint's axes on b, relative to its axes on a
};

// Computes the errors of a link. Stores each error in its row, at the index `number` of the row's
// numbers (TreeRow).
template <class D>
struct RowErrors {
  using L = Lanes<D>;
  using Number = typename L::Number;

  const L& lanes;
  const LinkFrame<D>& frame;
  std::uint32_t number;
  std::uint32_t next;  // row

  HWY_INLINE void add(Number error) { error.store(lanes.row(next++, number)); }
  HWY_INLINE void add_point() {
    add(frame.between.x);
    add(frame.between.y);
    add(frame.between.z);
  }
  // Twice the vector part of the quaternion with w >= 0 is the angle about each axis, to first
  // order.
  HWY_INLINE void add_turn() {
    const auto negative = hn::Lt(frame.turn.w.lanes, hn::Zero(D()));
    const Number twice(hn::IfThenElse(negative, hn::Set(D(), -2.0), hn::Set(D(), 2.0)));
    add(twice * frame.turn.v.x);
    add(twice * frame.turn.v.y);
    add(twice * frame.turn.v.z);
  }
  HWY_INLINE void add_all(JointKind kind, const double* rest) {
    switch (kind) {
      case JointKind::distance:
        return add(square_root(dot(frame.between, frame.between)) - Number(rest));
      case JointKind::ball:
        return add_point();
      case JointKind::hinge: {
        add_point();
        const auto swing = cross(frame.axes[0], frame.axis_b);
        add(dot(swing, frame.axes[1]));
        return add(dot(swing, frame.axes[2]));
      }
      case JointKind::slider:
        add(dot(frame.between, frame.axes[1]));
        add(dot(frame.between, frame.axes[2]));
        return add_turn();
      case JointKind::weld:
        add_point();
        return add_turn();
    }
  }
};
