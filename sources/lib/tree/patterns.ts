import picomatch from "picomatch";
import { Failure } from "../../../domain/failures.ts";
import { nameOf } from "./paths.ts";

/** Caps on a pattern: each star multiplies the cost of matching, and paths never need more. */
const maxStars = 4;
const maxLength = 255;

/** The problem of a pattern for paths, as the end of a sentence; undefined for a valid one. */
export function patternProblem(pattern: string): string | undefined {
  if (pattern.length > maxLength) return `is longer than ${maxLength} characters`;
  const stars = pattern.match(/\*+/g)?.length ?? 0;
  return stars > maxStars ? `has stars in more than ${maxStars} places` : undefined;
}

/**
 * Creates the test whether a folder or one of its parents matches a pattern. Results are cached. An `exempt` folder never matches, even
 * if a parent does.
 * @throws Failure validation_error for a pattern that would take too long to match
 */
export function createFolderMatcher(
  patterns: readonly string[],
  exempt: (folder: string) => boolean = () => false,
): (folder: string) => boolean {
  const matches = createMatcher(patterns.flatMap(toGlob));
  const results = new Map<string, boolean>();
  return function isInside(folder: string): boolean {
    const cached = results.get(folder);
    if (cached !== undefined) return cached;
    const slash = folder.lastIndexOf("/");
    const inside = !exempt(folder) && ((slash >= 0 && isInside(folder.slice(0, slash))) || matches(folder));
    results.set(folder, inside);
    return inside;
  };
}

/** Creates the test whether a path matches one of the patterns for files: patterns with a folder and the ending of a document. */
export function createFileMatcher(
  patterns: readonly string[],
  isDocument: (path: string) => boolean,
): (path: string) => boolean {
  return createMatcher(patterns.filter((pattern) => pattern.includes("/") && isDocument(pattern)).flatMap(toGlob));
}

/**
 * Creates the test whether a text matches one of the patterns.
 * @throws Failure validation_error for a pattern that would take too long to match
 */
export function createMatcher(patterns: readonly string[]): (text: string) => boolean {
  if (patterns.length === 0) return () => false;
  for (const pattern of patterns) {
    const problem = patternProblem(pattern);
    if (problem !== undefined)
      throw new Failure(
        "validation_error",
        `The pattern "${pattern.slice(0, 40)}" ${problem}. Give a shorter or simpler one.`,
      );
  }
  return picomatch([...patterns], { dot: true, noextglob: true, nonegate: true, nobrace: true });
}

/** Creates the test whether a pattern names a folder or one of its subfolders literally. A bare name is a folder at any depth. */
export function createNamedTest(patterns: readonly string[]): (folder: string) => boolean {
  const named = new Set<string>();
  const anywhere = new Set<string>();
  for (const pattern of patterns) {
    const folder = withoutSlashes(pattern);
    if (/[*?[\]]/.test(folder) || folder === "." || folder === "") continue;
    if (!/^\.?\//.test(pattern) && !folder.includes("/")) anywhere.add(folder);
    for (let end = folder.length; end > 0; end = folder.lastIndexOf("/", end - 1)) named.add(folder.slice(0, end));
  }
  return (folder) => named.has(folder) || anywhere.has(nameOf(folder));
}

function toGlob(pattern: string): string[] {
  const rooted = pattern.startsWith("./") || pattern.startsWith("/");
  const name = withoutSlashes(pattern);
  if (pattern.trim() === "") return [];
  // "." and "/" are the root.
  if (name === "" || name === ".") return ["**"];
  return [rooted || name.includes("/") ? name : `**/${name}`];
}

/** A pattern without a leading `./` or `/`, and a trailing `/`, `/*` or `/**`. */
function withoutSlashes(pattern: string): string {
  return pattern.replace(/^\.?\/+/, "").replace(/(?<!\/)\/+(?:\*\*?)?$/, "");
}
