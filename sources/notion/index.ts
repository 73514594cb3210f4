import { z } from "zod";
import { Failure, isFailure } from "../../domain/failures.ts";
import { notionKind, notionAddress, type NotionCredential, type NotionSourceSpec } from "../../domain/kinds/notion.ts";
import type { ReadContext, Source, SourceItem } from "../../domain/ports.ts";
import { idOf, textOf } from "../../extract/notion/page.ts";
import type { SourceReader, SourceTools } from "../source-reader.ts";
import { openNotion, type NotionApi } from "./client.ts";
import { inOrder } from "../../domain/in-order.ts";
import type { Validators } from "../../domain/generation.ts";
import { announcePages, tooLarge } from "../lib/pages/limits.ts";
import { revisionOf } from "../lib/pages/revision.ts";
import { createFindContainer, type Decided } from "./container.ts";
import { createHeads, createReadRow, type Heads } from "./heads.ts";
import { doneOf, isUnasked, leftUnasked, visit, type Visited, type Visiting } from "./visit.ts";
import { createSaver, enqueue, idOfKey, loadProgress, newProgress, type Found, type Progress } from "./progress.ts";
import { objectOf } from "../../extract/json.ts";

/** Maximum number of concurrent visits; more would not help, as requests are sent at intervals. */
const maxConcurrent = 3;

/** Consecutive unreachable pages after which the reading fails. */
const maxUnreachable = 10;

/** One reading. */
interface Walk {
  readonly spec: NotionSourceSpec;
  readonly heads: Heads;
  readonly context: ReadContext<NotionCredential>;
  readonly progress: Progress;
  readonly visiting: Visiting;
}

/**
 * Reads pages breadth first, from the submitted or listed ones. The pages of the earlier run that were not found again follow: they are
 * read where they are now, or left out with the reason.
 * @throws Failure library_too_large; also if the integration may read nothing, or Notion cannot be reached
 */
async function* readPages(
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
  const byParent = Map.groupBy(earlier.found(), ({ from }) => from);
  return new Map([...byParent].map(([from, pages]) => [from, pages.map(({ key }) => key)]));
}

/** Enqueues the submitted pages, or all that are shared. */
async function enqueueRoots({ spec, heads, progress, context }: Walk): Promise<void> {
  const named = spec.pageIds.map((id): Found => ({ id, why: "named" }));
  enqueue(progress, named);
  if (named.length > 0) return;
  const { pages, databases, isCut } = await heads.all(context.preview?.pages);
  progress.isCut = isCut;
  const shared = [
    ...databases.map((id) => ({ id, isDatabase: true })),
    ...pages.map((id) => ({ id, isDatabase: false })),
  ];
  enqueue(progress, shared);
}

/** The items of an earlier attempt. A page whose result was not kept is visited again. */
function* resume({ progress, context }: Walk): Generator<SourceItem> {
  for (const done of progress.done.splice(0)) {
    const { item } = done;
    if (item.type === "known" && context.known(item.page) === undefined) {
      const id = idOfKey(item.page.key);
      const lost = progress.found.find((one) => one.id === id);
      if (lost !== undefined) progress.next.unshift(lost);
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
  let unreachable = 0;
  let refused = 0;
  return ({ found, item }) => {
    unreachable = isUnreachable(item) ? unreachable + 1 : 0;
    if (item.type === "failed" && unreachable >= maxUnreachable)
      throw new Failure(
        item.failure.code,
        `${maxUnreachable} consecutive pages cannot be reached. ${item.failure.message}`,
      );
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
 * Enqueues the pages of the earlier run that were not found again. Those whose parents are not lost come first, as other lost pages may be
 * found on them.
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

function isUnreachable(item: SourceItem): boolean {
  return item.type === "failed" && item.failure.code === "source_unreachable";
}

/** Reports the revision and validators, and notes on missing pages. */
function account({ progress, context }: Walk): void {
  const { done, isCut } = progress;
  const validators = Object.fromEntries(
    done.flatMap(({ item, validators: own }): [string, Validators][] =>
      own === undefined ? [] : [[item.page.key, own]],
    ),
  );
  const refused = done.flatMap(({ item }) => (item.type === "skipped" && item.code === "refused" ? [item] : []));
  const unasked = refused.filter(isUnasked).length;
  const notes = [
    ...(isCut
      ? ["Notion lists only a part of what is shared. Submit pages by their addresses to read the others."]
      : []),
    ...refused.slice(0, maxNamed).map(({ page, reason }) => `${page.url} is not read. ${reason}`),
    ...(refused.length > maxNamed ? [`${refused.length - maxNamed} more pages are not read.`] : []),
    ...(unasked === 0
      ? []
      : [`${unasked} of them were not requested one by one, as none of those requested is shared.`]),
  ];
  context.account?.({
    revision: revisionOf(done.map(({ item }) => item.page)),
    validators,
    ...(notes.length > 0 && { notes }),
  });
}

/** Maximum number of refused pages that the notes of a library name. */
const maxNamed = 20;

/** Maximum number of pages missing from the list that are requested, unless one of them exists after all. */
const maxAsked = 100;

/**
 * Creates `visit` with a cap on the pages of an earlier run that the complete list of shared pages lacks: after a mass loss each would take
 * a request, at three a second. Once one of them exists after all, the list is not trusted, and all are requested.
 */
function createCappedVisit(heads: Heads, visiting: Visiting): (found: Found) => Promise<Visited | "later"> {
  let missing = 0;
  let isListRight = true;
  return async (found) => {
    if (found.why !== "earlier" || !heads.lacks(found.id)) return visit(found, visiting);
    if (missing >= maxAsked && isListRight) return leftUnasked(found);
    const visited = await visit(found, visiting);
    if (visited === "later") return visited;
    if (visited.item.type === "skipped") missing += 1;
    else if (visited.item.type !== "failed") isListRight = false;
    return visited;
  };
}

/** How pages of Notion are read. */
export const notionReader: SourceReader<NotionSourceSpec, NotionCredential> = {
  spec: z.object({
    kind: z.literal("notion"),
    workspaceId: z.string().nullable(),
    pageIds: z.array(z.string().regex(/^[\da-f]{32}$/)),
  }),
  create: createNotionSource,
};

/** Reads the pages that are shared with an integration: all, or the submitted ones and those below them. */
function createNotionSource({
  politeClient,
  notionApi,
}: Pick<SourceTools, "politeClient" | "notionApi">): Source<NotionSourceSpec, NotionCredential> {
  const open = ({ credential, signal }: Pick<ReadContext<NotionCredential>, "credential" | "signal">): NotionApi => {
    if (credential === null)
      throw new Failure(
        "source_refused",
        "Notion is read with the secret of an integration. Refresh the library with notionToken.",
      );
    return openNotion({ client: politeClient(), url: notionApi, token: credential.token, signal });
  };

  return {
    kind: "notion",

    async resolve(spec, _ref, context) {
      const api = open(context);
      await checkWorkspace(spec, api);
      await checkAccess(spec, api);
      return { revision: "", ref: null, location: notionKind.location(spec), refs: [] };
    },

    read: (spec, _state, context) => readPages(spec, open(context), context),
  };
}

/** Checks that the token is for the submitted workspace. @throws Failure source_refused */
async function checkWorkspace({ workspaceId }: NotionSourceSpec, api: NotionApi): Promise<void> {
  const bot = objectOf((await api.me())["bot"]);
  const id = textOf(bot["workspace_id"]);
  if (workspaceId === null || id === "" || isSame(workspaceId, id)) return;
  const message = `The token is for the workspace ${textOf(bot["workspace_name"])} (${id}), not for ${workspaceId}. Give the token of an integration of that workspace, or leave workspaceId out.`;
  throw new Failure("source_refused", message);
}

function isSame(one: string, other: string): boolean {
  return one === other || (idOf(one) !== "" && idOf(one) === idOf(other));
}

/** Checks that one of the submitted pages can be read. @throws Failure of the first page if none can */
async function checkAccess({ pageIds }: NotionSourceSpec, api: NotionApi): Promise<void> {
  if (pageIds.length === 0) {
    await api.search("descending").next();
    return;
  }
  let first: unknown;
  for (const id of pageIds) {
    try {
      await api.page(id).catch((error: unknown) => {
        if (!isFailure(error, "source_not_found", "source_invalid")) throw error;
        return api.database(id);
      });
      return;
    } catch (error) {
      first ??= error;
      if (!isFailure(error, "source_not_found")) throw error;
    }
  }
  throw first;
}
