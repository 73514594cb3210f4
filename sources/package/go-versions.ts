import type { MetadataAnswer } from "./registry.ts";
import { maxVersions, tooMany } from "./versions.ts";

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
