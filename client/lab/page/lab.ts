// The lab page: one state, which the fields, the keys and the address change.
import { element } from "../../web/src/ui/dom";
import { Charts, colourOf } from "./charts";
import { LabControls } from "./controls";
import { saveCsv, savePng } from "./export";
import { LabModule } from "./module";
import { copy, QuestionPanel, showCommands, showLegend } from "./panels";
import { PRESETS, presetState } from "./presets";
import { Runs } from "./runs";
import { curveCount, type LabState, linkOf, readLink, START, stepsOf } from "./state";
import { Stepper } from "./stepper";
import { showCurves, showReports } from "./tables";

declare const LAB_FILE: string;

const LINK_MS = 200;  // browsers refuse to change the address too often

export class Lab {
  state: LabState;
  readonly runs: Runs;
  private readonly controls: LabControls;
  private readonly stepper: Stepper;
  private readonly question: QuestionPanel;
  private readonly charts: Charts;
  private faults: string[] = [];  // of the address
  private timer = 0;
  private drawn = 0;  // request for the next frame

  constructor(private readonly module: LabModule) {
    this.runs = new Runs(module, () => this.showMeasured());
    this.controls = new LabControls(module.catalogue, (patch) => this.change(patch));
    this.stepper = new Stepper(module, (patch) => this.change(patch));
    this.question = new QuestionPanel(
      (preset) => this.set(preset ? presetState(preset) : { ...this.state, preset: null,
                                                            answered: true }),
      () => this.change({ answered: true }));
    this.charts = new Charts((time) => this.pick(time));
    this.charts.onRecolour(() => this.draw());
    this.addActions();
    this.state = presetState(PRESETS[0]);
    if (location.hash.length > 1) this.open(location.hash);
    else this.set(this.state);
    addEventListener("hashchange", () => {
      if (location.hash !== linkOf(this.state)) this.open(location.hash);
    });
  }

  // Opens a link. `#preset=NAME` opens a figure.
  private open(hash: string): void {
    const name = new URLSearchParams(hash.slice(1)).get("preset");
    const preset = PRESETS.find((each) => each.name === name);
    const { state, faults } = readLink(hash, this.module.catalogue,
                                       preset ? presetState(preset) : START);
    if (name !== null && !preset) {
      faults.push(`preset=${name} is unknown`);
      Object.assign(state, { preset: null, answered: true });
    }
    this.set(state, faults);
  }

  // Changes a part of the state. A step or an answer needs no new run.
  change(patch: Partial<LabState>): void {
    this.state = { ...this.state, ...patch };
    this.faults = [];
    const keys = Object.keys(patch);
    const light = ["step", "stepMethod", "answered", "coordinate", "velocity"];
    if (keys.some((key) => !light.includes(key))) this.runs.compute(this.state);
    this.show();
  }

  private set(state: LabState, faults: string[] = []): void {
    this.state = state;
    this.faults = faults;
    this.runs.compute(state);
    this.show();
  }

  // Writes everything but the diagrams, which wait for the next frame of the screen.
  private show(): void {
    const { state, runs } = this;
    const running = runs.runs.findIndex(({ rows }) => rows);
    if (running >= 0) runs.select(running);
    showLegend(runs, this.module.catalogue);
    this.controls.show(state, this.module.dimension);
    this.question.show(state);
    this.stepper.show(state, runs);
    showCommands(state, runs);
    this.showProblem();
    this.showMeasured();
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => history.replaceState(null, "", linkOf(this.state)),
                                   LINK_MS);
  }

  private showMeasured(): void {
    showReports(this.state, this.runs);
    showCurves(this.state, this.runs);
    this.draw();
  }

  private draw(): void {
    this.drawn ||= requestAnimationFrame(() => {
      this.drawn = 0;
      this.charts.draw(this.state, this.runs);
      performance.mark("orrery-lab-drawn");
    });
  }

  private showProblem(): void {
    const text = element("problem-text");
    const errors = new Set(this.runs.runs.map(({ error }) => error).filter(Boolean));
    const address = this.faults.length === 0 ? []
      : [`The address has errors, and usual values take their place: ${this.faults.join("; ")}`];
    text.textContent = [...address, ...errors].map((sentence) => `${sentence}.`).join(" ");
    text.hidden = text.textContent === "";
  }

  // Moves to the step that ends nearest to a time.
  private pick(time: number): void {
    const times = this.runs.runs.find(({ rows }) => rows)?.rows?.times;
    if (!times) return;
    let row = times.findIndex((each) => each >= time);
    if (row < 0) row = times.length - 1;
    if (row > 0 && time - times[row - 1] < times[row] - time) --row;
    this.stepper.go(row - 1);
  }

  private addActions(): void {
    const click = (id: string, action: () => void) => element(id).addEventListener("click", action);
    const name = () => `orrery-lab-${this.state.preset ?? this.state.problem}`;
    element("curves").addEventListener("toggle", () => showCurves(this.state, this.runs));
    click("csv", () => saveCsv(this.runs, name()));
    click("png", () => savePng(this.charts, this.runs, name(),
                               this.runs.runs.map((_, i) => colourOf(i))));
    click("help", () => {
      element("keys").hidden = !element("keys").hidden;
      element("help").setAttribute("aria-expanded", String(!element("keys").hidden));
    });
    const say = (done: boolean) => {
      element("copied").textContent = done ? "Copied." : "Selected: press Ctrl+C.";
    };
    click("copy", () => {
      const text = element("command-text");
      void copy(text.textContent!, text).then(say);
    });
    click("link", () => {
      history.replaceState(null, "", linkOf(this.state));
      void copy(location.href, element("command-text"))
        .then((done) => {
          element("link").textContent = done ? "Copied" : "It is in the address";
        });
    });
    addEventListener("keydown", (event) => this.key(event));
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof HTMLElement &&
        event.target.matches("select, input:not([type=checkbox]):not(#step)")) return;
    const { state, stepper } = this;
    const scaled = (by: number) => Number((state.dt * by).toPrecision(3));
    const next = () => PRESETS[(PRESETS.findIndex(({ name }) => name === state.preset) + 1) %
                               PRESETS.length];
    const actions: Record<string, () => void> = {
      "ArrowLeft": () => stepper.move(-1), ",": () => stepper.move(-1),
      "ArrowRight": () => stepper.move(1), ".": () => stepper.move(1),
      "Home": () => stepper.go(0), "End": () => stepper.toLast(),
      "[": () => this.change({ dt: Math.max(scaled(1 / 1.05), state.time / stepsOf({
        ...state, dt: state.dt / 1.05 })) }),
      "]": () => this.change({ dt: scaled(1.05) }),
      "m": () => this.change({ stepMethod: (state.stepMethod + 1) % curveCount(state) }),
      "n": () => this.set(presetState(next())),
    };
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }
}

LabModule.load(new URL(LAB_FILE, location.href).href).then(
  (module) => Object.assign(window, { lab: new Lab(module) }),  // the name is for tests
  (error) => {
    const text = element("problem-text");
    text.hidden = false;
    text.textContent = `The laboratory did not start: ${error.message}. Reload the page, or use ` +
      "a browser from 2023 or later.";
  });
