// Owns the use of BLAKE2b, as libsodium has it.
#include "common/host/log_seal.h"

#include <sodium.h>

#include <array>

namespace orrery {

static_assert(std::tuple_size_v<LogSeal> == crypto_generichash_BYTES);
static_assert(std::tuple_size_v<Key> == crypto_generichash_KEYBYTES);

struct LogSealer::State {
  crypto_generichash_state hash;
};

LogSealer::LogSealer(const Key& key) : state_(std::make_unique<State>()) {
  ORRERY_ASSERT(sodium_init() >= 0);  // fails only where the kernel has no randomness
  ::crypto_generichash_init(&state_->hash, key.data(), key.size(), std::tuple_size_v<LogSeal>);
}

LogSealer::~LogSealer() = default;
LogSealer::LogSealer(LogSealer&& other) noexcept = default;
LogSealer& LogSealer::operator=(LogSealer&& other) noexcept = default;

void LogSealer::add(RecordType type, Bytes payload) {
  if (type == RecordType::index || type == RecordType::seal) return;
  std::array<std::uint8_t, 1 + 8> frame{static_cast<std::uint8_t>(type)};
  store_little_endian<8>(frame.data() + 1, payload.size());
  ::crypto_generichash_update(&state_->hash, frame.data(), frame.size());
  ::crypto_generichash_update(&state_->hash, payload.data(), payload.size());
}

void LogSealer::add_log(LogReader& log) {
  ORRERY_ASSERT(log.tick().value == 0);
  add(RecordType::header, log.last_payload());
  TickRecord record;
  Checkpoint checkpoint;
  while (const std::optional<RecordType> type = log.next(record, checkpoint)) {
    add(*type, log.last_payload());
  }
  if (!log.tail().closed) return;
  std::vector<std::uint8_t> end;
  encode_end(log.tick(), end);
  add(RecordType::end, end);
}

LogSeal LogSealer::seal() const {
  State copy = *state_;
  LogSeal seal;
  ::crypto_generichash_final(&copy.hash, seal.data(), seal.size());
  return seal;
}

SealVerdict check_seal(LogReader& log, const Key& key) {
  LogSealer sealer(key);
  sealer.add_log(log);
  const LogTail& tail = log.tail();
  if (!tail.seal) return SealVerdict::unsealed;
  const LogSeal seal = sealer.seal();
  const bool fits = ::sodium_memcmp(seal.data(), tail.seal->data(), seal.size()) == 0;
  if (!fits || tail.damaged) return SealVerdict::broken;
  return tail.lost_bytes + tail.given_up_bytes == 0 ? SealVerdict::intact : SealVerdict::loose;
}

}  // namespace orrery
