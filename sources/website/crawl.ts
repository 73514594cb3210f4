import { Failure } from "../../domain/failures.ts";
import type { SourceItem } from "../../domain/ports.ts";
import { createTemplates } from "../../extract/website/addresses.ts";
import { inOrder } from "../../domain/in-order.ts";
import type { Site } from "./site.ts";
import { createSaver, remember, type CrawlState } from "./crawl-state.ts";
import { joinTwins, readBefore } from "./twins.ts";
import { dropOtherVariants } from "./variants.ts";
import { unreadable, type QueuedAddress, type Visit, type Visited } from "./outcomes.ts";

const maxConcurrentVisits = 4;

/** Maximum number of visits for each page that may be read: many pages may be left out. */
const visitsPerPage = 3;

/** Consecutive refusals after which the crawl stops. */
const maxRefusals = 10;

/** Time without a response after which no more pages are requested, although the first page responds, in milliseconds. */
const maxSilence = 120_000;

/** How pages are visited. */
export interface Visitor {
  readonly visit: Visit;
  /** Reads only the links of a page. */
  linksOf(key: string): Promise<readonly string[]>;
}

/**
 * Crawls breadth-first: visits the pages of the state's level, then the pages they link to, and so on. The result does not depend on the
 * order of responses, as links are followed in the order of the level.
 * @throws Failure source_refused or source_unreachable after too many consecutive refusals; errors of `visit`
 */
export async function* crawl(site: Site, state: CrawlState, { visit, linksOf }: Visitor): AsyncGenerator<SourceItem> {
  const { spec, context } = site;
  const templates = createTemplates();
  const children = Map.groupBy(context.earlier.found(), ({ from }) => from);
  const maxPages = Math.min(spec.maxPages, context.limits.pages, context.preview?.pages ?? spec.maxPages);
  const save = createSaver(site, state);
  let refusals = 0;
  /** Number of consecutive pages without a response, and the time of the last response. */
  const silence = { pages: 0, since: performance.now() };
  let isFull = false;
  let pages = state.done.filter(countsAsPage).length;

  const enqueue = (key: string, target: Omit<QueuedAddress, "key">): void => {
    if (!remember(state, key)) return;
    if (state.depth >= spec.maxDepth) state.omitted.depth += 1;
    else if (templates.isOneTooMany(new URL(key))) state.omitted.traps += 1;
    else state.next.push({ key, ...target });
  };
  const follow = (from: string, { item, links, leftOut, isUnchanged }: Visited): void => {
    if (isUnchanged) state.unread.add(from);
    // The pages that a page linked to may still exist when it fails.
    const usesEarlierLinks = isUnchanged || item.type === "failed";
    const known = usesEarlierLinks ? (children.get(from) ?? []).map(({ key }) => key).filter(site.isWanted) : [];
    state.omitted.more += leftOut?.more ?? 0;
    state.omitted.long += leftOut?.tooLong ?? 0;
    for (const link of [...known, ...links]) enqueue(link, { from });
  };

  /**
   * Fills the next level with pages of the live generation that the crawl has not found. Unchanged pages may link to them, so their links
   * are read now. Pages without any link to them are visited directly.
   */
  const findLost = async (): Promise<void> => {
    const lost = new Set(
      Array.from(context.earlier.found()).flatMap(({ key, isIndexed }) =>
        isIndexed && !state.seen.has(key) && site.isWanted(key) ? [key] : [],
      ),
    );
    state.depth = Math.min(state.depth, spec.maxDepth) - 1;
    for (const key of state.unread) {
      if (lost.size === 0) break;
      for (const link of await linksOf(key)) {
        lost.delete(link);
        enqueue(link, { from: key });
      }
    }
    // A page without links to it may still exist, for example if only a search index named it.
    if (state.omitted.depth === 0) for (const key of lost) enqueue(key, {});
    state.unread = new Set();
    [state.level, state.next] = [state.next, []];
    state.depth += 1;
  };

  /** Begins the next level; after the last one that of lost pages, then that of unreachable ones. The crawl ends with an empty level. */
  const nextLevel = async (): Promise<void> => {
    [state.level, state.next] = [state.next, []];
    state.depth += 1;
    if (state.level.length > 0 || state.isLastRound) return;
    // The second pass knows the pages that the first one has read.
    if (!isFull && context.unrendered === undefined) await findLost();
    if (state.level.length > 0) return;
    state.isLastRound = true;
    refusals = 0;
    silence.pages = 0;
    [state.level, state.again] = [state.again, []];
  };

  for (;;) {
    if (state.level.length === 0) await nextLevel();
    if (state.level.length === 0) return;
    joinTwins(state);
    await dropOtherVariants(state, site);
    const visitOrGiveUp = async (target: QueuedAddress): Promise<Visited> => {
      if (refusals >= maxRefusals && target.failed) return { item: target.failed, links: [] };
      if (silence.pages < maxRefusals || performance.now() - silence.since < maxSilence) return visit(target);
      return unreadable(site, target, new Failure("source_unreachable", notRequested));
    };
    const visits = inOrder([...state.level], async (target) => ({ target, ...(await visitOrGiveUp(target)) }), {
      items: maxConcurrentVisits,
    });
    for await (const visited of visits) {
      state.level.shift();
      state.visits += 1;
      const item = itemOnce(visited, state);
      follow(visited.item.page.key, visited);
      if (!isOutOfReach(visited.item)) Object.assign(silence, { pages: 0, since: performance.now() });
      else silence.pages += 1;
      const firstPass = context.read?.size ?? 0;
      context.pages(firstPass + state.done.length + state.level.length + state.next.length + 1, site.answers);
      if (item === undefined) continue;
      // A page that asks for a password is no refusal by the host.
      refusals = isRefusal(item) && !visited.scan && !visited.asksLogIn ? refusals + 1 : 0;
      // The last round has only pages that failed before.
      if (refusals === maxRefusals && !state.isLastRound) {
        // Unreachable pages may be consecutive, as a refresh visits pages last that failed in the previous one.
        if (!isOutOfReach(item) || !(await site.isThere())) throw tooManyRefusals(item);
        refusals = 0;
      }
      if (item.type === "failed" && isOutOfReach(item) && !state.isLastRound) {
        state.again.push({ ...visited.target, failed: item });
        pages += 1;
        continue;
      }
      const { page } = item;
      state.done.push(item.type === "page" ? { type: "known", page } : item);
      yield item;
      pages += countsAsPage(item) && !state.isLastRound ? 1 : 0;
      await save(state);
      if (!state.isLastRound && (pages >= maxPages || state.visits >= maxPages * visitsPerPage)) {
        state.omitted.pages += state.level.length + state.next.length;
        context.preview?.waiting([...state.level, ...state.next].map(({ key }) => key));
        [state.level, state.next] = [[], []];
        isFull = true;
        break;
      }
    }
  }
}

/** The item of a visit; undefined if its page was visited already. */
function itemOnce(
  { item, words = "", target, scan }: Visited & { readonly target: QueuedAddress },
  state: CrawlState,
): SourceItem | undefined {
  const { key } = item.page;
  if (key !== target.key) {
    // Its address redirects. Another one may redirect to the same page, which may also be in a level itself.
    if (state.seen.has(key)) return undefined;
    state.seen.add(key);
  }
  if (item.type !== "page" && item.type !== "known") return item;
  const twin = readBefore(item.page, state.words);
  if (twin !== undefined)
    return { type: "skipped", page: item.page, code: "elsewhere", reason: `It is read as ${twin}.` };
  if (words === "" || scan?.isEmpty) return item;
  const same = state.words.get(words);
  if (same !== undefined && same !== key) {
    const reason = `The page has the same text as ${same}.`;
    return { type: "skipped", page: item.page, code: "elsewhere", reason };
  }
  state.words.set(words, key);
  return item;
}

function countsAsPage({ type }: SourceItem): boolean {
  return type !== "skipped";
}

const notRequested =
  "The page was not requested: for two minutes the host has answered requests for the first page only.";

function isOutOfReach(item: SourceItem): boolean {
  return item.type === "failed" && item.failure.code === "source_unreachable";
}

function isRefusal(item: SourceItem): boolean {
  if (item.type !== "failed") return false;
  return item.failure.code === "source_refused" || item.failure.code === "source_unreachable";
}

function tooManyRefusals(item: SourceItem): Failure {
  const { code, message } = item.type === "failed" ? item.failure : { code: "source_refused" as const, message: "" };
  return new Failure(code, `The host refused ${maxRefusals} pages in a row. The last failure: ${message}`);
}
