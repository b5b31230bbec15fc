// The picture: renderer, camera, light and shadow, and the line of a grab.
import { BufferAttribute, BufferGeometry, Color, DirectionalLight, GridHelper, HemisphereLight,
         Line, LineBasicMaterial, Object3D, PerspectiveCamera, Scene, Vector3,
         WebGLRenderer } from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { Vec } from "../vec";
import { middle, type Bounds } from "./bounds";
import { aim } from "./fit";

const PIXEL_RATIO_MAX = 1.5;
const SHADOW_PIXELS = 2048;
const SKY = { light: 0xdfe7ee, dark: 0x14181d };
const GRID = { light: 0x8d99a6, dark: 0x3b4652 };

export class Stage {
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(45, 1, 0.1, 1000);
  readonly controls: OrbitControls;
  private readonly renderer: WebGLRenderer;
  private readonly sun = new DirectionalLight(0xffffff, 2.2);
  private readonly sky = new HemisphereLight(0xffffff, 0x8a8f99, 1.5);
  private readonly grab = new Line(
    new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array(6), 3)),
    new LineBasicMaterial({ color: 0xff2f6d }));
  private grid: GridHelper | null = null;
  private worlds: Object3D[] = [];  // the bodies of each world. Two share the canvas
  private width = 1;
  private height = 1;
  extent = 10;  // radius of the box that the camera was turned to

  // Throws an Error with a sentence for the person if the browser has no WebGL 2.
  constructor(readonly canvas: HTMLCanvasElement, private readonly dark: boolean) {
    const context = canvas.getContext("webgl2", { antialias: true });
    if (!context) {
      throw new Error("this browser has no WebGL 2. Turn on hardware acceleration, or use " +
                      "another browser");
    }
    this.renderer = new WebGLRenderer({ canvas, context });
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, PIXEL_RATIO_MAX));
    this.renderer.shadowMap.enabled = true;
    this.scene.background = new Color(dark ? SKY.dark : SKY.light);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(SHADOW_PIXELS, SHADOW_PIXELS);
    this.grab.frustumCulled = false;
    this.grab.visible = false;
    this.scene.add(this.sun, this.sun.target, this.sky, this.grab);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = !matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.controls.listenToKeyEvents(canvas);
    new ResizeObserver(() => this.resize(canvas.clientWidth, canvas.clientHeight)).observe(canvas);
  }

  // Turns shadows and extra pixels off for slow machines, or on.
  setLow(low: boolean): void {
    this.sun.castShadow = !low;
    this.renderer.setPixelRatio(low ? 1 : Math.min(devicePixelRatio, PIXEL_RATIO_MAX));
  }

  // Shows one world, or two side by side. On a canvas that is higher than wide, one is above.
  show(worlds: Object3D[]): void {
    for (const world of this.worlds) {
      world.removeFromParent();
      world.visible = true;  // draw() hides each in the part of the other
    }
    this.worlds = worlds;
    this.scene.add(...worlds);
    this.resize(this.width, this.height);
  }

  private resize(width: number, height: number): void {
    this.width = width;
    this.height = Math.max(1, height);
    this.renderer.setSize(this.width, this.height, false);
    const [, , partWidth, partHeight] = this.part(0);
    this.camera.aspect = partWidth / partHeight;
    this.camera.updateProjectionMatrix();
    this.canvas.parentElement!.classList.toggle("upright", this.isUpright);
  }

  private get isUpright(): boolean { return this.height > this.width; }

  // Returns the part of the canvas that shows a world: left, top, width and height in pixels.
  private part(world: number): [number, number, number, number] {
    const { width, height } = this;
    if (this.worlds.length < 2) return [0, 0, width, height];
    return this.isUpright ? [0, world * height / 2, width, height / 2]
      : [world * width / 2, 0, width / 2, height];
  }

  // Looks at a box from the front, above and right, so that it fits the free part of the canvas.
  // Camera, light and grid fit its size. `panel` covers the upper right corner of the canvas.
  look(box: Bounds, panel: Element): void {
    const { radius, floor } = box;
    this.extent = radius;
    const [, , width, height] = this.part(0);
    this.controls.target.copy(aim(this.camera, box, [width, height], this.covered(panel)));
    this.controls.update();
    this.grid?.removeFromParent();
    this.grid?.dispose();
    this.grid = null;
    if (floor !== null) this.addGrid(middle(box), radius, floor);
  }

  // Returns the width and height of the part of the only world that a panel covers.
  private covered(panel: Element): [number, number] {
    const view = this.canvas.getBoundingClientRect();
    const { left, bottom, width } = panel.getBoundingClientRect();
    return width === 0 || this.worlds.length > 1 ? [0, 0] : [view.right - left, bottom - view.top];
  }

  private addGrid(center: Vec, radius: number, floor: number): void {
    const cell = 10 ** Math.floor(Math.log10(radius / 2));
    const cells = 2 * Math.ceil(1.5 * radius / cell);
    const color = this.dark ? GRID.dark : GRID.light;
    this.grid = new GridHelper(cells * cell, cells, color, color);
    this.grid.material.transparent = true;
    this.grid.material.opacity = 0.6;
    const whole = (x: number) => Math.round(x / cell) * cell;
    this.grid.position.set(whole(center[0]), floor + radius * 1e-3, whole(center[2]));
    this.scene.add(this.grid);
  }

  // Moves the camera with a body.
  follow(point: Vec): void {
    const by = new Vector3(...point).sub(this.controls.target);
    this.controls.target.add(by);
    this.camera.position.add(by);
  }

  // Shows the line from a grabbed point to its target, or hides it.
  showGrab(from: Vec | null, to: Vec | null): void {
    this.grab.visible = from !== null && to !== null;
    if (!from || !to) return;
    const place = this.grab.geometry.getAttribute("position") as BufferAttribute;
    place.setXYZ(0, ...from).setXYZ(1, ...to);
    place.needsUpdate = true;
  }

  // Returns the ray through a point of the window, in client pixels, and the world that is shown
  // there. It ends at the far plane.
  ray(x: number, y: number): { origin: Vec, along: Vec, world: number } {
    const box = this.canvas.getBoundingClientRect();
    const [px, py] = [x - box.left, y - box.top];
    const [startX, startY] = this.part(1);
    const world = Number(this.worlds.length > 1 && px >= startX && py >= startY);
    const [left, top, width, height] = this.part(world);
    const far = new Vector3(2 * (px - left) / width - 1,
                            1 - 2 * (py - top) / height, 1).unproject(this.camera);
    const origin = this.camera.position;
    return { origin: origin.toArray(), along: far.sub(origin).toArray(), world };
  }

  // Returns where a point of a world is on the canvas in pixels, or null if it is not in its part.
  project(point: Vec, world = 0): [number, number] | null {
    const { x, y, z } = new Vector3(...point).project(this.camera);
    if (z > 1 || Math.max(Math.abs(x), Math.abs(y)) > 1) return null;
    const [left, top, width, height] = this.part(world);
    return [left + (x + 1) / 2 * width, top + (1 - y) / 2 * height];
  }

  // The direction into the picture, of unit length.
  forward(): Vec { return this.camera.getWorldDirection(new Vector3()).toArray(); }

  draw(): void {
    this.controls.update();
    this.placeSun();
    this.renderer.setScissorTest(this.worlds.length > 1);
    this.worlds.forEach((_, shown) => {
      const [left, top, width, height] = this.part(shown);
      this.renderer.setViewport(left, this.height - top - height, width, height);
      this.renderer.setScissor(left, this.height - top - height, width, height);
      this.worlds.forEach((world, i) => { world.visible = i === shown; });
      this.renderer.render(this.scene, this.camera);
    });
  }

  // Keeps the shadow where the camera looks.
  private placeSun(): void {
    const { target } = this.controls;
    const reach = Math.min(this.extent * 1.5, this.camera.position.distanceTo(target));
    this.sun.target.position.copy(target);
    this.sun.position.set(target.x + 1.2 * reach, target.y + 2.4 * reach, target.z + 0.8 * reach);
    const { camera } = this.sun.shadow;
    this.sun.shadow.normalBias = reach * 0.002;
    if (camera.right === reach) return;
    Object.assign(camera, { left: -reach, right: reach, top: reach, bottom: -reach,
                            near: 0.1 * reach, far: 6 * reach });
    camera.updateProjectionMatrix();
  }
}
