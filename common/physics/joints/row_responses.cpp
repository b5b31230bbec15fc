// Solves rows of joints together, with the response of whole trees to each impulse.
#include "common/physics/joints/row_responses.h"

#include <algorithm>
#include <cmath>

#include "common/core/limits.h"

namespace orrery::physics {
namespace {

using Rule = JointRows::Rule;

// The share of its error that a joint outside trees corrects in a substep if its island has no
// contacts. Islands with contacts correct less (JointRows), which does not push bodies into others.
constexpr double kFreeShare = 0.9;

// The compliances of such joints, in shares of the compliance of free bodies: while errors are
// corrected, and while speeds are removed. Rows of loops may nearly depend on each other. Without
// compliance, a small error would make impulses without bound.
constexpr double kCompliance = 1e-2;
constexpr double kSpeedCompliance = 1e-8;

// A row whose response, while other rows are held, is at most this share of that of free bodies
// depends on them. It gets no impulse. A motor gets its largest force instead, unless it agrees
// with these rows.
constexpr double kResponseLeast = 1e-9;

// The order of rows. A row can depend only on rows before it: joints hold against limits, and
// limits hold against motors.
constexpr Rule kOrder[] = {Rule::hold, Rule::bound, Rule::stiff, Rule::servo, Rule::drive};

}  // namespace

bool RowResponses::suit(std::span<const JointRows::Row> rows, bool loops) {
  const auto counts = [](const JointRows::Row& row) {
    return row.rule == Rule::hold || row.rule == Rule::stiff || row.rule == Rule::servo ||
           row.rule == Rule::drive;
  };
  return rows.size() <= kRowsMax &&
         (rows.size() <= kLimitsMax || loops || std::any_of(rows.begin(), rows.end(), counts));
}

// Lists the rows that can act in a pass.
void RowResponses::find_active(std::span<const JointRows::Row> rows, const BodyRows& bodies,
                               std::span<double> numbers, const Pass& pass) {
  ORRERY_ASSERT(pass.h > 0);
  ORRERY_ASSERT(rows.empty() || rows.back().impulse < numbers.size());
  active_.clear();
  box_.clear();
  for (const Rule rule : kOrder) {
    for (const JointRows::Row& row : rows) {
      if (row.rule == rule) add_active(row, bodies, numbers[row.impulse], pass);
    }
  }
}

// Adds a row to active_ if it can act. Sets the impulse of the row to 0 when a solve pass begins.
// Stiff springs and servos act once in a substep.
// Guesses that a motor which had its largest force before still has it, and that a limit without
// impulse stays without.
void RowResponses::add_active(const JointRows::Row& row, const BodyRows& bodies, double& impulse,
                              const Pass& pass) {
  const auto& [h, relaxes, free, repeats] = pass;
  constexpr double kMost = limits::kForceMax;
  const double last = impulse;
  if (!relaxes && !repeats) impulse = 0;
  const bool once = row.rule == Rule::stiff || row.rule == Rule::servo;
  if (row.mass == 0 || ((relaxes || repeats) && once)) return;
  const double now = JointRows::speed(bodies, row);
  Active a{&row, 0, 0, impulse, -kMost, kMost, 0};
  switch (row.rule) {
    case Rule::hold:
      a.soft = (relaxes ? kSpeedCompliance : kCompliance) / row.mass;
      if (!relaxes)
        a.aim =
            (free ? kFreeShare / h : row.soft.rate) * JointRows::cut_error(row) + a.soft * impulse;
      break;
    case Rule::stiff:
      a.aim = row.soft.rate * row.error;
      a.soft = (1 - row.soft.mass) / (row.mass * row.soft.mass);
      break;
    case Rule::servo:
      a.aim = -JointRows::servo_speed(row, now);
      a.most = row.limit;
      a.least = -a.most;
      break;
    case Rule::bound:
      a.aim = JointRows::approach(row.error, row.soft.rate, h, relaxes);
      a.least = 0;
      if (now + a.aim >= 0 && last == 0) return;
      break;
    case Rule::drive:
      a.aim = -JointRows::drive_speed(row, h, relaxes);
      a.most = std::min(row.limit, kMost);
      a.least = -a.most;
      break;
    case Rule::spring:
      return;
  }
  const BoxRow::Side side = last <= a.least  ? BoxRow::Side::least
                            : last >= a.most ? BoxRow::Side::most
                                             : BoxRow::Side::inside;
  active_.push_back(a);
  box_.push_back({now + a.aim, kResponseLeast / row.mass, a.least - a.before, a.most - a.before,
                  side, 0, row.rule == Rule::drive});
}

// Returns the change of the speed of a row by an impulse of 1 along another one, as if no tree held
// their bodies.
double RowResponses::response(const Active& to, const Active& of, const BodyRows& bodies) const {
  const JointRows::Row &row = *to.row, &other = *of.row;
  ORRERY_ASSERT(row.a != row.b && other.a != other.b);
  const auto along = [&](std::uint32_t slot, const Vec3& n, const Vec3& j) {
    double speed = 0;
    if (slot == other.a)
      speed -= bodies.motion[slot].inverse_mass() * dot(n, other.n) + dot(j, other.k_a);
    if (slot == other.b)
      speed += bodies.motion[slot].inverse_mass() * dot(n, other.n) + dot(j, other.k_b);
    return speed;
  };
  return along(row.b, row.n, row.j_b) - along(row.a, row.n, row.j_a);
}

void RowResponses::find_matrix(JointTrees& trees, const BodyRows& bodies) {
  const std::size_t n = active_.size();
  ORRERY_ASSERT(n > 0 && n <= kRowsMax);
  elements_.clear();
  for (Active& a : active_) {
    const JointRows::Row& row = *a.row;
    const double mass_a = bodies.motion[row.a].inverse_mass();
    const double mass_b = bodies.motion[row.b].inverse_mass();
    a.first = elements_.size();
    trees.reduce(row.a, {-mass_a * row.n, -row.k_a}, row.b, {mass_b * row.n, row.k_b}, elements_);
  }
  const std::size_t rows = std::size_t{trees.rows()} * kColumns;
  if (scaled_.size() < rows) scaled_.resize(rows);
  matrix_.resize(n * n);
  for (std::size_t first = 0; first < n; first += kColumns) {
    find_columns(first, std::min(n - first, kColumns), bodies);
  }
}

// Finds some columns of the matrix, together because that is faster.
void RowResponses::find_columns(std::size_t first, std::size_t count, const BodyRows& bodies) {
  const std::size_t n = active_.size();
  ORRERY_ASSERT(count <= kColumns && first + count <= n);
  const auto elements_of = [&](std::size_t i) {
    const std::size_t end = i + 1 < n ? active_[i + 1].first : elements_.size();
    return std::span(elements_).subspan(active_[i].first, end - active_[i].first);
  };
  for (std::size_t k = 0; k < count; ++k) {
    for (const auto& e : elements_of(first + k)) scaled_[e.row * kColumns + k] = e.scaled;
  }
  for (std::size_t i = first; i < n; ++i) {
    double held[kColumns] = {};
    for (const auto& e : elements_of(i)) {
      const double* const scaled = &scaled_[e.row * kColumns];
      for (std::size_t k = 0; k < kColumns; ++k) held[k] += e.value * scaled[k];
    }
    for (std::size_t k = 0; k < count && first + k <= i; ++k) {
      const std::size_t j = first + k;
      matrix_[i * n + j] = response(active_[i], active_[j], bodies) - held[k];
    }
    if (i < first + count) matrix_[i * n + i] += active_[i].soft;
  }
  for (std::size_t k = 0; k < count; ++k) {
    for (const auto& e : elements_of(first + k)) scaled_[e.row * kColumns + k] = 0;
  }
}

void RowResponses::solve(std::span<const JointRows::Row> rows, JointTrees& trees,
                         const BodyRows& bodies, std::span<double> numbers, const Pass& pass) {
  ORRERY_ASSERT(pass.h > 0 && rows.size() <= kRowsMax);
  find_active(rows, bodies, numbers, pass);
  if (active_.empty()) return;
  find_matrix(trees, bodies);
  ORRERY_ASSERT(box_.size() == active_.size());
  problem_.solve(matrix_, box_);
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const Active& a = active_[i];
    const double x = std::clamp(box_[i].x, box_[i].least, box_[i].most);
    numbers[a.row->impulse] = std::clamp(a.before + x, a.least, a.most);
    JointRows::push(bodies, *a.row, x);
  }
}

}  // namespace orrery::physics
