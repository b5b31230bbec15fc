// Finds trees of joints and plans their elimination.
#include "common/physics/joints/tree_plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "common/core/assert.h"
#include "common/physics/body/islands.h"

namespace orrery::physics {
namespace {

// The joints of trees, listed for each body that moves.
struct Forest {
  SlotNumbers numbers;                                // of the bodies of all joints
  std::vector<std::vector<std::uint32_t>> joints_of;  // of each number, ascending
  std::vector<std::uint32_t> joints;                  // all, ascending
  std::vector<std::uint32_t> closing;                 // joints that close loops, ascending
};

// Adds the joints that close loops, unless a body has too many joints.
void add_closing(std::span<const Joint> joints, Forest& forest) {
  ORRERY_ASSERT(forest.closing.empty());
  std::vector<std::size_t> count;
  for (const auto& list : forest.joints_of) count.push_back(list.size());
  std::size_t next = 0;  // in forest.joints
  for (std::uint32_t i = 0; i < joints.size(); ++i) {
    if (next < forest.joints.size() && forest.joints[next] == i) {
      ++next;
      continue;
    }
    const Joint& joint = joints[i];
    if (hold_rows(joint) == 0) continue;
    std::size_t &a = count[forest.numbers.of(joint.a)], &b = count[forest.numbers.of(joint.b)];
    if ((joint.a_moves && a >= kDirectJointsMax) || (joint.b_moves && b >= kDirectJointsMax))
      continue;
    a += joint.a_moves;
    b += joint.b_moves;
    forest.closing.push_back(i);
  }
}

Forest make_forest(std::span<const Joint> joints) {
  Forest forest{SlotNumbers(joints), {}, {}, {}};
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
  add_closing(joints, forest);
  return forest;
}

// A tree: its joints from the root to the leaves, and its bodies in the order in which the walk
// reaches them. Or a net: its joints from the last to the first that is eliminated.
struct Tree {
  std::vector<std::uint32_t> joints;
  std::vector<std::uint32_t> slots;
  std::vector<std::uint8_t> closes = {};  // of each joint of a net: 1 if it closes a loop
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

// Finds nets: joints that moving bodies connect, with a joint that closes a loop.
class NetWalk {
 public:
  NetWalk(std::span<const Joint> joints, const Forest& forest) : joints_(joints), forest_(forest) {
    if (forest.closing.empty()) return;
    Islands islands;
    islands.reset(forest.numbers.size());
    for (const auto* list : {&forest.joints, &forest.closing}) {
      for (const std::uint32_t i : *list) {
        if (joints[i].a_moves && joints[i].b_moves)
          islands.join(forest.numbers.of(joints[i].a), forest.numbers.of(joints[i].b));
      }
    }
    for (const bool closes : {false, true}) {
      for (const std::uint32_t i : closes ? forest.closing : forest.joints) {
        const Joint& joint = joints[i];
        Net& net = nets_[islands.find(forest.numbers.of(joint.a_moves ? joint.a : joint.b))];
        net.joints.push_back(i);
        if (closes) net.closing_rows += hold_rows(joint);
        net_of_[i] = &net;
      }
    }
    for (auto& [island, net] : nets_) {
      if (net.closing_rows > 0 && net.closing_rows <= kNetClosingRowsMax) order(net);
    }
  }

  // Returns how many rows close loops in the net of a joint; 0: it belongs to none.
  std::uint32_t closing_rows(std::uint32_t joint) const {
    return net_of_.contains(joint) ? net_of_.at(joint)->closing_rows : 0;
  }
  // Returns the net of a joint, or one without joints if it was returned before.
  Tree walk(std::uint32_t joint) {
    ORRERY_ASSERT(closing_rows(joint) > 0);
    return std::exchange(net_of_[joint]->tree, {});
  }

 private:
  struct Net {
    std::vector<std::uint32_t> joints;  // first the joints in trees
    std::uint32_t closing_rows = 0;     // rows of the joints that close loops
    Tree tree = {};
  };

  // Finds the order of elimination: always takes the joint with the fewest neighbours.
  void order(Net& net) {
    std::map<std::uint32_t, std::vector<std::uint32_t>> joints_of;  // of the slots that move
    for (std::uint32_t i = 0; i < net.joints.size(); ++i) {
      const Joint& joint = joints_[net.joints[i]];
      if (joint.a_moves) joints_of[joint.a].push_back(i);
      if (joint.b_moves) joints_of[joint.b].push_back(i);
    }
    std::vector<std::set<std::uint32_t>> next_to(net.joints.size());
    for (const auto& [slot, list] : joints_of) {
      for (const std::uint32_t i : list) next_to[i].insert(list.begin(), list.end());
    }
    std::set<std::pair<std::size_t, std::uint32_t>> queue;
    for (std::uint32_t i = 0; i < next_to.size(); ++i) {
      next_to[i].erase(i);
      queue.emplace(next_to[i].size(), i);
    }
    std::vector<std::uint32_t> order;
    while (!queue.empty()) {
      const std::uint32_t least = queue.begin()->second;
      queue.erase(queue.begin());
      order.push_back(least);
      const std::set<std::uint32_t> others = std::move(next_to[least]);
      for (const std::uint32_t i : others) {
        queue.erase({next_to[i].size(), i});
        next_to[i].insert(others.begin(), others.end());
        for (const std::uint32_t self : {i, least}) next_to[i].erase(self);
        queue.emplace(next_to[i].size(), i);
      }
    }
    write(net, order);
  }

  // Writes the tree of a net.
  void write(Net& net, std::span<const std::uint32_t> order) const {
    ORRERY_ASSERT(order.size() == net.joints.size());
    std::set<std::uint32_t> seen;
    for (auto i = order.rbegin(); i != order.rend(); ++i) {
      const std::uint32_t joint = net.joints[*i];
      net.tree.joints.push_back(joint);
      net.tree.closes.push_back(
          std::binary_search(forest_.closing.begin(), forest_.closing.end(), joint));
      for (const std::uint32_t slot : {joints_[joint].a, joints_[joint].b}) {
        if (seen.insert(slot).second) net.tree.slots.push_back(slot);
      }
    }
  }

  std::span<const Joint> joints_;
  const Forest& forest_;
  std::map<std::uint32_t, Net> nets_;     // by island
  std::map<std::uint32_t, Net*> net_of_;  // of each joint
};

std::vector<TreeLink> make_links(std::span<const Joint> joints, const Tree& tree) {
  ORRERY_ASSERT(tree.closes.empty() ? tree.slots.size() == tree.joints.size() + 1
                                    : tree.closes.size() == tree.joints.size());
  std::vector<TreeLink> links;
  std::uint32_t row = 0;
  // Each slot is listed once: every body but the first was reached by one joint, and at most one
  // joint leads to a body that does not move.
  std::map<std::uint32_t, std::uint32_t> index;
  for (std::uint32_t i = 0; i < tree.slots.size(); ++i) index.emplace(tree.slots[i], i);
  for (std::size_t i = tree.joints.size(); i-- > 0;) {
    const Joint& joint = joints[tree.joints[i]];
    const std::uint32_t rows = hold_rows(joint);
    links.push_back({joint.kind, index.at(joint.a), index.at(joint.b), row, rows,
                     traits_of(joint.kind).lengths, !tree.closes.empty() && tree.closes[i] != 0});
    row += rows;
  }
  return links;
}

// For each link: later links, ascending. Their rows have entries in its columns.
using Neighbours = std::vector<std::vector<std::uint32_t>>;

// Eliminates links in a given order: joins the neighbours of each one.
void add_fill(Neighbours& later) {
  for (std::uint32_t i = 0; i < later.size(); ++i) {
    std::vector<std::uint32_t>& own = later[i];
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
    ORRERY_ASSERT(own.empty() || own.front() > i);
    if (own.empty()) continue;
    // The first neighbour passes these on to the others.
    later[own.front()].insert(later[own.front()].end(), own.begin() + 1, own.end());
  }
}

// Returns the neighbours of each link.
Neighbours later_neighbours(const std::vector<TreeLink>& links,
                            std::span<const std::uint8_t> moves) {
  std::vector<std::vector<std::uint32_t>> links_of(moves.size());
  for (std::uint32_t i = 0; i < links.size(); ++i) {
    for (const std::uint32_t body : {links[i].a, links[i].b}) {
      if (moves[body]) links_of[body].push_back(i);
    }
  }
  ORRERY_ASSERT(std::all_of(links_of.begin(), links_of.end(),
                            [](const auto& at) { return at.size() <= kDirectJointsMax; }));
  Neighbours later(links.size());
  for (const std::vector<std::uint32_t>& at : links_of) {
    for (auto i = at.begin(); i != at.end(); ++i)
      later[*i].insert(later[*i].end(), i + 1, at.end());
  }
  add_fill(later);
  return later;
}

// Adds the columns and couplings of a link.
void add_columns(TreePlan& plan, std::uint32_t link, std::span<const std::uint32_t> later) {
  const TreeLink& own = plan.links[link];
  ORRERY_ASSERT(plan.columns.size() == own.first_row);
  for (std::uint32_t i = 0; i < own.rows; ++i) {
    plan.columns.push_back(static_cast<std::uint32_t>(plan.entry_rows.size()));
    for (std::uint32_t k = i; k < own.rows; ++k) plan.entry_rows.push_back(own.first_row + k);
    for (const std::uint32_t n : later) {
      const TreeLink& other = plan.links[n];
      for (std::uint32_t k = 0; k < other.rows; ++k) plan.entry_rows.push_back(other.first_row + k);
    }
  }
  std::uint32_t offset = 0;
  for (const std::uint32_t n : later) {
    const TreeLink& other = plan.links[n];
    for (const std::uint32_t body : {own.a, own.b}) {
      if (!plan.moves[body] || (other.a != body && other.b != body)) continue;
      const double sign = (own.a == body) == (other.a == body) ? 1 : -1;
      plan.couplings.push_back({link, n, body, sign, offset});
    }
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
        ORRERY_ASSERT(at < plan.columns[rows[k] + 1]);  // Neighbours has all entries
        plan.updated.push_back(at);
      }
    }
  }
}

TreePlan make_plan(std::vector<TreeLink> links, std::span<const std::uint8_t> moves) {
  ORRERY_ASSERT(!links.empty() && moves.size() > 1);
  TreePlan plan;
  plan.links = std::move(links);
  plan.moves.assign(moves.begin(), moves.end());
  plan.bodies = static_cast<std::uint32_t>(moves.size());
  plan.rows = plan.links.back().first_row + plan.links.back().rows;
  for (const TreeLink& link : plan.links) plan.closes |= link.closes;
  plan.middle = !plan.closes && std::find(moves.begin(), moves.end(), 0) == moves.end() ? 0.5 : 0;
  const Neighbours later = later_neighbours(plan.links, moves);
  for (std::uint32_t i = 0; i < plan.links.size(); ++i) add_columns(plan, i, later[i]);
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
                                  std::span<const std::uint8_t> moves, bool loose) {
  std::vector<std::uint32_t> key{std::uint32_t{loose}};
  for (const TreeLink& link : links) {
    key.insert(key.end(), {static_cast<std::uint32_t>(link.kind) + (link.closes ? kJointKinds : 0),
                           link.a, link.b});
  }
  key.insert(key.end(), moves.begin(), moves.end());
  ORRERY_ASSERT(key.size() == 1 + 3 * links.size() + moves.size());
  return key;
}

}  // namespace

std::vector<TreeGroup> group_trees(std::span<const Joint> joints) {
  const Forest forest = make_forest(joints);
  TreeWalk walk(joints, forest);
  NetWalk nets(joints, forest);
  std::vector<TreeGroup> groups;
  std::map<std::vector<std::uint32_t>, std::size_t> group_of;
  for (const std::uint32_t joint : forest.joints) {
    const std::uint32_t closing = nets.closing_rows(joint);
    const bool loose = closing > kNetClosingRowsMax;
    const Tree tree = closing > 0 && !loose ? nets.walk(joint) : walk.walk(joint);
    if (tree.joints.empty()) continue;
    std::vector<TreeLink> links = make_links(joints, tree);
    const std::vector<std::uint8_t> moves = find_moving(joints, tree, links);
    const auto [at, is_new] = group_of.emplace(key_of(links, moves, loose), groups.size());
    if (is_new) groups.emplace_back().plan = make_plan(std::move(links), moves);
    TreeGroup& group = groups[at->second];
    group.plan.loose = loose;
    ++group.trees;
    group.slots.insert(group.slots.end(), tree.slots.begin(), tree.slots.end());
    group.joints.insert(group.joints.end(), tree.joints.rbegin(), tree.joints.rend());
    ORRERY_ASSERT(group.slots.size() == std::size_t{group.trees} * group.plan.bodies);
    ORRERY_ASSERT(group.joints.size() == group.trees * group.plan.links.size());
  }
  return groups;
}

}  // namespace orrery::physics
