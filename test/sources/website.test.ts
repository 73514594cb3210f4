import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { page, setup } from "./website-setup.ts";

it("is crawled from its first page by links, within its folder, each page once", async () => {
  const { index, codes } = await setup({
    "/docs": page("Start", [
      "/docs/a",
      "b",
      "docs/b/",
      "/blog/news",
      "https://other.example.com/docs/x",
      "#top",
      "/docs/logo.png",
    ]),
    "/docs/a": page("Alpha", ["/docs/c?utm_source=mail#part", "//", "mailto:a@b.c", "javascript:alert(1)"]),
    "/docs/b/": page("Beta", ["../c", "/docs/a"]),
    "/docs/c": page("Gamma", ["/docs/missing"]),
    "/b": page("Outside"),
    "/blog/news": page("News"),
  });
  const result = await index("/docs");
  expect(result.read).toEqual(["/docs", "/docs/a", "/docs/b/", "/docs/c"]);
  expect(result.left).toEqual({ "/docs/missing": "gone" });
  expect(codes(result)).toEqual(["alpha();", "beta();", "gamma();", "start();"]);
  expect(result.manifest.revision).toMatch(/^sha256-/);
});

it("finds unlinked pages by robots.txt and sitemaps, nested, gzipped and plain text", async () => {
  const site = await setup({ "/": page("Start") });
  const { origin } = site.site;
  const urlset = (...paths: string[]): string =>
    `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${paths.map((path) => `<url><loc>${origin}${path}</loc><lastmod>2026-01-01</lastmod></url>`).join("")}</urlset>`;
  const pages: Record<string, string | { headers: Record<string, string>; body: Buffer | string }> = {
    "/robots.txt": `User-agent: *\nDisallow: /private\nSitemap: ${origin}/maps/index.xml\n`,
    "/maps/index.xml": `<sitemapindex><sitemap><loc>${origin}/maps/a.xml.gz</loc></sitemap><sitemap><loc>${origin}/maps/b.txt</loc></sitemap><sitemap><loc>${origin}/maps/none.xml</loc></sitemap></sitemapindex>`,
    "/maps/a.xml.gz": { headers: { "content-type": "application/gzip" }, body: gzipSync(urlset("/a", "/private/x")) },
    "/maps/b.txt": `${origin}/b\nnot an address\nhttps://other.example.com/c\n`,
    "/a": page("Alpha"),
    "/b": page("Beta"),
    "/private/x": page("Private"),
  };
  for (const [path, content] of Object.entries(pages)) site.site.pages.set(path, content);
  const result = await site.index("/");
  expect(result.read).toEqual(["/", "/a", "/b"]);
  expect(result.left).toEqual({ "/private/x": "robots" });
  expect(result.requests.some((line) => line.startsWith("/private"))).toBe(false);
});

it.each([
  [
    "mkdocs-1.6",
    "/search/search_index.json",
    '{"docs":[{"location":"guide/"},{"location":"guide/#use"},{"location":"api/"}]}',
    "",
  ],
  [
    "",
    "/searchindex.js",
    'Search.setIndex({"docnames":["guide/use","api"],"titles":[]})',
    '<script src="_static/documentation_options.js"></script>',
  ],
  ["Docusaurus v3.5", "/search-index.json", '[{"documents":[{"u":"/guide/"},{"u":"/api"}]}]', ""],
])("finds pages by the search index of %s", async (generator, path, index, head) => {
  const site = await setup({
    "/": page("Start", [], `<meta name="generator" content="${generator}">${head}`),
    [path]: index,
    "/guide/": page("Guide"),
    "/guide/use.html": page("Use"),
    "/api/": page("Api"),
    "/api.html": page("Api"),
    "/api": page("Api"),
  });
  expect((await site.index("/")).read).toHaveLength(3);
});

it("keeps to scope, base, depth, number and patterns", async () => {
  const { index } = await setup({
    "/docs/": page("Start", ["/docs/1", "/docs/skip/x", "/docs/changelog", "/api/x", "/docs/guide/a"]),
    "/docs/1": page("One", ["/docs/2"]),
    "/docs/2": page("Two", ["/docs/3"]),
    "/docs/3": page("Three"),
    "/docs/skip/x": page("Skip"),
    "/docs/changelog": page("Changes"),
    "/docs/guide/a": page("Guide"),
    "/api/x": page("Api"),
  });
  const read = async (spec: object): Promise<string[]> => (await index("/docs/", spec)).read;
  expect(await read({ scope: "hostname" })).toContain("/api/x");
  expect(await read({})).not.toContain("/api/x");
  expect(await read({ maxDepth: 1 })).not.toContain("/docs/2");
  expect(await read({ excludePatterns: ["/docs/skip", "changelog"] })).toEqual([
    "/docs/",
    "/docs/1",
    "/docs/2",
    "/docs/3",
    "/docs/guide/a",
  ]);
  expect(await read({ includePatterns: ["/docs/guide/**", "/docs/"] })).toEqual(
    expect.arrayContaining(["/docs/guide/a"]),
  );
  const few = await index("/docs/", { maxPages: 2 });
  expect(few.read).toHaveLength(2);
  expect(few.manifest.notes?.join(" ")).toMatch(/exceed the limit of 2 pages/);
});

it("honours robots directives, canonical addresses, redirects and redirect stubs", async () => {
  const { index } = await setup({
    "/": page("Start", ["/noindex", "/nofollow", "/header", "/copy?x=1", "/stub", "/moved", "/gone", "/away"]),
    "/noindex": page("Hidden", ["/from-noindex"], '<meta name="robots" content="noindex">'),
    "/from-noindex": page("Found"),
    "/nofollow": page("Dead End", ["/from-nofollow"], '<meta name="robots" content="nofollow">'),
    "/from-nofollow": page("Unfound"),
    "/header": { headers: { "x-robots-tag": "noindex", "content-type": "text/html" }, body: page("Header") },
    "/copy?x=1": page("Copy", [], '<link rel="canonical" href="/copy">'),
    "/copy": page("Copy"),
    "/stub": '<!doctype html><meta http-equiv="refresh" content="0; url=/target"><link rel="canonical" href="/target">',
    "/target": page("Target"),
    "/moved": { status: 301, headers: { location: "/new" } },
    "/new": page("New"),
    "/gone": { status: 410 },
    "/away": { status: 302, headers: { location: "http://127.0.0.1:1/elsewhere" } },
  });
  const result = await index("/");
  expect(result.read).toEqual(["/", "/copy", "/from-noindex", "/new", "/nofollow", "/target"]);
  expect(result.left).toMatchObject({
    "/noindex": "robots",
    "/header": "robots",
    "/copy?x=1": "elsewhere",
    "/stub": "elsewhere",
    "/gone": "gone",
  });
});

it("reads the Markdown of a page if there is some, and text in any charset", async () => {
  const markdown = "# Beta\n\nThis page tells how Beta is used in a long paragraph.\n\n```js\nbeta_md();\n```\n";
  const { index, codes, site } = await setup({
    "/": page("Start", ["/a", "/b", "/latin", "/wide", "/text"]),
    "/a": page("Alpha", [], '<link rel="alternate" type="text/markdown" href="/raw/a.md">'),
    "/raw/a.md": markdown.replaceAll("Beta", "Alpha").replaceAll("beta", "alpha"),
    "/b": page("Beta"),
    "/b.md": markdown,
    "/latin": {
      headers: { "content-type": "text/html; charset=iso-8859-1" },
      body: Buffer.from(page("Latin").replace("latin();", 'say("h\u00e9");'), "latin1"),
    },
    "/wide": {
      headers: { "content-type": "text/html" },
      body: Buffer.from(`\uFEFF${page("Wide").replace("wide();", 'say("\u4f60");')}`, "utf16le"),
    },
    // The first bytes of a text are no declaration, whatever they show.
    "/text": {
      headers: { "content-type": "text/markdown" },
      body: '# Text\n\nThis page tells how text is used.\n\n```html\n<meta charset="big5"> \u00e9\n```\n',
    },
  });
  const result = await index("/");
  expect(codes(result)).toEqual([
    '<meta charset="big5"> \u00e9',
    "alpha_md();",
    "beta_md();",
    'say("h\u00e9");',
    'say("\u4f60");',
    "start();",
  ]);
  expect(result.read).toEqual(["/", "/a", "/b", "/latin", "/text", "/wide"]);
  expect(site.requests.filter(({ path }) => path.endsWith(".md")).length).toBeLessThanOrEqual(5);
});

it("leaves traps, other versions and translations alone", async () => {
  const pages: Record<string, string> = {
    "/": page("Start", [
      "/guide/use",
      "/v1/guide/use",
      "/v1/guide/more",
      "/guide/more",
      "/fr/guide/use",
      "/fr/guide/more",
      "/day/1",
      "/loop/x",
    ]),
    "/guide/use": page("Use"),
    "/guide/more": page("More"),
    "/v1/guide/use": page("Old Use"),
    "/v1/guide/more": page("Old More"),
    "/fr/guide/use": page("Usage"),
    "/fr/guide/more": page("Plus"),
    "/loop/x": page("Loop", ["/loop/x/x/x/x/x"]),
    "/loop/x/x/x/x/x": page("Deeper"),
  };
  for (let day = 1; day < 400; day += 1)
    pages[`/day/${day}`] = page(
      `Day of ${"x".repeat(day)}`,
      [1, 2, 3].map((next) => `/day/${day * 3 + next}`),
    );
  const { index } = await setup(pages, { limits: { pages: 5000 } });
  const result = await index("/", { maxPages: 1000, maxDepth: 20 });
  expect(result.requests.filter((line) => /^\/day\/\d+ /.test(line))).toHaveLength(200);
  expect(result.read.filter((path) => !path.startsWith("/day/"))).toEqual([
    "/",
    "/guide/more",
    "/guide/use",
    "/loop/x",
  ]);
  expect(result.manifest.notes?.join(" ")).toMatch(/4 addresses .* other versions/);
});

it("refuses a first page that is not there, is refused, or asks for a password", async () => {
  const { index, site } = await setup({
    "/login": page("Log in").replace("</main>", '<input type="password"></main>'),
  });
  await expect(index("/none")).rejects.toMatchObject({ code: "source_not_found" });
  expect((await index("/login")).left).toEqual({ "/login": "source_refused" });
  site.pages.set("/robots.txt", "User-agent: Lectern\nDisallow: /\n");
  await expect(index("/login")).rejects.toMatchObject({ code: "source_refused" });
});

it("recognises an error page of status 200", async () => {
  const { index, site } = await setup({ "/": page("Start", ["/a", "/b"]), "/a": page("Alpha") });
  const missing = page("Nothing here");
  // The error page is sent for any other address.
  const { get } = site.pages;
  site.pages.get = function answer(path) {
    return get.call(site.pages, path) ?? (path.includes(".") ? undefined : missing);
  };
  const result = await index("/");
  expect(result.read).toEqual(["/", "/a"]);
  expect(result.left).toEqual({ "/b": "gone" });
});

it("stops if the host refuses one page after the other", async () => {
  const links = Array.from({ length: 30 }, (_, number) => `/page-${number}x`);
  const pages = Object.fromEntries(links.map((path) => [path, { status: 403 }]));
  const { index } = await setup({ "/": page("Start", links), ...pages });
  await expect(index("/")).rejects.toMatchObject({ code: "source_refused" });
});

it("reads Markdown that llms.txt lists, at its page's address if there is one", async () => {
  const text = (name: string): string =>
    `# ${name}\n\nThis page tells how ${name} is used in a long paragraph.\n\n\`\`\`js\n${name.toLowerCase()}_md();\n\`\`\`\n`;
  const { index, codes } = await setup({
    "/": page("Start"),
    "/llms.txt": "# Anvils\n\n- [A](/a.md)\n- [B](/b.md): about B\n",
    "/a": page("Alpha"),
    "/a.md": text("Alpha"),
    "/b.md": text("Beta"),
  });
  const result = await index("/");
  expect(result.read).toEqual(["/", "/a", "/b.md"]);
  expect(codes(result)).toEqual(["alpha_md();", "beta_md();", "start();"]);
});

it("ignores directives for other robots", async () => {
  const header = (value: string) => ({ headers: { "content-type": "text/html", "x-robots-tag": value } });
  const { index } = await setup({
    "/": page("Start", ["/a", "/b", "/c"]),
    "/a": { ...header("otherbot: noindex, nofollow"), body: page("Alpha") },
    "/b": { ...header("lectern: noindex"), body: page("Beta") },
    "/c": { ...header("max-snippet: 20, none"), body: page("Gamma") },
  });
  expect(await index("/")).toMatchObject({ read: ["/", "/a"], left: { "/b": "robots", "/c": "robots" } });
});

it("follows the redirect of the first page, to another host or out of its folder", async () => {
  const other = await setup({ "/docs/": page("Start", ["/docs/a"]), "/docs/a": page("Alpha") });
  const { index, site } = await setup(
    { "/docs/": { status: 301, headers: { location: `${other.site.origin}/docs/` } } },
    { hosts: [other.site.host] },
  );
  const { manifest } = await index("/docs/");
  expect(manifest.pages.map(({ path }) => path)).toEqual([`${other.site.origin}/docs/`, `${other.site.origin}/docs/a`]);
  site.pages.set("/docs/", { status: 302, headers: { location: "/v2/manual/start" } });
  site.pages.set("/v2/manual/start", page("Manual", ["/v2/manual/start/b", "/v2/other"]));
  site.pages.set("/v2/manual/start/b", page("Beta"));
  expect((await index("/docs/")).read).toEqual(["/v2/manual/start", "/v2/manual/start/b"]);
});

it("is named by the common end of its pages' titles", async () => {
  const titled = (name: string, links: readonly string[] = []): string =>
    page(name, links).replace(/<title>.*<\/title>/, `<title>${name} - Anvil Docs</title>`);
  const { index } = await setup({ "/": titled("Start - here", ["/a"]), "/a": titled("Alpha") });
  expect((await index("/")).manifest.title).toBe("Anvil Docs");
  const other = await setup({ "/": page("Anvils - tools for smiths", ["/a"]), "/a": page("Alpha") });
  expect((await other.index("/")).manifest.title).toBe("Anvils - tools for smiths");
});

it("obeys robots.txt for the target of a redirect, and reads a site that redirects missing pages endlessly", async () => {
  const { index, site } = await setup({
    "/robots.txt": "User-agent: *\nDisallow: /secret\n",
    "/": page("Start", ["/a"]),
    "/a": { status: 302, headers: { location: "/secret" } },
    "/secret": page("Secret"),
  });
  const { get } = site.pages;
  site.pages.get = function answer(path) {
    return (
      get.call(site.pages, path) ?? (/no-such/.test(path) ? { status: 302, headers: { location: path } } : undefined)
    );
  };
  expect(await index("/")).toMatchObject({ read: ["/"], left: { "/a": "robots" } });
});
