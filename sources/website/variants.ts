import { Failure } from "../../domain/failures.ts";
import { parseText } from "../lib/threads/thread-pool.ts";
import { dropOldVersions } from "../lib/tree/old-versions.ts";
import { dropTranslations } from "../lib/tree/translations.ts";
import type { Site } from "./site.ts";
import type { CrawlState } from "./crawl-state.ts";

/** Addresses of a site. */
interface Variants {
  /** All that are known. */
  readonly all: readonly string[];
  /** Those that were submitted: their version and language stay. */
  readonly own: readonly string[];
  /** Those of the level, from which variants are left out. */
  readonly level: readonly string[];
}

const choosing = { module: new URL(import.meta.url), name: "withoutVariants" };

/**
 * Leaves out of the level what documents another version or is a translation, as in trees, by the paths of all addresses that are known
 * so far. The version and the language of the first page stay.
 */
export async function dropOtherVariants(state: CrawlState, { spec, arrival, threads }: Site): Promise<void> {
  const own = [spec.url, arrival, spec.base ?? spec.url];
  const variants: Variants = { all: [...state.seen], own, level: state.level.map(({ key }) => key) };
  const kept = new Set(await parseText<Variants, readonly string[]>(threads, choosing, variants, spec.url));
  const level = state.level.filter(({ key }) => kept.has(key));
  state.omitted.versions += state.level.length - level.length;
  state.level = level;
}

/** The addresses of a level that stay, on a thread. */
export function withoutVariants({ all, own, level }: Variants): readonly string[] {
  const folders = own.map(toPath);
  const asked = (folder: string): boolean => folders.some((path) => path.startsWith(`${folder}/`));
  try {
    const kept = new Set(dropOldVersions(dropTranslations(all.map(toPath), asked), asked));
    return level.filter((address) => kept.has(toPath(address)));
  } catch (error) {
    // There are too many nested folders to tell versions apart: all of them stay.
    if (error instanceof Failure) return level;
    throw error;
  }
}

/** An address as the path of a file, in a folder named by the host so that it is not taken for a version. */
function toPath(address: string): string {
  const { host, pathname } = new URL(address);
  return `@${host}${pathname.endsWith("/") ? `${pathname}index.html` : pathname}`;
}
