// Evaluates formulas such as "x0 + h * v0", and prints them with names or with numbers.
//
// A value is a number, or a vector with one number for each coordinate. Functions are in the
// environment too.

export type Value = number | number[];
export type Environment = Map<string, Value | ((...args: Value[]) => Value)>;

export type Node =
  | { kind: "number", value: number }
  | { kind: "name", name: string }
  | { kind: "call", name: string, args: Node[] }
  | { kind: "sum" | "product", operator: string, left: Node, right: Node };

// Parses sums, products, calls, names, and numbers with a sign.
export function parse(text: string): Node {
  const tokens = text.match(/[a-z]\w*|[\d.]+|[-+*/(),]/gi) ?? [];
  let at = 0;
  const take = (token: string) => tokens[at] === token && ++at > 0;
  const need = (token: string) => {
    if (!take(token)) throw new Error(`"${text}": ${token} is missing at word ${at + 1}`);
  };
  const sum = (): Node => {
    let left = product();
    while (tokens[at] === "+" || tokens[at] === "-") {
      left = { kind: "sum", operator: tokens[at++], left, right: product() };
    }
    return left;
  };
  const product = (): Node => {
    let left = single();
    while (tokens[at] === "*" || tokens[at] === "/") {
      left = { kind: "product", operator: tokens[at++], left, right: single() };
    }
    return left;
  };
  const single = (): Node => {
    if (take("(")) {
      const inner = sum();
      need(")");
      return inner;
    }
    if (take("-")) return { kind: "number", value: -Number(tokens[at++]) };
    const token = tokens[at++];
    if (/^[\d.]/.test(token)) return { kind: "number", value: Number(token) };
    if (!take("(")) return { kind: "name", name: token };
    const args = [sum()];
    while (take(",")) args.push(sum());
    need(")");
    return { kind: "call", name: token, args };
  };
  const node = sum();
  if (at !== tokens.length) throw new Error(`"${text}": a rest at word ${at + 1}`);
  return node;
}

const OPERATIONS: Record<string, (a: number, b: number) => number> = {
  "+": (a, b) => a + b, "-": (a, b) => a - b, "*": (a, b) => a * b, "/": (a, b) => a / b,
};

export function evaluate(node: Node, environment: Environment): Value {
  if (node.kind === "number") return node.value;
  if (node.kind === "name" || node.kind === "call") {
    const found = environment.get(node.name);
    if (found === undefined) throw new Error(`${node.name} has no value`);
    if (typeof found !== "function") return found;
    return found(...(node.kind === "call" ? node.args : []).map((x) => evaluate(x, environment)));
  }
  const left = evaluate(node.left, environment), right = evaluate(node.right, environment);
  const apply = OPERATIONS[node.operator];
  if (typeof left === "number" && typeof right === "number") return apply(left, right);
  const size = Array.isArray(left) ? left.length : (right as number[]).length;
  const part = (value: Value, i: number) => (Array.isArray(value) ? value[i] : value);
  return Array.from({ length: size }, (_, i) => apply(part(left, i), part(right, i)));
}

// Prints a formula. `nameOf` gives the text of a name, and decides whether it needs parentheses.
export function print(node: Node, nameOf: (name: string) => string): string {
  switch (node.kind) {
    case "number": return short(node.value);
    case "name": return nameOf(node.name);
    case "call": return `${node.name}(${node.args.map((arg) => print(arg, nameOf)).join(", ")})`;
    case "sum": {
      const right = print(node.right, nameOf);
      const guarded = node.operator === "-" && node.right.kind === "sum" || right.startsWith("−");
      return `${print(node.left, nameOf)} ${node.operator === "-" ? "−" : "+"} ` +
        (guarded ? `(${right})` : right);
    }
    default: {
      const part = (inner: Node, isRight: boolean) => {
        const text = print(inner, nameOf);
        const deep = inner.kind === "sum" || isRight && inner.kind === "product";
        return deep || text.startsWith("−") ? `(${text})` : text;
      };
      const operator = node.operator === "*" ? " · " : "/";
      return part(node.left, false) + operator + part(node.right, true);
    }
  }
}

// Prints a number with six digits, and with a long minus.
export function short(value: number, digits = 6): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "none" : value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  const text = size !== 0 && (size < 1e-4 || size >= 1e7)
    ? value.toExponential(digits - 1).replace(/\.?0+e/, "e").replace("e+", "e")
    : String(Number(value.toPrecision(digits)));
  return text.replaceAll("-", "−");
}
