// The numbers of the diagrams as tables. Each cell has its number with all digits too.
import { element } from "../../web/src/ui/dom";
import { short } from "./expression";
import type { Report } from "./module";
import { isRotation } from "./rotation";
import type { Runs } from "./runs";
import type { LabState } from "./state";

type Cell = string | number;

const COLUMNS = ["error of x: max", "rms", "final", "E/E0: last", "least", "largest",
                 "phase error", "evaluations"];
const ROTATION_COLUMNS = ["E/E0: last", "largest error", "L/L0: last", "largest error",
                          "direction of L: error [rad]", "flips", "exact flips",
                          "first flip [s]"];
const ROWS_MAX = 21;

// Fills a table: one line of heads, then lines with a name in the first cell.
function fill(table: HTMLElement, heads: string[], lines: Cell[][]): void {
  const row = (cells: Cell[], isHead: boolean) => {
    const line = document.createElement("tr");
    line.append(...cells.map((content, i) => {
      const cell = document.createElement(i === 0 || isHead ? "th" : "td");
      if (cell.matches("th")) cell.setAttribute("scope", isHead ? "col" : "row");
      if (typeof content === "string") {
        cell.textContent = content;
      } else {
        const data = document.createElement("data");
        data.value = String(content);
        data.textContent = short(content, 7);
        cell.append(data);
      }
      return cell;
    }));
    return line;
  };
  table.replaceChildren(row(heads, true), ...lines.map((cells) => row(cells, false)));
}

// Shows the numbers of `orrery lab run` or `orrery lab rotate`.
export function showReports(state: LabState, runs: Runs): void {
  const columns = isRotation(state.problem) ? ROTATION_COLUMNS : COLUMNS;
  const lines = runs.runs.filter(({ rows }) => rows).map(({ label, report }): Cell[] => {
    return [label, ...report && state.answered ? cellsOf(report) : columns.map(() => "…")];
  });
  fill(element("reports"), ["curve", ...columns], lines);
}

function cellsOf(report: Report): number[] {
  if ("flips" in report) {
    return [report.energy_ratio, report.energy_error, report.momentum_ratio, report.momentum_error,
            report.direction_error, report.flips, report.exact_flips, report.first_flip];
  }
  const { error, energy_ratio: energy } = report;
  return [error.max, error.rms, error.final, energy.last, energy.min, energy.max,
          report.phase_error, report.evaluations];
}

// Shows the curves, if their tables are open: about 20 times, with the first and the last one, and
// all points of work and precision.
export function showCurves(state: LabState, runs: Runs): void {
  if (!element<HTMLDetailsElement>("curves").open) return;
  const shown = runs.runs.filter(({ rows }) => rows && state.answered);
  const times = shown.map(({ rows }) => rows!.times).sort((a, b) => b.length - a.length)[0] ?? [];
  const inRange = [...times.keys()]
    .filter((i) => times[i] >= state.from && times[i] <= (state.to || Infinity));
  const count = Math.min(ROWS_MAX, inRange.length);
  const picked = Array.from({ length: count }, (_, i) =>
    inRange[Math.round(i * (inRange.length - 1) / Math.max(count - 1, 1))]);
  const n = runs.dimension, at = Math.min(state.coordinate, n - 1);
  fill(element("curve-times"),
       ["t [s]", ...shown.flatMap(({ label }) => [`${label}: x`, "v", "E/E0"])],
       picked.map((row) => [times[row], ...shown.flatMap(({ rows }): Cell[] => {
         const own = rowAt(rows!.times, times[row], row);
         return own < 0 ? ["", "", ""]
           : [rows!.states[own * 2 * n + at], rows!.states[own * 2 * n + n + at],
              rows!.energy[own]];
       })]));
  fill(element("curve-work"),
       ["curve", "step dt [s]", "force evaluations", "final error of x and v"],
       shown.flatMap(({ label, work }) => work.errors.map((error, i): Cell[] =>
         [label, work.dts[i], work.evaluations[i], error])));
}

// Returns the row of a time, or -1 if the curve has none. `guess` is tried first.
function rowAt(times: Float64Array, time: number, guess: number): number {
  const isNear = (each: number) => Math.abs(each - time) <= 1e-9 * Math.max(1, time);
  return guess < times.length && isNear(times[guess]) ? guess : times.findIndex(isNear);
}
