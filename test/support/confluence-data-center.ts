import type { Answer, Route, Served, SitePage } from "./confluence-space.ts";

const scope = "";

/** Routes of Confluence Data Center's published API: REST v1 below the path of the site. */
export const dataCenterRoutes: readonly Route[] = [
  {
    path: /^\/confluence\/rest\/api\/user\/current$/,
    scope,
    answer: () => ({ status: 200, body: { username: "bot" } }),
  },
  { path: /^\/confluence\/rest\/api\/space$/, scope, answer: () => ({ status: 200, body: { results: [], size: 0 } }) },
  { path: /^\/confluence\/rest\/api\/space\/([^/]+)$/, scope, answer: space },
  { path: /^\/confluence\/rest\/api\/content$/, scope, answer: content },
  { path: /^\/confluence\/rest\/api\/content\/search$/, scope, answer: search },
  { path: /^\/confluence\/rest\/api\/content\/(\d+)$/, scope, answer: one },
  { path: /^\/confluence\/rest\/api\/content\/(\d+)\/restriction\/byOperation\/read$/, scope, answer: restriction },
];

/** A page of a list by offset. Hidden pages count towards the limit, so it may be short. */
function part(url: URL, site: Served, all: readonly SitePage[]): Answer {
  const { trouble } = site;
  const limit = Math.min(Number(url.searchParams.get("limit") ?? 25), 100);
  const start = Number(url.searchParams.get("start") ?? 0);
  const next = new URL(url);
  next.searchParams.set("start", String(trouble.circles && start > 0 ? limit : start + limit));
  const isMore = start + limit < all.length || (trouble.circles && start > 0);
  const links = {
    base: `${site.origin}/confluence`,
    context: "/confluence",
    ...(isMore && { next: next.pathname + next.search }),
  };
  const visible = all.slice(start, start + limit).filter(({ hidden }) => !hidden);
  const results = visible.map((page) => pageOf(site, page, url.searchParams.get("expand") ?? ""));
  return { status: 200, body: { results, start, limit, size: results.length, _links: links } };
}

function pageOf(site: Served, page: SitePage, expand: string): object {
  const { id, title, status, position, version, storage } = page;
  const above: object[] = [];
  for (let parent = page.parent; parent !== undefined; parent = site.pages.get(parent)?.parent)
    above.unshift({ id: parent, type: "page" });
  const has = (name: string): boolean => expand.split(",").some((one) => one.startsWith(name));
  return {
    id,
    type: "page",
    status,
    title,
    ...(has("version") && { version: { number: version } }),
    ...(has("ancestors") && { ancestors: above }),
    ...(has("space") && { space: { id: 1, key: page.space } }),
    ...(has("extensions") && { extensions: { position: position > 0 ? position : "none" } }),
    ...(has("restrictions") && { restrictions: { read: { restrictions: restrictionsOf(page) } } }),
    ...(has("body.storage") && { body: { storage: { value: storage, representation: "storage" } } }),
    _links: { webui: `/display/${page.space}/${encodeURIComponent(title).replaceAll("%20", "+")}` },
  };
}

function restrictionsOf({ restricted }: SitePage): object {
  const users = restricted ? [{ type: "known", username: "ada" }] : [];
  return { user: { results: users, size: users.length }, group: { results: [], size: 0 } };
}

function space(_url: URL, [, key = ""]: RegExpExecArray, site: Served): Answer {
  const entry = site.spaces.get(key);
  return entry && { status: 200, body: { id: Number(entry.id), key, name: entry.name } };
}

function content(url: URL, _match: RegExpExecArray, site: Served): Answer {
  const { searchParams } = url;
  const title = searchParams.get("title");
  const all = [...site.pages.values()].filter(
    (page) =>
      page.type === "page" &&
      page.space === searchParams.get("spaceKey") &&
      page.status === (searchParams.get("status") ?? "current") &&
      (title === null || page.title === title) &&
      page.unlisted !== true,
  );
  return part(url, site, all);
}

function search(url: URL, _match: RegExpExecArray, site: Served): Answer {
  const [, list = ""] = /id in \(([^)]*)\)/.exec(url.searchParams.get("cql") ?? "") ?? [];
  const ids = list.split(",");
  if (ids.some((id) => site.trouble.broken.has(id))) return { status: 500, body: {} };
  const all = [...site.pages.values()].filter(({ id, status }) => ids.includes(id) && status === "current");
  return part(url, site, all);
}

function one(url: URL, [, id = ""]: RegExpExecArray, site: Served): Answer {
  const page = site.pages.get(id);
  if (!page || page.hidden || page.status !== (url.searchParams.get("status") ?? "current")) return undefined;
  return { status: 200, body: pageOf(site, page, url.searchParams.get("expand") ?? "") };
}

function restriction(_url: URL, [, id = ""]: RegExpExecArray, site: Served): Answer {
  const page = site.pages.get(id);
  if (!page || page.hidden) return undefined;
  return { status: 200, body: { operation: "read", restrictions: restrictionsOf(page) } };
}
