import { dropOldVersions } from "../sibling-folders.ts";
import { dropTranslations } from "../translations.ts";
import type { Site } from "./site.ts";
import type { CrawlState } from "./state.ts";

/**
 * Leaves out of the wave what documents another version, or is a translation, as in trees: told by the paths of all addresses
 * that are known so far. The version and the language of the first page stay.
 */
export function dropOtherVariants(state: CrawlState, { spec, arrival }: Pick<Site, "spec" | "arrival">): void {
  const own = [spec.url, arrival, spec.base ?? spec.url].map(toPath);
  const asked = (folder: string): boolean => own.some((path) => path.startsWith(`${folder}/`));
  const all = [...state.seen].map(toPath);
  const kept = new Set(dropOldVersions(dropTranslations(all, asked), asked));
  const wave = state.wave.filter(({ key }) => kept.has(toPath(key)));
  state.omitted.versions += state.wave.length - wave.length;
  state.wave = wave;
}

/** An address as the path of a file, in a folder whose name is no version. */
function toPath(address: string): string {
  const { host, pathname } = new URL(address);
  return `@${host}${pathname.endsWith("/") ? `${pathname}index.html` : pathname}`;
}
