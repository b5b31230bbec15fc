// The force with which keys push a body, as seen from the camera.
import type { Vec } from "../vec";

const ACCELERATION = 15;
const UP_ACCELERATION = 30;  // also lifts it against gravity

// Returns the force. `forward` is the direction into the picture. Without keys it is zero.
export function pushForce(directions: Set<string>, forward: Vec, mass: number): Vec {
  const pull = (plus: string, minus: string) =>
    Number(directions.has(plus)) - Number(directions.has(minus));
  const ahead = pull("forward", "back"), right = pull("right", "left");
  const length = Math.hypot(forward[0], forward[2]) || 1;
  const x = forward[0] / length, z = forward[2] / length;
  const force = mass * ACCELERATION;
  return [force * (ahead * x - right * z), mass * UP_ACCELERATION * pull("up", "down"),
          force * (ahead * z + right * x)];
}
