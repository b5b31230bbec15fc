// Seals session logs with libsodium's BLAKE2b and checks their seals.
#include "common/host/disk/log_seal.h"

#include <sodium.h>

#include <array>

#include "common/core/printable.h"
#include "common/host/disk/log_segments.h"

namespace orrery::host {

static_assert(std::tuple_size_v<session::LogSeal> == crypto_generichash_BYTES);
static_assert(net::kKeyBytes == crypto_generichash_KEYBYTES);

struct LogSealer::State {
  crypto_generichash_state hash;
};

LogSealer::LogSealer(const net::Key& key) : state_(std::make_unique<State>()) {
  ORRERY_ASSERT(sodium_init() >= 0);  // fails only where the kernel has no randomness
  ::crypto_generichash_init(&state_->hash, key.data(), key.size(),
                            std::tuple_size_v<session::LogSeal>);
}

LogSealer::~LogSealer() = default;
LogSealer::LogSealer(LogSealer&& other) noexcept = default;
LogSealer& LogSealer::operator=(LogSealer&& other) noexcept = default;

void LogSealer::add(session::RecordType type, Bytes payload) {
  if (type == session::RecordType::index) return;
  std::array<std::uint8_t, 1 + 8> frame{static_cast<std::uint8_t>(type)};
  store_little_endian<8>(frame.data() + 1, payload.size());
  ::crypto_generichash_update(&state_->hash, frame.data(), frame.size());
  ::crypto_generichash_update(&state_->hash, payload.data(), payload.size());
}

session::LogSeal LogSealer::seal() const {
  State copy = *state_;
  session::LogSeal seal;
  ::crypto_generichash_final(&copy.hash, seal.data(), seal.size());
  return seal;
}

bool LogSealer::fits(const session::LogSeal& other) const {
  const session::LogSeal own = seal();
  return ::sodium_memcmp(own.data(), other.data(), own.size()) == 0;
}

namespace {

std::string late_ticks(const SealReport& report) {
  std::string ticks;
  for (const SealedLate& late : report.late) {
    ticks += (ticks.empty() ? "" : ", ") + std::to_string(late.first.value) + " to " +
             std::to_string(late.last.value);
  }
  if (ticks.empty()) return "";
  return "; ticks " + ticks + " were sealed only when the session was resumed, as they stood then";
}

std::string verdict_line(const SealReport& report) {
  const std::string proved = report.proved ? "up to tick " + std::to_string(report.proved->value) +
                                                 " nothing was changed, added, left out or moved"
                                           : "nothing is proved";
  switch (report.verdict) {
    case SealVerdict::intact:
      return "sealed: nothing was changed, added, left out, moved or cut";
    case SealVerdict::unfinished:
      return "sealed, but not at its end: the session did not end on purpose, or that was cut "
             "off; " +
             proved;
    case SealVerdict::unsealed:
      return "not sealed: the session was recorded without a key, or its seals were taken out";
    case SealVerdict::loose:
      return "sealed; but there are bytes besides that no record holds: orrery log repair leaves "
             "them out";
    case SealVerdict::broken:
      break;
  }
  if (!report.misfit) return "sealed, but damaged; " + proved;
  return "the seal at tick " + std::to_string(report.misfit->value) +
         " does not fit: it is of another key, or the log was changed; " + proved;
}

}  // namespace

std::string to_line(const SealReport& report) { return verdict_line(report) + late_ticks(report); }

void SealCheck::add(session::RecordType type, const session::LogReader& log) {
  if (type == session::RecordType::seal)
    compare(session::decode_seal(log.last_payload()).value(), log.tick());
  if (type == session::RecordType::checkpoint) {
    resumed_ = resumed_ || is_of_resume(log.tick());
    checkpoint_ = log.tick();
  }
  sealer_.add(type, log.last_payload());
}

void SealCheck::compare(const session::LogSeal& seal, Tick at) {
  if (report_.misfit) return;
  const std::optional<Tick> before = report_.proved;
  const bool fits = sealer_.fits(seal);
  (fits ? report_.proved : report_.misfit) = at;
  if (fits && resumed_ && before && before < at) {
    report_.late.push_back({{before->value + 1}, at});
  }
  resumed_ = false;
}

bool SealCheck::is_of_resume(Tick checkpoint) const {
  if (checkpoint_ticks_ == 0) return false;
  return checkpoint.value % checkpoint_ticks_ != 0 || checkpoint == checkpoint_;
}

SealReport SealCheck::finish(const session::LogTail& tail) {
  ORRERY_ASSERT(!tail.unreadable);
  if (tail.closed) {
    std::vector<std::uint8_t> end;
    session::encode_end(tail.tick, end);
    sealer_.add(session::RecordType::end, end);
  }
  if (tail.seal) compare(*tail.seal, tail.tick);
  if (report_.misfit || (report_.proved && tail.damaged)) {
    report_.verdict = SealVerdict::broken;
  } else if (report_.proved && !tail.seal) {
    report_.verdict = SealVerdict::unfinished;
  } else if (report_.proved) {
    const bool loose = tail.lost_bytes + tail.abandoned_bytes > 0;
    report_.verdict = loose ? SealVerdict::loose : SealVerdict::intact;
  }
  return report_;
}

Result<SealReport> check_seals(session::LogReader& log, SealCheck& check) {
  ORRERY_ASSERT(log.tick().value == 0);
  check.add(session::RecordType::header, log);
  session::TickRecord record;
  session::Checkpoint checkpoint;
  while (const std::optional<session::RecordType> type = log.next_record(record, checkpoint)) {
    check.add(*type, log);
  }
  if (log.tail().unreadable) return *log.tail().unreadable;
  return check.finish(log.tail());
}

Result<ResumedSealer> resume_sealer(const std::string& path, const net::Key& key,
                                    FileSystem& files) {
  const Result<session::OpenedLog> log = session::open_log(segments_of(path, files));
  if (!log) return log.error().in(path);
  SealCheck check(key);
  const Result<SealReport> report = check_seals(*log.value().reader, check);
  if (!report) return report.error();
  if (report.value().verdict == SealVerdict::unfinished) {
    return ResumedSealer{check.take_sealer(), *report.value().proved};
  }
  const bool unsealed = report.value().verdict == SealVerdict::unsealed;
  return Error{to_line(report.value()) + (unsealed
                                              ? "; omit --seal-key to continue without seals"
                                              : "; keep this log as it is, and start a new one")}
      .in(path);
}

}  // namespace orrery::host
