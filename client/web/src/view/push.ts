// The force with which keys push a body, as seen from the camera.
import type { Vec } from "../vec";

const ACCELERATION = 15;
const UP_ACCELERATION = 30;  // also lifts it against gravity

// Returns a vector of the world. `seen` is the vector for a person who looks along `forward`: x to
// the right, y up, z to the person. It is turned about the vertical axis only.
export function seenAs([right, up, near]: Vec, forward: Vec): Vec {
  const length = Math.hypot(forward[0], forward[2]) || 1;
  const x = forward[0] / length, z = forward[2] / length;
  return [-near * x - right * z, up, -near * z + right * x];
}

// Returns the force. `forward` is the direction into the picture. Without keys it is zero.
export function pushForce(directions: Set<string>, forward: Vec, mass: number): Vec {
  const pull = (plus: string, minus: string) =>
    mass * (Number(directions.has(plus)) - Number(directions.has(minus)));
  return seenAs([ACCELERATION * pull("right", "left"), UP_ACCELERATION * pull("up", "down"),
                 ACCELERATION * pull("back", "forward")], forward);
}
