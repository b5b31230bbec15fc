// Keeps the events, refusals, notices and answers that arrived for a client until its program takes
// them.
#include "client/lib/arrivals.h"

#include <algorithm>

namespace orrery::client {

std::uint32_t Arrivals::ask(const codec::message::Query& ray) {
  if (rays_.size() == kRaysMax) rays_.erase(rays_.begin());
  rays_.push_back({++asked_, ray, {}});
  return asked_;
}

void Arrivals::add(const codec::message::Answer& answer) {
  const auto is_its = [&](const RayAnswer& asked) { return asked.ray.id == answer.id; };
  const auto ray = std::find_if(rays_.begin(), rays_.end(), is_its);
  if (ray == rays_.end()) return;
  if (answers_.size() < kAnswersMax) answers_.push_back({ray->number, ray->ray, answer});
  rays_.erase(ray);
}

}  // namespace orrery::client
