import { z } from "zod";
import { Failure } from "../../domain/failures.ts";
import type { PackageSourceSpec } from "../../domain/kinds/index.ts";
import { newestFirst } from "../../domain/versions.ts";
import { retractedBy } from "./go-retractions.ts";
import { ask, invalidMetadata } from "./registry.ts";
import type { Asking, PackageVersion, Registry, Release } from "./registry.ts";

const infoSchema = z.object({
  Version: z.string().min(1),
  Origin: z.object({ Hash: z.string().optional() }).optional().catch(undefined),
});

/** A proxy of Go modules: https://go.dev/ref/mod#goproxy-protocol */
export const goRegistry: Registry = {
  async list(spec, asking) {
    const list = await (await ask(spec, moduleAddress(spec, "@v/list"), asking)).text();
    const names = list
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "");
    const newest = await latestOf(spec, asking);
    // A module without a tag has no version in the list.
    const all = newest === undefined || names.includes(newest) ? names : [...names, newest];
    const isRetracted = await retractions(spec, asking, newestFirst(all)[0]);
    const versions = all.map((name): PackageVersion => ({
      name,
      revision: "",
      ...(isRetracted(name) && { withdrawn: true }),
    }));
    return { versions, tags: newest === undefined || isRetracted(newest) ? {} : { latest: newest } };
  },

  async release(spec, version): Promise<Release> {
    const url = moduleAddress(spec, `@v/${escaped(version)}.zip`);
    return { version, archive: { url, format: "zip", checksum: undefined, strip: spec.name.split("/").length } };
  },
};

/** The versions that a module has retracted: it says so in its newest one, which may be one of them. */
async function retractions(
  spec: PackageSourceSpec,
  asking: Asking,
  newest: string | undefined,
): Promise<(version: string) => boolean> {
  if (newest === undefined) return () => false;
  return retractedBy(await (await ask(spec, moduleAddress(spec, `@v/${escaped(newest)}.mod`), asking)).text());
}

/** The version that the proxy calls the newest; undefined where it knows none by that name. */
async function latestOf(spec: PackageSourceSpec, asking: Asking): Promise<string | undefined> {
  try {
    const parsed = infoSchema.safeParse(
      JSON.parse(await (await ask(spec, moduleAddress(spec, "@latest"), asking)).text()),
    );
    if (!parsed.success) throw invalidMetadata(spec, "its newest version has no name");
    return parsed.data.Version;
  } catch (error) {
    // The protocol does not ask proxies for it.
    if (error instanceof Failure && error.code === "source_not_found") return undefined;
    if (error instanceof SyntaxError) throw invalidMetadata(spec, "its newest version is no JSON");
    throw error;
  }
}

/** Address of something of a module on its proxy. */
export function moduleAddress({ url, name }: PackageSourceSpec, path: string): URL {
  return new URL(`${escaped(name)}/${path}`, url);
}

/** Upper-case letters as `!` and the lower-case one, for disks that know no difference. */
function escaped(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`);
}
