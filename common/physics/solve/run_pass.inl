// Defines run_pass(), which calls the kernel of a pass for a range of blocks.
//
// Each file of passes includes it inside orrery::physics::HWY_NAMESPACE, after its start_lanes,
// solve_lanes and relax_lanes.

template <class View>
HWY_INLINE void run_pass(ContactPass pass, const BodyRows& rows, View view, BlockRange range,
                         const PassSettings& settings) {
  const auto start = [&](auto tag, auto& block, auto& extra, std::uint32_t lane) HWY_ATTR {
    start_lanes<decltype(tag)>(rows, block, extra, settings, lane);
  };
  const auto solve = [&](auto tag, auto& block, auto&, std::uint32_t lane)
                         HWY_ATTR { solve_lanes<decltype(tag)>(rows, block, settings, lane); };
  const auto relax = [&](auto tag, auto& block, auto& extra, std::uint32_t lane) HWY_ATTR {
    relax_lanes<decltype(tag)>(rows, block, extra, settings, lane);
  };
  const auto grip = [&](auto tag, auto& block, auto&, std::uint32_t lane)
                        HWY_ATTR { grip_lanes<decltype(tag)>(rows, block, settings, lane); };
  // One loop for all marks, so that the kernels are compiled once.
  const auto marked = [pass](const auto& block) HWY_ATTR -> std::uint32_t {
    if (pass == ContactPass::solve_jointed || pass == ContactPass::relax_jointed)
      return block.footer.jointed;
    const bool slender = pass == ContactPass::solve_slender || pass == ContactPass::relax_slender;
    return slender ? block.footer.slender : block.footer.loaded;
  };
  const auto smooth = [](const auto& block) HWY_ATTR { return smooth_lanes(block); };
  switch (pass) {
    case ContactPass::start:
      return for_lanes(view, range, start);
    case ContactPass::solve:
      return for_lanes(view, range, solve);
    case ContactPass::relax:
      return for_lanes(view, range, relax);
    case ContactPass::grip:
      return for_chosen(view, range, smooth, grip);
    case ContactPass::solve_loaded:
    case ContactPass::solve_slender:
    case ContactPass::solve_jointed:
      return for_chosen(view, range, marked, solve);
    case ContactPass::relax_loaded:
    case ContactPass::relax_slender:
    case ContactPass::relax_jointed:
      return for_chosen(view, range, marked, relax);
  }
}
