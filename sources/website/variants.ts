import { Failure } from "../../domain/failures.ts";
import { parseText } from "../lib/threads/thread-pool.ts";
import { dropOldVersions } from "../lib/tree/old-versions.ts";
import { dropTranslations } from "../lib/tree/translations.ts";
import type { Site } from "./site.ts";
import type { CrawlState } from "./crawl-state.ts";

/** Addresses of a site. */
interface Variants {
  /** All known addresses. */
  readonly all: readonly string[];
  /** Submitted addresses, whose version and language are kept. */
  readonly own: readonly string[];
  /** Addresses of the level, from which variants are dropped. */
  readonly level: readonly string[];
}

const choosing = { module: new URL(import.meta.url), name: "withoutVariants" };

/**
 * Drops pages for other versions and translations from the level, as in trees, by the paths of all addresses known so far. Keeps the
 * version and the language of the first page.
 */
export async function dropOtherVariants(state: CrawlState, { spec, arrival, threads }: Site): Promise<void> {
  const own = [spec.url, arrival, spec.base ?? spec.url];
  const variants: Variants = { all: [...state.seen], own, level: state.level.map(({ key }) => key) };
  const kept = new Set(await parseText<Variants, readonly string[]>(threads, choosing, variants, spec.url));
  const level = state.level.filter(({ key }) => kept.has(key));
  state.omitted.versions += state.level.length - level.length;
  state.level = level;
}

/** The addresses of a level that are kept. Runs on a thread. */
export function withoutVariants({ all, own, level }: Variants): readonly string[] {
  const ownPaths = own.map(toPath);
  const isOwn = (folder: string): boolean => ownPaths.some((path) => path.startsWith(`${folder}/`));
  try {
    const kept = new Set(dropOldVersions(dropTranslations(all.map(toPath), isOwn), isOwn));
    return level.filter((address) => kept.has(toPath(address)));
  } catch (error) {
    // With too many nested folders, versions cannot be distinguished, so all are kept.
    if (error instanceof Failure) return level;
    throw error;
  }
}

/** An address as the path of a file, in a folder with the host's name. The @ prevents the name from looking like a version. */
function toPath(address: string): string {
  const { host, pathname } = new URL(address);
  return `@${host}${pathname.endsWith("/") ? `${pathname}index.html` : pathname}`;
}
