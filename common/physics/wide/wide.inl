// Defines vectors of lanes for the solver's kernels: numbers, points and rows of bodies, with one
// lane per contact, body or tree of joints.
//
// Each kernel includes this file inside orrery::physics::HWY_NAMESPACE, once per instruction set,
// after highway.h. `hn` must be the namespace of Highway's functions. D is a tag of Highway and
// fixes the number of lanes. No arithmetic mixes lanes or fuses a product with a sum. The bits of a
// lane therefore depend neither on the instruction set nor on the other lanes.

template <class D>
struct Wide {
  Wide() = default;  // uninitialised
  HWY_INLINE Wide(hn::Vec<D> v) : lanes(v) {}
  HWY_INLINE explicit Wide(double value) : lanes(hn::Set(D(), value)) {}
  HWY_INLINE explicit Wide(const double* from) : lanes(hn::LoadU(D(), from)) {}
  HWY_INLINE explicit Wide(const float* from)
      : lanes(hn::PromoteTo(D(), hn::LoadU(hn::Rebind<float, D>(), from))) {}
  HWY_INLINE void store(double* to) const { hn::StoreU(lanes, D(), to); }
  HWY_INLINE void store(float* to) const { hn::StoreU(half(), hn::Rebind<float, D>(), to); }
  // Returns the number rounded to the nearest float, clamped to the largest finite one. An infinity
  // would later become NaN.
  HWY_INLINE auto half() const {
    constexpr double kMost = 0x1.fffffep127;
    const Wide bounded = smaller(larger(*this, Wide(-kMost)), Wide(kMost));
    return hn::DemoteTo(hn::Rebind<float, D>(), bounded.lanes);
  }

  hn::Vec<D> lanes;
};

template <class D>
HWY_INLINE Wide<D> operator+(Wide<D> a, Wide<D> b) {
  return hn::Add(a.lanes, b.lanes);
}
template <class D>
HWY_INLINE Wide<D> operator-(Wide<D> a, Wide<D> b) {
  return hn::Sub(a.lanes, b.lanes);
}
template <class D>
HWY_INLINE Wide<D> operator*(Wide<D> a, Wide<D> b) {
  return hn::Mul(a.lanes, b.lanes);
}
template <class D>
HWY_INLINE Wide<D> operator/(Wide<D> a, Wide<D> b) {
  return hn::Div(a.lanes, b.lanes);
}
template <class D>
HWY_INLINE Wide<D> square_root(Wide<D> a) {
  return hn::Sqrt(a.lanes);
}

// Return the larger and the smaller number of each lane. They use comparisons, because the minimum
// and maximum instructions of different processors treat signed zeros differently.
template <class D>
HWY_INLINE Wide<D> larger(Wide<D> a, Wide<D> b) {
#if HWY_TARGET == HWY_WASM
  return hn::PseudoMax(a.lanes, b.lanes);  // this comparison as one instruction
#else
  return hn::IfThenElse(hn::Lt(a.lanes, b.lanes), b.lanes, a.lanes);
#endif
}
template <class D>
HWY_INLINE Wide<D> smaller(Wide<D> a, Wide<D> b) {
#if HWY_TARGET == HWY_WASM
  return hn::PseudoMin(a.lanes, b.lanes);
#else
  return hn::IfThenElse(hn::Lt(b.lanes, a.lanes), b.lanes, a.lanes);
#endif
}
// Returns x in the lanes where a <= b, and y in the others.
template <class D>
HWY_INLINE Wide<D> at_most(Wide<D> a, Wide<D> b, Wide<D> x, Wide<D> y) {
  return hn::IfThenElse(hn::Le(a.lanes, b.lanes), x.lanes, y.lanes);
}
// Returns true if a <= b in all lanes.
template <class D>
HWY_INLINE bool all_at_most(Wide<D> a, Wide<D> b) {
  return hn::AllTrue(D(), hn::Le(a.lanes, b.lanes));
}
// Returns the distance from 1 to the next larger number.
template <class D>
HWY_INLINE Wide<D> precision_of(Wide<D>) {
  return Wide<D>(0x1p-52);
}
// Returns 1 / a where a > 0, and 0 elsewhere.
template <class D>
HWY_INLINE Wide<D> inverse_or_zero(Wide<D> a) {
  const auto positive = hn::Gt(a.lanes, hn::Zero(D()));
  const auto safe = hn::IfThenElse(positive, a.lanes, hn::Set(D(), 1.0));
  return hn::IfThenElseZero(positive, hn::Div(hn::Set(D(), 1.0), safe));
}
// Returns the share of an impulse that may act again although its bodies have turned since then. x
// is the angle (rad), or the change of the impulse relative to itself. The share is 1 up to x =
// 0.25, and 0 from 0.75 on.
template <class D>
HWY_INLINE Wide<D> share_after_turn(Wide<D> x) {
  const Wide<D> share = Wide<D>(1.5) - Wide<D>(2.0) * x;
  return larger(Wide<D>(0.0), smaller(Wide<D>(1.0), share));
}

// --- points and directions ---

template <class D>
struct Wide3 {
  Wide3() = default;
  HWY_INLINE Wide3(Wide<D> x_in, Wide<D> y_in, Wide<D> z_in) : x(x_in), y(y_in), z(z_in) {}
  // Loads the lanes from `lane` onward.
  template <class Numbers>  // Lanes3 or HalfLanes3
  HWY_INLINE Wide3(const Numbers& from, std::uint32_t lane)
      : x(from.x + lane), y(from.y + lane), z(from.z + lane) {}
  template <class Numbers>
  HWY_INLINE void store(Numbers& to, std::uint32_t lane) const {
    x.store(to.x + lane);
    y.store(to.y + lane);
    z.store(to.z + lane);
  }

  Wide<D> x, y, z;
};

template <class D>
HWY_INLINE Wide3<D> operator+(Wide3<D> a, Wide3<D> b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class D>
HWY_INLINE Wide3<D> operator-(Wide3<D> a, Wide3<D> b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class D>
HWY_INLINE Wide3<D> operator*(Wide<D> s, Wide3<D> a) {
  return {s * a.x, s * a.y, s * a.z};
}
template <class D>
HWY_INLINE Wide<D> dot(Wide3<D> a, Wide3<D> b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class D>
HWY_INLINE Wide3<D> cross(Wide3<D> a, Wide3<D> b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class D>
HWY_INLINE Wide3<D> negative(Wide3<D> v) {
  const Wide<D> zero(0.0);
  return Wide3<D>(zero, zero, zero) - v;
}
// Returns a unit vector perpendicular to the unit vector n, by a fixed rule.
template <class D>
HWY_INLINE Wide3<D> tangent_of(Wide3<D> n) {
  const auto along_x = hn::Gt((n.x * n.x).lanes, hn::Set(D(), 1.0 / 3));
  const Wide<D> zero(0.0);
  const auto pick = [along_x](Wide<D> yes, Wide<D> no)
                        HWY_ATTR { return Wide<D>(hn::IfThenElse(along_x, yes.lanes, no.lanes)); };
  const Wide3<D> t(pick(n.y, zero), pick(zero - n.x, n.z), pick(zero, zero - n.y));
  return inverse_or_zero(square_root(dot(t, t))) * t;
}

// Returns `a`, shortened to length `limit` if it is longer.
template <class D>
HWY_INLINE Wide3<D> within(Wide3<D> a, Wide<D> limit) {
  const Wide<D> square = dot(a, a), zero(0.0);
  const auto longer = hn::Lt((limit * limit).lanes, square.lanes);
  const Wide<D> length =
      square_root(Wide<D>(hn::IfThenElse(longer, square.lanes, hn::Set(D(), 1.0))));
  const Wide<D> share = hn::IfThenElse(longer, (limit / length).lanes, hn::Set(D(), 1.0));
  const Wide3<D> cut = share * a;
  return {cut.x + zero, cut.y + zero, cut.z + zero};  // never -0
}

// A symmetric 3 x 3 matrix.
template <class D>
struct WideSymmetric {
  Wide<D> xx, yy, zz, xy, xz, yz;
};

template <class D>
HWY_INLINE Wide3<D> operator*(const WideSymmetric<D>& m, Wide3<D> a) {
  return {m.xx * a.x + m.xy * a.y + m.xz * a.z, m.xy * a.x + m.yy * a.y + m.yz * a.z,
          m.xz * a.x + m.yz * a.y + m.zz * a.z};
}

// The rotation matrix of a unit quaternion (x, y, z, w). Its columns are the body's axes.
template <class D>
struct WideRotation {
  HWY_INLINE WideRotation(Wide3<D> q, Wide<D> w) {
    const Wide<D> one(1.0);
    const Wide3<D> twice = q + q;
    const Wide<D> xx = twice.x * q.x, yy = twice.y * q.y, zz = twice.z * q.z;
    const Wide<D> xy = twice.x * q.y, xz = twice.x * q.z, yz = twice.y * q.z;
    const Wide<D> wx = twice.x * w, wy = twice.y * w, wz = twice.z * w;
    first = {one - (yy + zz), xy + wz, xz - wy};
    second = {xy - wz, one - (xx + zz), yz + wx};
    third = {xz + wy, yz - wx, one - (xx + yy)};
  }
  HWY_INLINE Wide3<D> to_world(Wide3<D> a) const {
    return a.x * first + a.y * second + a.z * third;
  }
  HWY_INLINE Wide3<D> to_body(Wide3<D> a) const {
    return {dot(first, a), dot(second, a), dot(third, a)};
  }

  Wide3<D> first, second, third;
};

// --- rows of bodies ---

// Eight numbers for each of several bodies, one body per lane.
template <class D>
struct WideRow {
  Wide<D> n0, n1, n2, n3, n4, n5, n6, n7;

  // Return the two vectors of a row (BodyRows). In a row of `motion` these are velocity and angular
  // velocity. In a row of `pose` they are position and x, y, z of the orientation quaternion.
  HWY_INLINE Wide3<D> first() const { return {n0, n1, n2}; }
  HWY_INLINE Wide3<D> second() const { return {n3, n4, n5}; }
  // Return the last numbers of a row of `motion`.
  HWY_INLINE Wide<D> inverse_mass() const { return n6; }
  HWY_INLINE Wide<D> inverse_inertia_x() const { return n7; }
  // Returns w of the orientation quaternion, from a row of `pose`.
  HWY_INLINE Wide<D> orientation_w() const { return n6; }
  // Returns the gravity scale, from a row of `pose`.
  HWY_INLINE Wide<D> gravity_scale() const { return n7; }
  // Returns the inverse inertia, from a row of `inertia`.
  HWY_INLINE WideSymmetric<D> symmetric() const { return {n0, n1, n2, n3, n4, n5}; }
};

template <class D>
constexpr std::uint32_t lanes_of() {
  return static_cast<std::uint32_t>(hn::MaxLanes(D()));
}

#if HWY_TARGET != HWY_SCALAR
// The transpose functions work in place. Their arguments are the rows of a square matrix. With more
// than two lanes, transpose_2() transposes each 2 x 2 block of adjacent lanes.
template <class D>
HWY_INLINE void transpose_2(Wide<D>& a, Wide<D>& b) {
  const Wide<D> lower = hn::InterleaveLower(D(), a.lanes, b.lanes);
  b = hn::InterleaveUpper(D(), a.lanes, b.lanes);
  a = lower;
}

template <class D>
HWY_INLINE void transpose_4(Wide<D>& a, Wide<D>& b, Wide<D>& c, Wide<D>& d) {
  transpose_2(a, b);
  transpose_2(c, d);
  const Wide<D> a0 = a, b0 = b;
  a = hn::ConcatLowerLower(D(), c.lanes, a0.lanes);
  b = hn::ConcatLowerLower(D(), d.lanes, b0.lanes);
  c = hn::ConcatUpperUpper(D(), c.lanes, a0.lanes);
  d = hn::ConcatUpperUpper(D(), d.lanes, b0.lanes);
}

// Transposes a 4 x 4 matrix whose elements are pairs of adjacent lanes.
template <class D>
HWY_INLINE void transpose_pairs(Wide<D>& a, Wide<D>& b, Wide<D>& c, Wide<D>& d) {
  const auto ab_even = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(b.lanes), a.lanes);
  const auto ab_odd = hn::OddEvenBlocks(b.lanes, hn::SwapAdjacentBlocks(a.lanes));
  const auto cd_even = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(d.lanes), c.lanes);
  const auto cd_odd = hn::OddEvenBlocks(d.lanes, hn::SwapAdjacentBlocks(c.lanes));
  a = hn::ConcatLowerLower(D(), cd_even, ab_even);
  b = hn::ConcatLowerLower(D(), cd_odd, ab_odd);
  c = hn::ConcatUpperUpper(D(), cd_even, ab_even);
  d = hn::ConcatUpperUpper(D(), cd_odd, ab_odd);
}

template <class D>
HWY_INLINE void transpose_8(WideRow<D>& r) {
  transpose_2(r.n0, r.n1);
  transpose_2(r.n2, r.n3);
  transpose_2(r.n4, r.n5);
  transpose_2(r.n6, r.n7);
  transpose_pairs(r.n0, r.n2, r.n4, r.n6);
  transpose_pairs(r.n1, r.n3, r.n5, r.n7);
}
#endif

// Loads the rows of several bodies. at[i] is the address of the row for lane i.
template <class D>
HWY_INLINE WideRow<D> load_rows(const double* const* at) {
  WideRow<D> r;
  if constexpr (lanes_of<D>() == 1) {
    const double* const from = at[0];
    r = {Wide<D>(from),     Wide<D>(from + 1), Wide<D>(from + 2), Wide<D>(from + 3),
         Wide<D>(from + 4), Wide<D>(from + 5), Wide<D>(from + 6), Wide<D>(from + 7)};
  }
#if HWY_TARGET != HWY_SCALAR
  if constexpr (lanes_of<D>() == 2) {
    r = {Wide<D>(at[0]),     Wide<D>(at[1]),     Wide<D>(at[0] + 2), Wide<D>(at[1] + 2),
         Wide<D>(at[0] + 4), Wide<D>(at[1] + 4), Wide<D>(at[0] + 6), Wide<D>(at[1] + 6)};
    transpose_2(r.n0, r.n1);
    transpose_2(r.n2, r.n3);
    transpose_2(r.n4, r.n5);
    transpose_2(r.n6, r.n7);
  }
  if constexpr (lanes_of<D>() == 4) {
    r = {Wide<D>(at[0]),     Wide<D>(at[1]),     Wide<D>(at[2]),     Wide<D>(at[3]),
         Wide<D>(at[0] + 4), Wide<D>(at[1] + 4), Wide<D>(at[2] + 4), Wide<D>(at[3] + 4)};
    transpose_4(r.n0, r.n1, r.n2, r.n3);
    transpose_4(r.n4, r.n5, r.n6, r.n7);
  }
  if constexpr (lanes_of<D>() == 8) {
    r = {Wide<D>(at[0]), Wide<D>(at[1]), Wide<D>(at[2]), Wide<D>(at[3]),
         Wide<D>(at[4]), Wide<D>(at[5]), Wide<D>(at[6]), Wide<D>(at[7])};
    transpose_8(r);
  }
#endif
  return r;
}

// Writes the row of lane i to to[i] where bit i of `lanes` is set.
template <class D>
HWY_INLINE void store_rows(WideRow<D> r, double* const* to, std::uint32_t lanes) {
  if constexpr (lanes_of<D>() == 1) {
    if ((lanes & 1) == 0) return;
    double* const t = to[0];
    r.n0.store(t), r.n1.store(t + 1), r.n2.store(t + 2), r.n3.store(t + 3);
    r.n4.store(t + 4), r.n5.store(t + 5), r.n6.store(t + 6), r.n7.store(t + 7);
  }
#if HWY_TARGET != HWY_SCALAR
  const auto whole = [&](std::uint32_t lane, auto... parts) HWY_ATTR {
    if ((lanes >> lane & 1) == 0) return;
    double* t = to[lane];
    ((parts.store(t), t += lanes_of<D>()), ...);
  };
  if constexpr (lanes_of<D>() == 2) {
    transpose_2(r.n0, r.n1);
    transpose_2(r.n2, r.n3);
    transpose_2(r.n4, r.n5);
    transpose_2(r.n6, r.n7);
    whole(0, r.n0, r.n2, r.n4, r.n6);
    whole(1, r.n1, r.n3, r.n5, r.n7);
  }
  if constexpr (lanes_of<D>() == 4) {
    transpose_4(r.n0, r.n1, r.n2, r.n3);
    transpose_4(r.n4, r.n5, r.n6, r.n7);
    whole(0, r.n0, r.n4);
    whole(1, r.n1, r.n5);
    whole(2, r.n2, r.n6);
    whole(3, r.n3, r.n7);
  }
  if constexpr (lanes_of<D>() == 8) {
    transpose_8(r);
    whole(0, r.n0), whole(1, r.n1), whole(2, r.n2), whole(3, r.n3);
    whole(4, r.n4), whole(5, r.n5), whole(6, r.n6), whole(7, r.n7);
  }
#endif
}

// The addresses of the solver rows of several bodies, one body per lane.
template <class D>
struct RowAddresses {
  HWY_INLINE RowAddresses(SolverBody* rows, const std::uint32_t* index) {
    for (std::uint32_t i = 0; i < lanes_of<D>(); ++i) at[i] = rows[index[i]].at;
  }
  // Takes the rows from `rows` onward, one per lane.
  HWY_INLINE explicit RowAddresses(SolverBody* rows) {
    for (std::uint32_t i = 0; i < lanes_of<D>(); ++i) at[i] = rows[i].at;
  }
  HWY_INLINE WideRow<D> load() const { return load_rows<D>(at); }
  HWY_INLINE void store(const WideRow<D>& row, std::uint32_t lanes) const {
    store_rows<D>(row, at, lanes);
  }

  double* at[lanes_of<D>()];
};
