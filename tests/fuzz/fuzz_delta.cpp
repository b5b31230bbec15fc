// Fuzzes the delta codec: changed frames, other bytes, and other baselines. A decoder must refuse
// bytes or give a state on the grid, and a receiver must show no other state than the true one.
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "client/lib/delta_receiver.h"
#include "common/codec/delta/delta_message.h"
#include "tests/fuzz/coded_session.h"
#include "tests/fuzz/fuzz.h"

namespace orrery {
namespace {

using codec::CodedFrame;
using codec::DeltaCodec;
using codec::QuantisedBody;
using fuzz::CodedSession;

// --- the decoder ---

// Aborts unless all numbers of a decoded frame are in range, and its checksum fits its bodies.
void require_sound(const CodedSession& session, Tick tick, const CodedFrame& coded) {
  ORRERY_ASSERT(coded.frame.tick == tick);
  ORRERY_ASSERT(coded.frame.bodies.size() == session.numbers.slots);
  ORRERY_ASSERT(coded.motions.size() <= session.numbers.slots);
  ORRERY_ASSERT(coded.bodies_checksum == codec::checksum_of(coded.frame));
  for (std::uint32_t slot = 0; slot < session.numbers.slots; ++slot) {
    const QuantisedBody& body = coded.frame.bodies[slot];
    if (!body.present) {
      ORRERY_ASSERT(body == QuantisedBody{});
      continue;
    }
    ORRERY_ASSERT(slot_of(body.id) == slot);
    ORRERY_ASSERT(body.prototype < session.numbers.prototypes && body.largest < 4);
    for (const std::int32_t x : body.position)
      ORRERY_ASSERT(std::abs(x) <= codec::kGridPositionMax);
    for (const std::uint16_t x : body.orientation) {
      ORRERY_ASSERT(x >> session.numbers.grid.orientation_bits == 0);
    }
  }
  for (const codec::BodyMotion& motion : coded.motions) {
    ORRERY_ASSERT(coded.frame.bodies[motion.slot].present);
    ORRERY_ASSERT(std::isfinite(motion.rotation.x + motion.rotation.y + motion.rotation.z));
  }
}

bool is_equal(const codec::BodyMotion& a, const codec::BodyMotion& b) {
  return a.slot == b.slot && a.displacement == b.displacement && a.rotation == b.rotation &&
         a.position_errors == b.position_errors && a.rotation_errors == b.rotation_errors;
}

bool is_equal(const CodedFrame& a, const CodedFrame& b) {
  return a.frame.tick == b.frame.tick && a.frame.bodies == b.frame.bodies && a.span == b.span &&
         a.references == b.references &&
         std::equal(a.motions.begin(), a.motions.end(), b.motions.begin(), b.motions.end(),
                    [](const auto& x, const auto& y) { return is_equal(x, y); });
}

// A codec of a session, which keeps its memory from input to input.
class Subject {
 public:
  explicit Subject(const CodedSession& session)
      : session_(session),
        encoder_(session.numbers, {}),
        decoder_(session.numbers, {}),
        other_(session.numbers, {}) {}

  // Decodes bytes as a frame of the session, against any baseline.
  void decode(std::size_t frame, const CodedFrame& baseline, Bytes bytes) {
    const CodedFrame& truth = session_.coded[frame];
    const Tick tick = truth.frame.tick;
    decoder_.set_level(session_.levels[frame]);
    other_.set_level(session_.levels[frame]);
    const bool decoded = decoder_.decode(baseline, tick, bytes, out_);
    decode_correct(frame);
    // The result depends only on the baseline and the bytes, not on frames that were decoded
    // before.
    ORRERY_ASSERT(other_.decode(baseline, tick, bytes, again_) == decoded);
    const bool is_correct = &baseline == &session_.baseline(frame);
    if (is_correct && std::ranges::equal(bytes, session_.bytes[frame])) ORRERY_ASSERT(decoded);
    if (!decoded) return;
    require_sound(session_, tick, out_);
    ORRERY_ASSERT(is_equal(out_, again_) && out_.checksum == again_.checksum);
    // The checksum must differ if and only if the state differs from the encoder's: it is the only
    // protection of the next frame.
    ORRERY_ASSERT((out_.checksum == truth.checksum) == is_equal(out_, truth));
    ORRERY_ASSERT((out_.bodies_checksum == truth.bodies_checksum) ==
                  (out_.frame.bodies == truth.frame.bodies));
    continue_from(frame);
  }

 private:
  // Aborts unless the correct bytes give the correct frame.
  void decode_correct(std::size_t frame) {
    const CodedFrame& truth = session_.coded[frame];
    ORRERY_ASSERT(
        other_.decode(session_.baseline(frame), truth.frame.tick, session_.bytes[frame], again_));
    ORRERY_ASSERT(is_equal(again_, truth) && again_.checksum == truth.checksum);
  }

  // Uses out_, which decode() accepted, as a baseline for another frame. If that frame is coded
  // against this baseline, decoding must give it back. If its bytes were coded against another
  // state, any result is allowed. A body keeps its size, so frames do not code changes of it, and
  // the encoder never has a baseline with another size.
  void continue_from(std::size_t frame) {
    const std::size_t next = frame + 1;
    if (next == session_.frames.size()) return;
    const auto keeps_size = [](const QuantisedBody& a, const QuantisedBody& b) {
      return !a.present || !b.present || a.id != b.id || a.size == b.size;
    };
    if (!std::ranges::equal(out_.frame.bodies, session_.frames[next].bodies, keeps_size)) return;
    bytes_.clear();
    encoder_.set_level(session_.levels[next]);
    other_.set_level(session_.levels[next]);
    encoder_.encode(out_, session_.frames[next], session_.coded[next].references, sent_, bytes_);
    const Tick tick = session_.frames[next].tick;
    ORRERY_ASSERT(other_.decode(out_, tick, bytes_, again_));
    ORRERY_ASSERT(again_.frame.bodies == session_.frames[next].bodies);
    ORRERY_ASSERT(is_equal(again_, sent_) && again_.checksum == sent_.checksum);
    if (other_.decode(out_, tick, session_.bytes[next], again_)) {
      require_sound(session_, tick, again_);
    }
  }

  const CodedSession& session_;
  DeltaCodec encoder_;
  DeltaCodec decoder_;
  DeltaCodec other_;
  CodedFrame out_, again_, sent_;
  std::vector<std::uint8_t> bytes_;
};

std::vector<std::uint8_t> changed(std::vector<std::uint8_t> bytes, ByteReader& changes) {
  using enum fuzz::DeltaChange;
  constexpr int kChangesMax = 64;
  for (int i = 0; i < kChangesMax && changes.remaining() >= 4; ++i) {
    const auto change = static_cast<fuzz::DeltaChange>(changes.u8() % fuzz::kDeltaChanges);
    const std::size_t place = changes.u16() % (bytes.size() + 1);
    const auto at = bytes.begin() + static_cast<std::ptrdiff_t>(place);
    const std::uint8_t value = changes.u8();
    if (change == insert) bytes.insert(at, value);
    if (change == cut) bytes.resize(place);
    if (place == bytes.size()) continue;
    if (change == flip) *at ^= value;
    if (change == erase) bytes.erase(at);
  }
  return bytes;
}

void decode_input(const CodedSession& session, Subject& subject, bool is_raw, ByteReader& input) {
  const std::size_t frame = input.u8() % session.frames.size();
  const std::size_t choice = input.u8();
  const std::size_t other = choice == 0 ? 0 : (choice - 1) % (frame + 1);
  const CodedFrame& baseline = choice == 0      ? session.baseline(frame)
                               : other == frame ? session.nothing
                                                : session.coded[other];
  if (is_raw) {
    subject.decode(frame, baseline, input.rest());
  } else {
    subject.decode(frame, baseline, changed(session.bytes[frame], input));
  }
}

// --- the receiver ---

// A client that gets messages of a correct server in any order, and perhaps others.
class ReceiverRun {
 public:
  explicit ReceiverRun(const CodedSession& session)
      : session_(session), receiver_(fuzz::welcome_of(session)) {}

  void run(ByteReader& input) {
    using enum fuzz::DeltaStep;
    constexpr int kStepsMax = 512;
    for (int i = 0; i < kStepsMax && !input.at_end(); ++i) {
      const auto step = static_cast<fuzz::DeltaStep>(input.u8() % fuzz::kDeltaSteps);
      if (step == acknowledge) {
        require_ack();
      } else if (step == hostile) {
        const std::size_t count = input.u8();
        trusts_all_ = false;
        take(input.bytes(std::min(count, input.remaining())));
      } else {
        deliver(step, input.u8() % session_.frames.size(), input.u8());
      }
    }
  }

 private:
  void deliver(fuzz::DeltaStep step, std::size_t frame, std::uint8_t choice) {
    const bool has_baseline = step != fuzz::DeltaStep::whole_part && frame >= fuzz::kCodedDistance;
    codec::DeltaHead head{};
    head.tick = session_.frames[frame].tick;
    head.level = session_.levels[frame];
    head.parts = static_cast<std::uint8_t>(1 + frame % 3);
    if (has_baseline) {
      const CodedFrame& baseline = session_.baseline(frame);
      head.baseline = baseline.frame.tick;
      head.check = static_cast<std::uint16_t>(baseline.checksum);
    }
    const std::vector<std::uint8_t>& bytes =
        has_baseline ? session_.bytes[frame] : session_.unrelated[frame];
    if (step != fuzz::DeltaStep::misdirect) {
      head.part = choice % head.parts;
      send(head, bytes);
      return;
    }
    if (!has_baseline) return;
    head.baseline = session_.frames[choice % frame].tick;
    for (head.part = 0; head.part < head.parts; ++head.part) send(head, bytes);
  }

  // Sends the part that the head names.
  void send(const codec::DeltaHead& head, Bytes bytes) {
    const std::size_t begin = bytes.size() * head.part / head.parts;
    const std::size_t end = bytes.size() * (head.part + 1u) / head.parts;
    message_.clear();
    codec::encode_delta(head, bytes.subspan(begin, end - begin), message_);
    take(message_);
  }

  void take(Bytes message) {
    const client::Snapshot* const shown = receiver_.take(message);
    if (shown == nullptr) return;
    ORRERY_ASSERT(!newest_ || shown->tick > *newest_);
    newest_ = shown->tick;
    if (trusts_all_) require_truth(*shown);
    for (const codec::BodyState& body : shown->bodies) {
      const Vec3 sum = body.position + body.velocity + body.angular_velocity;
      const Quat& q = body.orientation;
      ORRERY_ASSERT(std::isfinite(sum.x + sum.y + sum.z));
      ORRERY_ASSERT(std::abs(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w - 1) < 1e-9);
    }
  }

  // Aborts unless a snapshot has the bodies of the session at its tick.
  void require_truth(const client::Snapshot& shown) const {
    const auto frame =
        std::find_if(session_.frames.begin(), session_.frames.end(),
                     [&](const codec::QuantisedFrame& f) { return f.tick == shown.tick; });
    ORRERY_ASSERT(frame != session_.frames.end());
    const codec::Grid& grid = session_.numbers.grid;
    auto next = shown.bodies.begin();
    for (const QuantisedBody& body : frame->bodies) {
      if (!body.present) continue;
      ORRERY_ASSERT(next != shown.bodies.end());
      ORRERY_ASSERT(next->id == body.id && next->prototype == body.prototype);
      ORRERY_ASSERT(next->tick == shown.tick && next->position == position_of(grid, body));
      ORRERY_ASSERT(next->orientation == orientation_of(grid, body));
      ++next;
    }
    ORRERY_ASSERT(next == shown.bodies.end());
  }

  // Acknowledges the newest frame, or nothing.
  void require_ack() {
    now_ += 30 * net::kMillisecond;
    const std::optional<Tick> ack = receiver_.next_ack(now_);
    ORRERY_ASSERT(!ack || *ack == Tick{} || *ack == newest_);
  }

  const CodedSession& session_;
  client::DeltaReceiver receiver_;
  std::optional<Tick> newest_;
  net::Nanoseconds now_ = net::kSecond;
  bool trusts_all_ = true;  // all messages came from the server
  std::vector<std::uint8_t> message_;
};

}  // namespace
}  // namespace orrery

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace orrery;
  static const std::vector<fuzz::CodedSession> sessions = fuzz::coded_sessions();
  static std::vector<Subject> subjects(sessions.begin(), sessions.end());
  ByteReader input({data, size});
  const auto kind = static_cast<fuzz::DeltaInput>(input.u8() % fuzz::kDeltaInputs);
  const std::size_t at = input.u8() % sessions.size();
  if (kind == fuzz::DeltaInput::received) {
    ReceiverRun(sessions[at]).run(input);
  } else {
    decode_input(sessions[at], subjects[at], kind == fuzz::DeltaInput::raw, input);
  }
  return 0;
}
