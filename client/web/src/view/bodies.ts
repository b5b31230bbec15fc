// Draws all bodies: one InstancedMesh for each kind of geometry, filled from the rows of a frame.
// Their links are lines.
import { Color, DynamicDrawUsage, Group, InstancedBufferAttribute, InstancedMesh,
         MeshLambertMaterial, type BufferGeometry } from "three";
import type { Scene, SceneBody, Value } from "../messages";
import { BodyKind, PartKind, ROW } from "../world";
import { Links } from "./links";
import { piecesOf, type Piece } from "./shapes";

// Colours that people with colour blindness can tell apart (Okabe and Ito, 2008).
const PALETTE = [0xe69f00, 0x56b4e9, 0x009e73, 0xf0e442, 0x0072b2, 0xd55e00, 0xcc79a7];
const FIXED_COLOR = 0x9aa3ad;
const PAINT = "color/";  // begins the keys of values that colour bodies
const WHITE = new Color(0xffffff);
const SELECTED_WHITE = 0.65;  // how much of it the colour of the selected body has
const GHOST_OPACITY = 0.45;
const FIRST_CAPACITY = 16;

// The instances of a geometry. `owners` has a number for each instance: twice the id of its body,
// plus 1 if the body is selected. If the number changes, the instance gets its colour again.
type Kind = { geometry: BufferGeometry, follows: boolean, material: MeshLambertMaterial,
              mesh: InstancedMesh, owners: Float64Array, count: number };
type Placed = { kind: Kind, piece: Piece, turned: boolean };

export class Bodies {
  readonly group = new Group();
  selected: number | null = null;
  private readonly kinds = new Map<string, Kind>();
  private pieces: Placed[][] = [];  // of each body of the scene
  private colors: Color[] = [];
  private painted = new Map<number, Color>();  // colours of single bodies, by their ids
  private named = "";  // the values that name them
  private rows = new ArrayBuffer(0);  // drawn last
  private readonly links = new Links();
  private extent = 1;  // of the picture
  private readonly color = new Color();  // scratch

  // A ghost is transparent, and has no floors, no links and no shadows.
  constructor(private readonly isGhost = false) {
    if (!isGhost) this.group.add(this.links.lines);
  }

  // Replaces the scene.
  load(scene: Scene): void {
    for (const kind of this.kinds.values()) {
      kind.mesh.removeFromParent();
      kind.mesh.dispose();
      kind.geometry.dispose();
      kind.material.dispose();
    }
    this.kinds.clear();
    this.painted.clear();
    this.named = "";
    this.rows = new ArrayBuffer(0);
    if (!this.isGhost) this.links.load(scene.links);
    this.colors = scene.bodies.map((body, i) => new Color(colorOf(body, i)));
    this.pieces = scene.bodies.map((body) => piecesOf(body)
      .filter(({ key }) => !this.isGhost || key !== "plane").map((piece) => ({
        piece, kind: this.kindOf(piece),
        turned: piece.orientation[3] !== 1 || piece.position.some((x) => x !== 0),
      })));
  }

  private kindOf(piece: Piece): Kind {
    const key = piece.key + (piece.faint ? " faint" : "");
    const known = this.kinds.get(key);
    if (known) return known;
    const isPlane = piece.key === "plane";
    const isClear = piece.faint || this.isGhost;
    const material = new MeshLambertMaterial({
      vertexColors: true, transparent: isClear, depthWrite: !isClear,
      opacity: piece.faint ? 0.15 : this.isGhost ? GHOST_OPACITY : 1,
      polygonOffset: isPlane, polygonOffsetFactor: 2, polygonOffsetUnits: 2,  // below the grid
    });
    const geometry = piece.make();
    if (piece.follows) geometry.scale(this.extent, this.extent, this.extent);
    const kind = { geometry, follows: piece.follows, material,
                   mesh: this.meshOf(geometry, material, FIRST_CAPACITY),
                   owners: new Float64Array(FIRST_CAPACITY).fill(-1), count: 0 };
    kind.mesh.castShadow = !isPlane && !isClear;
    this.kinds.set(key, kind);
    return kind;
  }

  private meshOf(geometry: BufferGeometry, material: MeshLambertMaterial, capacity: number) {
    const mesh = new InstancedMesh(geometry, material, capacity);
    mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    mesh.instanceColor = new InstancedBufferAttribute(new Float32Array(3 * capacity), 3);
    mesh.frustumCulled = false;  // its bounds are only of the first frame
    mesh.receiveShadow = true;
    this.group.add(mesh);
    return mesh;
  }

  // Fits markers and planes to the extent of the picture.
  fit(extent: number): void {
    const by = extent / this.extent;
    this.extent = extent;
    for (const { geometry, follows } of this.kinds.values()) {
      if (follows) geometry.scale(by, by, by);
    }
  }

  // Makes room for twice as many instances.
  private grow(kind: Kind): void {
    const old = kind.mesh;
    const capacity = 2 * kind.owners.length;
    kind.mesh = this.meshOf(kind.geometry, kind.material, capacity);
    kind.mesh.castShadow = old.castShadow;
    kind.mesh.instanceMatrix.array.set(old.instanceMatrix.array);
    kind.mesh.instanceColor!.array.set(old.instanceColor!.array);
    const { owners } = kind;
    kind.owners = new Float64Array(capacity).fill(-1);
    kind.owners.set(owners);
    old.removeFromParent();
    old.dispose();
  }

  // Colours the bodies that values with the key color/ID name, and draws again.
  paint(values: Value[]): void {
    const paints = values.filter(isPaint);
    const named = paints.map(({ key, text }) => key + text).join();
    if (named === this.named) return;
    this.named = named;
    this.painted = new Map(paints.map(({ key, text }) =>
      [Number(key.slice(PAINT.length)), new Color(text)]));
    for (const { owners } of this.kinds.values()) owners.fill(-1);
    this.draw(this.rows);
  }

  // Shows the bodies of a frame.
  draw(rows: ArrayBuffer): void {
    this.rows = rows;
    const numbers = new Float32Array(rows);
    const words = new Uint32Array(rows);
    for (const kind of this.kinds.values()) kind.count = 0;
    for (let at = 0; at < numbers.length; at += ROW.WORDS) {
      const id = words[at + ROW.ID];
      const sceneBody = words[at + ROW.SCENE_BODY];
      for (const placed of this.pieces[sceneBody] ?? []) {
        this.place(placed, numbers, at, id, sceneBody);
      }
    }
    this.links.draw(rows);
    for (const { mesh, count } of this.kinds.values()) {
      mesh.count = count;
      mesh.instanceMatrix.needsUpdate = true;
    }
  }

  private place(placed: Placed, row: Float32Array, at: number, id: number, sceneBody: number) {
    const { kind, piece } = placed;
    if (kind.count === kind.owners.length) this.grow(kind);
    const index = kind.count++;
    const matrix = kind.mesh.instanceMatrix.array as Float32Array;
    if (placed.turned) {
      writeTurned(matrix, 16 * index, row, at, piece);
    } else {
      write(matrix, 16 * index, row[at], row[at + 1], row[at + 2], row[at + 3], row[at + 4],
            row[at + 5], row[at + 6], piece.scale);
    }
    const owner = 2 * id + Number(id === this.selected);
    if (kind.owners[index] === owner) return;
    kind.owners[index] = owner;
    this.color.copy(this.painted.get(id) ?? this.colors[sceneBody]);
    if (id === this.selected) this.color.lerp(WHITE, SELECTED_WHITE);
    this.color.toArray(kind.mesh.instanceColor!.array, 3 * index);
    kind.mesh.instanceColor!.needsUpdate = true;
  }
}

// Returns true for a value that colours a body: color/7 with the text #ff8000.
export const isPaint = ({ key, text }: Pick<Value, "key" | "text">): boolean =>
  /^color\/(0|[1-9]\d{0,9})$/.test(key) && /^#[0-9a-f]{6}$/i.test(text);

// Returns the colour of body `index` of a scene.
function colorOf(body: SceneBody, index: number): number {
  if (body.color >= 0) return body.color;
  const fixed = body.kind === BodyKind.ANCHOR || body.shapes[0]?.kind === PartKind.PLANE;
  return fixed ? FIXED_COLOR : PALETTE[index % PALETTE.length];
}

// Writes the matrix of a position, a quaternion and a scale.
function write(m: Float32Array, at: number, px: number, py: number, pz: number, x: number,
               y: number, z: number, w: number, [sx, sy, sz]: number[]): void {
  m[at] = (1 - 2 * (y * y + z * z)) * sx;
  m[at + 1] = 2 * (x * y + z * w) * sx;
  m[at + 2] = 2 * (x * z - y * w) * sx;
  m[at + 3] = 0;
  m[at + 4] = 2 * (x * y - z * w) * sy;
  m[at + 5] = (1 - 2 * (x * x + z * z)) * sy;
  m[at + 6] = 2 * (y * z + x * w) * sy;
  m[at + 7] = 0;
  m[at + 8] = 2 * (x * z + y * w) * sz;
  m[at + 9] = 2 * (y * z - x * w) * sz;
  m[at + 10] = (1 - 2 * (x * x + y * y)) * sz;
  m[at + 11] = 0;
  m[at + 12] = px;
  m[at + 13] = py;
  m[at + 14] = pz;
  m[at + 15] = 1;
}

// Writes the matrix of a piece that is moved or turned in its body.
function writeTurned(m: Float32Array, at: number, row: Float32Array, from: number, piece: Piece) {
  const [x, y, z, w] = row.subarray(from + 3, from + 7);
  const [a, b, c, d] = piece.orientation;
  const [p, q, r] = piece.position;
  // Rotate the place: v + 2 w (u x v) + 2 u x (u x v)
  const tx = 2 * (y * r - z * q), ty = 2 * (z * p - x * r), tz = 2 * (x * q - y * p);
  write(m, at,
        row[from] + p + w * tx + y * tz - z * ty,
        row[from + 1] + q + w * ty + z * tx - x * tz,
        row[from + 2] + r + w * tz + x * ty - y * tx,
        w * a + x * d + y * c - z * b, w * b - x * c + y * d + z * a,
        w * c + x * b - y * a + z * d, w * d - x * a - y * b - z * c, piece.scale);
}
