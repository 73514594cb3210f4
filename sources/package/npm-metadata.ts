import { jsonOf, objectOf } from "../../extract/json.ts";
import { plainVersions, type Listing, type MetadataAnswer } from "./registry.ts";

/**
 * The versions and dist-tags of a packument; null for anything else. Runs on a thread.
 * https://github.com/npm/registry/blob/main/docs/responses/package-metadata.md
 * @throws Failure library_too_large
 */
export function readPackument({ bytes }: Pick<MetadataAnswer, "bytes">): Listing | null {
  const { versions, "dist-tags": tags } = objectOf(jsonOf(bytes));
  if (typeof versions !== "object" || versions === null) return null;
  return plainVersions({
    versions: Object.entries(versions).map(([name, version]) => ({ name, revision: digestOf(version) })),
    tags: Object.fromEntries(
      Object.entries(objectOf(tags)).filter((tag): tag is [string, string] => typeof tag[1] === "string"),
    ),
  });
}

/** The checksum of a version's archive. */
function digestOf(version: unknown): string {
  const { integrity, shasum } = objectOf(objectOf(version)["dist"]);
  const digest = integrity ?? shasum;
  return typeof digest === "string" ? digest.slice(0, 200) : "";
}
