// Chooses lanes of a vector by bits, and stores numbers in the chosen lanes.
//
// contact_place.inl includes it inside orrery::physics::HWY_NAMESPACE.

// Returns the lanes of a mask as bits, the first lane in the lowest bit.
HWY_INLINE std::uint32_t bits_of(hn::Mask<Tag> mask) {
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(Tag(), mask, bytes);
  return bytes[0];
}

// Returns the mask of the lanes with a set bit, for vectors of doubles or of floats.
template <class D = Tag>
HWY_INLINE hn::Mask<D> mask_of(std::uint32_t bits) {
  const hn::RebindToUnsigned<D> words;
  const auto each = hn::Shl(hn::Set(words, 1), hn::Iota(words, 0));
  return hn::RebindMask(D(), hn::TestBit(hn::Set(words, bits), each));
}

HWY_INLINE Vector select(hn::Mask<Tag> mask, Vector yes, Vector no) {
  return {hn::IfThenElse(mask, yes.x.lanes, no.x.lanes),
          hn::IfThenElse(mask, yes.y.lanes, no.y.lanes),
          hn::IfThenElse(mask, yes.z.lanes, no.z.lanes)};
}

// Stores numbers in all lanes.
struct AllLanes {
  template <class Value, class Numbers>
  HWY_INLINE void operator()(const Value& value, Numbers& to, std::uint32_t lane) const {
    if constexpr (std::is_array_v<Numbers>) {
      value.store(to + lane);
    } else {
      value.store(to, lane);
    }
  }
};

// Stores numbers in some lanes, and keeps the numbers of the other lanes.
struct SomeLanes {
  using Half = hn::Rebind<float, Tag>;

  HWY_INLINE explicit SomeLanes(std::uint32_t bits)
      : mask(mask_of(bits)), half_mask(mask_of<Half>(bits)) {}
  HWY_INLINE void operator()(Number value, Lanes& to, std::uint32_t lane) const {
    Number(hn::IfThenElse(mask, value.lanes, Number(to + lane).lanes)).store(to + lane);
  }
  // Blends floats: a float that becomes a double and a float again costs more.
  HWY_INLINE void operator()(Number value, HalfLanes& to, std::uint32_t lane) const {
    const auto old = hn::LoadU(Half(), to + lane);
    hn::StoreU(hn::IfThenElse(half_mask, value.half(), old), Half(), to + lane);
  }
  template <class Numbers>
  HWY_INLINE void operator()(const Vector& value, Numbers& to, std::uint32_t lane) const {
    (*this)(value.x, to.x, lane);
    (*this)(value.y, to.y, lane);
    (*this)(value.z, to.z, lane);
  }

  hn::Mask<Tag> mask;
  hn::Mask<Half> half_mask;
};
