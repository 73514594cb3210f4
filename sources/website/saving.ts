import { createCrawlLog, readCrawlLog } from "./crawl-log.ts";
import type { CrawlEntry } from "./crawl-log.ts";
import type { Site } from "./site.ts";
import { emptyState } from "./state.ts";
import type { CrawlState } from "./state.ts";

/** Interval of checkpoints, in milliseconds and in pages, whichever comes first: what a killed crawl fetches again. */
const longest = 10_000;
const mostPages = 100;

/** Saves a crawl where that is due; to be called behind each page. Begun anew for each attempt. */
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

/** The state of an earlier attempt, or that of a crawl that begins. */
export async function openState({ context, spec, validators }: Site): Promise<CrawlState> {
  const saved = await context.checkpoint.load();
  const state = readCrawlLog(saved.map((bytes) => JSON.parse(new TextDecoder().decode(bytes)) as CrawlEntry));
  for (const [resource, found] of state?.validators ?? []) validators.set(resource, found);
  return state ?? emptyState(spec.maxPages);
}
