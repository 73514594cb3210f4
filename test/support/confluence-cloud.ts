import type { Answer, Route, Served, SitePage } from "./confluence-space.ts";

/** Routes of Confluence Cloud's published API: v2 for pages, spaces and folders, v1 for restrictions and searches. */
export const cloudRoutes: readonly Route[] = [
  { path: /^\/wiki\/api\/v2\/spaces$/, scope: "read:space:confluence", answer: spaces },
  { path: /^\/wiki\/api\/v2\/spaces\/(\d+)\/pages$/, scope: "read:page:confluence", answer: pagesInSpace },
  { path: /^\/wiki\/api\/v2\/pages$/, scope: "read:page:confluence", answer: pages },
  { path: /^\/wiki\/api\/v2\/pages\/(\d+)\/ancestors$/, scope: "read:content.metadata:confluence", answer: ancestors },
  { path: /^\/wiki\/api\/v2\/folders\/(\d+)$/, scope: "read:folder:confluence", answer: folder },
  { path: /^\/wiki\/rest\/api\/content\/search$/, scope: "read:content-details:confluence", answer: search },
  {
    path: /^\/wiki\/rest\/api\/content\/(\d+)\/restriction\/byOperation\/read$/,
    scope: "read:content.restriction:confluence",
    answer: restriction,
  },
];

function visiblePages({ pages: all }: Served): SitePage[] {
  return [...all.values()].filter(({ hidden }) => !hidden);
}

/** A page of a list; the cursor is the offset of the next one. */
function part(url: URL, { origin, trouble }: Served, all: readonly object[]): Answer {
  const limit = Math.min(Number(url.searchParams.get("limit") ?? 25), 250);
  const start = Number(Buffer.from(url.searchParams.get("cursor") ?? "", "base64").toString() || 0);
  const end = start + limit;
  const isMore = end < all.length || (trouble.circles && start > 0);
  const cursor = Buffer.from(String(trouble.circles && start > 0 ? limit : end)).toString("base64");
  const next = new URL(url);
  next.searchParams.set("cursor", cursor);
  const links = { base: `${origin}/wiki`, ...(isMore && { next: `${next.pathname}${next.search}` }) };
  return { status: 200, body: { results: all.slice(start, end), _links: links } };
}

function spaces(url: URL, _match: RegExpExecArray, site: Served): Answer {
  const keys = url.searchParams.get("keys")?.split(",");
  const all = [...site.spaces].flatMap(([key, { id, name }]) =>
    keys === undefined || keys.includes(key) ? [{ id, key, name, type: "global", status: "current" }] : [],
  );
  return part(url, site, all);
}

function pageOf(site: Served, page: SitePage, format: string | null): object {
  const { id, title, status, parent, position, version, storage, adf } = page;
  const above = parent === undefined ? undefined : site.pages.get(parent);
  const values: Readonly<Record<string, string | undefined>> = { storage, atlas_doc_format: adf };
  const value = format === null ? undefined : values[format];
  return {
    id,
    status,
    title,
    spaceId: site.spaces.get(page.space)?.id,
    parentId: parent ?? null,
    parentType: above?.type ?? null,
    position,
    version: { number: version, minorEdit: false, createdAt: "2026-01-01T00:00:00.000Z" },
    ...(format !== null && { body: value === undefined ? {} : { [format]: { value, representation: format } } }),
    _links: { webui: `/spaces/${page.space}/pages/${id}/${encodeURIComponent(title).replaceAll("%20", "+")}` },
  };
}

function pagesInSpace(url: URL, [, id]: RegExpExecArray, site: Served): Answer {
  const [key] = [...site.spaces].find(([, space]) => space.id === id) ?? [];
  const status = url.searchParams.get("status") ?? "current";
  const listed = visiblePages(site).filter(
    (page) => page.space === key && page.type === "page" && page.status === status && page.unlisted !== true,
  );
  return part(
    url,
    site,
    listed.map((page) => pageOf(site, page, null)),
  );
}

function pages(url: URL, _match: RegExpExecArray, site: Served): Answer {
  const { searchParams } = url;
  const ids = searchParams.get("id")?.split(",");
  const spaceId = searchParams.get("space-id");
  const title = searchParams.get("title");
  const statuses = (searchParams.get("status") ?? "current").split(",");
  const format = searchParams.get("body-format");
  if (format !== null && ids?.some((id) => site.trouble.broken.has(id))) return { status: 500, body: {} };
  const matching = visiblePages(site).filter(
    (page) =>
      page.type === "page" &&
      (ids === undefined || ids.includes(page.id)) &&
      (spaceId === null || site.spaces.get(page.space)?.id === spaceId) &&
      (title === null || page.title === title) &&
      statuses.includes(page.status),
  );
  return part(
    url,
    site,
    matching.map((page) => pageOf(site, page, format)),
  );
}

function ancestors(url: URL, [, id = ""]: RegExpExecArray, site: Served): Answer {
  const results: object[] = [];
  for (let above = site.pages.get(id)?.parent; above !== undefined; above = site.pages.get(above)?.parent)
    results.unshift({ id: above, type: site.pages.get(above)?.type });
  return part(url, site, results);
}

function folder(_url: URL, [, id = ""]: RegExpExecArray, site: Served): Answer {
  const page = site.pages.get(id);
  if (page?.type !== "folder") return undefined;
  const above = page.parent === undefined ? undefined : site.pages.get(page.parent);
  const parents = { parentId: page.parent ?? null, parentType: above?.type ?? null };
  return { status: 200, body: { id, type: "folder", title: page.title, status: "current", ...parents } };
}

function restrictionsOf({ restricted }: SitePage): object {
  const users = restricted ? [{ type: "known", accountId: "a-1" }] : [];
  return { user: { results: users, size: users.length }, group: { results: [], size: 0 } };
}

function search(url: URL, _match: RegExpExecArray, site: Served): Answer {
  const [, key] = /space="([^"]+)"/.exec(url.searchParams.get("cql") ?? "") ?? [];
  const matching = visiblePages(site).filter(
    ({ status, space }) => status === "current" && (key === undefined || space === key),
  );
  const all = matching.map((page) => ({
    id: page.id,
    type: page.type,
    title: page.title,
    ...(!site.trouble.silent && { restrictions: { read: { operation: "read", restrictions: restrictionsOf(page) } } }),
  }));
  return part(url, site, all);
}

function restriction(_url: URL, [, id = ""]: RegExpExecArray, site: Served): Answer {
  const page = site.pages.get(id);
  if (!page || page.hidden) return undefined;
  return { status: 200, body: { operation: "read", restrictions: restrictionsOf(page) } };
}
