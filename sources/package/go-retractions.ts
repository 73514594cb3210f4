import { compareVersions, parseVersion } from "../../domain/versions.ts";

/** Makes the test whether a go.mod retracts a version: https://go.dev/ref/mod#go-mod-file-retract */
export function retractedBy(goMod: string): (version: string) => boolean {
  const written = goMod.replace(/\/\/[^\n]*/g, "");
  const lines = [
    ...[...written.matchAll(/^[ \t]*retract[ \t]*\(([^)]*)\)/gm)].flatMap(([, block = ""]) => block.split("\n")),
    ...[...written.matchAll(/^[ \t]*retract[ \t]+([^(\n][^\n]*)$/gm)].map(([, line = ""]) => line),
  ];
  const ranges = lines.flatMap((line) => {
    const [, from, to, one] = /^\s*(?:\[\s*([^\s,\]]+)\s*,\s*([^\s,\]]+)\s*\]|([^\s[\],]+))\s*$/.exec(line) ?? [];
    const [low, high] = [parseVersion(from ?? one ?? ""), parseVersion(to ?? one ?? "")];
    return low && high ? [{ low, high }] : [];
  });
  return (name) => {
    const version = parseVersion(name);
    return (
      version !== null &&
      ranges.some(({ low, high }) => compareVersions(low, version) <= 0 && compareVersions(version, high) <= 0)
    );
  };
}
