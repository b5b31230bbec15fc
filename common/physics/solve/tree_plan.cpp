// Finds trees of joints and plans their elimination.
#include "common/physics/solve/tree_plan.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "common/core/assert.h"
#include "common/physics/body/islands.h"

namespace orrery::physics {
namespace {

// The joints of trees, listed for each body that moves.
struct Forest {
  SlotNumbers numbers;                                // of the bodies of all joints
  std::vector<std::vector<std::uint32_t>> joints_of;  // of each number, ascending
  std::vector<std::uint32_t> joints;                  // all, ascending
};

Forest make_forest(std::span<const Joint> joints) {
  Forest forest{SlotNumbers(joints), {}, {}};
  const std::uint32_t unmoved = forest.numbers.size();  // for all bodies that never move
  forest.joints_of.resize(unmoved);
  Islands islands;
  islands.reset(unmoved + 1);
  const auto full = [&](std::uint32_t body, bool moves) {
    return moves && forest.joints_of[body].size() >= kDirectJointsMax;
  };
  for (std::uint32_t i = 0; i < joints.size(); ++i) {
    const Joint& joint = joints[i];
    if (hold_rows(joint) == 0) continue;
    const std::uint32_t a = forest.numbers.of(joint.a), b = forest.numbers.of(joint.b);
    if (full(a, joint.a_moves) || full(b, joint.b_moves)) continue;
    const std::uint32_t island_a = islands.find(joint.a_moves ? a : unmoved);
    const std::uint32_t island_b = islands.find(joint.b_moves ? b : unmoved);
    if (island_a == island_b) continue;
    islands.join(island_a, island_b);
    if (joint.a_moves) forest.joints_of[a].push_back(i);
    if (joint.b_moves) forest.joints_of[b].push_back(i);
    forest.joints.push_back(i);
  }
  return forest;
}

// A tree: its joints from the root to the leaves, and its bodies in the order in which the walk
// reaches them.
struct Tree {
  std::vector<std::uint32_t> joints;
  std::vector<std::uint32_t> slots;
};

// Walks trees. Each body that moves belongs to at most one tree.
class TreeWalk {
 public:
  TreeWalk(std::span<const Joint> joints, const Forest& forest)
      : joints_(joints), forest_(forest), seen_(joints.size(), 0) {}

  // Returns the tree of a joint, or a tree without joints if it was returned before. A joint to a
  // body that does not move comes first in its tree.
  Tree walk(std::uint32_t joint) {
    ORRERY_ASSERT(joint < joints_.size());
    Tree tree;
    if (seen_[joint]) return tree;
    const Joint& first = joints_[joint];
    collect(first.a_moves ? first.a : first.b, tree);
    const auto fixed = std::find_if(tree.joints.begin(), tree.joints.end(), [&](std::uint32_t i) {
      return !joints_[i].a_moves || !joints_[i].b_moves;
    });
    if (fixed == tree.joints.end()) return tree;
    const Joint& anchored = joints_[*fixed];
    for (const std::uint32_t i : tree.joints) seen_[i] = 0;
    tree = {};
    collect(anchored.a_moves ? anchored.a : anchored.b, tree);
    // The walk takes the joints of the root in ascending order, so `anchored` may not be the first.
    // Moves it to the front.
    const auto anchored_at = std::find_if(tree.joints.begin(), tree.joints.end(),
                                          [&](auto i) { return &joints_[i] == &anchored; });
    std::rotate(tree.joints.begin(), anchored_at, anchored_at + 1);
    return tree;
  }

 private:
  void collect(std::uint32_t root, Tree& tree) {
    ORRERY_ASSERT(tree.joints.empty() && tree.slots.empty());
    std::vector<std::uint32_t> queue = {root};
    tree.slots.push_back(root);
    for (std::size_t next = 0; next < queue.size(); ++next) {
      for (const std::uint32_t i : forest_.joints_of[forest_.numbers.of(queue[next])]) {
        if (seen_[i]) continue;
        seen_[i] = 1;
        const Joint& joint = joints_[i];
        const bool from_a = joint.a_moves && joint.a == queue[next];
        const std::uint32_t other = from_a ? joint.b : joint.a;
        tree.joints.push_back(i);
        tree.slots.push_back(other);
        if (from_a ? joint.b_moves : joint.a_moves) queue.push_back(other);
      }
    }
    ORRERY_ASSERT(tree.slots.size() == tree.joints.size() + 1);
  }

  std::span<const Joint> joints_;
  const Forest& forest_;
  std::vector<std::uint8_t> seen_;
};

std::vector<TreeLink> make_links(std::span<const Joint> joints, const Tree& tree) {
  ORRERY_ASSERT(tree.slots.size() == tree.joints.size() + 1);
  std::vector<TreeLink> links;
  std::uint32_t row = 0;
  // Each slot is listed once: every body but the first was reached by one joint, and at most one
  // joint leads to a body that does not move.
  std::map<std::uint32_t, std::uint32_t> index;
  for (std::uint32_t i = 0; i < tree.slots.size(); ++i) index.emplace(tree.slots[i], i);
  for (auto i = tree.joints.rbegin(); i != tree.joints.rend(); ++i) {
    const Joint& joint = joints[*i];
    const std::uint32_t rows = hold_rows(joint);
    links.push_back({joint.kind, index.at(joint.a), index.at(joint.b), row, rows,
                     traits_of(joint.kind).lengths});
    row += rows;
  }
  return links;
}

// A neighbour of a link: a later link with which it shares a body that moves, and this body.
struct Neighbour {
  std::uint32_t link;
  std::uint32_t body;
};
// Returns, for each link, its neighbours in ascending order.
std::vector<std::vector<Neighbour>> later_neighbours(const std::vector<TreeLink>& links,
                                                     std::span<const std::uint8_t> moves) {
  std::vector<std::vector<std::uint32_t>> links_of(moves.size());
  for (std::uint32_t i = 0; i < links.size(); ++i) {
    for (const std::uint32_t body : {links[i].a, links[i].b}) {
      if (moves[body]) links_of[body].push_back(i);
    }
  }
  ORRERY_ASSERT(std::all_of(links_of.begin(), links_of.end(),
                            [](const auto& at) { return at.size() <= kDirectJointsMax; }));
  std::vector<std::vector<Neighbour>> neighbours(links.size());
  for (std::uint32_t body = 0; body < links_of.size(); ++body) {
    const std::vector<std::uint32_t>& at = links_of[body];
    for (std::size_t i = 0; i < at.size(); ++i) {
      for (std::size_t k = i + 1; k < at.size(); ++k) neighbours[at[i]].push_back({at[k], body});
    }
  }
  for (std::vector<Neighbour>& list : neighbours) {
    std::sort(list.begin(), list.end(),
              [](const Neighbour& a, const Neighbour& b) { return a.link < b.link; });
  }
  return neighbours;
}

// Adds the columns and couplings of a link.
void add_columns(TreePlan& plan, std::uint32_t link, const std::vector<Neighbour>& neighbours) {
  const TreeLink& own = plan.links[link];
  ORRERY_ASSERT(plan.columns.size() == own.first_row);
  for (std::uint32_t i = 0; i < own.rows; ++i) {
    plan.columns.push_back(static_cast<std::uint32_t>(plan.entry_rows.size()));
    for (std::uint32_t k = i; k < own.rows; ++k) plan.entry_rows.push_back(own.first_row + k);
    for (const Neighbour& n : neighbours) {
      const TreeLink& other = plan.links[n.link];
      for (std::uint32_t k = 0; k < other.rows; ++k) plan.entry_rows.push_back(other.first_row + k);
    }
  }
  std::uint32_t offset = 0;
  for (const Neighbour& n : neighbours) {
    const TreeLink& other = plan.links[n.link];
    const double sign = (own.a == n.body) == (other.a == n.body) ? 1 : -1;
    plan.couplings.push_back({link, n.link, n.body, sign, offset});
    offset += other.rows;
  }
}

// Lists the entries in columns of other links that the elimination of each link updates: one for
// each pair of rows of the link's later neighbours. The last column of the link has exactly these
// rows below its diagonal.
void add_updates(TreePlan& plan) {
  const std::vector<std::uint32_t>& rows = plan.entry_rows;
  ORRERY_ASSERT(plan.columns.size() == plan.rows + 1);
  ORRERY_ASSERT(plan.columns.back() == rows.size());
  for (const TreeLink& link : plan.links) {
    const std::uint32_t last = link.first_row + link.rows - 1;
    for (std::uint32_t k = plan.columns[last] + 1; k < plan.columns[last + 1]; ++k) {
      std::uint32_t at = plan.columns[rows[k]];
      for (std::uint32_t l = k; l < plan.columns[last + 1]; ++l) {
        while (rows[at] != rows[l]) ++at;
        ORRERY_ASSERT(at < plan.columns[rows[k] + 1]);  // eliminating a tree adds no entries
        plan.updated.push_back(at);
      }
    }
  }
}

TreePlan make_plan(std::vector<TreeLink> links, std::span<const std::uint8_t> moves) {
  ORRERY_ASSERT(!links.empty() && links.size() < moves.size());
  TreePlan plan;
  plan.links = std::move(links);
  plan.moves.assign(moves.begin(), moves.end());
  plan.bodies = static_cast<std::uint32_t>(moves.size());
  plan.rows = plan.links.back().first_row + plan.links.back().rows;
  const auto neighbours = later_neighbours(plan.links, moves);
  for (std::uint32_t i = 0; i < plan.links.size(); ++i) add_columns(plan, i, neighbours[i]);
  plan.columns.push_back(static_cast<std::uint32_t>(plan.entry_rows.size()));
  add_updates(plan);
  return plan;
}

std::vector<std::uint8_t> find_moving(std::span<const Joint> joints, const Tree& tree,
                                      const std::vector<TreeLink>& links) {
  ORRERY_ASSERT(links.size() == tree.joints.size());
  std::vector<std::uint8_t> moves(tree.slots.size(), 0);
  for (std::size_t i = 0; i < links.size(); ++i) {
    const Joint& joint = joints[tree.joints[links.size() - 1 - i]];
    moves[links[i].a] = joint.a_moves;
    moves[links[i].b] = joint.b_moves;
  }
  return moves;
}

// Returns the key of a plan: trees have equal plans exactly if their keys are equal.
std::vector<std::uint32_t> key_of(const std::vector<TreeLink>& links,
                                  std::span<const std::uint8_t> moves) {
  std::vector<std::uint32_t> key;
  for (const TreeLink& link : links) {
    key.insert(key.end(), {static_cast<std::uint32_t>(link.kind), link.a, link.b});
  }
  key.insert(key.end(), moves.begin(), moves.end());
  ORRERY_ASSERT(key.size() == 3 * links.size() + moves.size());
  return key;
}

}  // namespace

std::vector<TreeGroup> group_trees(std::span<const Joint> joints) {
  const Forest forest = make_forest(joints);
  TreeWalk walk(joints, forest);
  std::vector<TreeGroup> groups;
  std::map<std::vector<std::uint32_t>, std::size_t> group_of;
  for (const std::uint32_t joint : forest.joints) {
    const Tree tree = walk.walk(joint);
    if (tree.joints.empty()) continue;
    std::vector<TreeLink> links = make_links(joints, tree);
    const std::vector<std::uint8_t> moves = find_moving(joints, tree, links);
    const auto [at, is_new] = group_of.emplace(key_of(links, moves), groups.size());
    if (is_new) groups.emplace_back().plan = make_plan(std::move(links), moves);
    TreeGroup& group = groups[at->second];
    ++group.trees;
    group.slots.insert(group.slots.end(), tree.slots.begin(), tree.slots.end());
    group.joints.insert(group.joints.end(), tree.joints.rbegin(), tree.joints.rend());
    ORRERY_ASSERT(group.slots.size() == std::size_t{group.trees} * group.plan.bodies);
    ORRERY_ASSERT(group.joints.size() == group.trees * group.plan.links.size());
  }
  return groups;
}

}  // namespace orrery::physics
