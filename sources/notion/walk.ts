import { inOrder } from "../../domain/in-order.ts";
import { Failure } from "../../domain/failures.ts";
import { notionAddress } from "../../domain/kinds/notion.ts";
import type { NotionCredential, NotionSourceSpec } from "../../domain/kinds/notion.ts";
import type { ReadContext, SourceItem } from "../../domain/ports.ts";
import type { Validators } from "../../domain/generation.ts";
import { announcePages, tooLarge } from "../lib/pages/limits.ts";
import type { NotionApi } from "./client.ts";
import { revisionOf } from "../lib/remote/revision.ts";
import { createFindContainer } from "./container.ts";
import type { Decided } from "./container.ts";
import { createHeads } from "./heads.ts";
import type { Heads } from "./heads.ts";
import { createCappedVisit } from "./missing-pages.ts";
import { doneOf, isUnasked } from "./outcomes.ts";
import type { Visited } from "./outcomes.ts";
import { createSaver, enqueue, idOfKey, loadProgress, newProgress } from "./progress.ts";
import type { Found, Progress } from "./progress.ts";
import { createReadRow } from "./row.ts";
import type { Visiting } from "./visit.ts";

/** Maximum number of concurrent visits; more would not help, as requests are sent at intervals. */
const maxConcurrent = 3;

/** Consecutive unreachable pages after which the reading fails. */
const maxOutOfReach = 10;

/** One reading. */
interface Walk {
  readonly spec: NotionSourceSpec;
  readonly heads: Heads;
  readonly context: ReadContext<NotionCredential>;
  readonly progress: Progress;
  readonly visiting: Visiting;
}

/**
 * Reads pages breadth first, from those that are submitted or listed. Then follow the pages of the earlier run that were not found
 * again: they are read where they are now, or left out with the reason.
 * @throws Failure library_too_large, and where the integration may read nothing, or Notion is out of reach
 */
export async function* readPages(
  spec: NotionSourceSpec,
  api: NotionApi,
  context: ReadContext<NotionCredential>,
): AsyncGenerator<SourceItem> {
  const saved = await loadProgress(context.checkpoint);
  const progress = saved ?? newProgress();
  const heads = createHeads(api);
  const decided: Decided = {
    isRead: (id) => progress.kept.has(id),
    isPending: (id) => !progress.isStuck && progress.seen.has(id) && !progress.finished.has(id),
  };
  const visiting: Visiting = {
    api,
    heads,
    containerOf: createFindContainer(api, spec.pageIds.length === 0 ? null : decided),
    readRow: createReadRow(api, heads, context.preview !== undefined),
    context,
    children: childrenOf(context),
    began: Date.now(),
  };
  const walk: Walk = { spec, heads, context, progress, visiting };
  if (saved === undefined) await enqueueRoots(walk);
  yield* resume(walk);
  yield* visitAll(walk);
  account(walk);
}

/** Keys of the pages that each page led to in the earlier run. */
function childrenOf({ earlier }: ReadContext<NotionCredential>): ReadonlyMap<string | undefined, readonly string[]> {
  const found = Map.groupBy(earlier.found(), ({ from }) => from);
  return new Map([...found].map(([from, pages]) => [from, pages.map(({ key }) => key)]));
}

/** Enqueues the submitted pages, or all that are shared. */
async function enqueueRoots({ spec, heads, progress, context }: Walk): Promise<void> {
  const named = spec.pageIds.map((id): Found => ({ id, why: "named" }));
  enqueue(progress, named);
  if (named.length > 0) return;
  const { pages, databases, isCut } = await heads.all(context.preview?.pages);
  progress.isCut = isCut;
  enqueue(
    progress,
    databases.map((id) => ({ id, isDatabase: true })),
  );
  enqueue(
    progress,
    pages.map((id) => ({ id, isDatabase: false })),
  );
}

/** The items of an earlier attempt. A page whose result was not kept is visited again. */
function* resume({ progress, context }: Walk): Generator<SourceItem> {
  for (const done of progress.done.splice(0)) {
    const { item } = done;
    if (item.type === "known" && context.known(item.page) === undefined) {
      const id = idOfKey(item.page.key);
      const found = progress.found.find((one) => one.id === id);
      if (found !== undefined) progress.next.unshift(found);
      continue;
    }
    progress.done.push(done);
    yield item;
  }
}

async function* visitAll(walk: Walk): AsyncGenerator<SourceItem> {
  const { context, heads, progress, visiting } = walk;
  const save = createSaver(context.checkpoint, progress);
  const check = createChecks(walk);
  const visit = createCappedVisit(heads, visiting);
  const maxPages = context.preview?.pages ?? Infinity;
  for (;;) {
    if (progress.next.length === 0) enqueueLost(walk);
    if (progress.next.length === 0) return;
    progress.level = progress.next.splice(0);
    const pages = progress.level.filter(({ isDatabase }) => isDatabase !== true).map(({ id }) => id);
    // The pages that they probably lead to are in the same list.
    const below = pages.flatMap((id) => visiting.children.get(notionAddress(id)) ?? []).map(idOfKey);
    if (context.preview === undefined) await heads.prepare([...pages, ...below]);
    // The first list is the most expensive to lose.
    await save(progress.done.length === 0);
    const [before, later] = [progress.done.length, [] as Found[]];
    const visits = inOrder([...progress.level], async (found) => ({ found, visited: await visit(found) }), {
      items: maxConcurrent,
      weight: maxConcurrent,
      weigh: () => 1,
    });
    for await (const { found, visited } of visits) {
      progress.level.shift();
      if (visited === "later") {
        later.push(found);
        continue;
      }
      check(visited);
      record(walk, visited);
      announcePages(context, progress.done.length + progress.level.length + progress.next.length + later.length);
      yield visited.item;
      await save();
      if (progress.done.length >= maxPages) {
        context.preview?.waiting([...progress.level, ...progress.next].map(({ id }) => notionAddress(id)));
        return;
      }
    }
    // Pages that wait only for one another are decided in the next round.
    progress.isStuck = progress.done.length === before;
    progress.next.push(...later);
  }
}

/** Creates the check after each visit, which ends a reading that is hopeless or too large. */
function createChecks({ spec, context }: Walk): (visited: Visited) => void {
  let bytes = 0;
  let outOfReach = 0;
  let refused = 0;
  return ({ found, item }) => {
    outOfReach = isOutOfReach(item) ? outOfReach + 1 : 0;
    if (item.type === "failed" && outOfReach >= maxOutOfReach)
      throw new Failure(item.failure.code, `One page after the other is out of reach. ${item.failure.message}`);
    refused += found.why === "named" && item.type === "skipped" ? 1 : 0;
    if (item.type === "skipped" && spec.pageIds.length > 0 && refused === spec.pageIds.length)
      throw new Failure("source_refused", `None of the pages that were submitted can be read. ${item.reason}`);
    bytes += item.type === "page" ? item.bytes.length : 0;
    if (bytes > context.limits.bytes)
      throw tooLarge(`The pages have more than the ${context.limits.bytes} bytes that are indexed.`);
  };
}

/** Records a visit, and enqueues the pages that it leads to. */
function record({ progress }: Walk, visited: Visited): void {
  progress.done.push(doneOf(visited));
  progress.finished.add(visited.found.id);
  if (visited.item.type !== "skipped" || visited.children.length > 0) progress.kept.add(visited.found.id);
  enqueue(progress, visited.children);
}

/**
 * Enqueues the pages of the earlier run that were not found again; first those whose parents are not lost too, as a page may be found
 * again on one of these.
 */
function enqueueLost({ progress, context }: Walk): void {
  const lost = Array.from(context.earlier.found()).flatMap(({ key, from }): Found[] => {
    const id = idOfKey(key);
    if (progress.seen.has(id)) return [];
    return [{ id, ...(from !== undefined && { from: idOfKey(from) }), why: "earlier" }];
  });
  const ids = new Set(lost.map(({ id }) => id));
  const first = lost.filter(({ from }) => from === undefined || !ids.has(from));
  enqueue(progress, first.length > 0 ? first : lost);
}

function isOutOfReach(item: SourceItem): boolean {
  return item.type === "failed" && item.failure.code === "source_unreachable";
}

/** Reports the revision and validators, and notes on missing pages. */
function account({ progress, context }: Walk): void {
  const { done, isCut } = progress;
  const validators = Object.fromEntries(
    done.flatMap(({ item, validators: found }): [string, Validators][] =>
      found === undefined ? [] : [[item.page.key, found]],
    ),
  );
  const gone = done.flatMap(({ item }) => (item.type === "skipped" && item.code === "refused" ? [item] : []));
  const unasked = gone.reduce((sum, item) => sum + (isUnasked(item) ? 1 : 0), 0);
  const notes = [
    ...(isCut
      ? ["Notion lists only a part of what is shared. Submit pages by their addresses to read the others."]
      : []),
    ...gone.slice(0, maxNamed).map(({ page, reason }) => `${page.url} is not read. ${reason}`),
    ...(gone.length > maxNamed ? [`${gone.length - maxNamed} more pages are not read.`] : []),
    ...(unasked === 0 ? [] : [`${unasked} of them were not asked for one by one: none was shared of those that were.`]),
  ];
  context.account?.({
    revision: revisionOf(done.map(({ item }) => item.page)),
    validators,
    ...(notes.length > 0 && { notes }),
  });
}

/** Maximum number of refused pages that the notes of a library name. */
const maxNamed = 20;
