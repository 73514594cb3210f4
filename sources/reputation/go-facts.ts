import type { PackageFacts } from "../../domain/package-trust.ts";
import { compareVersions, newestFirst, parseVersion } from "../../domain/versions.ts";
import { retractedBy } from "../package/go-retractions.ts";

/** The facts in the list of a module's versions and the go.mod of its newest one. */
export function factsOfModule(
  versions: readonly string[],
  goMod: string,
): Pick<PackageFacts, "versions" | "isDeprecated" | "isWithdrawn"> {
  const isRetracted = retractedBy(goMod);
  const count = versions.filter((version) => !isRetracted(version)).length;
  return { versions: count, isDeprecated: isDeprecated(goMod), isWithdrawn: versions.length > 0 && count === 0 };
}

/** The newest version and the first one; undefined without versions. */
export function endsOf(versions: readonly string[]): { readonly newest: string; readonly first: string } | undefined {
  const numbered = versions.flatMap((name) => {
    const version = parseVersion(name);
    return version === null ? [] : [{ name, version }];
  });
  const first = numbered.toSorted((one, other) => compareVersions(one.version, other.version))[0]?.name;
  const newest = newestFirst(versions)[0];
  return first === undefined || newest === undefined ? undefined : { newest, first };
}

/** Whether a comment at the directive `module` says so: https://go.dev/ref/mod#go-mod-file-module-deprecation */
function isDeprecated(goMod: string): boolean {
  const lines = goMod.split("\n").map((line) => line.trim());
  const module = lines.findIndex((line) => /^module\b/.test(line));
  const above = lines.slice(0, Math.max(0, module)).toReversed();
  const end = above.findIndex((line) => !line.startsWith("//"));
  const [, behind = ""] = lines[module]?.split("//", 2) ?? [];
  const comments = [...above.slice(0, end === -1 ? above.length : end), `//${behind}`];
  return comments.some((line) => /^\/\/\s*Deprecated:/.test(line));
}
