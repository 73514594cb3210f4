import { CORE_SCHEMA, load, mergeTag, YAMLException } from "js-yaml";
import { isAlias, isMap, isScalar, isSeq, parseDocument, type Alias, type ParsedNode } from "yaml";
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
    return parseIndented(text, cause) ?? parseSlowly(text, unreadable(name, reason + place, cause));
  }
}

/** Maximum number of lines of quoted texts that are indented in one file, and of characters that are parsed again to do so. */
const maxIndented = 200;
const maxParsedAgain = 40_000_000;
/** The reason in js-yaml's errors. */
const deficientIndentation = "deficient indentation";

/**
 * Parses with quoted texts that continue in the column of their parent, which js-yaml rejects and other parsers accept. Indents these
 * lines, as their leading blanks are insignificant. Undefined for any other error.
 */
function parseIndented(text: string, refused: YAMLException): unknown {
  const lines = text.split("\n");
  let error = refused;
  for (let tries = 0; tries < maxIndented && tries * text.length < maxParsedAgain; tries++) {
    const at = error.mark?.line;
    const line = at === undefined ? undefined : lines[at];
    // A line that closes a list or map is not part of a text.
    if (error.reason !== deficientIndentation || at === undefined || line === undefined || /^\s*[}\],]/.test(line))
      return undefined;
    lines[at] = `${" ".repeat(maxDepth)}${line}`;
    try {
      return load(lines.join("\n"), yamlOptions);
    } catch (cause) {
      if (!(cause instanceof YAMLException)) throw cause;
      error = cause;
    }
  }
  return undefined;
}

/**
 * Parses with the package `yaml`, which accepts more than js-yaml, such as a brace that closes in the column of its key, but takes
 * five times as long. Its conversion to values is not used, as it is quadratic in anchors and keys, and does not limit merges.
 * @throws Failure `refused` if `yaml` rejects it too
 */
function parseSlowly(text: string, refused: Failure): unknown {
  const options = { schema: "core", resolveKnownTags: false, uniqueKeys: false, prettyErrors: false } as const;
  const { contents, errors, warnings } = parseDocument(text, options);
  // Other warnings are about unknown tags.
  if (contents === null || errors.length > 0 || warnings.some(({ code }) => code !== "BAD_INDENT")) throw refused;
  const anchors = new Map<string, unknown>();
  let [aliases, merged] = [0, 0];
  const charge = (): void => {
    if (++merged > maxTotalMergeKeys) throw refused;
  };

  function read(node: ParsedNode | null): unknown {
    if (node === null) return null;
    if (isAlias(node)) return readAlias(node);
    const { anchor } = node;
    if (anchor !== undefined) anchors.delete(anchor);
    const value = isMap(node) ? readMap(node.items) : isSeq(node) ? node.items.map(read) : node.value;
    if (anchor !== undefined) anchors.set(anchor, value);
    return value;
  }

  function readAlias({ source }: Alias): unknown {
    if (++aliases > maxAliases || !anchors.has(source)) throw refused;
    return anchors.get(source);
  }

  function readMap(pairs: readonly { readonly key: ParsedNode; readonly value: ParsedNode | null }[]): object {
    const entries = new Map<string, unknown>();
    const ownKeys = new Set<string>();
    for (const { key, value } of pairs) {
      if (isScalar(key) && key.value === "<<" && key.type === "PLAIN") {
        for (const source of [read(value)].flat()) {
          charge();
          if (typeof source !== "object" || source === null || Array.isArray(source)) throw refused;
          for (const [name, one] of Object.entries(source)) {
            charge();
            if (!entries.has(name)) entries.set(name, one);
          }
        }
        continue;
      }
      const name = read(key);
      const text = String(name);
      if ((typeof name === "object" && name !== null) || ownKeys.has(text)) throw refused;
      ownKeys.add(text);
      entries.set(text, read(value));
    }
    return Object.fromEntries(entries);
  }

  return read(contents);
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
