import picomatch from "picomatch";
import { Failure } from "../../domain/failures.ts";

/** Backtracking grows with every star: more than these are never needed for a path. */
const maxStars = 4;
const maxLength = 255;

/** What is wrong with a pattern for paths, as the end of a sentence; undefined where nothing is. */
export function patternProblem(pattern: string): string | undefined {
  if (pattern.length > maxLength) return `is longer than ${maxLength} characters`;
  const stars = pattern.match(/\*+/g)?.length ?? 0;
  return stars > maxStars ? `has stars in more than ${maxStars} places` : undefined;
}

/**
 * Makes the test whether a folder, or one above it, fits a pattern. Each folder is matched once. A folder that is
 * `exempt` fits none, whatever is above it.
 * @throws Failure validation_error for a pattern that would take too long to match
 */
export function createFolderMatcher(
  patterns: readonly string[],
  exempt: (folder: string) => boolean = () => false,
): (folder: string) => boolean {
  const matches = createMatcher(patterns.flatMap(toGlob));
  const known = new Map<string, boolean>();
  return function isInside(folder: string): boolean {
    const before = known.get(folder);
    if (before !== undefined) return before;
    const slash = folder.lastIndexOf("/");
    const inside = !exempt(folder) && ((slash >= 0 && isInside(folder.slice(0, slash))) || matches(folder));
    known.set(folder, inside);
    return inside;
  };
}

/** Makes the test whether a path fits one of the patterns that are written like a file, with an ending and a folder. */
export function createFileMatcher(
  patterns: readonly string[],
  isDocument: (path: string) => boolean,
): (path: string) => boolean {
  return createMatcher(patterns.filter((pattern) => pattern.includes("/") && isDocument(pattern)).flatMap(toGlob));
}

/**
 * Makes the test whether a text fits one of the patterns.
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

/**
 * Makes the test whether a folder is one that the patterns name word for word, or lies above such a one. A bare name
 * stands for a folder at any depth.
 */
export function createNamedTest(patterns: readonly string[]): (folder: string) => boolean {
  const named = new Set<string>();
  const anywhere = new Set<string>();
  for (const pattern of patterns) {
    const folder = withoutSlashes(pattern);
    if (/[*?[\]]/.test(folder) || folder === "." || folder === "") continue;
    if (!/^\.?\//.test(pattern) && !folder.includes("/")) anywhere.add(folder);
    for (let end = folder.length; end > 0; end = folder.lastIndexOf("/", end - 1)) named.add(folder.slice(0, end));
  }
  return (folder) => named.has(folder) || anywhere.has(folder.slice(folder.lastIndexOf("/") + 1));
}

function toGlob(pattern: string): string[] {
  const rooted = pattern.startsWith("./") || pattern.startsWith("/");
  const name = withoutSlashes(pattern);
  if (pattern.trim() === "") return [];
  // "." and "/" are ways to write the root.
  if (name === "" || name === ".") return ["**"];
  return [rooted || name.includes("/") ? name : `**/${name}`];
}

/** Without what says where it is rooted, and without the end that stands for all below. */
function withoutSlashes(pattern: string): string {
  return pattern.replace(/^\.?\/+/, "").replace(/(?<!\/)\/+(?:\*\*?)?$/, "");
}
