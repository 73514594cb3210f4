import { expect, it } from "vitest";
import { page, setup } from "./website-setup.ts";

const three = {
  "/": page("Start", ["/a"]),
  "/a": page("Alpha", ["/b"]),
  "/b": page("Beta"),
};

it("requests each page of an unchanged site once, conditionally, and ends with the same content", async () => {
  const { index } = await setup(three, { etags: true });
  await index("/");
  const { requests, unchanged, read } = await index("/");
  expect(read).toEqual(["/", "/a", "/b"]);
  expect(unchanged).toBe(true);
  expect(requests.filter((one) => one.endsWith(" 304")).toSorted()).toEqual(["/ 304", "/a 304", "/b 304"]);
  expect(requests.filter((one) => /^\/[ab] 200$/.test(one))).toEqual([]);
});

it("follows what changed, came and went, and keeps a page without links to it", async () => {
  const { index, site, codes } = await setup(three, { etags: true });
  await index("/");
  site.pages.set("/a", page("Alpha changed", ["/c"]));
  site.pages.set("/c", page("Gamma"));
  const changed = await index("/");
  // Nothing leads to /b any more, and it is still there.
  expect(changed.read).toEqual(["/", "/a", "/b", "/c"]);
  expect(codes(changed)).toEqual(["alpha_changed();", "beta();", "gamma();", "start();"]);
  expect(changed.unchanged).toBe(false);
  site.pages.delete("/b");
  site.pages.delete("/c");
  expect(await index("/")).toMatchObject({ read: ["/", "/a"], left: { "/b": "gone", "/c": "gone" } });
});

it("keeps a page that another unchanged page links to when the one that led to it does not any more", async () => {
  const { index, site } = await setup(
    { "/": page("Start", ["/a", "/b"]), "/a": page("Alpha", ["/c"]), "/b": page("Beta", ["/c"]), "/c": page("Gamma") },
    { etags: true },
  );
  await index("/");
  site.pages.set("/a", page("Alpha", []));
  expect((await index("/")).read).toEqual(["/", "/a", "/b", "/c"]);
});

it("does not request pages that are unchanged by the sitemap, if the host sends no validators", async () => {
  const { index, site } = await setup({ "/": page("Start"), "/a": page("Alpha"), "/b": page("Beta") });
  const list = (changed: string): string =>
    `<urlset><url><loc>${site.origin}/a</loc><lastmod>${changed}</lastmod></url><url><loc>${site.origin}/b</loc><lastmod>1</lastmod></url></urlset>`;
  site.pages.set("/sitemap.xml", list("2026-01-01"));
  await index("/");
  site.pages.set("/sitemap.xml", list("2026-02-02"));
  site.pages.set("/a", page("Alpha changed"));
  const { requests, read } = await index("/");
  expect(requests).toContain("/a 200");
  expect(requests).not.toContain("/b 200");
  expect(read).toEqual(["/", "/a", "/b"]);
});

it("reads pages again if other elements are excluded", async () => {
  const ad = '<p class="ad">Buy our things, they are the best of all things.</p></article>';
  const { index } = await setup({ "/": page("Start").replace("</article>", ad) }, { etags: true });
  const before = await index("/");
  const after = await index("/", { excludeSelectors: [".ad"] });
  expect(before.manifest.pages[0]?.fingerprint).not.toBe(after.manifest.pages[0]?.fingerprint);
});

it("goes on where it was killed, without requesting again what it had", async () => {
  const links = Array.from({ length: 250 }, (_, number) => `/p${number}x`);
  const { index, site } = await setup(
    {
      "/": page("Start", links),
      ...Object.fromEntries(links.map((path, number) => [path, page(`Page ${"y".repeat(number + 1)}`)])),
    },
    { limits: { pages: 1000 } },
  );
  const killed = new AbortController();
  const { get } = site.pages;
  let served = 0;
  site.pages.get = function answer(path) {
    served += path.startsWith("/p") && !path.endsWith(".md") ? 1 : 0;
    if (served > 220) killed.abort(new Error("killed"));
    return get.call(site.pages, path);
  };
  await expect(index("/", { maxPages: 500 }, { signal: killed.signal })).rejects.toThrow("killed");
  site.pages.get = get;
  const result = await index("/", { maxPages: 500 }, { attempt: 2 });
  expect(result.read).toHaveLength(251);
  expect(result.requests.filter((one) => /^\/p\d+x /.test(one)).length).toBeLessThan(110);
});

it("sends headers to the site's own origin only", async () => {
  const other = await setup({ "/x": page("Other") });
  const { index, site } = await setup(
    {
      "/": (response, { authorization }) =>
        void response
          .writeHead(authorization === "Bearer secret" ? 200 : 401, { "content-type": "text/html" })
          .end(page("Start", ["/a", `${other.site.origin}/x`])),
      "/a": { status: 302, headers: { location: `${other.site.origin}/x` } },
    },
    { hosts: [other.site.host] },
  );
  await expect(index("/")).rejects.toMatchObject({ code: "source_refused" });
  const { read } = await index(
    "/",
    { scope: "domain" },
    { credential: { headers: { authorization: "Bearer secret" } } },
  );
  expect(read).toContain("/");
  expect(site.requests.some(({ headers }) => headers.authorization === "Bearer secret")).toBe(true);
  expect(other.site.requests.filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
});

it("ends unchanged if only the search index names a page and another page has two addresses", async () => {
  const scripts = '<script src="_static/documentation_options.js"></script>';
  const start = page("Start", ["/index.html", "/a.html"], scripts);
  const { index } = await setup(
    {
      "/": start,
      "/index.html": start,
      "/a.html": page("Alpha", ["/index.html"]),
      "/only.html": page("Only"),
      "/searchindex.js": 'Search.setIndex({"docnames":["index","a","only"]})',
    },
    { etags: true },
  );
  const first = await index("/");
  expect(first).toMatchObject({ read: ["/", "/a.html", "/only.html"], left: { "/index.html": "elsewhere" } });
  for (let time = 0; time < 2; time += 1) {
    const again = await index("/");
    expect(again).toMatchObject({ read: first.read, left: first.left, unchanged: true });
  }
});

it("drops pages deeper than the new limit", async () => {
  const { index } = await setup({ ...three, "/b": page("Beta", ["/c"]), "/c": page("Gamma") }, { etags: true });
  expect((await index("/")).read).toEqual(["/", "/a", "/b", "/c"]);
  expect((await index("/", { maxDepth: 1 })).read).toEqual(["/", "/a"]);
});
