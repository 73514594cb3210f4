import { CORE_SCHEMA, load, mergeTag, YAMLException } from "js-yaml";
import { Failure } from "../../domain/failures.ts";
import { toText } from "./values.ts";
import { escaped, isObject } from "../json.ts";

/** Maximum depth of nested values, which bounds all recursion over a description. */
const maxDepth = 120;
/** Maximum number of YAML aliases in one file, and of its values with all aliases expanded. */
const maxAliases = 10_000;
const maxValues = 10_000_000;
/** Maximum number of merges in one file plus the keys that they copy. */
const maxTotalMergeKeys = 10_000;

/** YAML 1.2, as OpenAPI requires, and the merge keys (`<<`) that many descriptions use. */
const yamlOptions = { schema: CORE_SCHEMA.withTags(mergeTag), maxDepth, maxAliases, maxTotalMergeKeys };

/**
 * Parses a file of a description: JSON if it begins with a brace, else YAML. Aliases may share values in the result,
 * but it has no cycles. `name` is the file's name in messages.
 * @throws Failure source_invalid with the place in the file
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

/** True for a text that begins as JSON. */
export function isJson(text: string): boolean {
  return /^\s*[{[]/.test(text);
}

function parseJson(text: string, name: string): unknown {
  checkDepth(text, name);
  try {
    return JSON.parse(text);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw unreadable(name, withPosition(cause.message, text), cause);
  }
}

function parseYaml(text: string, name: string): unknown {
  if (/^\s*<(?:!doctype|html|\?xml)/i.test(text)) throw unreadable(name, "it is a page of HTML or XML");
  if (text.trim() === "") throw unreadable(name, "it is empty");
  try {
    return load(text, yamlOptions);
  } catch (cause) {
    if (!(cause instanceof YAMLException)) throw cause;
    const { mark, reason } = cause;
    const place = mark ? ` at line ${mark.line + 1}, column ${mark.column + 1}` : "";
    const value = parseIndented(text, cause);
    if (value === undefined) throw unreadable(name, reason + place, cause);
    return value;
  }
}

/** Maximum number of lines that are indented in one file, and of characters that are parsed again to do so. */
const maxIndented = 500;
const maxParsedAgain = 60_000_000;

/**
 * Parses with lines indented that js-yaml refuses for their indentation and other parsers accept: of a quoted text, or of a collection in
 * brackets, in the column of its key. Leading blanks are insignificant in both. Undefined for any other error.
 */
function parseIndented(text: string, refused: YAMLException): unknown {
  const lines = text.split("\n");
  let error = refused;
  for (let tries = 0; tries < maxIndented && tries * text.length < maxParsedAgain; tries++) {
    const at = error.mark?.line;
    if (error.reason !== "deficient indentation" || at === undefined || lines[at] === undefined) return undefined;
    lines[at] = `${" ".repeat(maxDepth)}${lines[at]}`;
    try {
      return load(lines.join("\n"), yamlOptions);
    } catch (cause) {
      if (!(cause instanceof YAMLException)) throw cause;
      error = cause;
    }
  }
  return undefined;
}

/** The parser's message with line and column, which it omits for short texts. */
function withPosition(message: string, text: string): string {
  const bare = message.replace(/, "[\s\S]*" is not valid JSON$/, "").replace(/ \(line \d+ column \d+\)$/, "");
  const position = Number(/ (?:in JSON )?at position (\d+)$/.exec(bare)?.[1] ?? text.length);
  const before = text.slice(0, position).split("\n");
  const what = bare
    .replace(/ (?:in JSON )?at position \d+$/, "")
    .replace(/^Unexpected end of JSON input$/, "Unexpected end");
  return `${what.replace(/\s+/g, " ")} at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

/** Checks the depth of JSON before it is parsed. @throws Failure source_invalid */
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

/** The number of values in a value, and their depth. */
type Extent = Readonly<Record<"size" | "depth", number>>;

/**
 * Counts values, shared ones once per alias.
 * @throws Failure source_invalid for too many values, too deep ones, or an alias that contains itself
 */
function checkSize(root: unknown, name: string): void {
  const extents = new Map<object, Extent | "open">();
  const measure = (value: object, above: number, pointer: () => string): Extent => {
    const cached = extents.get(value);
    if (cached === "open") throw unreadable(name, `an alias contains itself at ${pointer()}`);
    if (above + (cached?.depth ?? 1) > maxDepth)
      throw unreadable(name, `values are nested more than ${maxDepth} deep at ${pointer()}`);
    if (cached !== undefined) return cached;
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

function unreadable(name: string, problem: string, cause?: unknown): Failure {
  const message = `${name} cannot be read as an OpenAPI description: ${problem}. Correct the file.`;
  return new Failure("source_invalid", message, { cause });
}

/** The supported versions of Swagger and OpenAPI. */
export type Version = "2.0" | "3.0" | "3.1" | "3.2";

/**
 * The declared version of a description. A later 3.x is read as 3.2, as minor versions are compatible.
 * @throws Failure source_invalid for anything but a description
 */
export function versionOf(root: unknown, name: string): Version {
  if (!isObject(root)) throw noDescription(name, "it holds no object");
  const { swagger, openapi } = root;
  if (openapi === undefined && swagger === undefined)
    throw noDescription(name, "it has neither `openapi` nor `swagger` with its version");
  const declared = toText(openapi ?? swagger);
  const match = /^(?:(2)(?:\.0)?|3(?:\.(\d{1,9})(?:[.-].*)?)?)$/.exec(declared);
  if (match === null || (openapi === undefined) !== (match[1] !== undefined))
    throw noDescription(
      name,
      `its version is ${JSON.stringify(declared.slice(0, 40))}, and 2.0 and 3.0 to 3.2 are read`,
    );
  if (match[1] !== undefined) return "2.0";
  const minor = Number(match[2] ?? 0);
  return minor === 0 ? "3.0" : minor === 1 ? "3.1" : "3.2";
}

function noDescription(name: string, problem: string): Failure {
  return new Failure("source_invalid", `${name} is no OpenAPI description: ${problem}.`);
}
