import { expect, it } from "vitest";
import { page, setup } from "./website-setup.ts";

const markdown = (name: string): string =>
  `# ${name}\n\nThis page tells how ${name} is used, and when it is better not to be used, in a paragraph that is long enough to be one of documentation, and more.\n\n\`\`\`js\n${name.toLowerCase()}();\n\`\`\`\n`;

/** The resource of each page that was read, by path. */
function resources({ manifest }: { readonly manifest: { readonly pages: readonly object[] } }): Record<string, string> {
  const pages = manifest.pages as { path: string; resource: string; outcome: string }[];
  const pathOf = (address: string): string => new URL(address).pathname;
  const read = pages.filter(({ outcome }) => outcome === "indexed");
  return Object.fromEntries(read.map(({ path, resource }) => [pathOf(path), pathOf(resource)]));
}

it("reads a page once whose Markdown is listed beside it, in lists, by links and by itself", async () => {
  const { index, codes, site } = await setup({
    "/": page("Start", ["/api.html", "/linked.html", "/linked.md", "/raw/use.md", "/use.html", "/late.md", "/more/"]),
    "/guide.html": page("Guide"),
    "/guide.md": markdown("Guide"),
    "/api.html": page("Api"),
    "/api.md": markdown("Api"),
    "/linked.html": page("Linked"),
    "/linked.md": markdown("Linked"),
    "/use.html": page("Use", [], '<link rel="alternate" type="text/markdown" href="/raw/use.md">'),
    "/raw/use.md": markdown("Use"),
    "/late.md": markdown("Late"),
    "/more/": page("More", ["/late.html"]),
    "/late.html": page("Late", ["/found.html"]),
    "/found.html": page("Found"),
    "/only.md": markdown("Only"),
    "/llms.txt": "# Acme\n\n- [Api](/api.md)\n- [Only](/only.md)\n",
  });
  const urls = ["/guide.html", "/guide.md"].map((path) => `<url><loc>${site.origin}${path}</loc></url>`);
  site.pages.set("/sitemap.xml", `<urlset>${urls.join("")}</urlset>`);
  const first = await index("/");
  expect(codes(first)).toEqual(
    ["start", "guide", "api", "linked", "use", "late", "more", "found", "only"].toSorted().map((name) => `${name}();`),
  );
  expect(resources(first)).toEqual({
    "/": "/",
    "/guide.html": "/guide.md",
    "/api.html": "/api.md",
    "/linked.html": "/linked.md",
    "/raw/use.md": "/raw/use.md",
    "/late.md": "/late.md",
    "/more/": "/more/",
    "/found.html": "/found.html",
    "/only.md": "/only.md",
  });
  expect((await index("/")).unchanged).toBe(true);
});

it("reads the page where its Markdown has next to nothing of it, or is missing", async () => {
  const { index, codes } = await setup({
    "/": page("Start", ["/a.html", "/b.html", "/b.md", "/c.html", "/c.md"]),
    "/a.html": page("Alpha", [], '<link rel="alternate" type="text/markdown" href="/a.md">'),
    "/a.md": "# Alpha\n\n<Include file=alpha />\n",
    "/b.html": page("Beta"),
    "/b.md": "# Beta\n\n```js\nstub();\n```\n",
    "/c.html": page("Gamma"),
  });
  const result = await index("/");
  expect(codes(result)).toEqual(["alpha();", "beta();", "gamma();", "start();"]);
  expect(result.read).toEqual(["/", "/a.html", "/b.html", "/c.html"]);
});

it("keeps a page of Markdown apart from a folder's page that only looks alike", async () => {
  const { index, codes } = await setup({
    "/": page("Start", ["/guide/", "/guide.html"]),
    "/guide/": page("Folder"),
    "/guide.html": page("Page"),
  });
  expect(codes(await index("/"))).toEqual(["folder();", "page();", "start();"]);
});

it("follows frames of the site as links, also where their page has scripts", async () => {
  const { index } = await setup({
    "/": '<html><head><title>Api</title><script>load()</script></head><frameset cols="20%,80%"><frame src="menu.html"><frame src="main.html" name="main"></frameset></html>',
    "/menu.html": page("Menu", ["/one.html"]),
    "/main.html": page("Main").replace(
      "<h1>",
      '<iframe src="/inner.html"></iframe><iframe src="https://other.example.com/"></iframe><h1>',
    ),
    "/inner.html": page("Inner"),
    "/one.html": page("One"),
  });
  const result = await index("/");
  expect(result.read).toEqual(["/inner.html", "/main.html", "/menu.html", "/one.html"]);
  expect(result.left).toEqual({ "/": "no_snippets" });
});
