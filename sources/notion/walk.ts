import { inOrder } from "../../domain/in-order.ts";
import { Failure } from "../../domain/failures.ts";
import { notionAddress } from "../../domain/kinds/notion.ts";
import type { NotionCredential, NotionSourceSpec } from "../../domain/kinds/notion.ts";
import type { ReadContext, SourceItem } from "../../domain/ports.ts";
import type { Validators } from "../../domain/generation.ts";
import { hashOf } from "../pages/conditional-get.ts";
import { announcePages, tooLarge } from "../pages/limits.ts";
import type { NotionApi } from "./client.ts";
import { openHeads } from "./heads.ts";
import type { Heads } from "./heads.ts";
import { createPlacing } from "./placing.ts";
import type { Known } from "./placing.ts";
import { openRows } from "./row.ts";
import { createSaver, enqueue, idOfKey, loadProgress, newProgress } from "./state.ts";
import type { Done, Found, Progress } from "./state.ts";
import { createDoubts } from "./doubts.ts";
import { doneOf, isUnasked } from "./visit.ts";
import type { Visited, Visiting } from "./visit.ts";

/** Maximum concurrent visits: the host is asked at intervals anyway. */
const maxConcurrent = 3;

/** Consecutive pages out of reach after which the host counts as out of reach. */
const maxOutOfReach = 10;

/** One reading, and how far it is. */
interface Walk {
  readonly spec: NotionSourceSpec;
  readonly heads: Heads;
  readonly context: ReadContext<NotionCredential>;
  readonly progress: Progress;
  readonly visiting: Visiting;
}

/**
 * Reads pages in waves: those that are named or listed, those that they lead to, and so on. Behind the last one come the pages that
 * were there the last time and were not found again: they are read where they are now, or named with why they go.
 * @throws Failure library_too_large, and where the integration may read nothing, or Notion is out of reach
 */
export async function* readPages(
  spec: NotionSourceSpec,
  api: NotionApi,
  context: ReadContext<NotionCredential>,
): AsyncGenerator<SourceItem> {
  const saved = await loadProgress(context.checkpoint);
  const progress = saved ?? newProgress();
  const heads = openHeads(api);
  const known: Known = {
    isIn: (id) => progress.kept.has(id),
    isPending: (id) => !progress.isStuck && progress.seen.has(id) && !progress.finished.has(id),
  };
  const visiting: Visiting = {
    api,
    heads,
    placing: createPlacing(api, spec.pageIds.length === 0 ? null : known),
    rowOf: openRows(api, heads, context.preview !== undefined),
    context,
    children: childrenOf(context),
    began: Date.now(),
  };
  const walk: Walk = { spec, heads, context, progress, visiting };
  if (saved === undefined) await begin(walk);
  yield* again(walk);
  yield* visitAll(walk);
  account(walk);
}

/** Keys of the pages that each page of the last time led to. */
function childrenOf({ earlier }: ReadContext<NotionCredential>): ReadonlyMap<string | undefined, readonly string[]> {
  const found = Map.groupBy(earlier.found(), ({ from }) => from);
  return new Map([...found].map(([from, pages]) => [from, pages.map(({ key }) => key)]));
}

async function begin({ spec, heads, progress, context }: Walk): Promise<void> {
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

/** What an earlier attempt has dealt with. A page that it had not kept yet is visited again. */
function* again({ progress, context }: Walk): Generator<SourceItem> {
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
  const visit = createDoubts(heads, visiting);
  const maxPages = context.preview?.pages ?? Infinity;
  for (;;) {
    if (progress.next.length === 0) lookAgain(walk);
    if (progress.next.length === 0) return;
    progress.wave = progress.next.splice(0);
    const pages = progress.wave.filter(({ isDatabase }) => isDatabase !== true).map(({ id }) => id);
    // Those that they lead to as they did the last time are in the same list.
    const below = pages.flatMap((id) => visiting.children.get(notionAddress(id)) ?? []).map(idOfKey);
    if (context.preview === undefined) await heads.prepare([...pages, ...below]);
    // What was listed first is what a killed run would miss most.
    await save(progress.done.length === 0);
    const [before, later] = [progress.done.length, [] as Found[]];
    const visits = inOrder([...progress.wave], async (found) => ({ found, visited: await visit(found) }), {
      items: maxConcurrent,
      weight: maxConcurrent,
      weigh: () => 1,
    });
    for await (const { found, visited } of visits) {
      progress.wave.shift();
      if (visited === "later") {
        later.push(found);
        continue;
      }
      check(visited);
      follow(walk, visited);
      announcePages(context, progress.done.length + progress.wave.length + progress.next.length + later.length);
      yield visited.item;
      await save();
      if (progress.done.length >= maxPages) {
        context.preview?.waiting([...progress.wave, ...progress.next].map(({ id }) => notionAddress(id)));
        return;
      }
    }
    // What waits for nothing but one another waits no longer.
    progress.isStuck = progress.done.length === before;
    progress.next.push(...later);
  }
}

/** Ends a reading that cannot come to anything, or is too large. */
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

function follow({ progress }: Walk, visited: Visited): void {
  progress.done.push(doneOf(visited));
  progress.finished.add(visited.found.id);
  if (visited.item.type !== "skipped" || visited.children.length > 0) progress.kept.add(visited.found.id);
  enqueue(progress, visited.children);
}

/**
 * Pages of the last time that were not found again, those first whose parents are not lost too: what is kept of a page that has
 * moved is what it is found on.
 */
function lookAgain({ progress, context }: Walk): void {
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

/** Says what a refresh knows the pages by, and what is missing. */
function account({ progress, context }: Walk): void {
  const { done, isCut } = progress;
  const validators = Object.fromEntries(
    done.flatMap(({ item, validators: found }): [string, Validators][] =>
      found === undefined ? [] : [[item.page.key, found]],
    ),
  );
  const lines = done.map(({ item: { page } }: Done) => `${page.key} ${page.fingerprint}\n`).toSorted();
  const gone = done.flatMap(({ item }) => (item.type === "skipped" && item.code === "refused" ? [item] : []));
  const unasked = gone.reduce((sum, item) => sum + (isUnasked(item) ? 1 : 0), 0);
  const notes = [
    ...(isCut
      ? ["Notion lists only a part of what is shared. Submit pages by their addresses to read the others."]
      : []),
    ...gone.slice(0, maxNamed).map(({ page, reason }) => `${page.url} is not read. ${reason}`),
    ...(gone.length > maxNamed ? [`So it is with ${gone.length - maxNamed} pages more.`] : []),
    ...(unasked === 0 ? [] : [`${unasked} of them were not asked for one by one: none was shared of those that were.`]),
  ];
  context.account?.({
    revision: `sha256-${hashOf(lines.join(""))}`,
    validators,
    ...(notes.length > 0 && { notes }),
  });
}

/** Maximum number of refused pages that the notes of a library name. */
const maxNamed = 20;
