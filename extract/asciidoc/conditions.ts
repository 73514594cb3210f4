import { substitute } from "./attributes.ts";

/** Maximum depth of conditions; deeper ones count as true. */
const maxDepth = 100;
const directive = /^(\\)?(ifdef|ifndef|ifeval|endif)::([^\s[]*)\[(.*)\]$/;

/** Evaluates the conditions of the preprocessor, such as `ifdef::name[]`, against the attributes at each of them. */
export function createConditions(values: ReadonlyMap<string, string>) {
  const open: { readonly names: string; readonly isShown: boolean }[] = [];
  let beyond = 0;
  const isShown = (): boolean => open.at(-1)?.isShown ?? true;

  return {
    isShown,
    depth: (): number => open.length,
    closeTo(depth: number): void {
      open.length = Math.min(open.length, depth);
    },
    /** Applies a conditional directive, and returns its inline content, "" without any; undefined for any other line. */
    read(line: string): string | undefined {
      const [, escaped, name, names = "", text = ""] = directive.exec(line) ?? [];
      if (name === undefined || escaped !== undefined) return undefined;
      if (name === "endif") {
        if (beyond > 0) beyond--;
        else if (names === "" || open.at(-1)?.names === names) open.pop();
        return "";
      }
      if (name === "ifeval" ? names !== "" : names === "") return undefined;
      const holds = isShown() && (name === "ifeval" ? evaluate(text, values) : isDefined(name, names, values));
      if (name !== "ifeval" && text !== "") return holds ? text : "";
      if (open.length >= maxDepth) beyond++;
      else open.push({ names, isShown: holds });
      return "";
    },
  };
}

function isDefined(name: string, names: string, values: ReadonlyMap<string, string>): boolean {
  const all = names.toLowerCase().split(/[,+]/);
  const has = (one: string): boolean => values.has(one);
  if (name === "ifdef") return names.includes(",") ? all.some(has) : all.every(has);
  return names.includes(",") ? !all.some(has) : !all.every(has);
}

function evaluate(text: string, values: ReadonlyMap<string, string>): boolean {
  const [, left = "", operator = "", right = ""] =
    /^(.{1,500}?)\s{0,9}([=!><]=|[><])\s{0,9}(.{1,500})$/.exec(text) ?? [];
  const [one, other] = [operand(left, values), operand(right, values)];
  if (operator === "==") return one === other;
  if (operator === "!=") return one !== other;
  if (typeof one !== typeof other || operator === "") return false;
  if (operator === ">") return one > other;
  if (operator === "<") return one < other;
  return operator === ">=" ? one >= other : one <= other;
}

function operand(written: string, values: ReadonlyMap<string, string>): string | number {
  const [, , quoted] = /^(["'])(.*)\1$/.exec(written.trim()) ?? [];
  const text = substitute(quoted ?? written.trim(), values).replace(/\{[\w-]+\}/g, "");
  return quoted === undefined && /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
}
