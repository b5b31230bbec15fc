# Plants bugs into copies of the sources, for the field suite to find. Each takes out one mend.
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "fleet/planted"))
import plant

GEOMETRY = "common/physics/contacts/contact_geometry.cpp"
SEAMS = "common/physics/update/contact_seams.cpp"
FOLLOW = "common/physics/update/contact_follow.cpp"
UPDATE = "common/physics/update/contact_update.cpp"
MARGIN = "common/physics/body/contact_margin.cpp"
REFRESH = "common/physics/contacts/contact_refresh.cpp"
TREES = "common/physics/joints/tree_passes.cpp"
TENSION = "common/physics/joints/tree_tension.inl"
PLAN = "common/physics/joints/tree_plan.cpp"
LANES = "common/physics/joints/tree_lanes.inl"
SPRINGS = "common/physics/motion/stiff_springs.cpp"
DRIFT = "common/physics/motion/drift.cpp"
GROUP = "common/physics/joints/joint_group.cpp"
IMPACTS = "common/physics/contacts/contact_impacts.cpp"
TURN = "common/physics/contacts/contact_turn.cpp"
CARRY = "common/physics/sweep/carry.cpp"
CONTINUOUS = "common/physics/sweep/continuous.cpp"
CROSSINGS = "common/physics/sweep/sensor_crossings.cpp"
BOXES = "common/physics/narrow/collide_boxes.cpp"
SLEEPING = "common/physics/rest/sleeping.cpp"
SOLVER = "common/physics/solve/contact_solver.cpp"
PASSES = "common/physics/solve/general_passes.cpp"
FLAT = "common/physics/solve/flat_impacts.cpp"
POINTS = "common/physics/solve/points_together.inl"
JOINT_ROWS = "common/physics/joints/joint_rows.cpp"
RESPONSES = "common/physics/joints/row_responses.cpp"
IMPACT_TIME = "common/physics/narrow/time_of_impact.cpp"
JOINT_TREES = "common/physics/joints/joint_trees.cpp"
CAYLEY = "common/integrate/cayley.inl"
MANIFOLD = "common/physics/narrow/manifold.cpp"
PASSING = "common/physics/narrow/passing.cpp"
SURFACE = "common/physics/narrow/collide_surface.cpp"
LOADS = "common/physics/rest/contact_loads.cpp"

# (name, source file, original text, text with the bug)
BUGS = [
    ("round_points_stay_on_the_surface", GEOMETRY,
     "return part.kind == ShapeKind::sphere || part.kind == ShapeKind::capsule;",
     "return !PLANTED(round_points_stay_on_the_surface) &&\n"
     "         (part.kind == ShapeKind::sphere || part.kind == ShapeKind::capsule);"),
    ("round_points_stay_on_the_surface", GEOMETRY,
     "return kReuseShare * extra.inner_radius[lane];",
     "return PLANTED(round_points_stay_on_the_surface)\n"
     "    ? 0.02 : kReuseShare * extra.inner_radius[lane];"),
    ("contacts_begin_at_2_cm", MARGIN,
     "return {g > 0 ? kMarginFalls",
     "return {g > 0 && !PLANTED(contacts_begin_at_2_cm) ? kMarginFalls"),
    ("overlaps_part_at_3_m_per_s", REFRESH,
     "const Number bound = deepest_of(",
     "const Number bound = PLANTED(overlaps_part_at_3_m_per_s) ? Number(0.112) : deepest_of("),
    ("trees_close_to_a_micrometre", TREES,
     "const Wide<D> per_length = inverse_or_zero(squared_size(lanes, link, frame));",
     "const Wide<D> per_length = PLANTED(trees_close_to_a_micrometre)\n"
     "    ? one : inverse_or_zero(squared_size(lanes, link, frame));"),
    ("links_under_tension_keep_their_inertia", TREES,
     "find_tension(lanes, plan, step.h))",
     "!PLANTED(links_under_tension_keep_their_inertia) &&\n"
     "      find_tension(lanes, plan, step.h))"),
    ("loops_are_rigid", TREES,
     "if (!plan.closes || hn::AllFalse(D(), some)) return;",
     "if (!plan.closes || hn::AllFalse(D(), some) || PLANTED(loops_are_rigid)) return;"),
    ("bent_nets_gain_energy", TREES,
     "if (plan.closes) active =", "if (plan.closes && !PLANTED(bent_nets_gain_energy)) active ="),
    ("loops_are_left_out", PLAN,
     "forest.closing.push_back(i);",
     "if (!PLANTED(loops_are_left_out)) forest.closing.push_back(i);"),
    ("hits_close_joints_at_once", LANES,
     "const auto over = hn::Gt((error * error * k).lanes, (most * most).lanes);",
     "auto over = hn::Gt((error * error * k).lanes, (most * most).lanes);\n"
     "    if (PLANTED(hits_close_joints_at_once)) over = hn::Not(hn::Eq(k.lanes, k.lanes));"),
    ("trees_try_once", TREES,
     "const int attempts = lanes.batch.repeats ||",
     "const int attempts = lanes.batch.repeats || PLANTED(trees_try_once) ||"),
    ("contacts_keep_the_pose_of_the_tick", SOLVER,
     "turn_general(rows, view, range, settings);",
     "if (!PLANTED(contacts_keep_the_pose_of_the_tick)) {\n"
     "      turn_general(rows, view, range, settings);\n    }"),
    ("curved_ground_is_held_for_a_tick", FOLLOW,
     "if (!followed.changed) continue;",
     "if (!followed.changed || PLANTED(curved_ground_is_held_for_a_tick)) continue;"),
    ("slow_bodies_keep_the_pose_of_the_tick", SOLVER,
     "kTurnMax / step.tick",
     "(PLANTED(slow_bodies_keep_the_pose_of_the_tick) ? 0.02 : kTurnMax) / step.tick"),
    ("struck_contacts_are_idle", TURN,
     "~(std::uint32_t{extra.struck} >> lane)",
     "(PLANTED(struck_contacts_are_idle) ? ~0u : ~(std::uint32_t{extra.struck} >> lane))"),
    ("narrow_faces_get_one_pass", PASSES,
     "hn::Set(D(), kNarrowCoupling)",
     "hn::Set(D(), PLANTED(narrow_faces_get_one_pass) ? 2.0 : kNarrowCoupling)"),
    ("tall_bodies_get_one_pass", PASSES,
     "bits_of<D>(hn::And(tall, presses))",
     "PLANTED(tall_bodies_get_one_pass) ? 0 : bits_of<D>(hn::And(tall, presses))"),
    ("plates_bear_little", SOLVER,
     "const double most = kPushBodies * step.h",
     "const double most = PLANTED(plates_bear_little) ? 0 : kPushBodies * step.h"),
    ("backs_of_meshes_stop", IMPACT_TIME,
     "at_start == AtStart::closing && dot(face, start - corners[0]) < 0",
     "at_start == AtStart::closing && dot(face, start - corners[0]) < 0 &&\n"
     "        !PLANTED(backs_of_meshes_stop)"),
    ("motors_pass_limits", RESPONSES,
     "a.aim = -JointRows::drive_speed(row, h, relaxes);",
     "a.aim = PLANTED(motors_pass_limits) ? -row.error\n"
     "                                         : -JointRows::drive_speed(row, h, relaxes);"),
    ("motors_pass_limits", RESPONSES,
     "side, 0, row.rule == Rule::drive});",
     "side, 0, row.rule == Rule::drive && !PLANTED(motors_pass_limits)});"),
    ("turntables_carry_ahead", TURN,
     "const Number time = hn::IfThenElseZero(driven, half_time.lanes);",
     "const Number time = PLANTED(turntables_carry_ahead)\n"
     "      ? Number(0.0) : Number(hn::IfThenElseZero(driven, half_time.lanes));"),
    ("movers_do_not_turn", GEOMETRY,
     "return contact_side(slot, part, contact_body(shaped.bodies, slot, shape_of[slot]),\n"
     "                        shaped.shapes);",
     "ContactBody body = contact_body(shaped.bodies, slot, shape_of[slot]);\n"
     "    if (PLANTED(movers_do_not_turn)) body.driven = false;\n"
     "    return contact_side(slot, part, body, shaped.shapes);"),
    ("trees_forget_their_kick", JOINT_TREES,
     "batch.given[lane] = driven ? 0 : batch.free[lane];",
     "batch.given[lane] = driven ? 0 : batch.free[lane];\n"
     "      if (PLANTED(trees_forget_their_kick)) batch.taken[lane] = batch.given[lane];"),
    ("hinges_forget_their_turns", JOINT_ROWS,
     "const double turns = std::clamp((last - angle) / kTurn, -kTurnsMax, kTurnsMax);",
     "const double turns = PLANTED(hinges_forget_their_turns)\n"
     "    ? 0 : std::clamp((last - angle) / kTurn, -kTurnsMax, kTurnsMax);"),
    ("springs_give_way_to_damping", JOINT_ROWS,
     "row.rates = {reach * reach / time_,",
     "row.rates = {reach * reach / time_ /\n"
     "                   (PLANTED(springs_give_way_to_damping) ? 1 + damping : 1),"),
    ("motors_do_not_see_the_tree", RESPONSES,
     "return rows.size() <= kRowsMax &&",
     "return !PLANTED(motors_do_not_see_the_tree) && rows.size() <= kRowsMax &&"),
    ("friction_is_askew", PASSES,
     "const Wide3<D> sliding = speed - dot(speed, normal) * normal;\n"
     "  const Wide3<D> old(block.friction_impulse, lane);",
     "const Wide<D> share(PLANTED(friction_is_askew) ? 0.5 : 1.0);\n"
     "  const Wide3<D> all = speed - dot(speed, normal) * normal;\n"
     "  const Wide3<D> sliding(share * all.x, all.y, all.z);\n"
     "  const Wide3<D> old(block.friction_impulse, lane);"),
    ("parts_do_not_pass", UPDATE,
     "if (count == 1) let_pass(input, key, manifolds[0]);",
     "if (count == 1 && !PLANTED(parts_do_not_pass)) let_pass(input, key, manifolds[0]);"),
    ("ends_are_not_swept", CONTINUOUS,
     "std::optional<Impact> impact = cast(core, motion_);",
     "std::optional<Impact> impact;\n"
     "      if (!PLANTED(ends_are_not_swept)) impact = cast(core, motion_);"),
    ("stops_keep_momentum_only", CONTINUOUS,
     "bodies.set_orientation(fast.slot, kept_orientation(stop.orientation, end, momentum, most));",
     "bodies.set_orientation(fast.slot, kept_orientation(stop.orientation, end, momentum, most));\n"
     "  if (PLANTED(stops_keep_momentum_only)) {\n"
     "    bodies.set_orientation(fast.slot, stop.orientation);\n"
     "    bodies.set_angular_momentum(fast.slot, rotate_back(stop.orientation, momentum));\n"
     "  }"),
    ("stops_take_back_the_whole_fall", CONTINUOUS,
     "v - share * undone",
     "v - (PLANTED(stops_take_back_the_whole_fall) ? 1 : share) * undone"),
    ("open_points_stay_warm", PASSES,
     "Wide<D>(row.gap + lane), speeds[i], inverse_time, all);",
     "PLANTED(open_points_stay_warm) ? Wide<D>(0.0) : Wide<D>(row.gap + lane),\n"
     "                           speeds[i], inverse_time, all);"),
    ("passing_planes_push", GEOMETRY,
     "(passing ? kPassingReuse : 1) * usual_reuse(extra, lane);",
     "(passing ? (PLANTED(passing_planes_push) ? 0.51 : kPassingReuse) : 1) *\n"
     "                      usual_reuse(extra, lane);"),
    ("turned_impulses_stay", TURN,
     "= kept_share(p, before, placed);",
     "=\n        PLANTED(turned_impulses_stay) ? Number(1.0) : kept_share(p, before, placed);"),
    ("waiting_contacts_push", IMPACTS,
     "if (waiting == 0) return;",
     "if (waiting == 0 || PLANTED(waiting_contacts_push)) return;"),
    ("waiting_contacts_push", IMPACTS,
     "wait(none, block.normal_mass, lane);",
     "if (!PLANTED(waiting_contacts_push)) wait(none, block.normal_mass, lane);"),
    ("crossings_are_not_found", CROSSINGS,
     "if (!shaped.shapes.any_sensor()) return;",
     "if (!shaped.shapes.any_sensor() || PLANTED(crossings_are_not_found)) return;"),
    ("seams_catch", SEAMS,
     "find_grounds(input, contacts, queries);\n  const auto end",
     "if (PLANTED(seams_catch)) return;\n"
     "  find_grounds(input, contacts, queries);\n  const auto end"),
    ("stiff_springs_are_explicit", SPRINGS,
     "// First those that are too stiff",
     "if (PLANTED(stiff_springs_are_explicit)) return;\n"
     "  // First those that are too stiff"),
    ("impacts_do_not_travel", SOLVER,
     "return bounces ? kImpactPassesMax : 1;",
     "return bounces && !PLANTED(impacts_do_not_travel) ? kImpactPassesMax : 1;"),
    ("impacts_are_free", SOLVER,
     "const bool held = passes > 1 &&",
     "const bool held = passes > 1 && !PLANTED(impacts_are_free) &&"),
    ("impacts_pass_limits", GROUP,
     "if (row.rule != JointRows::Rule::bound) return false;",
     "if (row.rule != JointRows::Rule::bound || PLANTED(impacts_pass_limits)) return false;"),
    ("loads_get_no_passes", SOLVER,
     "if (colours == 0) return;",
     "if (colours == 0 || PLANTED(loads_get_no_passes)) return;"),
    ("new_contacts_slide_first", SOLVER,
     "  if (first) {\n    run_pass(ContactPass::grip",
     "  if (first && !PLANTED(new_contacts_slide_first)) {\n    run_pass(ContactPass::grip"),
    ("movers_carry_nothing", CARRY,
     "if (movers_.empty()) return;",
     "if (movers_.empty() || PLANTED(movers_carry_nothing)) return;"),
    ("spin_drifts", DRIFT,
     "cayley_step(Numbers(h), Numbers(i1 + i),",
     "cayley_step(Numbers(h), Numbers(PLANTED(spin_drifts) ? 1.001 : 1.0) * Numbers(i1 + i),"),
    ("rotation_is_explicit", CAYLEY,
     "(half * (inverse_1 - median)) * m1,",
     "(half * (inverse_1 - median)) * (PLANTED(rotation_is_explicit) ? l1 : m1),"),
    ("rotation_is_explicit", CAYLEY,
     "(half * (inverse_2 - median)) * m2,",
     "(half * (inverse_2 - median)) * (PLANTED(rotation_is_explicit) ? l2 : m2),"),
    ("rotation_is_explicit", CAYLEY,
     "(half * (inverse_3 - median)) * m3,",
     "(half * (inverse_3 - median)) * (PLANTED(rotation_is_explicit) ? l3 : m3),"),
    ("planes_at_two_times", PASSING,
     "i < kPassingRounds; ++i",
     "i < (PLANTED(planes_at_two_times) ? 2 : kPassingRounds); ++i"),
    ("balls_pass_at_the_end", REFRESH,
     "larger(zero, smaller(when, horizon)) * speed;",
     "(PLANTED(balls_pass_at_the_end) ? horizon\n"
     "                                  : larger(zero, smaller(when, horizon))) * speed;"),
    ("balls_lean_on_edges", SEAMS,
     "const double same = over_edge ?",
     "const double same = over_edge && !PLANTED(balls_lean_on_edges) ?"),
    ("points_lie_beside_the_core", SURFACE,
     "if (radius > 0) p.at",
     "if (radius > 0 && !PLANTED(points_lie_beside_the_core)) p.at"),
    ("columns_buckle", LOADS,
     "if (stack.slender && solved > 1) {",
     "if (stack.slender && solved > 1 && !PLANTED(columns_buckle)) {"),
    ("stacks_are_half_soft", LOADS,
     "for_bits(unsigned{block.footer.presses}, [&](std::uint32_t lane) {\n    const Stack",
     "for_bits(PLANTED(stacks_are_half_soft) ? unsigned{block.footer.loaded}\n"
     "                                       : unsigned{block.footer.presses},\n"
     "           [&](std::uint32_t lane) {\n    const Stack"),
    ("rods_turn_through_posts", CONTINUOUS,
     "if (!(least > 0 && most > kSlimInertia * next)) return 0;",
     "if (!(least > 0 && most > kSlimInertia * next) || PLANTED(rods_turn_through_posts)) {\n"
     "    return 0;\n  }"),
    ("points_in_their_order", MANIFOLD,
     "if (!(manifold.points[j].separation < manifold.points[j - 1].separation)) break;",
     "if (!(manifold.points[j].separation < manifold.points[j - 1].separation) ||\n"
     "          PLANTED(points_in_their_order)) {\n        break;\n      }"),
    ("contacts_see_one_body", SOLVER,
     "i < jointed_.rounds; ++i",
     "i < (PLANTED(contacts_see_one_body) ? 0 : jointed_.rounds); ++i"),
    ("rounds_gain_energy", TENSION,
     "const Wide<D> room = larger(most - before, none);",
     "const Wide<D> room = PLANTED(rounds_gain_energy)\n"
     "    ? Wide<D>(1e300) : larger(most - before, none);"),
    ("upper_corners_touch", BOXES,
     "ManifoldPoint points[4];\n  std::size_t count = 0;\n  for (std::uint32_t corner",
     "ManifoldPoint points[8];\n  std::size_t count = 0;\n  for (std::uint32_t corner"),
    ("upper_corners_touch", BOXES,
     "if (of_upper_face) continue;",
     "if (of_upper_face && !PLANTED(upper_corners_touch)) continue;"),
    ("points_stop_one_by_one", POINTS,
     "const auto some = hn::And(hn::And(m.any_static(), hits), several);",
     "const auto some = PLANTED(points_stop_one_by_one)\n"
     "    ? hn::Xor(several, several) : hn::And(hn::And(m.any_static(), hits), several);"),
    ("sliding_feet_share_friction", FLAT,
     "taken -= mass_product(bodies, row, sliding, change);",
     "taken -= mass_product(bodies, row,\n"
     "        PLANTED(sliding_feet_share_friction) ? difference({}, change) : sliding, change);"),
    ("friction_outlives_its_point", GEOMETRY,
     "if (lost > 0) keep_friction(",
     "if (lost > 0 && !PLANTED(friction_outlives_its_point)) keep_friction("),
    ("stops_raise_for_nothing", CONTINUOUS,
     "slow_spin(bodies, fast.slot,",
     "if (!PLANTED(stops_raise_for_nothing)) slow_spin(bodies, fast.slot,"),
    ("feet_hit_one_by_one", SOLVER,
     "flat_impacts_.strike(bodies",
     "if (!PLANTED(feet_hit_one_by_one)) flat_impacts_.strike(bodies"),
    ("slow_bodies_sleep", SLEEPING,
     "return kStillShare * kStillTime * length(gravity); }",
     "return PLANTED(slow_bodies_sleep) ? 0.05 : kStillShare * kStillTime * length(gravity); }"),
]


if __name__ == "__main__":
    sys.exit(plant.main(BUGS, sys.argv[1:]))
