// The formulas of the methods, one line for each number that a step computes.
//
// A step of length h begins with x0, v0 and t0, and ends with x1, v1 and t1. The step before has
// the names xp, vp, tp and hp, and earlier steps xq and xr. The velocity between xp and x0 is up =
// (x0 - xp) / hp. Lines of implicit methods use the solved x1 and v1.

const A0 = "a0 = a(t0, x0, v0)";
const AP = "a0 = a(t0, x0, up)";
const VERLET_END = ["u = (x1 - x0) / h", "a1 = a(t1, x1, u)", "v1 = u + h / 2 * a1"];
const RK4 = [
  "ka = a(t0, x0, v0)",
  "vb = v0 + h / 2 * ka", "kb = a(t0 + h / 2, x0 + h / 2 * v0, vb)",
  "vc = v0 + h / 2 * kb", "kc = a(t0 + h / 2, x0 + h / 2 * vb, vc)",
  "vd = v0 + h * kc", "kd = a(t1, x0 + h * vc, vd)",
  "x1 = x0 + h / 6 * (v0 + 2 * vb + 2 * vc + vd)",
  "v1 = v0 + h / 6 * (ka + 2 * kb + 2 * kc + kd)",
];
const TAYLOR_BEFORE = ["as = a(t0, x0, v0)", "xp = x0 - h * v0 + h * h / 2 * as",
                       "up = (x0 - xp) / h"];
const VERLET = [AP, "x1 = x0 + (x0 - xp) + h * h * a0", ...VERLET_END];
const RK4_TO_X = RK4.filter((line) => !line.startsWith("v1"));
const LEAPFROG_END = ["x1 = x0 + h * vm", "a1 = a(t1, x1, vm)", "v1 = vm + h / 2 * a1"];
const STAGGERED = [AP, "vm = up + h * a0", ...LEAPFROG_END];
const OLD_SLOPES = ["ap = a(tp, xp, vp)", "aq = a(tq, xq, vq)", "ar = a(tr, xr, vr)"];
const predicted = (velocity: string) => [
  A0, "xe = x0 + h * v0", "ve = v0 + h * a0", "a1 = a(t1, xe, ve)", "v1 = v0 + h * a1",
  `x1 = x0 + h * ${velocity}`];
const corrected = (lasting: string) => [
  AP, `x1 = x0 + h / hp * (x0 - xp) + ${lasting} * h * a0`, ...VERLET_END];
const newmark = (beta: string, gamma: string) => [
  A0, "a1 = a(t1, x1, v1)",
  `x1 = x0 + h * v0 + h * h * ((0.5 - ${beta}) * a0 + ${beta} * a1)`,
  `v1 = v0 + h * ((1 - ${gamma}) * a0 + ${gamma} * a1)`];

// Drifts and kicks in turn, with their lengths as shares of h.
function composed(first: "drift" | "kick", shares: number[]): string[] {
  const lines: string[] = [];
  const letters = { x: [..."abcdefgh"], v: [..."abcdefgh"] };
  let x = "x0", v = "v0", t = "t0";
  shares.forEach((share, i) => {
    const isLast = i + 2 >= shares.length;
    if ((i % 2 === 0) === (first === "drift")) {
      const letter = isLast ? "1" : letters.x.shift()!;
      lines.push(`x${letter} = ${x} + ${share} * h * ${v}`);
      if (!isLast) lines.push(`t${letter} = ${t} + ${share} * h`);
      [x, t] = [`x${letter}`, `t${letter}`];
    } else {
      const letter = isLast ? "1" : letters.v.shift()!;
      lines.push(`v${letter} = ${v} + ${share} * h * a(${t}, ${x}, ${v})`);
      v = `v${letter}`;
    }
  });
  return lines;
}

// Merges the half steps of leapfrogs of these lengths with the kicks or drifts between them.
function merged(lengths: number[]): number[] {
  const shares = [lengths[0] / 2];
  lengths.forEach((length, i) => {
    shares.push(length, (length + (lengths[i + 1] ?? 0)) / 2);
  });
  return shares;
}

const JUMP = 1 / (2 - Math.cbrt(2));
const SUZUKI = 1 / (4 - Math.cbrt(4));
const [YA, YB, YC] = [0.78451361047755726382, 0.23557321335935813368, -1.17767998417887100695];
const [XI, LAMBDA, CHI] = [0.1786178958448091, -0.2123418310626054, -0.06626458266981849];
const TRIPLE = merged([JUMP, 1 - 2 * JUMP, JUMP]);

const KINEMATIC_CONSTANT = [
  "dv = g * h", "dx = h / 2 * dv", "v1 = v0 + dv", "x1 = x0 + h * v0 + dx"];
const KINEMATIC_SPRING = (dx: string) => [
  "w = sqrt(k / m)", "dv = (cos(w * h) - 1) * v0 - w * sin(w * h) * x0", `dx = ${dx}`,
  "v1 = v0 + dv", "x1 = x0 + h * v0 + dx"];
const KINEMATIC_TWO = (exact: boolean) => [
  "w = sqrt(k1 / m)", "u = sqrt(k2 / m)",
  "dv = (cos(w * h) - 1) * v0 - w * sin(w * h) * x0",
  "ev = (cos(u * h) - 1) * v0 - u * sin(u * h) * x0",
  exact ? "dx = (sin(w * h) / w - h) * v0 + (cos(w * h) - 1) * x0" : "dx = h / 2 * dv",
  exact ? "ex = (sin(u * h) / u - h) * v0 + (cos(u * h) - 1) * x0" : "ex = h / 2 * ev",
  "v1 = v0 + dv + ev", "x1 = x0 + h * v0 + dx + ex"];
const EXACT_DX = "(sin(w * h) / w - h) * v0 + (cos(w * h) - 1) * x0";

// The formula of a method: `lines` in a usual step, `first` in the first step, or in as many as
// `firstSteps` says. `note` is a sentence about them.
export type Formula = { lines: string[], first?: string[], firstSteps?: number, note?: string };

const SOLVED = "An implicit method: x1 and v1 were solved for, and the lines check them.";
const BY_RK4 = "The first steps use rk4.";

export const FORMULAS: Record<string, Formula> = {
  "explicit-euler": { lines: [A0, "x1 = x0 + h * v0", "v1 = v0 + h * a0"] },
  "semi-implicit-euler": { lines: [A0, "v1 = v0 + h * a0", "x1 = x0 + h * v1"] },
  "semi-implicit-euler-x-first": {
    lines: ["x1 = x0 + h * v0", "a1 = a(t1, x1, v0)", "v1 = v0 + h * a1"] },
  "taylor-euler": { lines: [A0, "x1 = x0 + h * v0 + h * h / 2 * a0", "v1 = v0 + h * a0"] },
  "backward-euler": {
    lines: ["a1 = a(t1, x1, v1)", "v1 = v0 + h * a1", "x1 = x0 + h * v1"], note: SOLVED },
  "backward-euler-predictor": { lines: predicted("v1") },
  "backward-euler-predictor-x": { lines: predicted("ve") },
  "midpoint": { lines: [A0, "xm = x0 + h / 2 * v0", "vm = v0 + h / 2 * a0",
                        "am = a(t0 + h / 2, xm, vm)", "x1 = x0 + h * vm", "v1 = v0 + h * am"] },
  "heun": { lines: [A0, "xe = x0 + h * v0", "ve = v0 + h * a0", "ae = a(t1, xe, ve)",
                    "x1 = x0 + h / 2 * (v0 + ve)", "v1 = v0 + h / 2 * (a0 + ae)"] },
  "trapezoidal": { lines: newmark("0.25", "0.5"), note: SOLVED },
  "newmark": { lines: newmark("beta", "gamma"), note: SOLVED },
  "implicit-midpoint": {
    lines: ["xm = (x0 + x1) / 2", "vm = (v0 + v1) / 2", "am = a(t0 + h / 2, xm, vm)",
            "x1 = x0 + h * vm", "v1 = v0 + h * am"], note: SOLVED },
  "rk4": { lines: RK4 },
  "verlet": { lines: VERLET, first: [...TAYLOR_BEFORE, ...VERLET] },
  "verlet-naive-start": {
    lines: VERLET, first: ["xp = x0 - h * v0", "up = (x0 - xp) / h", ...VERLET] },
  "verlet-euler-start": { lines: VERLET, first: ["x1 = x0 + h * v0", ...VERLET_END] },
  "verlet-rk4-start": { lines: VERLET, first: [...RK4_TO_X, ...VERLET_END] },
  "tcv": { lines: corrected("h"), first: [...TAYLOR_BEFORE, ...corrected("h")] },
  "tcv-full": {
    lines: corrected("(h + hp) / 2"), first: [...TAYLOR_BEFORE, ...corrected("(h + hp) / 2")] },
  "velocity-verlet": {
    lines: [A0, "x1 = x0 + h * v0 + h * h / 2 * a0", "ve = v0 + h * a0", "a1 = a(t1, x1, ve)",
            "v1 = v0 + h / 2 * (a0 + a1)"] },
  "leapfrog-dkd": { lines: ["xm = x0 + h / 2 * v0", "am = a(t0 + h / 2, xm, v0)",
                            "v1 = v0 + h * am", "x1 = xm + h / 2 * v1"] },
  "leapfrog-kdk": { lines: [AP, "vm = v0 + h / 2 * a0", ...LEAPFROG_END],
                    first: [A0, "vm = v0 + h / 2 * a0", ...LEAPFROG_END] },
  "leapfrog-staggered": {
    lines: STAGGERED, first: ["as = a(t0, x0, v0)", "up = v0 - h / 2 * as", ...STAGGERED] },
  "leapfrog-staggered-no-start": { lines: STAGGERED, first: ["up = v0", ...STAGGERED] },
  "beeman": (() => {
    const end = ["x1 = x0 + h * v0 + h * h / 6 * (4 * a0 - ap)",
                 "ve = v0 + h / 2 * (3 * a0 - ap)", "a1 = a(t1, x1, ve)",
                 "v1 = v0 + h / 6 * (2 * a1 + 5 * a0 - ap)"];
    return { lines: [A0, OLD_SLOPES[0], ...end],
             first: [A0, "ap = a(t0 - h, x0 - h * v0 + h * h / 2 * a0, v0 - h * a0)", ...end] };
  })(),
  "ab2": { lines: [A0, OLD_SLOPES[0], "x1 = x0 + h / 2 * (3 * v0 - vp)",
                   "v1 = v0 + h / 2 * (3 * a0 - ap)"], first: RK4, note: BY_RK4 },
  "ab4": { lines: [A0, ...OLD_SLOPES, "x1 = x0 + h / 24 * (55 * v0 - 59 * vp + 37 * vq - 9 * vr)",
                   "v1 = v0 + h / 24 * (55 * a0 - 59 * ap + 37 * aq - 9 * ar)"],
           first: RK4, firstSteps: 3, note: BY_RK4 },
  "abm4": { lines: [A0, ...OLD_SLOPES,
                    "xe = x0 + h / 24 * (55 * v0 - 59 * vp + 37 * vq - 9 * vr)",
                    "ve = v0 + h / 24 * (55 * a0 - 59 * ap + 37 * aq - 9 * ar)",
                    "ae = a(t1, xe, ve)",
                    "x1 = x0 + h / 24 * (9 * ve + 19 * v0 - 5 * vp + vq)",
                    "v1 = v0 + h / 24 * (9 * ae + 19 * a0 - 5 * ap + aq)"],
            first: RK4, firstSteps: 3, note: BY_RK4 },
  "forest-ruth": { lines: composed("drift", TRIPLE) },
  "yoshida4": { lines: composed("kick", TRIPLE) },
  "suzuki4": { lines: composed("drift", merged([SUZUKI, SUZUKI, 1 - 4 * SUZUKI, SUZUKI, SUZUKI])) },
  "yoshida6": {
    lines: composed("drift", merged([YA, YB, YC, 1 - 2 * (YA + YB + YC), YC, YB, YA])) },
  "pefrl": { lines: composed("drift", [XI, 0.5 - LAMBDA, CHI, LAMBDA, 1 - 2 * (CHI + XI), LAMBDA,
                                       CHI, 0.5 - LAMBDA, XI]) },
};

const KINEMATIC: Record<string, [exact: string[], average: string[]]> = {
  constant: [KINEMATIC_CONSTANT, KINEMATIC_CONSTANT],
  lander: [KINEMATIC_CONSTANT, KINEMATIC_CONSTANT],
  projectile: [KINEMATIC_CONSTANT, KINEMATIC_CONSTANT],
  oscillator: [KINEMATIC_SPRING(EXACT_DX), KINEMATIC_SPRING("h / 2 * dv")],
  "two-springs": [KINEMATIC_TWO(true), KINEMATIC_TWO(false)],
};

// Returns the lines of a step of a method on a problem, or nothing if the page has none. `drag`
// says that the problem has drag. Bounces cut steps, which have no formula then.
export function linesOf(method: string, problem: string, step: number,
                        drag: boolean): { lines: string[], note: string } | null {
  if (problem === "bounce") return null;
  if (method.startsWith("kinematic")) {
    const lines = KINEMATIC[problem]?.[method === "kinematic" ? 0 : 1];
    return lines ? { lines, note: "Each force computes its own dv and dx." } : null;
  }
  const formula = FORMULAS[method];
  if (!formula || method === "yoshida4" && drag) return null;
  const { lines, first, firstSteps = 1, note = "" } = formula;
  return { lines: first && step < firstSteps ? first : lines, note };
}
