import type { WebsiteSourceSpec } from "../../domain/kinds/index.ts";
import { createMatcher } from "../lib/tree/patterns.ts";

/**
 * Makes the test whether the patterns choose an address. A pattern is a path (`/blog/**`, `/blog`), a name at any depth (`changelog`), or a
 * whole address; it also matches all below what it names.
 * @throws Failure validation_error for a pattern that would take too long to match
 */
export function createPathTest({
  includePatterns,
  excludePatterns,
}: Pick<WebsiteSourceSpec, "includePatterns" | "excludePatterns">): (address: URL) => boolean {
  const included = createTest(includePatterns);
  const excluded = createTest(excludePatterns);
  return (address) => (includePatterns.length === 0 || included(address)) && !excluded(address);
}

function createTest(patterns: readonly string[]): (address: URL) => boolean {
  const isAddress = (pattern: string): boolean => /^https?:\/\//i.test(pattern);
  const ofPaths = createMatcher(patterns.filter((pattern) => !isAddress(pattern)).flatMap(toGlobs));
  const ofAddresses = createMatcher(
    patterns.filter(isAddress).flatMap((pattern) => belowToo(pattern.replace(/^https?:\/\//i, ""))),
  );
  return ({ host, pathname, search }) => {
    const path = pathname.slice(1);
    return (
      ofPaths(path) ||
      ofAddresses(`${host}/${path}`) ||
      (search !== "" && (ofPaths(path + search) || ofAddresses(`${host}/${path}${search}`)))
    );
  };
}

/** A bare name stands for a folder or page at any depth. */
function toGlobs(pattern: string): string[] {
  const bare = pattern.replace(/^\.?\/+/, "");
  if (bare === "") return pattern.trim() === "" ? [] : ["**"];
  const anywhere = !/^\.?\//.test(pattern) && !bare.replace(/(?<!\/)\/+\**$/, "").includes("/");
  return belowToo(anywhere && !bare.startsWith("**") ? `**/${bare}` : bare);
}

function belowToo(glob: string): string[] {
  const whole = glob.replace(/(?<!\/)\/+(?:\*\*?)?$/, "");
  return [whole, `${whole}/**`];
}
