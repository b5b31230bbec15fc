// Tests the laboratory of the page against `orrery lab run --json`, and its links and tables.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  choiceOf, choicesOf, commandOf, csvOf, orderCommandOf,
} from "../../../client/lab/page/command";
import {
  type Choice, LabError, LabModule, type MotionReport,
} from "../../../client/lab/page/module";
import { PRESETS, presetState } from "../../../client/lab/page/presets";
import { isRotation, type RotationReport } from "../../../client/lab/page/rotation";
import { workOf } from "../../../client/lab/page/runs";
import { type LabState, linkOf, readLink, START, stepsOf } from "../../../client/lab/page/state";
import { stateOf, stepNumbers } from "../../../client/lab/page/step_numbers";
import { difference } from "./lab_difference.mjs";

const LIMIT = 1e-12;

function loadLab(): LabModule {
  const module = new WebAssembly.Module(readFileSync(process.env.ORRERY_LAB!));
  return new LabModule(new WebAssembly.Instance(module, {}).exports);
}

const lab = loadLab();

// Runs a command that the page shows. It prints numbers of a run that blows up too.
function ofTool(command: string): any {
  const [name, ...args] = command.split(" ");
  assert.equal(name, "orrery");
  return JSON.parse(spawnSync(process.env.ORRERY_TOOL!, args, { encoding: "utf8" }).stdout);
}

// Compares all numbers of a run, and the last row of its curve.
function compare(state: LabState): void {
  for (const { choice } of choicesOf(state)) {
    const wanted = ofTool(commandOf(choice));
    lab.choose(choice);
    const about = commandOf(choice);
    const found = difference(lab.report(), wanted);
    assert.ok(found.difference <= LIMIT, `${about}: ${found.path} differs by ${found.difference}`);
    const rows = lab.observe();
    const { x, v } = stateOf(rows, rows.times.length - 1, lab.dimension);
    const last = difference(isRotation(choice.problem) ? { angular_velocity: x }
                                                       : { final: { x, v } }, wanted);
    assert.ok(wanted.blew_up_at !== null || last.difference <= LIMIT, `${about}: the last row`);
  }
}

for (const preset of PRESETS) {
  test(`figure ${preset.name} has the numbers of orrery lab`, () => compare(presetState(preset)));
}

for (const patch of [
  { problem: "chain", settings: { n: 5, k: 30, m: 0.5 }, methods: ["yoshida6", "beeman", "ab4"] },
  { problem: "pendulum", methods: ["newmark", "pefrl"], settings: { beta: 0.3, gamma: 0.6 } },
  { problem: "damped", settings: { b: 2, k: 30 }, methods: ["trapezoidal", "heun", "suzuki4"] },
  { problem: "kepler", settings: { e: 0.9 }, dt: 0.003, methods: ["rk4", "forest-ruth"] },
  { problem: "oscillator", seed: 4294967295, methods: ["tcv", "velocity-verlet"] },
  { problem: "oscillator", dt: 3.7, time: 500, methods: ["leapfrog-kdk", "explicit-euler"] },
] as Partial<LabState>[]) {
  test(`${JSON.stringify(patch)} has the numbers of orrery lab`,
       () => compare({ ...START, ...patch }));
}

test("the errors over the step are those of orrery lab order", () => {
  for (const patch of [{ methods: ["explicit-euler", "midpoint", "rk4", "yoshida6"] },
                       { problem: "kepler", methods: ["verlet", "pefrl"] },
                       { problem: "damped", settings: { b: 2, x0: 1 }, methods: ["heun"] }]) {
    for (const { choice } of choicesOf({ ...START, ...patch } as LabState)) {
      const { points } = ofTool(orderCommandOf(choice));
      const { dts, errors } = workOf(lab, choice, "dt");
      assert.ok(errors.length >= 10);
      dts.forEach((dt, i) => {
        const wanted = points.find((point: any) => Math.abs(point.dt - dt) <= 1e-15);
        if (!wanted && errors[i] < 1e-13) return;  // the tool stops where its rounding begins
        assert.ok(Math.abs(errors[i] - wanted.error) <= LIMIT, `${orderCommandOf(choice)}: ${dt}`);
      });
    }
  }
});

test("the comparison sees a wrong number, a missing one and a null", () => {
  const choice = choiceOf(START, "rk4");
  lab.choose(choice);
  const wanted = ofTool(commandOf(choice));
  for (const plant of [(it: any) => { it.error.rms += 1e-11; },
                       (it: any) => { it.final.x *= 1 + 1e-11; },
                       (it: any) => { it.evaluations += 1; },
                       (it: any) => { it.phase_error = null; },
                       (it: any) => { delete it.energy_ratio.mean; }]) {
    const planted = structuredClone(wanted);
    plant(planted);
    assert.ok(difference(lab.report(), planted).difference > LIMIT);
  }
});

test("the formula of a step gives the state of the run", () => {
  for (const problem of ["oscillator", "damped", "kepler", "constant"]) {
    for (const { name } of lab.catalogue.methods) {
      const choice = choiceOf({ ...START, problem, dt: 0.05, time: 2 }, name);
      try {
        lab.choose(choice);
      } catch (error) {
        assert.ok(error instanceof LabError);
        continue;
      }
      const rows = lab.observe();
      for (const step of [0, 1, 2, 3, 20]) {
        const numbers = stepNumbers(lab, choice, rows, step, 0);
        if (!numbers) continue;
        const { x, v } = stateOf(rows, step + 1, lab.dimension);
        for (const [key, wanted] of [["x1", x], ["v1", v]] as const) {
          const got = [numbers.environment.get(key)].flat() as number[];
          wanted.forEach((value, i) => assert.ok(
            Math.abs(got[i] - value) <= 1e-9 * Math.max(1, Math.abs(value)),
            `${name} on ${problem}, step ${step}: ${key} is ${got[i]}, and not ${value}`));
        }
      }
    }
  }
});

test("a link that was written is read again", () => {
  const states: LabState[] = [
    ...PRESETS.map(presetState), START,
    { ...START, problem: "chain", settings: { n: 3, k: 2 }, seed: 7, coordinate: 1, step: 5,
      from: 1, to: 3, methods: ["rk4", "verlet"], stepMethod: 1 },
    { ...START, vary: { key: "k", values: [1, 2.5] }, velocity: 1, over: "dt" }];
  for (const state of states) {
    assert.deepEqual(readLink(linkOf(state), lab.catalogue), { state, faults: [] });
  }
});

test("wrong fields of a link get usual values and a sentence each", () => {
  for (const [text, fault] of [
    ["#dt=-1", /^dt=-1 is not a number from/], ["#dt=", /^dt= is not/], ["#dt=NaN", /^dt=NaN/],
    ["#problem=nothing", /^problem=nothing is unknown/], ["#methods=rk9", /^method rk9 is unknown/],
    ["#set=k:x", /^set=k:x is no parameter/], ["#set=__proto__:1", /is no parameter/],
    ["#seed=1.5", /^seed=1.5 is not a whole number/], ["#other=1", /^other is no field/],
    ["#dt=1e-6&time=1e5", /more than 20000 steps/], ["#step=1e99", /^step=1e99/],
    ["#vary=k:1,2,3,4,5", /^vary=k:1,2,3,4,5 is not/], ["#vary=dt:0", /^vary=dt:0 is not/],
    ["#vary=z:1", /is not dt or a parameter of oscillator/], ["#over=x", /is neither work nor dt/],
    ["#vary=dt:0.1,0.0001", /more than 20000 steps of dt=0.0001/],
  ] as const) {
    const { state, faults } = readLink(text, lab.catalogue);
    assert.equal(faults.length, 1, text);
    assert.match(faults[0], fault);
    assert.ok(stepsOf(state) <= 20_000);
    lab.choose(choiceOf(state, state.methods[0]));
  }
});

test("each figure has a question with one right choice, an answer and a hint", () => {
  assert.equal(new Set(PRESETS.map(({ name }) => name)).size, PRESETS.length);
  for (const { ask, choices, right, answer, look, name } of PRESETS) {
    assert.ok(ask.endsWith("?") && choices.length >= 2 && choices[right] && answer && look, name);
  }
});

function chooseIn(name: string, method: string, patch: Partial<LabState> = {}): void {
  const preset = PRESETS.find((each) => each.name === name)!;
  lab.choose(choiceOf({ ...presetState(preset), ...patch }, method));
}

// Returns the report of a method of a figure.
function reportOf(name: string, method: string, patch: Partial<LabState> = {}): MotionReport {
  chooseIn(name, method, patch);
  return lab.report() as MotionReport;
}

test("the numbers in the answers are measured", () => {
  const near = (value: number, wanted: number, share: number) =>
    assert.ok(Math.abs(value - wanted) <= share * Math.abs(wanted), `${value}, not ${wanted}`);
  const error = (name: string, method: string, patch = {}) =>
    reportOf(name, method, patch).error.max;
  near(reportOf("constant-force", "explicit-euler").final.x[0], 450, 1e-12);
  near(Math.sqrt(reportOf("phase-explicit-euler", "explicit-euler").energy_ratio.last), 3.5, 0.02);
  const drift = (patch = {}) => reportOf("two-springs", "kinematic", patch).energy_ratio.last - 1;
  near(drift({ dt: 0.025 }) / drift({ dt: 0.05 }), 1 / 8, 0.1);
  const growth = (b: number) =>
    reportOf("damped-explicit-euler", "explicit-euler", { settings: { b } }).energy_ratio.last;
  assert.ok(growth(0.149) > 1 && growth(0.151) < 1);
  assert.ok(error("verlet-projectile", "verlet") < 1e-12);
  near(error("verlet-sine", "verlet"), error("verlet-sine", "semi-implicit-euler"), 1e-9);
  const random = "verlet-polynomial-random";
  assert.ok(error(random, "semi-implicit-euler") > error(random, "verlet"));
  near(error(random, "verlet") / error(random, "verlet", { seed: null }), 29, 0.02);
  assert.ok(error(random, "tcv") < 0.1 * error(random, "verlet"));
  assert.ok(error("verlet-sine-random", "tcv-full") < error("verlet-sine-random", "tcv"));
  assert.ok(error("one-spring", "kinematic") < 1e-12);
  assert.ok(error("bounce", "kinematic") < 1e-12);
  const { states } = lab.observe();
  near(Math.min(...states.filter((_, i) => i % 2 === 0)), 0.07, 0.05);
  const work = [["yoshida6", 2300], ["pefrl", 5600], ["rk4", 6500]] as const;
  for (const [method, evaluations] of work) {
    lab.choose(choiceOf(presetState(PRESETS.find(({ name }) => name === "work-kepler")!), method));
    const stages = lab.work(0.01, 2, false)[1] - lab.work(0.01, 1, false)[1];
    const steps = Math.round(evaluations / stages);
    near(lab.work(7 / steps, steps, false)[0], 1e-8, 0.15);
  }
});

test("the numbers in the answers of varied figures are measured", () => {
  const choicesIn = (name: string) =>
    choicesOf(presetState(PRESETS.find((each) => each.name === name)!)).map(({ choice }) => choice);
  // Returns the time after which |x| stays below a fiftieth.
  const settled = (choice: Choice) => {
    lab.choose(choice);
    const { times, states } = lab.observe();
    let last = times.length - 1;
    while (Math.abs(states[2 * last]) <= 0.02) --last;
    return last === times.length - 1 ? Infinity : times[last];
  };
  const [none, weak, critical, strong] = choicesIn("damping-ratios").map(settled);
  assert.ok(none === Infinity && weak === Infinity);
  assert.ok(strong > 2 * critical && strong < 20, `${critical} and ${strong} s`);
  const last = choicesIn("error-accumulation").map((choice) => {
    lab.choose(choice);
    return [choice.dt, (lab.report() as MotionReport).error.final];
  });
  for (const [dt, error] of last) {
    assert.ok(Math.abs(error / (10 * dt / 2) - 1) < 0.3, `${error} with ${dt}`);
  }
  assert.ok(Math.abs(last[0][1] / last[1][1] - 2) < 0.2);
  const [, , rk4, yoshida6] = choicesIn("orders").map((choice) => workOf(lab, choice, "dt"));
  assert.ok(Math.abs(rk4.errors[4] / rk4.errors[5] - 16) < 1);
  assert.ok(Math.abs(Math.log2(yoshida6.errors[4] / yoshida6.errors[5]) - 6) < 0.1);
});

test("the answers about spinning bodies are measured", () => {
  const rotation = (name: string, method: string, patch = {}): RotationReport => {
    chooseIn(name, method, patch);
    return lab.report() as RotationReport;
  };
  // Returns the range of the spin across the long axis in the last second.
  const wobble = (method: string) => {
    chooseIn("gyro-capsule", method);
    const { times, states } = lab.observe();
    const last = [...times.keys()].filter((i) => times[i] > 8).map((i) => states[6 * i]);
    return Math.max(...last) - Math.min(...last);
  };
  assert.ok(wobble("dropped") < 1e-9 && wobble("implicit-gyro") < 0.5 * wobble("cayley"));
  assert.ok(Math.abs(wobble("cayley") - 2 * Math.hypot(1, 0.5)) < 0.1);
  const end = rotation("gyro-capsule-explicit", "explicit").blew_up_at / 60;
  assert.ok(Math.abs(end - 7.7) < 0.05, `${end}`);
  chooseIn("gyro-capsule-explicit", "explicit");
  const { times, energy } = lab.observe();
  assert.ok(Math.abs(times[energy.findIndex((each) => each > 2)] - 1) < 0.05);
  const flip = (method: string) => rotation("gyro-flip", method);
  assert.ok(flip("dropped").flips === 0 && flip("cayley").flips === flip("cayley").exact_flips);
  assert.ok(flip("implicit-gyro").flips === flip("implicit-gyro").exact_flips);
  for (const method of ["dropped", "implicit-gyro", "cayley"]) {
    const { momentum_ratio } = rotation("gyro-rolling", method);
    assert.ok(momentum_ratio > 0.06 && momentum_ratio < 0.11, `${method}: ${momentum_ratio}`);
    const { times, states } = lab.observe();
    const away = [...times.keys()].map((i) => Math.abs(states[6 * i] - (1 - 0.1 * times[i])));
    assert.equal(Math.max(...away) < 1e-9, method === "dropped", method);
  }
  const left = (method: string) => rotation("gyro-energy", method).energy_ratio;
  assert.ok(Math.abs(left("explicit") - 5.6) < 0.05);
  assert.ok(Math.abs(left("implicit-gyro") - 0.4) < 0.01);
  assert.ok(Math.abs(left("cayley") - 1) < 1e-4);
});

test("CSV names the commands and has all digits", () => {
  const choice = choiceOf({ ...START, time: 1 }, "rk4");
  lab.choose(choice);
  const rows = lab.observe();
  const [command, heads, ...lines] = csvOf([{ label: "rk4", choice, rows }]).trimEnd().split("\n");
  assert.equal(command, `# ${commandOf(choice)}`);
  assert.equal(heads, "curve,step,t,x,v,energy_ratio");
  assert.equal(lines.length, 11);
  const [method, step, time, x] = lines[10].split(",");
  assert.deepEqual([method, step, Number(time)], ["rk4", "10", rows.times[10]]);
  assert.equal(Number(x), ofTool(commandOf(choice)).final.x);
});
