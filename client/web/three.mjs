// Leaves out the parts of three.js that the page does not use, which bundlers cannot see: shaders
// of other materials, virtual reality, and lights from pictures.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const SOURCES = fileURLToPath(new URL("node_modules/three/src/", import.meta.url));
// The shaders of MeshLambertMaterial, lines and shadows, and what three.js adds to all. A material
// with another one shows nothing, and three.js writes an error to the console.
const USED = ["ShaderLib/meshlambert", "ShaderLib/meshbasic", "ShaderLib/depth",
              "ShaderChunk/colorspace_pars_fragment"];
const UNUSED = {
  "extras/PMREMGenerator.js": "export class PMREMGenerator {}",
  "renderers/webxr/WebXRManager.js": `export class WebXRManager {
    enabled = false;
    addEventListener() {}
    setAnimationLoop() {}
    getEnvironmentBlendMode() {}
  }`,
};

// Adds a file with shader code, and those that it includes.
function addShader(name, found) {
  const path = `renderers/shaders/${name}.glsl.js`;
  if (found.has(path)) return;
  found.add(path);
  const text = readFileSync(SOURCES + path, "utf8");
  for (const [, chunk] of text.matchAll(/#include <(\w+)>/g)) {
    addShader(`ShaderChunk/${chunk}`, found);
  }
}

// A plugin of esbuild.
export const smallThree = {
  name: "three",
  setup(build) {
    const used = new Set();
    for (const name of USED) addShader(name, used);
    build.onResolve({ filter: /^three$/ }, () =>
      ({ path: `${SOURCES}Three.js`, sideEffects: false }));
    build.onLoad({ filter: /\/three\/src\/.*\.js$/ }, ({ path }) => {
      const name = path.slice(path.lastIndexOf("/three/src/") + "/three/src/".length);
      if (name in UNUSED) return { contents: UNUSED[name] };
      if (!name.endsWith(".glsl.js") || used.has(name)) return undefined;
      return { contents: "export const vertex = '', fragment = ''; export default '';" };
    });
  },
};
