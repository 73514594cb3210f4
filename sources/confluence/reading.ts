import { toFailureRecord } from "../../domain/failures.ts";
import type { IncludedFile, PageRef, ReadContext, SourceItem } from "../../domain/ports.ts";
import { confluencePageType } from "../../extract/formats.ts";
import { nameOf } from "../../extract/confluence/page.ts";
import type { ConfluencePart, IncludedBody, PageName } from "../../extract/confluence/page.ts";
import type { Threads } from "../../threads/parse-text.ts";
import { hashOf } from "../pages/conditional-get.ts";
import type { FoundPage } from "./api.ts";
import { readBodies } from "./bodies.ts";
import type { Body } from "./bodies.ts";
import { openNames } from "./including.ts";
import type { ByName } from "./including.ts";
import type { Listed } from "./listing.ts";
import type { Listing } from "./run.ts";
import { titlesAbove } from "./tree.ts";

/** Maximum number of pages that one page includes, directly or through others. */
const maxIncluded = 50;

type Read = Exclude<SourceItem, { type: "known" }>;

/** How the pages of a listing are read. */
export interface PageReading {
  refOf(page: FoundPage): PageRef;
  /** The fingerprint of something that a page depends on beside itself, by its path; "" where there is none. */
  current(path: string): Promise<string>;
  read(pages: readonly { readonly id: FoundPage }[]): Promise<readonly Read[]>;
}

/** Opens the reading of what was listed. */
export function openReading(listing: Listing, listed: Listed, threads: Threads): PageReading {
  const { spec, api, context } = listing;
  const names = openNames(listing, listed, async (id, space) => {
    const { found } = await readBodies(api, threads, [id], space);
    return found.get(id);
  });

  function refOf(page: FoundPage): PageRef {
    const above = titlesAbove(listed.space, page.id);
    const url = `${api.root}${page.path}`;
    const key = keyOf(api.root, page.id);
    const said = [page.version, page.title, above, url, spec.spaceKey, api.product];
    return { key, url, mediaType: confluencePageType, fingerprint: hashOf(JSON.stringify(said)), resource: key };
  }

  async function itemOf({ page, ...body }: Body): Promise<Read> {
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
    const depends = [...includes, ...links.map(({ name, address }) => fileOf(`link ${name}`, linkMark(address)))];
    return {
      type: "page",
      page: ref,
      bytes: Buffer.from(JSON.stringify(part)),
      revision: `version ${page.version}`,
      ...(depends.length > 0 && { includes: depends }),
    };
  }

  return {
    refOf,
    async current(path) {
      const [, sort, space = "", title = ""] = /^(link|page) ([^:]*):(.*)$/s.exec(path) ?? [];
      if (sort === "link") return linkMark(names.address({ space, title }) ?? "");
      return markOf(await names.find({ space, title }));
    },
    async read(pages) {
      const byId = new Map(pages.map(({ id: page }) => [page.id, page]));
      const { found, empty, failed } = await readBodies(api, threads, [...byId.keys()], spec.spaceKey);
      const items: Read[] = [];
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

/** Key of a page: an address that stays when its title or parent changes. */
function keyOf(root: string, id: string): string {
  return `${root}/pages/viewpage.action?pageId=${id}`;
}

/** The id in a key; undefined where the key has none. */
export function idOf(key: string): string | undefined {
  return /[?&]pageId=([1-9]\d*)$/.exec(key)?.[1];
}

interface Scanned {
  readonly named: Body["named"];
}

/** The pages that a page includes, with those that these include, and what each was, or that there was none. */
async function includedBy(
  body: Scanned,
  names: ByName,
  own: string,
): Promise<{
  readonly included: ReadonlyMap<string, Body & { readonly space: string }>;
  readonly includes: readonly IncludedFile[];
}> {
  const included = new Map<string, Body & { readonly space: string }>();
  const includes = new Map<string, IncludedFile>();
  const open: PageName[] = [...body.named.included];
  for (let name = open.shift(); name !== undefined && includes.size < maxIncluded; name = open.shift()) {
    const key = nameOf(name);
    if (includes.has(key) || key === own) continue;
    const found = await names.body(name);
    includes.set(key, fileOf(`page ${key}`, markOf(found?.page)));
    if (found === undefined) continue;
    included.set(key, { ...found, space: name.space });
    open.push(...found.named.included);
  }
  return { included, includes: [...includes.values()] };
}

function linksOf(
  bodies: readonly Scanned[],
  names: ByName,
): readonly { readonly name: string; readonly address: string }[] {
  const linked = new Map(bodies.flatMap(({ named }) => named.linked).map((name) => [nameOf(name), name]));
  return [...linked].map(([name, page]) => ({ name, address: names.address(page) ?? "" }));
}

function toIncluded({ page, format, body, space }: Body & { readonly space: string }): IncludedBody {
  return { title: page.title, space, format, body };
}

/** What a page depends on is recorded as a file that it looked for; its content is in the page already. */
function fileOf(path: string, fingerprint: string): IncludedFile {
  return { path, fingerprint, url: "", bytes: null };
}

function markOf(page: FoundPage | undefined): string {
  return page === undefined ? "" : `${page.id} ${page.version}`;
}

function linkMark(address: string): string {
  return address === "" ? "" : hashOf(address);
}

/** An item for a page that the account is not shown. */
export function refusedItem(root: string, id: string, { earlier }: Pick<ReadContext, "earlier">): SourceItem {
  const key = keyOf(root, id);
  const known = earlier.page(key)?.page;
  const page = { key, url: known?.url ?? key, mediaType: "", fingerprint: "", resource: key };
  const reason = "The account of the credential is not shown the page: it was deleted, or the account may not view it.";
  return { type: "skipped", page, code: "refused", reason };
}
