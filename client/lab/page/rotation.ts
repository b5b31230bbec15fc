// Free rotation: a problem of the page that `orrery lab rotate` runs, with its own methods.
import type { Problem } from "./catalogue";

export const FREE_BODY: Problem = {
  name: "free-body", equation: "I w' = (I w) × w",
  about: "a body that turns freely; x is its spin w about its own axes",
  parameters: [{ key: "i1", value: 1 }, { key: "i2", value: 2 }, { key: "i3", value: 3 },
               { key: "w1", value: 0.01 }, { key: "w2", value: 5 }, { key: "w3", value: 0.01 },
               { key: "rolling", value: 0 }],
};

// The numbers of `orrery lab rotate --json`, with the same names. NaN means null.
export type RotationReport = {
  energy_ratio: number, energy_error: number, momentum_ratio: number, momentum_error: number,
  direction_error: number, flips: number, exact_flips: number, first_flip: number,
  angular_velocity: number[], orientation: number[], blew_up_at: number,
};

export const ROTATION_NUMBERS = 16;

export function isRotation(problem: string): boolean { return problem === FREE_BODY.name; }

// Returns the three moments of inertia, the three spins and the resistance of settings.
export function valuesOf(settings: Record<string, number>): number[] {
  return FREE_BODY.parameters.map(({ key, value }) => settings[key] ?? value);
}

// Reads the numbers of lab_report(), which are ROTATION_NUMBERS.
export function readRotation(all: Float64Array): RotationReport {
  const [energy_ratio, energy_error, momentum_ratio, momentum_error, direction_error, flips,
         exact_flips, first_flip, ...rest] = all;
  return { energy_ratio, energy_error, momentum_ratio, momentum_error, direction_error, flips,
           exact_flips, first_flip, angular_velocity: rest.slice(0, 3),
           orientation: rest.slice(3, 7), blew_up_at: rest[7] };
}
