// Defines run_pass(), which calls the kernel of a pass for a range of blocks.
//
// Each file of passes includes it inside orrery::physics::HWY_NAMESPACE, after its start_lanes,
// solve_lanes and relax_lanes.

template <class View>
HWY_INLINE void run_pass(ContactPass pass, const BodyRows& rows, View view, BlockRange range,
                         const PassSettings& settings) {
  switch (pass) {
    case ContactPass::start:
      return for_lanes(view, range,
                       [&](auto tag, auto& block, auto& extra, std::uint32_t lane) HWY_ATTR {
                         start_lanes<decltype(tag)>(rows, block, extra, settings, lane);
                       });
    case ContactPass::solve:
      return for_lanes(view, range, [&](auto tag, auto& block, auto&, std::uint32_t lane) HWY_ATTR {
        solve_lanes<decltype(tag)>(rows, block, settings, lane);
      });
    case ContactPass::relax:
      return for_lanes(view, range,
                       [&](auto tag, auto& block, auto& extra, std::uint32_t lane) HWY_ATTR {
                         relax_lanes<decltype(tag)>(rows, block, extra, settings, lane);
                       });
  }
}
