# Plants bugs into copies of the sources, for the fleet to find.
import sys

import plant

# (name, source file, original text, text with the bug)
BUGS = [
    ("arrival_order", "server/inbox.cpp",
     "for (Client& c : used()) take(c, next, share);",
     "if (PLANTED(arrival_order)) {\n"
     "    for (std::size_t i = used().size(); i > 0; --i) take(used()[i - 1], next, share);\n"
     "  }\n"
     "  for (Client& c : used()) take(c, next, share);"),
    ("inputs_taken_twice", "server/inbox.cpp",
     "++counters_.repeated;\n      continue;",
     "++counters_.repeated;\n"
     "      if (PLANTED(inputs_taken_twice) && c.waiting.size() < 8) c.waiting.push_back(timed);\n"
     "      continue;"),
    ("commands_need_no_time", "server/inbox.cpp",
     "client.booked += taken - skipped;",
     "if (!PLANTED(commands_need_no_time)) client.booked += taken - skipped;"),
    ("pauses_leave_a_backlog", "server/inbox.cpp",
     "if (skipped == 0) return;",
     "if (skipped == 0 || PLANTED(pauses_leave_a_backlog)) return;"),
    ("skipped_intervals_last_for_ever", "server/inbox.cpp",
     "client.skipped -= skipped;",
     "if (!PLANTED(skipped_intervals_last_for_ever)) client.skipped -= skipped;"),
    ("cuts_leave_a_backlog", "server/inbox.cpp",
     "const std::uint64_t unbooked = places + limits::kCommandsQueuedMax - client.booked;",
     "if (PLANTED(cuts_leave_a_backlog)) client.booked = std::max(client.booked,\n"
     "      places - client.rate + limits::kCommandsQueuedMax - limits::kCommandsBurst);\n"
     "  const std::uint64_t unbooked = places + limits::kCommandsQueuedMax - client.booked;"),
    ("a_tick_takes_all_that_wait", "server/inbox.cpp",
     "const std::uint64_t in_tick = client.rate + limits::kCommandsBurst;",
     "const std::uint64_t in_tick =\n"
     "      PLANTED(a_tick_takes_all_that_wait) ? 64 : client.rate + limits::kCommandsBurst;"),
    ("acknowledged_too_early", "server/senders/snapshot_sender.cpp",
     "const codec::CommandReport report = clients_.inbox.report(client);",
     "codec::CommandReport report = clients_.inbox.report(client);\n"
     "  if (PLANTED(acknowledged_too_early)) ++report.input.value;"),
    ("frames_of_the_baselines_tick", "client/lib/delta_receiver.cpp",
     "  snapshot_.tick = head.tick;",
     "  snapshot_.tick = PLANTED(frames_of_the_baselines_tick) ? head.baseline : head.tick;"),
    ("bodies_off_the_grid", "client/lib/delta_receiver.cpp",
     "  if (motion == nullptr || frame.span == 0) return state;",
     "  if (PLANTED(bodies_off_the_grid)) state.position.x += 1e-9;\n"
     "  if (motion == nullptr || frame.span == 0) return state;"),
    ("acknowledged_while_waiting", "server/inbox.cpp",
     "if (first == waiting.end()) return received;",
     "if (first == waiting.end() || PLANTED(acknowledged_while_waiting)) return received;"),
    ("leaves_forgotten", "server/server.cpp",
     "clients_.inbox.leave(event.client);",
     "if (!PLANTED(leaves_forgotten)) clients_.inbox.leave(event.client);"),
    ("all_ticks_caught_up", "server/pacer.h",
     "std::min<std::uint64_t>(behind, limits::kCatchUpTicksMax);",
     "PLANTED(all_ticks_caught_up)\n"
     "            ? behind\n"
     "            : std::min<std::uint64_t>(behind, limits::kCatchUpTicksMax);"),
    ("no_replay_window", "common/net/channel/replay_window.h",
     "if (sequence >= next_) return true;",
     "if (sequence >= next_ || PLANTED(no_replay_window)) return true;"),
    ("window_moved_by_anybody", "common/net/channel/link.cpp",
     "if (!opened) return Drop::impostor;",
     "if (!opened && is_counted && PLANTED(window_moved_by_anybody)) {\n"
     "    window_.mark(prefix.sequence);\n"
     "  }\n"
     "  if (!opened) return Drop::impostor;"),
    ("nonces_start_again", "common/net/channel/link.cpp",
     "sealer.seal(keys_.send, type, sequences_.take(), text, out, address_.carrier);",
     "sealer.seal(keys_.send, type, sequences_.take(), text, out, address_.carrier);\n"
     "  const bool repeats = PLANTED(nonces_start_again) && sequences_.next() == 1024;\n"
     "  if (repeats) sequences_ = PacketSequences();"),
    ("accounts_leak", "common/net/server_peers.cpp",
     "by_account_.erase(peer.owner.client_id);",
     "if (!PLANTED(accounts_leak)) by_account_.erase(peer.owner.client_id);"),
    ("visits_leave_something", "common/net/server_endpoint.cpp",
     "gate_.admit(applicant);",
     "gate_.admit(applicant);\n"
     "  if (PLANTED(visits_leave_something)) message_.reserve(message_.capacity() + 100);"),
    ("silence_never_ends", "common/net/server_endpoint.cpp",
     "if (p.link.silence(now) > p.timeout) {",
     "if (p.link.silence(now) > p.timeout && !PLANTED(silence_never_ends)) {"),
    ("three_challenges", "common/net/server_endpoint.cpp",
     "EndReason::full, now);\n"
     "  ++counters_.challenges;\n"
     "  out_.send(from, [&](auto& out) { gate_.challenge(applicant, out); });",
     "EndReason::full, now);\n"
     "  ++counters_.challenges;\n"
     "  for (int i = PLANTED(three_challenges) ? 3 : 1; i > 0; --i) {\n"
     "    out_.send(from, [&](auto& out) { gate_.challenge(applicant, out); });\n"
     "  }"),
    ("answers_impostors", "common/net/server_endpoint.cpp",
     "const auto opened = p.link.open(gate_.sealer(), prefix, datagram, text_);",
     "const auto opened = p.link.open(gate_.sealer(), prefix, datagram, text_);\n"
     "  const Drop* const dropped = std::get_if<Drop>(&opened);\n"
     "  const bool forged = dropped && *dropped == Drop::impostor;\n"
     "  if (forged && PLANTED(answers_impostors)) send_keep_alive(client, now);"),
    ("challenges_for_anybody", "common/net/packet/packet.cpp",
     "return cipher.open(key, sequence, {}, text.subspan(8), token.data()) && "
     "token == token_for(whom);",
     "if (!cipher.open(key, sequence, {}, text.subspan(8), token.data())) return false;\n"
     "  ChallengeToken expected = token_for(whom);\n"
     "  if (PLANTED(challenges_for_anybody))\n"
     "    std::copy(token.begin() + 24, token.end(), expected.begin() + 24);\n"
     "  return token == expected;"),
    ("tokens_of_other_servers", "common/net/gate/gate.cpp",
     "if (token.servers.index_of(access_.address) == token.servers.size())\n",
     "if (token.servers.index_of(access_.address) == token.servers.size() &&\n"
     "      !PLANTED(tokens_of_other_servers))\n"),
    ("tokens_good_for_ever", "common/net/gate/used_tokens.h",
     "return expires <= forgotten_ || tokens_.find(seal) != nullptr;",
     "if (PLANTED(tokens_good_for_ever)) return false;\n"
     "    return expires <= forgotten_ || tokens_.find(seal) != nullptr;"),
    ("forgotten_by_the_clock", "common/net/gate/used_tokens.h",
     "forgotten_ = std::max(forgotten_, expires);",
     "if (!PLANTED(forgotten_by_the_clock)) forgotten_ = std::max(forgotten_, expires);"),
    ("earlier_runs_are_forgotten", "common/net/gate/gate.cpp",
     "started_(std::max(environment.unix_seconds(), access.newest_token)),",
     "started_(PLANTED(earlier_runs_are_forgotten)\n"
     "                   ? environment.unix_seconds() - 60  // a clock that is behind\n"
     "                   : std::max(environment.unix_seconds(), access.newest_token)),"),
    ("seals_not_looked_at", "common/net/packet/packet.cpp",
     "if (!cipher_of(carrier).open(key, prefix.sequence, associated, sealed, out.data())) {",
     "if (!cipher_of(carrier).open(key, prefix.sequence, associated, sealed, out.data()) &&\n"
     "      !PLANTED(seals_not_looked_at)) {"),
    ("any_number_will_do", "common/codec/command_codec.cpp",
     "bool in_range(const command::Impulse& c) { return within(c.impulse, limits::kForceMax); }",
     "bool in_range(const command::Impulse& c) {\n"
     "  return PLANTED(any_number_will_do) || within(c.impulse, limits::kForceMax);\n"
     "}"),
    ("damping_drives", "common/physics/motion/forces.cpp",
     "const double push = spring.stiffness * (stretch + spring.ahead * speed) +",
     "if (PLANTED(damping_drives)) speed = -speed;\n"
     "  const double push = spring.stiffness * (stretch + spring.ahead * speed) +"),
    ("parts_of_other_ticks", "client/lib/snapshot_buffer.cpp",
     "const bool other = !e.used || e.snapshot.tick != part.tick;",
     "const bool other =\n"
     "      !e.used || (e.snapshot.tick != part.tick &&\n"
     "                  !(PLANTED(parts_of_other_ticks) && e.missing));"),
    ("snapshots_come_twice", "client/lib/snapshot_buffer.cpp",
     "return --e.missing == 0 ? complete(e) : nullptr;",
     "if (--e.missing == 0) return complete(e);\n"
     "  return PLANTED(snapshots_come_twice) ? newest_ : nullptr;"),
    ("gone_bodies_stay", "client/lib/snapshot_buffer.cpp",
     "std::erase_if(merging_, [this](const codec::BodyState& b) { "
     "return is_vacant(slot_of(b.id)); });",
     "std::erase_if(merging_, [this](const codec::BodyState& b) {\n"
     "      return is_vacant(slot_of(b.id)) && !PLANTED(gone_bodies_stay);\n"
     "    });"),
    ("predictions_stand_still", "client/lib/frames/body_interpolator.cpp",
     "track.previous = integrate::position_before(track.position, velocity, a, dt);",
     "track.previous = integrate::position_before(\n"
     "        track.position, PLANTED(predictions_stand_still) ? Vec3{} : velocity, a, dt);"),
    ("commands_lost_after_receipt", "server/inbox.cpp",
     "c.received = timed.command.sequence;",
     "c.received = timed.command.sequence;\n"
     "    if (PLANTED(commands_lost_after_receipt) && c.received.value % 32 == 0) continue;"),
    ("too_early_is_lost", "server/inbox.cpp",
     "counters_.too_early += timed.tick > latest;",
     "counters_.too_early += timed.tick > latest;\n"
     "    if (PLANTED(too_early_is_lost) && timed.tick > latest) continue;"),
    ("the_tick_rate_is_the_rate", "client/lib/server_clock.cpp",
     "rate_ = is_on_time ? tick_rate_",
     "rate_ = is_on_time || PLANTED(the_tick_rate_is_the_rate) ? tick_rate_"),
    ("clocks_run_in_pauses", "client/lib/command_clock.cpp",
     "const double seen = server.at(std::min(now, server.arrived_at() + server.patience()));",
     "const double until = PLANTED(clocks_run_in_pauses) ? 1e9 : server.patience();\n"
     "  const double seen = server.at(std::min(now, server.arrived_at() + until));"),
    ("pictures_go_back", "client/lib/frames/frame_clock.cpp",
     "} else if (error >= -kAheadSeconds * rate) {",
     "} else if (PLANTED(pictures_go_back) && error < -kAheadSeconds * rate) {\n"
     "    position_ = target;\n"
     "  } else if (error >= -kAheadSeconds * rate) {"),
    ("left_before_joining", "server/inbox.cpp",
     "if (std::erase_if(joins_, is_it) == 0) leaves_.push_back(client);",
     "if (PLANTED(left_before_joining) || std::erase_if(joins_, is_it) == 0)\n"
     "    leaves_.push_back(client);"),
    ("bodies_outlive_owners", "common/world/commands/apply.cpp",
     "departed.ids.set(c.client.value);",
     "if (!PLANTED(bodies_outlive_owners)) departed.ids.set(c.client.value);"),
    ("absences_last_for_ever", "server/absences.cpp",
     "if (next.value - a.since.value <= ticks_max_) continue;",
     "if (next.value - a.since.value <= ticks_max_ || PLANTED(absences_last_for_ever)) continue;"),
    ("owners_lose_bodies_at_once", "server/absences.cpp",
     "if (next.value - a.since.value <= ticks_max_",
     "const std::uint64_t most = PLANTED(owners_lose_bodies_at_once) ? 1 : ticks_max_;\n"
     "    if (next.value - a.since.value <= most"),
    ("moves_are_ignored", "common/net/server_moves.cpp",
     "if (!p.joined) return Drop::stranger;",
     "if (!p.joined || PLANTED(moves_are_ignored)) return Drop::stranger;"),
    ("copies_use_up_answers", "common/net/channel/link.cpp",
     "if (accepts && !accepts(*opened)) return Drop::malformed;",
     "const bool refused = accepts && !accepts(*opened);\n"
     "  if (refused && PLANTED(copies_use_up_answers)) window_.mark(prefix.sequence);\n"
     "  if (refused) return Drop::malformed;"),
    ("old_sockets_are_kept", "common/net/client_routes.cpp",
     "route_ = other_->route();",
     "if (!PLANTED(old_sockets_are_kept)) route_ = other_->route();"),
    ("copied_requests_block_owners", "common/net/gate/applicants.cpp",
     "if (!there || *there != owner.client_id) contest(owner.client_id);",
     "if (PLANTED(copied_requests_block_owners)) return std::nullopt;\n"
     "  if (!there || *there != owner.client_id) contest(owner.client_id);"),
    ("tickets_are_not_kept", "common/net/client_endpoint.cpp",
     "heard_.tickets.add({*ticket, now + life_of(*ticket)});",
     "if (!PLANTED(tickets_are_not_kept))\n"
     "          heard_.tickets.add({*ticket, now + life_of(*ticket)});"),
    ("tickets_work_twice", "common/net/gate/gate.cpp",
     "tickets_.spend(owner.client_id, applicant.ticket);",
     "if (!PLANTED(tickets_work_twice)) tickets_.spend(owner.client_id, applicant.ticket);"),
    ("ticks_made_when_polled", "server/server.cpp",
     "if (!size) break;",
     "if (!size) break;\n"
     "    if (PLANTED(ticks_made_when_polled) && i > 8)\n"
     "      orrery::step(world_, clients_.inbox.close(Tick{world_.tick().value + 1}),\n"
     "                   environment_.executor);"),
    ("mismatches_not_heard", "server/server.cpp",
     "} else if (followers_.mismatched(client)) {",
     "} else if (!PLANTED(mismatches_not_heard) && followers_.mismatched(client)) {"),
    ("one_is_sent_nothing", "server/senders/snapshot_sender.cpp",
     "if (!peer.joined || peer.follows || reader.waits) continue;",
     "if (!peer.joined || peer.follows || reader.waits) continue;\n"
     "    const bool is_late = client.value == 3 && world.tick().value % 1024 > 512;\n"
     "    if (PLANTED(one_is_sent_nothing) && is_late) continue;"),
    ("a_tick_left_out_after_an_image", "server/senders/followers.cpp",
     "f.tick = image_tick_ + 1;",
     "f.tick = image_tick_ + (PLANTED(a_tick_left_out_after_an_image) ? 2 : 1);"),
    ("commands_left_out_of_ticks", "common/session/follow_messages.cpp",
     "writer.bytes(record);",
     "writer.bytes(PLANTED(commands_left_out_of_ticks) ? record.first(8) : record);"),
    ("mismatches_not_told", "client/lib/connection.cpp",
     "if (!matched || !follower_->mismatch() || !connected()) return;",
     "if (!matched || !follower_->mismatch() || !connected()) return;\n"
     "  if (PLANTED(mismatches_not_told)) return;"),
    ("hashes_not_compared", "client/lib/follower.cpp",
     "if (world_->hash() != hash)",
     "if (world_->hash() != hash && !PLANTED(hashes_not_compared))"),
    ("events_lost_before_they_leave", "server/senders/plain_messages.cpp",
     "for (const ClientId client : listeners_) {\n      if (clients_",
     "for (const ClientId client : listeners_) {\n"
     "      if (PLANTED(events_lost_before_they_leave) && next_ % 32 == 0) continue;\n"
     "      if (clients_"),
    ("messages_come_twice", "common/net/channel/reliable_receiver.cpp",
     "if (ahead >= 1u << 15) return;",
     "if (PLANTED(messages_come_twice) && ahead == 0xffff && fragment.last) --next_;\n"
     "  else if (ahead >= 1u << 15) return;"),
    ("messages_out_of_order", "common/net/channel/reliable_receiver.cpp",
     "Slot& s = slot(fragment.number);",
     "if (PLANTED(messages_out_of_order) && ahead == 1 && fragment.last) next_ = fragment.number;\n"
     "  Slot& s = slot(fragment.number);"),
    ("never_sent_again", "common/net/channel/reliable_sender.cpp",
     "if (s.state != State::due) continue;",
     "if (s.state != State::due || (PLANTED(never_sent_again) && s.sequences[0] != 0)) continue;"),
    ("false_acks_believed", "common/net/channel/link.cpp",
     "if (claim != MessageSequences::Claim::sound)",
     "if (claim == MessageSequences::Claim::unsent && PLANTED(false_acks_believed)) {\n"
     "    path_.acknowledged(header.ack, header.ack_bits, 0, now);\n"
     "    return true;\n"
     "  }\n"
     "  if (claim != MessageSequences::Claim::sound)"),
    ("large_losses_are_ignored", "common/net/channel/datagram_limit.cpp",
     "if (!trial_.runs || !shows_drops(now)) return;",
     "if (!trial_.runs || !shows_drops(now) || PLANTED(large_losses_are_ignored)) return;"),
    ("large_packets_stay_whole", "common/net/outbox.cpp",
     "if (is_cut && needed > link.path().datagrams().bytes_max()) {",
     "if (is_cut && needed > link.path().datagrams().bytes_max() &&\n"
     "      !PLANTED(large_packets_stay_whole)) {"),
    ("sequences_never_skipped", "common/net/channel/message_sequences.h",
     "skip_in(after) = static_cast<std::uint8_t>(has_zero ? 0 : drawn);",
     "skip_in(after) = static_cast<std::uint8_t>(has_zero ? 0 : drawn);\n"
     "      if (PLANTED(sequences_never_skipped)) skip_in(after) = 255;"),
    ("baselines_kept_for_ever", "server/senders/baselines.cpp",
     "if (baseline && now() > baseline->frame.tick.value + age_max) forget(client);",
     "if (PLANTED(baselines_kept_for_ever)) continue;\n"
     "    if (baseline && now() > baseline->frame.tick.value + age_max) forget(client);"),
    ("overtaken_is_arrived", "common/net/channel/reliable_sender.cpp",
     "lose(s);\n",
     "PLANTED(overtaken_is_arrived) ? arrive(s) : lose(s);\n"),
    ("nothing_synced", "common/host/disk/segment_files.cpp",
     "int SegmentFiles::sync() { return files_.sync(descriptor_); }",
     "int SegmentFiles::sync() {\n"
     "  return PLANTED(nothing_synced) ? 0 : files_.sync(descriptor_);\n"
     "}"),
    ("hash_by_threads", "common/world/image/state_hash.cpp",
     "sum += physics::hash_tiles(bodies, begin, end);",
     "const auto part = physics::hash_tiles(bodies, begin, end);\n"
     "        sum += PLANTED(hash_by_threads) && begin > 0 ? mix64(part) : part;"),
]


if __name__ == "__main__":
    sys.exit(plant.main(BUGS, sys.argv[1:]))
