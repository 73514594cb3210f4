import { createCrawlLog, readCrawlLog } from "./crawl-log.ts";
import type { CrawlEntry } from "./crawl-log.ts";
import type { Site } from "./site.ts";
import { emptyState } from "./state.ts";
import type { CrawlState } from "./state.ts";

/** Interval of checkpoints, in milliseconds and in pages, whichever is shorter: what a killed crawl fetches again. */
const longest = 10_000;
const mostPages = 100;

/** Makes what saves a crawl when that is due, to be called after each page. Each attempt makes its own. */
export function createSaver(
  { context, validators }: Pick<Site, "context" | "validators">,
  { done }: CrawlState,
): (state: CrawlState) => Promise<void> {
  const log = createCrawlLog(validators);
  let pages = done.length;
  let time = performance.now();
  return async (state) => {
    if (state.done.length - pages < mostPages && performance.now() - time < longest) return;
    pages = state.done.length;
    const entry = log(state);
    await context.checkpoint.save(Buffer.from(JSON.stringify(entry)), { whole: entry.isWhole });
    time = performance.now();
  };
}

/** The state that an earlier attempt has saved, or that of a new crawl. */
export async function openState({ context, spec, validators }: Site): Promise<CrawlState> {
  const saved = await context.checkpoint.load();
  const state = readCrawlLog(saved.map((bytes) => JSON.parse(new TextDecoder().decode(bytes)) as CrawlEntry));
  for (const [resource, found] of state?.validators ?? []) validators.set(resource, found);
  return state ?? emptyState(spec.maxPages);
}
