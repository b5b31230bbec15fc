// Tests box problems by their conditions, which tell the solution from all other numbers.
#include "common/math/box_problem.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/core/rng.h"

namespace orrery {
namespace {

using Side = BoxRow::Side;

struct Problem {
  std::vector<double> matrix;
  std::vector<BoxRow> rows;
};

double between(SplitMix64& rng, double least, double most) {
  return least + (most - least) * (rng.symmetric() + 1) / 2;
}

// Returns a problem with the matrix G G^T, where G has n rows and `rank` columns.
Problem random_problem(SplitMix64& rng, std::size_t n, std::size_t rank) {
  std::vector<double> g(n * rank);
  for (double& x : g) x = between(rng, -1, 1);
  Problem problem;
  problem.matrix.assign(n * n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < rank; ++k) {
        problem.matrix[i * n + j] += g[i * rank + k] * g[j * rank + k];
      }
    }
    const double least = between(rng, -1, 0.2);
    problem.rows.push_back({between(rng, -1, 1), 1e-12, least, least + between(rng, 0, 1),
                            static_cast<Side>(rng.below(3)), 0});
  }
  return problem;
}

// Returns by how much the conditions of box_problem.h are missed.
double miss(const Problem& problem) {
  const std::size_t n = problem.rows.size();
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const BoxRow& row = problem.rows[i];
    double residual = row.start;
    for (std::size_t j = 0; j < n; ++j) {
      residual += problem.matrix[i * n + j] * problem.rows[j].x;
    }
    largest = std::max({largest, row.least - row.x, row.x - row.most});
    if (row.x > row.least) largest = std::max(largest, residual);
    if (row.x < row.most) largest = std::max(largest, -residual);
  }
  return largest;
}

TEST(BoxProblem, SolutionsMeetTheConditions) {
  constexpr std::uint64_t kSeed = 1;
  SplitMix64 rng(kSeed);
  BoxProblem solver;
  for (int i = 0; i < 3000; ++i) {
    const std::size_t n = 1 + rng.below(24);
    Problem problem = random_problem(rng, n, n + 2);
    solver.solve(problem.matrix, problem.rows);
    ASSERT_LT(miss(problem), 1e-9) << "seed " << kSeed << " problem " << i << " rows " << n;
  }
}

TEST(BoxProblem, AnyGuessLeadsToTheSameBits) {
  constexpr std::uint64_t kSeed = 2;
  SplitMix64 rng(kSeed);
  BoxProblem solver;
  for (int i = 0; i < 300; ++i) {
    Problem first = random_problem(rng, 12, 20);
    Problem second = first;
    for (BoxRow& row : second.rows) row.side = static_cast<Side>(rng.below(3));
    solver.solve(first.matrix, first.rows);
    solver.solve(second.matrix, second.rows);
    for (std::size_t k = 0; k < first.rows.size(); ++k) {
      ASSERT_EQ(first.rows[k].x, second.rows[k].x) << "seed " << kSeed << " problem " << i;
    }
  }
}

TEST(BoxProblem, TheSecondOfTwoEqualRowsTakesTheRest) {
  // Both rows push the same body. The first can give 1 of the 1.5 that is needed.
  for (const Side guess : {Side::inside, Side::least, Side::most}) {
    Problem problem{{1, 1, 1, 1}, {{-1.5, 1e-9, -1, 1, guess, 0}, {-1.5, 1e-9, -1, 1, guess, 0}}};
    BoxProblem().solve(problem.matrix, problem.rows);
    EXPECT_NEAR(problem.rows[0].x + problem.rows[1].x, 1.5, 1e-12);
    EXPECT_LT(miss(problem), 1e-12);
  }
}

TEST(BoxProblem, RowsThatDependOnOthersGetNothing) {
  Problem problem{{1, 1, 1, 1},
                  {{-1, 1e-9, -9, 9, Side::inside, 0}, {-1, 1e-9, -9, 9, Side::inside, 0}}};
  BoxProblem().solve(problem.matrix, problem.rows);
  EXPECT_EQ(problem.rows[0].x, 1);
  EXPECT_EQ(problem.rows[1].x, 0);
}

TEST(BoxProblem, ARowThatYieldsGetsABoundIfOthersWantSomethingElse) {
  // A limit holds at speed 0 what a motor pushes towards it. Gravity pulls it away.
  for (const double push : {3.0, 1e6}) {
    for (const Side guess : {Side::inside, Side::least, Side::most}) {
      Problem problem{{1, -1, -1, 1},
                      {{0.1, 1e-9, 0, 1e12, guess, 0}, {-1.1, 1e-9, -push, push, guess, 0, true}}};
      BoxProblem().solve(problem.matrix, problem.rows);
      EXPECT_EQ(problem.rows[1].x, push);
      EXPECT_NEAR(problem.rows[0].x, push - 0.1, 1e-9);
    }
  }
}

TEST(BoxProblem, ARowThatYieldsGetsNothingIfItAgreesWithOthers) {
  Problem problem{{1, 1, 1, 1},
                  {{-1, 1e-9, -9, 9, Side::inside, 0}, {-1, 1e-9, -9, 9, Side::inside, 0, true}}};
  BoxProblem().solve(problem.matrix, problem.rows);
  EXPECT_EQ(problem.rows[0].x, 1);
  EXPECT_EQ(problem.rows[1].x, 0);
}

}  // namespace
}  // namespace orrery
