// Solves systems of linear equations with bounds on the unknowns.
#include "common/math/box_problem.h"

#include <algorithm>
#include <cmath>

#include "common/core/assert.h"

namespace orrery {
namespace {

using Side = BoxRow::Side;

// A residual has a wrong sign only if it exceeds this share of the sum of its terms.
constexpr double kNoise = 1e-12;

// Rounds in a row without progress after which rows move one by one. Judice and Pires take 10.
constexpr int kPatience = 10;

// Of 10,000 random problems with random guesses, of 3 to 128 rows, all ended within 29 rounds (most
// sizes within 10). These bounds limit the time of hostile problems. Each sweep lowers the
// energy, so that any number of sweeps is safe.
constexpr int kRoundsMax = 60;
constexpr int kSweepsMax = 60;

}  // namespace

// Gives the rows at their bounds their x, and lists the other rows.
void BoxProblem::place_rows() {
  ORRERY_ASSERT(rows_.size() == n_);
  inside_.clear();
  for (std::size_t i = 0; i < n_; ++i) {
    BoxRow& row = rows_[i];
    if (row.side == Side::inside) {
      inside_.push_back(i);
    } else {
      row.x = row.side == Side::least ? row.least : row.most;
    }
  }
}

// Factors the part of A for the rows inside: A = L D L^T. The pivot of a row that yields is at
// least `pivot_least`. If such a row depends on rows before it, its x is then far outside its
// bounds, unless the row agrees with them.
void BoxProblem::factor() {
  const std::size_t m = inside_.size();
  factor_.resize(m * m);
  for (std::size_t r = 0; r < m; ++r) {
    const std::size_t i = inside_[r];
    double* const row = &factor_[r * m];
    for (std::size_t c = 0; c < r; ++c) {
      const double* const other = &factor_[c * m];
      double sum = matrix_[i * n_ + inside_[c]];
      for (std::size_t k = 0; k < c; ++k) sum -= row[k] * other[k];
      row[c] = sum;  // L times D
    }
    double pivot = matrix_[i * n_ + i];
    for (std::size_t c = 0; c < r; ++c) {
      const double share = row[c] * factor_[c * m + c];
      pivot -= share * row[c];
      row[c] = share;
    }
    const double least = rows_[i].pivot_least;
    row[r] = pivot > least ? 1 / pivot : rows_[i].yields ? 1 / least : 0;
  }
}

// Finds the x of the rows inside, so that their residuals are 0.
void BoxProblem::solve_inside() {
  const std::size_t m = inside_.size();
  ORRERY_ASSERT(factor_.size() == m * m);
  values_.resize(m);
  for (std::size_t r = 0; r < m; ++r) {
    const std::size_t i = inside_[r];
    double value = -rows_[i].start;
    for (std::size_t j = 0; j < n_; ++j) {
      if (rows_[j].side != Side::inside) value -= entry(i, j) * rows_[j].x;
    }
    for (std::size_t c = 0; c < r; ++c) value -= factor_[r * m + c] * values_[c];
    values_[r] = value;
  }
  for (std::size_t r = m; r-- > 0;) {
    double value = values_[r] * factor_[r * m + r];
    for (std::size_t k = r + 1; k < m; ++k) value -= factor_[k * m + r] * values_[k];
    values_[r] = value;
    rows_[inside_[r]].x = value;
  }
}

// Lists the rows with a wrong x or residual.
void BoxProblem::find_wrong() {
  ORRERY_ASSERT(matrix_.size() == n_ * n_);
  wrong_.clear();
  for (std::size_t i = 0; i < n_; ++i) {
    const BoxRow& row = rows_[i];
    if (row.side == Side::inside) {
      if (row.x < row.least || row.x > row.most) wrong_.push_back(i);
      continue;
    }
    if (row.least == row.most) continue;
    double residual = row.start, size = std::abs(row.start);
    for (std::size_t j = 0; j < n_; ++j) {
      const double term = entry(i, j) * rows_[j].x;
      residual += term;
      size += std::abs(term);
    }
    if ((row.side == Side::least ? -residual : residual) > kNoise * size) wrong_.push_back(i);
  }
}

// Moves a wrong row to another side.
void BoxProblem::move(BoxRow& row) const {
  if (row.side != Side::inside) {
    row.side = Side::inside;
  } else {
    row.side = row.x < row.least ? Side::least : Side::most;
  }
}

// Lowers the energy by sweeps over the rows, one by one (Gauss-Seidel).
void BoxProblem::descend() {
  ORRERY_ASSERT(matrix_.size() == n_ * n_);
  for (BoxRow& row : rows_) row.x = std::clamp(0.0, row.least, row.most);
  for (int sweep = 0; sweep < kSweepsMax; ++sweep) {
    for (std::size_t i = 0; i < n_; ++i) {
      BoxRow& row = rows_[i];
      const double own = matrix_[i * n_ + i];
      if (!(own > row.pivot_least)) continue;
      double residual = row.start;
      for (std::size_t j = 0; j < n_; ++j) residual += entry(i, j) * rows_[j].x;
      row.x = std::clamp(row.x - residual / own, row.least, row.most);
    }
  }
}

void BoxProblem::solve(std::span<const double> matrix, std::span<BoxRow> rows) {
  ORRERY_ASSERT(matrix.size() == rows.size() * rows.size());
  n_ = rows.size();
  matrix_ = matrix;
  rows_ = rows;
  std::size_t fewest = n_ + 1;
  int patience = kPatience;
  for (int round = 0; round < kRoundsMax; ++round) {
    place_rows();
    factor();
    solve_inside();
    find_wrong();
    if (wrong_.empty()) return;
    if (wrong_.size() < fewest) {
      fewest = wrong_.size();
      patience = kPatience;
    } else {
      --patience;
    }
    if (patience <= 0) wrong_.erase(wrong_.begin(), wrong_.end() - 1);
    for (const std::size_t i : wrong_) move(rows_[i]);
  }
  descend();
}

}  // namespace orrery
