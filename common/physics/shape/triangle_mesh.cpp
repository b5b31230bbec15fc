// Builds surfaces: checks, neighbours and tree.
#include "common/physics/shape/triangle_mesh.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "common/core/assert.h"
#include "common/core/limits.h"

namespace orrery::physics {
namespace {

// Least ratio of twice the area of a triangle to the square of its longest side. A thinner triangle
// is a needle: its normal would be mostly rounding error.
constexpr double kNeedle = 1e-6;

// A side of a triangle. Sides with equal `low` and `high` connect the same vertices.
struct Side {
  std::uint32_t low;  // the lower of the two vertex indices
  std::uint32_t high;
  bool upwards;  // true: the triangle's vertex order goes from `low` to `high`
  std::uint32_t triangle;
  std::uint32_t side;

  auto order() const { return std::tuple(low, high, triangle, side); }
  bool same_line(const Side& other) const { return low == other.low && high == other.high; }
};

bool within_extent(double x) { return x >= -limits::kExtentMax && x <= limits::kExtentMax; }

bool is_sound(const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 ab = b - a, ac = c - a, bc = c - b;
  const double longest = std::max({dot(ab, ab), dot(ac, ac), dot(bc, bc)});
  constexpr double kLeast = limits::kExtentMin * limits::kExtentMin;
  return longest >= kLeast && length(cross(ab, ac)) >= kNeedle * longest;
}

// Returns TriangleMesh::neighbours. Two triangles are neighbours if they share a side that no third
// triangle has, and the vertex orders of both go along this side in opposite directions.
std::vector<std::array<std::uint32_t, 3>> neighbours_of(std::span<const Triangle> triangles) {
  ORRERY_ASSERT(triangles.size() <= limits::kTrianglesMax);
  std::vector<Side> sides;
  sides.reserve(3 * triangles.size());
  for (std::uint32_t t = 0; t < triangles.size(); ++t) {
    for (std::uint32_t i = 0; i < 3; ++i) {
      const std::uint32_t from = triangles[t][i], to = triangles[t][(i + 1) % 3];
      sides.push_back({std::min(from, to), std::max(from, to), from < to, t, i});
    }
  }
  std::sort(sides.begin(), sides.end(),
            [](const Side& a, const Side& b) { return a.order() < b.order(); });
  std::vector<std::array<std::uint32_t, 3>> neighbours(triangles.size(),
                                                       {kNoTriangle, kNoTriangle, kNoTriangle});
  for (std::size_t begin = 0, end; begin < sides.size(); begin = end) {
    end = begin + 1;
    while (end < sides.size() && sides[end].same_line(sides[begin])) ++end;
    const Side& a = sides[begin];
    const Side& b = sides[end - 1];
    if (end - begin != 2 || a.upwards == b.upwards) continue;
    neighbours[a.triangle][a.side] = b.triangle;
    neighbours[b.triangle][b.side] = a.triangle;
  }
  return neighbours;
}

void build_tree(TriangleMesh& mesh) {
  ORRERY_ASSERT(!mesh.triangles.empty());
  std::vector<Proxy> proxies(mesh.triangles.size());
  for (std::uint32_t t = 0; t < proxies.size(); ++t) {
    const auto [a, b, c] = mesh.corners(t);
    proxies[t].box = {lesser(lesser(a, b), c), greater(greater(a, b), c)};
    proxies[t].slot = t;
    mesh.bounds = t == 0 ? proxies[t].box : united(mesh.bounds, proxies[t].box);
  }
  mesh.tree = SpatialTree(static_cast<std::uint32_t>(proxies.size()));
  SerialExecutor executor;
  mesh.tree.build(proxies, executor);
}

}  // namespace

Result<TriangleMesh> make_mesh(std::span<const Vec3> vertices,
                               std::span<const Triangle> triangles) {
  if (triangles.empty() || triangles.size() > limits::kTrianglesMax) {
    return Error{"a mesh must have 1 to 1048576 triangles"};
  }
  for (const Vec3& v : vertices) {
    if (!within_extent(v.x) || !within_extent(v.y) || !within_extent(v.z)) {
      return Error::at("points", " must be within 1e9 of the origin of the part");
    }
  }
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const auto [a, b, c] = triangles[t];
    if (a >= vertices.size() || b >= vertices.size() || c >= vertices.size()) {
      return Error{"triangle " + std::to_string(t) + " must have vertices below " +
                   std::to_string(vertices.size())};
    }
    if (!is_sound(vertices[a], vertices[b], vertices[c])) {
      return Error{"triangle " + std::to_string(t) +
                   " must have an area, and must not be a needle"};
    }
  }
  TriangleMesh mesh;
  mesh.vertices.assign(vertices.begin(), vertices.end());
  mesh.triangles.assign(triangles.begin(), triangles.end());
  mesh.neighbours = neighbours_of(triangles);
  build_tree(mesh);
  return mesh;
}

Result<TriangleMesh> make_height_field(std::span<const double> heights, std::uint32_t columns,
                                       double spacing) {
  if (!(spacing >= limits::kExtentMin && spacing <= limits::kExtentMax)) {
    return Error::at("spacing", " must be from 1e-6 to 1e9");
  }
  if (columns < 2 || heights.size() % columns != 0 || heights.size() / columns < 2) {
    return Error::at("heights",
                     " must be at least two rows of at least two columns, all of one length");
  }
  if (heights.size() > limits::kTrianglesMax / 2) {
    return Error{"a height field must have at most 524288 heights"};
  }
  if (!std::all_of(heights.begin(), heights.end(), within_extent)) {
    return Error::at("heights", " must be within 1e9");
  }
  const auto rows = static_cast<std::uint32_t>(heights.size() / columns);
  std::vector<Vec3> vertices;
  std::vector<Triangle> triangles;
  for (std::uint32_t r = 0; r < rows; ++r) {
    for (std::uint32_t c = 0; c < columns; ++c) {
      const std::uint32_t at = r * columns + c;
      vertices.push_back({c * spacing, heights[at], r * spacing});
      if (r + 1 == rows || c + 1 == columns) continue;
      triangles.push_back({at, at + columns, at + 1});
      triangles.push_back({at + 1, at + columns, at + columns + 1});
    }
  }
  return make_mesh(vertices, triangles);
}

}  // namespace orrery::physics
