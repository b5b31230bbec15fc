// Keeps clients that have not yet answered their challenge, and finds them by their responses.
#include "common/net/gate/applicants.h"

#include <algorithm>

namespace orrery::net {
namespace {

// Maximum number of contested applicants. The keys of each may be tried on a response.
constexpr std::size_t kContestedMax = 16;

}  // namespace

Applicants::Applicants(std::uint32_t capacity, NetEnvironment& environment)
    : environment_(environment), table_(capacity, environment), client_ids_(capacity, environment) {
  contested_.reserve(kContestedMax);
}

std::optional<Drop> Applicants::add(const PendingClient& applicant) {
  const TokenOwner& owner = applicant.owner;
  ORRERY_ASSERT(owner.timeout_seconds >= 1 && owner.timeout_seconds <= kTimeoutSecondsMax);
  PendingClient* const known = table_.find(owner.client_id);
  if (known && known->owner.created > owner.created) return Drop::connected;
  if (known && known->seal == applicant.seal) {
    known->until = applicant.until;
  } else {
    if (known) remove(owner.client_id);
    if (!table_.insert(owner.client_id, applicant)) return Drop::flood;
    if (!client_ids_.contains(applicant.address)) {
      client_ids_.insert(applicant.address, owner.client_id);
    }
  }
  const std::uint64_t* const there = client_ids_.find(applicant.address);
  if (!there || *there != owner.client_id) contest(owner.client_id);
  return std::nullopt;
}

// Marks an applicant as contested. If too many are, it takes the place of a random one. The owner
// of that one repeats its request, which marks it again.
void Applicants::contest(std::uint64_t client_id) {
  ORRERY_ASSERT(contested_.size() <= kContestedMax && table_.contains(client_id));
  if (std::find(contested_.begin(), contested_.end(), client_id) != contested_.end()) return;
  if (contested_.size() < kContestedMax) return contested_.push_back(client_id);
  contested_[environment_.random() % kContestedMax] = client_id;
}

// Returns a copy of an applicant, with the address at which it answered.
PendingClient Applicants::moved_to(const Address& address, std::uint64_t client_id) const {
  PendingClient applicant = *table_.find(client_id);
  applicant.address = address;
  return applicant;
}

void Applicants::remove(std::uint64_t client_id) {
  const PendingClient* const applicant = table_.find(client_id);
  ORRERY_ASSERT(applicant);
  forget_place(*applicant);
  table_.erase(client_id);
}

// Removes an applicant from the lists by which its response is found.
void Applicants::forget_place(const PendingClient& applicant) {
  const std::uint64_t client_id = applicant.owner.client_id;
  const std::uint64_t* const there = client_ids_.find(applicant.address);
  if (there && *there == client_id) client_ids_.erase(Address(applicant.address));
  std::erase(contested_, client_id);
}

void Applicants::forget(Nanoseconds now) {
  table_.erase_if([&](const PendingClient& applicant) {
    if (applicant.until > now) return false;
    forget_place(applicant);
    return true;
  });
  ORRERY_ASSERT(client_ids_.size() <= table_.size());
}

}  // namespace orrery::net
