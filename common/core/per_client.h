// Stores one value for each client of a session.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/core/assert.h"
#include "common/core/ids.h"
#include "common/core/limits.h"

namespace orrery {

// An array with one value per client id, from 1 to its size. It never grows, so references stay
// valid.
template <class T>
class PerClient {
 public:
  // Makes `clients_max` default values. REQUIRES: 1 <= clients_max <= limits::kClientsMax.
  explicit PerClient(std::uint32_t clients_max) : values_(clients_max) {
    ORRERY_ASSERT(clients_max >= 1 && clients_max <= limits::kClientsMax);
  }

  // Return the value of a client. REQUIRES: the id is from 1 to size().
  T& operator[](ClientId client) { return values_[index(client)]; }
  const T& operator[](ClientId client) const { return values_[index(client)]; }

  // Returns the values of the clients up to `last`, in the order of their ids. If `last` is the
  // server's id, 0, returns no values. REQUIRES: last.value <= size().
  std::span<T> up_to(ClientId last) {
    ORRERY_ASSERT(last.value <= values_.size());
    return std::span(values_).first(last.value);
  }

  // Returns the number of values, which is the highest client id.
  std::uint32_t size() const { return static_cast<std::uint32_t>(values_.size()); }

 private:
  std::size_t index(ClientId client) const {
    ORRERY_ASSERT(client.value >= 1 && client.value <= values_.size());
    return client.value - 1;
  }

  std::vector<T> values_;
};

}  // namespace orrery
