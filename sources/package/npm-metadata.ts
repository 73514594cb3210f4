import type { Listing } from "./registry.ts";

/** What is taken of a packument: https://github.com/npm/registry/blob/main/docs/responses/package-metadata.md */
interface Packument {
  readonly "dist-tags"?: unknown;
  readonly versions?: unknown;
}

/** Reads the versions and dist-tags of a packument; "" for anything else. Runs on a thread. */
export function readPackument(bytes: Uint8Array): Listing | null {
  const parsed = parse(bytes);
  if (parsed === null) return null;
  const { versions, "dist-tags": tags } = parsed;
  if (typeof versions !== "object" || versions === null) return null;
  return {
    versions: Object.entries(versions as Record<string, unknown>).map(([name, one]) => ({
      name,
      revision: digestOf(one),
    })),
    tags: Object.fromEntries(
      Object.entries((tags ?? {}) as Record<string, unknown>).filter(
        (tag): tag is [string, string] => typeof tag[1] === "string",
      ),
    ),
  };
}

function parse(bytes: Uint8Array): Packument | null {
  try {
    const parsed: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof parsed === "object" && parsed !== null ? parsed : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** What a version was published as. */
function digestOf(version: unknown): string {
  const { dist } = (version ?? {}) as { dist?: { integrity?: unknown; shasum?: unknown } | null };
  const digest = dist?.integrity ?? dist?.shasum;
  return typeof digest === "string" ? digest.slice(0, 200) : "";
}
