import type { PackageFacts } from "../../domain/package-trust.ts";
import { compareVersions, newestFirst, parseVersion } from "../../domain/versions.ts";
import type { Version } from "../../domain/versions.ts";

/** What of a module's go.mod counts: https://go.dev/ref/mod#go-mod-file-retract and #go-mod-file-module-deprecation */
interface SaidOfModule {
  readonly isDeprecated: boolean;
  /** Versions that are taken back, the first and the last of each range. */
  readonly retracted: readonly (readonly [string, string])[];
}

/** The versions of a module that stand, the newest first, and what follows from them. */
export function factsOfModule(
  versions: readonly string[],
  goMod: string,
): Pick<PackageFacts, "versions" | "isDeprecated" | "isWithdrawn"> {
  const { isDeprecated, retracted } = readGoMod(goMod);
  const standing = versions.filter((name) => !retracted.some((range) => isWithin(name, range)));
  return { versions: standing.length, isDeprecated, isWithdrawn: versions.length > 0 && standing.length === 0 };
}

/** The newest version and the first one; undefined where there is none. */
export function endsOf(versions: readonly string[]): { readonly newest: string; readonly first: string } | undefined {
  const numbered = versions.flatMap((name) => {
    const version = parseVersion(name);
    return version === null ? [] : [{ name, version }];
  });
  const first = numbered.toSorted((one, other) => compareVersions(one.version, other.version))[0]?.name;
  const newest = newestFirst(versions)[0];
  return first === undefined || newest === undefined ? undefined : { newest, first };
}

function readGoMod(text: string): SaidOfModule {
  const lines = text.split("\n").map((line) => line.trim());
  const module = lines.findIndex((line) => /^module\b/.test(line));
  const above = lines.slice(0, Math.max(0, module)).toReversed();
  const end = above.findIndex((line) => !line.startsWith("//"));
  const [, behind = ""] = lines[module]?.split("//", 2) ?? [];
  const comments = [...above.slice(0, end === -1 ? above.length : end), `//${behind}`];
  const retracted: (readonly [string, string])[] = [];
  let within = false;
  for (const line of lines) {
    const code = line.replace(/\/\/.*$/, "").trim();
    if (/^retract\s*\($/.test(code)) within = true;
    else if (within && code === ")") within = false;
    else if (within || /^retract\s/.test(code)) {
      const [first, last = first] = code.replace(/^retract\s+/, "").match(/v[\w.+-]+/g) ?? [];
      if (first !== undefined && last !== undefined) retracted.push([first, last]);
    }
  }
  return { isDeprecated: comments.some((line) => /^\/\/\s*Deprecated:/.test(line)), retracted };
}

function isWithin(name: string, [first, last]: readonly [string, string]): boolean {
  const [version, least, most] = [name, first, last].map(parseVersion) as (Version | null)[];
  if (!version || !least || !most) return name === first;
  return compareVersions(version, least) >= 0 && compareVersions(version, most) <= 0;
}
