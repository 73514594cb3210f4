import { z } from "zod";
import type { ConfluenceCredential, ConfluenceSourceSpec } from "../../domain/kinds/index.ts";
import { confluenceKind } from "../../domain/kinds/confluence.ts";
import type { PageRef, ReadContext, Source, SourceItem, IncludedFile } from "../../domain/ports.ts";
import type { SourceReader, SourceTools } from "../source-reader.ts";
import { openMemory, type ConfluenceRun } from "./run.ts";
import { indexedBefore, readChanged } from "./read-changed.ts";
import { revisionOf } from "../lib/pages/revision.ts";
import { openSite } from "./access.ts";
import { listPages, missingSpace, isRestrictedOrHidden, unlessRefused, titlesAbove, type Listed } from "./listing.ts";
import { toFailureRecord } from "../../domain/failures.ts";
import { confluencePageType } from "../../extract/formats.ts";
import { nameOf, type ConfluencePart, type IncludedBody, type PageName } from "../../extract/confluence/page.ts";
import type { Threads } from "../lib/threads/thread-pool.ts";
import { hashOf } from "../lib/pages/fetching.ts";
import type { FoundPage } from "./api.ts";
import { readBodies, type Body } from "./bodies.ts";

/** Maximum number of pages that one page includes, directly or through others. */
const maxIncluded = 50;

type ReadItem = Exclude<SourceItem, { type: "known" }>;

/** Reads the listed pages. */
interface PageReading {
  refOf(page: FoundPage): PageRef;
  /** The fingerprint of a page or link that a page depends on, by its path; "" if it does not exist. */
  current(path: string): Promise<string>;
  read(pages: readonly { readonly id: FoundPage }[]): Promise<readonly ReadItem[]>;
}

function createReading(run: ConfluenceRun, listed: Listed, threads: Threads): PageReading {
  const { spec, api, context } = run;
  const names = createPagesByName(run, listed, async (id, space) => {
    const { found } = await readBodies(api, threads, [id], space);
    return found.get(id);
  });

  function refOf(page: FoundPage): PageRef {
    const above = titlesAbove(listed.space, page.id);
    const url = `${api.root}${page.path}`;
    const key = keyOf(api.root, page.id);
    const fingerprint = hashOf(JSON.stringify([page.version, page.title, above, url, spec.spaceKey, api.product]));
    return { key, url, mediaType: confluencePageType, fingerprint, resource: key };
  }

  async function itemOf({ page, ...body }: Body): Promise<ReadItem> {
    const ref = refOf(page);
    if (Buffer.byteLength(body.body) > context.limits.pageBytes)
      return {
        type: "skipped",
        page: ref,
        code: "too_large",
        reason: "The page is larger than MAX_PAGE_BYTES allows.",
      };
    const { included, includes } = await includedBy(body, names, nameOf({ space: spec.spaceKey, title: page.title }));
    const links = linksOf([body, ...included.values()], names);
    const part: ConfluencePart = {
      title: page.title,
      above: titlesAbove(listed.space, page.id),
      format: body.format,
      body: body.body,
      space: spec.spaceKey,
      product: api.product,
      root: api.root,
      links: Object.fromEntries(links.flatMap(({ name, address }) => (address === "" ? [] : [[name, address]]))),
      included: Object.fromEntries([...included].map(([name, one]) => [name, toIncluded(one)])),
    };
    const dependencies = [
      ...includes,
      ...links.map(({ name, address }) => toDependency(`link ${name}`, linkFingerprint(address))),
    ];
    return {
      type: "page",
      page: ref,
      bytes: Buffer.from(JSON.stringify(part)),
      revision: `version ${page.version}`,
      ...(dependencies.length > 0 && { includes: dependencies }),
    };
  }

  return {
    refOf,
    async current(path) {
      const [, kind, space = "", title = ""] = /^(link|page) ([^:]*):(.*)$/s.exec(path) ?? [];
      if (kind === "link") return linkFingerprint(names.address({ space, title }) ?? "");
      return pageFingerprint(await names.find({ space, title }));
    },
    async read(pages) {
      const byId = new Map(pages.map(({ id: page }) => [page.id, page]));
      const { found, empty, failed } = await readBodies(api, threads, [...byId.keys()], spec.spaceKey);
      const items: ReadItem[] = [];
      for (const body of found.values()) items.push(await itemOf(body));
      for (const page of empty.values())
        items.push({ type: "skipped", page: refOf(page), code: "empty", reason: "The page is empty." });
      for (const [id, failure] of failed) {
        const page = byId.get(id);
        if (page) items.push({ type: "failed", page: refOf(page), failure: toFailureRecord(failure) });
      }
      return items;
    },
  };
}

/** Key of a page: an address that does not change with its title or parent. */
function keyOf(root: string, id: string): string {
  return `${root}/pages/viewpage.action?pageId=${id}`;
}

/** The id in a key; undefined where the key has none. */
function idOf(key: string): string | undefined {
  return /[?&]pageId=([1-9]\d*)$/.exec(key)?.[1];
}

/** The pages that a page includes, directly or through others, by name, and its dependencies, which include missing pages. */
async function includedBy(
  body: Pick<Body, "named">,
  names: PagesByName,
  own: string,
): Promise<{
  readonly included: ReadonlyMap<string, IncludedPage>;
  readonly includes: readonly IncludedFile[];
}> {
  const included = new Map<string, IncludedPage>();
  const includes = new Map<string, IncludedFile>();
  const open: PageName[] = [...body.named.included];
  for (let name = open.shift(); name !== undefined && includes.size < maxIncluded; name = open.shift()) {
    const key = nameOf(name);
    if (includes.has(key) || key === own) continue;
    const content = await names.body(name);
    includes.set(key, toDependency(`page ${key}`, pageFingerprint(content?.page)));
    if (content === undefined) continue;
    included.set(key, { ...content, space: name.space });
    open.push(...content.named.included);
  }
  return { included, includes: [...includes.values()] };
}

function linksOf(
  bodies: readonly Pick<Body, "named">[],
  names: PagesByName,
): readonly { readonly name: string; readonly address: string }[] {
  const linked = new Map(bodies.flatMap(({ named }) => named.linked).map((name) => [nameOf(name), name]));
  return [...linked].map(([name, page]) => ({ name, address: names.address(page) ?? "" }));
}

interface IncludedPage extends Body {
  readonly space: string;
}

function toIncluded({ page, format, body, space }: IncludedPage): IncludedBody {
  return { title: page.title, space, format, body };
}

/** A dependency of a page, recorded as an included file without content: that is in the page already. */
function toDependency(path: string, fingerprint: string): IncludedFile {
  return { path, fingerprint, url: "", bytes: null };
}

function pageFingerprint(page: FoundPage | undefined): string {
  return page === undefined ? "" : `${page.id} ${page.version}`;
}

function linkFingerprint(address: string): string {
  return address === "" ? "" : hashOf(address);
}

/** The item of a page that the account is not shown. */
function refusedItem(root: string, id: string, { earlier }: Pick<ReadContext, "earlier">): SourceItem {
  const key = keyOf(root, id);
  const known = earlier.page(key)?.page;
  const page = { key, url: known?.url ?? key, mediaType: "", fingerprint: "", resource: key };
  const reason = "The account of the credential is not shown the page: it was deleted, or the account may not view it.";
  return { type: "skipped", page, code: "refused", reason };
}

/** Finds pages by space and title, as pages refer to each other. */
interface PagesByName {
  /** The page; undefined if it does not exist or is restricted. */
  find(name: PageName): Promise<FoundPage | undefined>;
  /** The body of the page, to be included; undefined as in `find`. */
  body(name: PageName): Promise<Body | undefined>;
  /** The address of a listed page of the own space; undefined for any other. Sends no request. */
  address(name: PageName): string | undefined;
}

/** Maximum number of cached bodies of included pages. */
const maxKept = 200;

/** Creates the finder for a space. `bodyOf` reads one page. */
function createPagesByName(
  { spec, api, memory }: ConfluenceRun,
  { space, restricted }: Pick<Listed, "space" | "restricted">,
  bodyOf: (id: string, space: string) => Promise<Body | undefined>,
): PagesByName {
  const titles = new Map([...space.pages.values()].map((page) => [page.title, page]));
  const kept = new Map<string, Promise<Body | undefined>>();
  const isOwn = (name: PageName): boolean => name.space.toLowerCase() === spec.spaceKey.toLowerCase();

  async function isRestricted(id: string): Promise<boolean> {
    if (spec.includeRestricted) return false;
    const ancestors = await api.ancestors(id).catch(unlessRefused);
    if (ancestors === undefined) return true;
    for (const one of [id, ...ancestors.map((ref) => ref.id)]) if (await isRestrictedOrHidden(api, one)) return true;
    return false;
  }

  async function find(name: PageName): Promise<FoundPage | undefined> {
    const listed = isOwn(name) ? titles.get(name.title) : undefined;
    if (listed !== undefined) return restricted.has(listed.id) ? undefined : listed;
    const page = await memory.recall(`page ${nameOf(name)}`, async () => {
      const titled = await api.pageByTitle(name.space, name.title).catch(unlessRefused);
      return titled === undefined || (await isRestricted(titled.id)) ? null : titled;
    });
    return page ?? undefined;
  }

  async function read(name: PageName): Promise<Body | undefined> {
    const page = await find(name);
    return page && bodyOf(page.id, name.space);
  }

  return {
    find,
    body(name) {
      const key = nameOf(name);
      const known = kept.get(key) ?? read(name);
      if (kept.size >= maxKept) kept.delete([...kept.keys()][0] ?? "");
      kept.set(key, known);
      return known;
    },
    address(name) {
      const page = isOwn(name) ? titles.get(name.title) : undefined;
      return page === undefined || restricted.has(page.id) ? undefined : `${api.root}${page.path}`;
    },
  };
}

/** How Confluence is read. */
export const confluenceReader: SourceReader<ConfluenceSourceSpec, ConfluenceCredential> = {
  spec: z.object({
    kind: z.literal("confluence"),
    siteUrl: z.url({ protocol: /^https?$/ }),
    cloudId: z.string().nullable(),
    spaceKey: z.string().min(1),
    pageIds: z.array(z.string()),
    includeSubPages: z.boolean(),
    includeRestricted: z.boolean(),
  }),
  create: createConfluenceSource,
};

/** Reads the pages of a space: lists all, reads changed ones, and reports refused ones. */
function createConfluenceSource(tools: SourceTools): Source<ConfluenceSourceSpec, ConfluenceCredential> {
  const { politeClient, confluenceGateway: gateway, pool, guard } = tools;

  async function* read(
    spec: ConfluenceSourceSpec,
    context: ReadContext<ConfluenceCredential>,
  ): AsyncGenerator<SourceItem> {
    const { signal, credential } = context;
    const api = await openSite(spec, { client: politeClient(), gateway, signal, credential });
    const memory = await openMemory(context.checkpoint);
    const known = indexedBefore(context).flatMap((key) => idOf(key) ?? []);
    const run = { spec, api, memory, context };
    const listed = await listPages(run, known);
    const { refOf, current, read: readPages } = createReading(run, listed, { pool, signal });
    const pages = listed.wanted.map((page) => ({ id: page, page: refOf(page) }));
    yield* readChanged({ listed: pages, current, batch: api.limits.bodies, read: readPages, memory }, context);
    for (const id of listed.refused) yield refusedItem(api.root, id, context);
    if (listed.notes.length > 0) context.account?.({ notes: listed.notes });
  }

  return {
    kind: "confluence",

    async resolve(spec, _ref, { signal, credential }) {
      guard.checkUrl(new URL(spec.siteUrl));
      const api = await openSite(spec, { client: politeClient(), gateway, signal, credential });
      if (spec.spaceKey === "") await api.probe();
      else if ((await api.space(spec.spaceKey)) === undefined) throw missingSpace(spec);
      return { revision: "", ref: null, location: confluenceKind.location(spec), refs: [] };
    },

    async *read(spec, _state, context) {
      const pages: PageRef[] = [];
      for await (const item of read(spec, context)) {
        pages.push(item.page);
        yield item;
      }
      context.account?.({ revision: revisionOf(pages) });
    },
  };
}
