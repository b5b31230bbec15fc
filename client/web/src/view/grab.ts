// Grabs and throws bodies with the mouse or a finger, and selects them.
import type { ClientCommand } from "../client";
import type { Pick, Rights, SceneBody } from "../messages";
import { CommandKind } from "../world";
import type { Vec } from "../vec";
import { toBody, toWorld, type Shown } from "./shown";
import type { Stage } from "./stage";

const DRAG_PIXELS = 6;  // a shorter way of the pointer is a click

// A grab: the point in body axes, and the target on a plane that faces the camera.
type Held = { body: number, point: Vec, target: Vec, normal: Vec };

export type GrabRules = {
  worlds: () => Shown[],
  whyNot: (body: SceneBody, rights: Rights | null) => string | null,
  refuse: (why: string) => void,
  select: (body: number | null) => void,
  command: (command: ClientCommand) => void,
  findExact: (near: Pick, origin: Vec, along: Vec) => Promise<Pick>,
};

export class Grab {
  private held: Held | null = null;
  private pointer: number | null = null;  // id of the pointer that is down on a body
  private start = [0, 0];  // where it went down
  private refusal: string | null = null;  // why the body cannot be grabbed

  constructor(private readonly stage: Stage, private readonly rules: GrabRules) {
    const { canvas } = stage;
    canvas.addEventListener("pointerdown", (event) => { this.down(event); }, { capture: true });
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const end of ["pointerup", "pointercancel"] as const) {
      canvas.addEventListener(end, (event) => this.up(event));
    }
  }

  private async down(event: PointerEvent): Promise<void> {
    if (event.button !== 0 || this.pointer !== null) return;
    const { origin, along, world } = this.stage.ray(event.clientX, event.clientY);
    const near = this.rules.worlds()[world].pick(origin, along, this.stage.extent);
    if (!near) return;
    this.pointer = event.pointerId;
    this.start = [event.clientX, event.clientY];
    this.stage.controls.enabled = false;  // before the controls see the event
    this.stage.canvas.setPointerCapture(event.pointerId);
    const pick = world === 0 ? await this.refine(near, origin) : near;
    this.rules.select(pick.body);
    if (this.pointer === event.pointerId) this.begin(pick);
  }

  // Asks for the rights, and for the exact hit by a short ray around the point that was found. A
  // ray from the camera could begin inside a wall.
  private refine(near: Pick, origin: Vec): Promise<Pick> {
    const part = 0.05;
    const along = near.point.map((x, i) => 2 * part * (x - origin[i])) as Vec;
    const from = near.point.map((x, i) => x - along[i] / 2) as Vec;
    return this.rules.findExact(near, from, along);
  }

  private begin({ body, point, rights }: Pick): void {
    const [shown] = this.rules.worlds();
    const pose = shown.pose(body), described = shown.body(body);
    if (!pose || !described) return;
    this.refusal = this.rules.whyNot(described, rights);
    if (this.refusal !== null) return;
    this.held = { body, point: toBody(pose, point as Vec), target: point as Vec,
                  normal: this.stage.forward() };
    this.rules.command({ kind: CommandKind.GRAB, subject: body, first: this.held.point,
                         second: point });
  }

  private move(event: PointerEvent): void {
    if (event.pointerId !== this.pointer) return;
    if (this.refusal !== null) this.refuse(event);
    if (!this.held) return;
    const { target, normal } = this.held;
    const { origin, along } = this.stage.ray(event.clientX, event.clientY);
    let height = 0, slope = 0;
    for (let i = 0; i < 3; ++i) {
      height += (target[i] - origin[i]) * normal[i];
      slope += along[i] * normal[i];
    }
    if (slope <= 0) return;
    this.held.target = origin.map((x, i) => x + along[i] * height / slope) as Vec;
    this.rules.command({ kind: CommandKind.MOVE, first: this.held.target });
  }

  // Says why the body stays, once the pointer drags it.
  private refuse({ clientX, clientY }: PointerEvent): void {
    if (Math.hypot(clientX - this.start[0], clientY - this.start[1]) < DRAG_PIXELS) return;
    this.rules.refuse(this.refusal!);
    this.refusal = null;
  }

  private up(event: PointerEvent): void {
    if (event.pointerId !== this.pointer) return;
    this.pointer = null;
    this.stage.controls.enabled = true;
    if (this.held) this.rules.command({ kind: CommandKind.RELEASE });
    this.held = this.refusal = null;
  }

  // Draws the line to the target.
  draw(): void {
    const [shown] = this.rules.worlds();
    const pose = this.held && shown.pose(this.held.body);
    if (!this.held || !pose) return this.stage.showGrab(null, null);
    this.stage.showGrab(toWorld(pose, this.held.point), this.held.target);
  }
}
