import { CORE_SCHEMA, load, mergeTag, YAMLException } from "js-yaml";
import { Failure } from "../../domain/failures.ts";

/** Deeper nested values are no description, and bound the recursion of whoever walks over one. */
const maxDepth = 120;
/** Aliases of YAML in one file, and the values that all of it may come to once each alias is written out. */
const maxAliases = 10_000;
const maxValues = 10_000_000;

/** YAML 1.2, as OpenAPI has it, with the merge keys (`<<`) that many descriptions use all the same. */
const schema = CORE_SCHEMA.withTags(mergeTag);

/**
 * Parses a file of a description: JSON if it begins with a brace, else YAML. The result is a tree: aliases may share values,
 * but never close a circle. `name` is what messages call it.
 * @throws Failure source_invalid that says where in the file
 */
export function parseFile(bytes: Uint8Array, name: string): unknown {
  const text = decode(bytes, name);
  const value = isJson(text) ? parseJson(text, name) : parseYaml(text, name);
  checkSize(value, name);
  return value;
}

/** The text of a file. @throws Failure source_invalid */
export function decode(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw unreadable(name, "it is not UTF-8", cause);
  }
}

/** True for a text that is JSON if anything. */
export function isJson(text: string): boolean {
  return /^\s*[{[]/.test(text);
}

function parseJson(text: string, name: string): unknown {
  checkDepth(text, name);
  try {
    return JSON.parse(text);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw unreadable(name, placed(cause.message, text), cause);
  }
}

function parseYaml(text: string, name: string): unknown {
  if (/^\s*<(?:!doctype|html|\?xml)/i.test(text)) throw unreadable(name, "it is a page of HTML or XML");
  if (text.trim() === "") throw unreadable(name, "it is empty");
  try {
    return load(text, { schema, maxDepth, maxAliases });
  } catch (cause) {
    if (!(cause instanceof YAMLException)) throw cause;
    const { mark, reason } = cause;
    throw unreadable(name, mark ? `${reason} at line ${mark.line + 1}, column ${mark.column + 1}` : reason, cause);
  }
}

/** The parser's message with line and column, which it leaves out where the text is short. */
function placed(message: string, text: string): string {
  const said = message.replace(/, "[\s\S]*" is not valid JSON$/, "").replace(/ \(line \d+ column \d+\)$/, "");
  const position = Number(/ (?:in JSON )?at position (\d+)$/.exec(said)?.[1] ?? text.length);
  const before = text.slice(0, position).split("\n");
  const what = said
    .replace(/ (?:in JSON )?at position \d+$/, "")
    .replace(/^Unexpected end of JSON input$/, "Unexpected end");
  return `${what.replace(/\s+/g, " ")} at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

/** @throws Failure source_invalid for JSON that is nested too deep, before it is parsed */
function checkDepth(text: string, name: string): void {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 34) {
      for (at++; at < text.length && text.charCodeAt(at) !== 34; at++) if (text.charCodeAt(at) === 92) at++;
    } else if (code === 123 || code === 91) {
      depth++;
      if (depth <= maxDepth) continue;
      const line = text.slice(0, at).split("\n").length;
      throw unreadable(name, `values are nested more than ${maxDepth} deep at line ${line}`);
    } else if (code === 125 || code === 93) depth--;
  }
}

/** Values in a value, and how deep they are nested. */
interface Extent {
  readonly size: number;
  readonly depth: number;
}

/**
 * Counts values as they are without aliases, each shared one once for every place that it stands in.
 * @throws Failure source_invalid for too many, too deep, or a circle of aliases
 */
function checkSize(root: unknown, name: string): void {
  const extents = new Map<object, Extent | "open">();
  const measure = (value: object, above: number, pointer: () => string): Extent => {
    const known = extents.get(value);
    if (known === "open") throw unreadable(name, `an alias contains itself at ${pointer()}`);
    if (above + (known?.depth ?? 1) > maxDepth)
      throw unreadable(name, `values are nested more than ${maxDepth} deep at ${pointer()}`);
    if (known !== undefined) return known;
    extents.set(value, "open");
    let [size, depth] = [1, 1];
    for (const [key, child] of Object.entries(value) as [string, unknown][]) {
      if (typeof child !== "object" || child === null) size++;
      else {
        const inner = measure(child, above + 1, () => `${pointer()}/${escaped(key)}`);
        size += inner.size;
        depth = Math.max(depth, inner.depth + 1);
      }
      if (size > maxValues) throw unreadable(name, `its aliases come to more than ${maxValues} values at ${pointer()}`);
    }
    const extent = { size, depth };
    extents.set(value, extent);
    return extent;
  };
  if (typeof root === "object" && root !== null) measure(root, 0, () => "#");
}

/** A key as a JSON pointer has it (RFC 6901). */
export function escaped(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

function unreadable(name: string, problem: string, cause?: unknown): Failure {
  const message = `${name} cannot be read as an OpenAPI description: ${problem}. Correct the file.`;
  return new Failure("source_invalid", message, { cause });
}
