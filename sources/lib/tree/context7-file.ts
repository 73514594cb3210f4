import type { SkipCode } from "../../../domain/skip-codes.ts";
import type { FileSelection, SourceSettings, OfferedVersion } from "../../../domain/source.ts";
import { isCommanding } from "../../../extract/screened-texts.ts";
import { asOneLine } from "../../../extract/sentences.ts";
import { patternProblem } from "./patterns.ts";

/** The file at the root of a library with settings for indexing it. */
export const context7Path = "context7.json";

/** Largest size of that file, in bytes. */
export const maxContext7Bytes = 200_000;

/** A library's file without its invalid parts; `problems` has a sentence for each of them. */
export interface Context7File {
  readonly settings: SourceSettings;
  /** The branch to read if the submission names none; null: the resolved one. */
  readonly branch: string | null;
  /** Which files to read. Empty lists count as absent, as they are the defaults of the published schema. */
  readonly selection: FileSelection;
  readonly problems: readonly string[];
}

/** The outcome of a file with ignored parts. */
export function ignoredSettings({ problems }: Context7File): { readonly code: SkipCode; readonly reason: string } {
  return { code: "settings_ignored", reason: `Some of the library's settings were ignored. ${problems.join(" ")}` };
}

const maxProblems = 20;

/** Keys for editors, and for the published service to verify who owns a library. */
const otherKeys = new Set(["$schema", "url", "public_key"]);

/**
 * Reads a context7.json with the limits of the published schema and dashboard. Keys and entries are read one by one, so that an invalid
 * one does not affect the others; it never throws. `bytes` is null for a file that was too large to read.
 */
export function parseContext7File(bytes: Uint8Array | null): Context7File {
  const problems: string[] = [];
  const complain = (problem: string): void => {
    if (problems.length < maxProblems) problems.push(problem);
  };
  const values = parseObject(bytes, complain);
  /** Removes a key, so that only unknown keys remain at the end. */
  const take = (key: string): unknown => {
    const value = values.get(key);
    values.delete(key);
    return value;
  };
  const one = (key: string, maxLength: number, test?: Test): string | undefined => {
    const value = take(key);
    const text = value === undefined ? undefined : readText(value, maxLength, test);
    if (!isProblem(text)) return text;
    complain(`"${key}" ${text.problem}.`);
    return undefined;
  };
  const list = <T>(key: string, maxEntries: number, read: (entry: unknown) => T | Problem): readonly T[] => {
    const value = take(key);
    if (value === undefined) return [];
    if (!Array.isArray(value)) {
      complain(`"${key}" is not a list.`);
      return [];
    }
    if (value.length > maxEntries)
      complain(`"${key}" has ${value.length} entries; only the first ${maxEntries} are used.`);
    return value.slice(0, maxEntries).flatMap((entry: unknown, index) => {
      const result = read(entry);
      if (!isProblem(result)) return [result];
      complain(`Entry ${index + 1} of "${key}" ${result.problem}.`);
      return [];
    });
  };
  const texts = (key: string, maxEntries: number, maxLength: number, test?: Test): readonly string[] =>
    list(key, maxEntries, (entry) => readText(entry, maxLength, test));

  const title = one("projectTitle", 100, plain);
  const description = one("description", 500, plain);
  const branch = one("branch", 100) ?? null;
  const descriptions = texts("openapi", 50, 255, descriptionProblem);
  const selection: FileSelection = {
    folders: texts("folders", 50, 255, patternProblem),
    excludeFolders: orNull(texts("excludeFolders", 50, 255, patternProblem)),
    excludeFiles: orNull(texts("excludeFiles", 100, 255, fileNameProblem)),
    ...(descriptions.length > 0 && { openapi: descriptions }),
  };
  const rules = texts("rules", 50, 255, advice);
  const versions = [
    ...list("previousVersions", 20, (entry) => readVersion(entry, "tag")),
    ...list("branchVersions", 20, (entry) => readVersion(entry, "branch")),
  ].slice(0, 20);
  for (const key of values.keys())
    if (!otherKeys.has(key)) complain(`"${key.slice(0, 50)}" is not a key of context7.json.`);

  return {
    settings: {
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      ...(rules.length > 0 && { rules }),
      ...(versions.length > 0 && { versions }),
    },
    branch,
    selection,
    problems,
  };
}

/** The selection of a submission, completed by that of the library's own file, if it has one. */
export function mergeSelection(submitted: FileSelection, own: FileSelection | undefined): FileSelection {
  if (own === undefined) return submitted;
  const openapi = submitted.openapi ?? own.openapi;
  return {
    folders: submitted.folders.length > 0 ? submitted.folders : own.folders,
    excludeFolders: submitted.excludeFolders ?? own.excludeFolders,
    excludeFiles: submitted.excludeFiles ?? own.excludeFiles,
    ...(openapi && { openapi }),
    ...(typeof submitted.generateDocs === "boolean" && { generateDocs: submitted.generateDocs }),
  };
}

/** Returns the problem of a text as the end of a sentence; undefined for a valid text. */
type Test = (text: string) => string | undefined;

interface Problem {
  readonly problem: string;
}

function isProblem(value: unknown): value is Problem {
  return typeof value === "object" && value !== null && "problem" in value;
}

function parseObject(bytes: Uint8Array | null, complain: (problem: string) => void): Map<string, unknown> {
  if (bytes === null || bytes.length > maxContext7Bytes) {
    complain(`The file is larger than ${maxContext7Bytes} bytes, the most that is read.`);
    return new Map();
  }
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return new Map(Object.entries(value));
    complain("The file is not a JSON object.");
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
    complain("The file is not JSON in UTF-8.");
  }
  return new Map();
}

function readText(entry: unknown, maxLength: number, test?: Test): string | Problem {
  if (typeof entry !== "string") return { problem: "is not a string" };
  const text = asOneLine(entry);
  if (text === "") return { problem: "is empty" };
  if (text.length > maxLength) return { problem: `has ${text.length} characters, more than ${maxLength}` };
  const problem = test?.(text);
  return problem === undefined ? text : { problem };
}

/** `{ tag, title? }` or `{ branch }`. */
function readVersion(entry: unknown, kind: OfferedVersion["kind"]): OfferedVersion | Problem {
  if (typeof entry !== "object" || entry === null) return { problem: `is not an object with the key "${kind}"` };
  const fields = new Map<string, unknown>(Object.entries(entry));
  const ref = readText(fields.get(kind), 50);
  if (isProblem(ref)) return { problem: `has a "${kind}" that ${ref.problem}` };
  const title = readText(fields.get("title") ?? "", 50, plain);
  return { ref, kind, ...(!isProblem(title) && { title }) };
}

const plain: Test = (text) => (isCommanding(text) ? "reads like an attempt to command its reader" : undefined);

const advice: Test = (text) => (isCommanding(text, true) ? "reads like an attempt to command its reader" : undefined);

const descriptionProblem: Test = (text) =>
  /\.(?:json|ya?ml)$/i.test(text) ? undefined : "is not the path of a .json, .yaml or .yml file";

const fileNameProblem: Test = (text) =>
  /[/\\]/.test(text) ? "is a path; give only the file name" : patternProblem(text);

function orNull(entries: readonly string[]): readonly string[] | null {
  return entries.length > 0 ? entries : null;
}
