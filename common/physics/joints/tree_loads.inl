// Adds up the loads of the links of a batch of trees.
//
// tree_passes.cpp includes it inside orrery::physics::HWY_NAMESPACE, after tree_lanes.inl.

// Returns the address of a number of the load of a link.
template <class D>
HWY_INLINE double* load_of(const Lanes<D>& lanes, std::uint32_t link, std::uint32_t number) {
  const TreeBatch& batch = lanes.batch;
  return batch.loads + (std::size_t{link} * TreeLoad::count + number) * batch.lanes + lanes.lane;
}

// Sets the loads of all links to 0 in the lanes of `some`.
template <class D>
HWY_NOINLINE void clear_loads(const Lanes<D>& lanes, const TreePlan& plan,
                              const hn::Mask<D>& some) {
  if (lanes.batch.loads == nullptr) return;
  for (std::uint32_t i = 0; i < plan.links.size(); ++i) {
    for (std::uint32_t k = 0; k < TreeLoad::count; ++k) {
      double* const at = load_of(lanes, i, k);
      Wide<D>(hn::IfThenZeroElse(some, Wide<D>(at).lanes)).store(at);
    }
  }
}

// Adds the impulses of all rows to the loads of their links.
template <class D>
HWY_NOINLINE void add_loads(const Lanes<D>& lanes, const TreePlan& plan) {
  if (lanes.batch.loads == nullptr) return;
  for (std::uint32_t i = 0; i < plan.links.size(); ++i) {
    const TreeLink& link = plan.links[i];
    const std::uint32_t angles = link.first_row + link.lengths;
    for (std::uint32_t r = link.first_row; r < link.first_row + link.rows; ++r) {
      const bool turns = r >= angles;
      double* const at = load_of(lanes, i, turns ? TreeLoad::angular_impulse : TreeLoad::impulse);
      const Wide3<D> along = lanes.vector(lanes.row(r, turns ? TreeRow::j_b : TreeRow::n));
      lanes.store(at, lanes.vector(at) + Wide<D>(lanes.row(r, TreeRow::impulse)) * along);
    }
  }
}
