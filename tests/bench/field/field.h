// Declares the set-ups of `bench field`, and the engines that simulate them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/world/scenes/scene.h"
#include "tests/field/engine.h"

namespace orrery::bench {

// Each function builds a scene in an engine. Orrery makes 60 ticks a second of 4 substeps, the
// others 240 steps a second.
std::unique_ptr<field::Engine> field_orrery(const Scene& scene);
// Bullet 3.24 as packaged by Debian: 10 iterations, default error reduction.
std::unique_ptr<field::Engine> field_bullet(const Scene& scene);
// ODE 0.16 as packaged by Debian: dWorldQuickStep with 20 iterations.
std::unique_ptr<field::Engine> field_ode(const Scene& scene);

using FieldMake = std::unique_ptr<field::Engine> (*)(const Scene&);

// The figures of a case in an engine, as text, and their distance from the right value.
struct Outcome {
  std::string text;
  double error = 0;
};

// A figure of another engine that was measured once.
struct Recorded {
  const char* text = "";
  double error = 1e300;
};

// A row of `bench field`. Its bound is the smallest error of a peer, but not below `enough`.
struct FieldCase {
  const char* name;
  const char* right;
  double enough;   // an error that counts as exact
  Recorded box3d;  // git 30c67b5: binary32, 60 ticks a second of 4 substeps
  std::function<Outcome(FieldMake)> measure;
  // In place of a run, where this program does not set up the scene in Bullet and ODE.
  Recorded bullet = {}, ode = {};
  bool peers_run = true;
};

// contact_cases.cpp, pile_cases.cpp and joint_cases.cpp
std::vector<FieldCase> contact_cases();
std::vector<FieldCase> impact_cases();
std::vector<FieldCase> pile_cases();
std::vector<FieldCase> joint_cases();

}  // namespace orrery::bench
