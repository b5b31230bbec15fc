// Checks that the field suite finds every planted bug.
#include <cstdio>

#include "tests/field/suite.h"

namespace orrery::planted {

Bug bug = none;

}  // namespace orrery::planted

namespace orrery::field {
namespace {

// A bug, and the kind of checks that must find it.
struct Control {
  planted::Bug bug;
  void (*check)(Suite& suite);
};

constexpr Control kControls[] = {
    {planted::round_points_stay_on_the_surface, check_rolling},
    {planted::contacts_keep_the_pose_of_the_tick, check_pencils},
    {planted::contacts_begin_at_2_cm, check_symmetry},
    {planted::overlaps_part_at_3_m_per_s, check_symmetry},
    {planted::trees_close_to_a_micrometre, check_symmetry},
    {planted::tall_bodies_get_one_pass, check_stacks},
    {planted::curved_ground_is_held_for_a_tick, check_curved},
    {planted::slow_bodies_keep_the_pose_of_the_tick, check_curved},
    {planted::struck_contacts_are_idle, check_impacts},
    {planted::narrow_faces_get_one_pass, check_curved},
    {planted::plates_bear_little, check_pencils},
    {planted::backs_of_meshes_stop, check_continuous},
    {planted::motors_pass_limits, check_motors},
    {planted::turntables_carry_ahead, check_friction},
    {planted::movers_do_not_turn, check_movers},
    {planted::trees_forget_their_kick, check_joints},
    {planted::hinges_forget_their_turns, check_motors},
    {planted::motors_do_not_see_the_tree, check_motors},
    {planted::friction_is_askew, check_friction},
    {planted::parts_do_not_pass, check_misses},
    {planted::ends_are_not_swept, check_continuous},
    {planted::stops_keep_momentum_only, check_energy},
    {planted::stops_take_back_the_whole_fall, check_energy},
    {planted::open_points_stay_warm, check_symmetry},
    {planted::passing_planes_push, check_misses},
    {planted::turned_impulses_stay, check_energy},
    {planted::waiting_contacts_push, check_impacts},
    {planted::crossings_are_not_found, check_continuous},
    {planted::seams_catch, check_seams},
    {planted::stiff_springs_are_explicit, check_springs},
    {planted::impacts_do_not_travel, check_impacts},
    {planted::impacts_are_free, check_held},
    {planted::impacts_pass_limits, check_held},
    {planted::loads_get_no_passes, check_stacks},
    {planted::new_contacts_slide_first, check_friction},
    {planted::links_under_tension_keep_their_inertia, check_joints},
    {planted::trees_try_once, check_joints},
    {planted::loops_are_rigid, check_nets},
    {planted::bent_nets_gain_energy, check_nets},
    {planted::loops_are_left_out, check_nets},
    {planted::hits_close_joints_at_once, check_nets},
    {planted::rounds_gain_energy, check_nets},
    {planted::movers_carry_nothing, check_movers},
    {planted::spin_drifts, check_spin},
    {planted::rotation_is_explicit, check_energy},
    {planted::planes_at_two_times, check_misses},
    {planted::balls_pass_at_the_end, check_misses},
    {planted::balls_lean_on_edges, check_seams},
    {planted::points_lie_beside_the_core, check_rolling},
    {planted::columns_buckle, check_stacks},
    {planted::stacks_are_half_soft, check_stacks},
    {planted::rods_turn_through_posts, check_continuous},
    {planted::points_in_their_order, check_symmetry},
    {planted::contacts_see_one_body, check_legs},
    {planted::upper_corners_touch, check_dice},
    {planted::slow_bodies_sleep, check_sleep},
    {planted::points_stop_one_by_one, check_dice},
    {planted::feet_hit_one_by_one, check_dice},
    {planted::springs_give_way_to_damping, check_motors},
    {planted::sliding_feet_share_friction, check_dice},
    {planted::friction_outlives_its_point, check_energy},
    {planted::stops_raise_for_nothing, check_energy},
};
static_assert(std::size(kControls) + 1 == std::size(planted::kBugNames));

// Returns how many checks of a kind differ from the list of known failures.
std::uint32_t differences(const Control& control, planted::Bug bug) {
  planted::bug = bug;
  Suite suite(false, Suite::Print::nothing, read_known(FIELD_KNOWN));
  control.check(suite);
  return suite.unexpected();
}

// Returns the exit code: 0 if every bug is found, and the correct code has no unexpected result.
int run() {
  int wrong = 0;
  for (const Control& control : kControls) {
    const std::uint32_t without = differences(control, planted::none);
    const std::uint32_t with = differences(control, control.bug);
    wrong += without != 0 || with == 0;
    std::printf("%-36s %u checks differ, %u without the bug\n", planted::kBugNames[control.bug],
                with, without);
    std::fflush(stdout);
  }
  std::printf("%d of %zu controls fail\n", wrong, std::size(kControls));
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace orrery::field

int main() { return orrery::field::run(); }
