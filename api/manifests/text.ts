import { isMap, isScalar, isSeq, LineCounter, parseDocument, type Node, type YAMLMap } from "yaml";
import { Failure } from "../../domain/failures.ts";

/** Maximum number of libraries in a manifest. */
const maxEntries = 10_000;

/** Maximum number of problems in a message. */
const maxProblems = 20;

/** A problem of a manifest. */
export interface Problem {
  /** From 1. */
  readonly line: number;
  /** The field, such as `libraries[2].branch`; "" for the manifest itself. */
  readonly field: string;
  /** Ends the sentence that begins with the field. */
  readonly message: string;
}

/** An entry as written. */
export interface WrittenEntry {
  /** Its place, such as `libraries[2]`. */
  readonly place: string;
  readonly line: number;
  readonly fields: Readonly<Record<string, unknown>>;
  /** The line of a field, or else that of the entry. */
  lineOf(field: string): number;
}

/** A manifest as written, with its members by name and the line of each. */
export interface WrittenManifest {
  readonly members: Readonly<Record<string, unknown>>;
  readonly entries: readonly WrittenEntry[];
  lineOf(member: string): number;
}

/** The names that the list of libraries has: ours, and that of the on-premise product's file. */
const lists = ["libraries", "repos"] as const;

/** Reads YAML or JSON. @throws Failure validation_error naming the line */
export function parseManifestText(text: string): WrittenManifest {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const lineAt = (offset: number | undefined): number => (offset === undefined ? 1 : lines.linePos(offset).line);
  const wrong = document.errors.map(({ pos, message }) => ({ line: lineAt(pos[0]), field: "", message }));
  if (wrong.length > 0) throw manifestFailure(wrong);
  const root = document.contents;
  if (!isMap(root)) throw manifestFailure([{ line: 1, field: "", message: "A manifest is an object with libraries." }]);
  let members: Readonly<Record<string, unknown>>;
  try {
    members = document.toJS({ maxAliasCount: 100 }) as Readonly<Record<string, unknown>>;
  } catch (cause) {
    throw new Failure("validation_error", "The manifest uses too many aliases. Write them out.", { cause });
  }
  const name = lists.find((one) => root.has(one)) ?? lists[0];
  const list = root.get(name, true);
  const lineOf = (member: string): number => lineAt(keyOf(root, member)?.range?.[0]);
  if (!isSeq(list))
    throw manifestFailure([{ line: lineOf(name), field: name, message: "must be a list of libraries." }]);
  if (list.items.length > maxEntries)
    throw manifestFailure([{ line: lineOf(name), field: name, message: `must have at most ${maxEntries} libraries.` }]);
  const written = members[name] as readonly unknown[];
  const problems: Problem[] = [];
  const entries = list.items.flatMap((item, index) => {
    const place = `${name}[${index}]`;
    const line = lineAt((item as Node).range?.[0]);
    const fields = written[index];
    if (isMap(item) && typeof fields === "object" && fields !== null)
      return [
        {
          place,
          line,
          fields: { ...fields },
          lineOf: (field: string) => lineAt((keyOf(item, field) ?? item).range?.[0]),
        },
      ];
    problems.push({ line, field: place, message: "must be an object with the fields of a submission." });
    return [];
  });
  if (problems.length > 0) throw manifestFailure(problems);
  return { members, entries, lineOf };
}

/** The node of a key. */
function keyOf(map: YAMLMap, name: string): Node | undefined {
  const pair = map.items.find(({ key }) => isScalar(key) && key.value === name);
  return pair?.key as Node | undefined;
}

/** The failure of a manifest that has problems; nothing of it is applied. */
export function manifestFailure(problems: readonly Problem[]): Failure {
  const shown = problems
    .toSorted((one, other) => one.line - other.line)
    .slice(0, maxProblems)
    .map(({ line, field, message }) => `line ${line}: ${field === "" ? "" : `${field} `}${message}`);
  const more = problems.length > maxProblems ? ` And ${problems.length - maxProblems} more.` : "";
  return new Failure("validation_error", `Nothing was changed. The manifest has problems: ${shown.join(" ")}${more}`);
}
