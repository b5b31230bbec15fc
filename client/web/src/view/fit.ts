// Places the camera so that a box fits the free part of a picture.
import { PerspectiveCamera, Vector3 } from "three";
import { middle, type Bounds } from "./bounds";

const FROM = new Vector3(0.35, 0.45, 0.9).normalize();  // from the box to the camera
const MARGIN = 0.06;  // on each side, as part of half of the picture

// The free part of an axis of the picture, from -1 to 1.
type Span = [number, number];
type View = { distance: number, x: number, y: number };

// Turns the camera to a box, and returns the point it looks at, near the middle of the box. `panel`
// is the width and height in pixels of a part at the upper right that is covered. The box fits
// below it or to its left, where it appears larger.
export function aim(camera: PerspectiveCamera, box: Bounds, [width, height]: [number, number],
                    panel: [number, number]): Vector3 {
  const right = new Vector3(0, 1, 0).cross(FROM).normalize();
  const up = FROM.clone().cross(right);
  const center = new Vector3(...middle(box));
  const corners = Array.from({ length: 8 }, (_, i) => {
    const [x, y, z] = [0, 1, 2].map((axis) => (i >> axis & 1 ? box.high : box.low)[axis]);
    const corner = new Vector3(x, y, z).sub(center);
    return [corner.dot(right), corner.dot(up), corner.dot(FROM)];
  });
  const slope = Math.tan(camera.fov * Math.PI / 360);
  const whole: Span = [MARGIN - 1, 1 - MARGIN];
  const fit = (across: Span, upward: Span): View =>
    fitIn(corners, [across, upward], [slope * camera.aspect, slope]);
  const below = (covered: number): Span => [whole[0], whole[1] - Math.min(2 * covered, 1)];
  const views = [fit(below(panel[0] / width), whole), fit(whole, below(panel[1] / height))];
  const { distance, x, y } = views[0].distance < views[1].distance ? views[0] : views[1];
  const target = center.addScaledVector(right, x).addScaledVector(up, y);
  camera.near = box.radius / 100;
  camera.far = box.radius * 100;
  camera.position.copy(target).addScaledVector(FROM, distance);
  camera.lookAt(target);
  camera.updateProjectionMatrix();
  return target;
}

// Returns the nearest view in which points fit the spans of both axes. Points are right, up and
// towards the camera.
function fitIn(points: number[][], spans: Span[], slopes: number[]): View {
  // The camera at c in distance d sees a point at (p - c) / (d - depth), in units of the slope.
  const limits = spans.map(([low, high], axis) => {
    const ends = points.map((point) => [point[axis] + point[2] * slopes[axis] * low,
                                        point[axis] + point[2] * slopes[axis] * high]);
    const least = Math.min(...ends.map(([end]) => end));
    const most = Math.max(...ends.map(([, end]) => end));
    return { least, most, distance: (most - least) / (slopes[axis] * (high - low)) };
  });
  const distance = Math.max(...limits.map((limit) => limit.distance));
  const [x, y] = limits.map(({ least, most }, axis) =>
    (least + most - distance * slopes[axis] * (spans[axis][0] + spans[axis][1])) / 2);
  return { distance, x, y };
}
