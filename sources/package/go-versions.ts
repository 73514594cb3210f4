import { maxVersions, tooMany, type MetadataAnswer } from "./registry.ts";
import { compareVersions, parseVersion, type VersionNumber } from "../../domain/versions.ts";

/** The versions in the list of a proxy, one a line. Runs on a thread. @throws Failure library_too_large */
export function readVersionList({ bytes }: Pick<MetadataAnswer, "bytes">): readonly string[] {
  const names = new TextDecoder()
    .decode(bytes)
    .split("\n")
    .map((line) => line.trim())
    .filter((name) => name !== "" && name.length <= 200);
  if (names.length > maxVersions) throw tooMany(`the ${maxVersions} versions`);
  return names;
}

/** Returns the test whether a go.mod retracts a version: https://go.dev/ref/mod#go-mod-file-retract */
export function retractedBy(goMod: string): (version: string) => boolean {
  const written = goMod.replace(/\/\/[^\n]*/g, "");
  const lines = [
    ...[...written.matchAll(/^[ \t]*retract[ \t]*\(([^)]*)\)/gm)].flatMap(([, block = ""]) => block.split("\n")),
    ...[...written.matchAll(/^[ \t]*retract[ \t]([^(\n]+)$/gm)].map(([, line = ""]) => line),
  ];
  const ranges = lines.flatMap((line) => {
    const [, from, to, one] = /^\s*(?:\[\s*([^\s,\]]+)\s*,\s*([^\s,\]]+)\s*\]|([^\s[\],]+))\s*$/.exec(line) ?? [];
    const [low, high] = [parseVersion(from ?? one ?? ""), parseVersion(to ?? one ?? "")];
    return low && high ? [{ low, high }] : [];
  });
  const sorted = ranges.toSorted((one, other) => compareVersions(one.low, other.low));
  /** The highest version that each range or one before it retracts. */
  const highest: VersionNumber[] = [];
  for (const { high } of sorted) {
    const before = highest.at(-1);
    highest.push(before && compareVersions(before, high) > 0 ? before : high);
  }
  return (name) => {
    const version = parseVersion(name);
    if (version === null) return false;
    // Binary search for the number of ranges that begin at the version or below: there may be as many as versions.
    let [at, end] = [0, sorted.length];
    while (at < end) {
      const middle = (at + end) >> 1;
      const range = sorted[middle];
      if (range && compareVersions(range.low, version) <= 0) at = middle + 1;
      else end = middle;
    }
    const high = highest[at - 1];
    return high !== undefined && compareVersions(version, high) <= 0;
  };
}
