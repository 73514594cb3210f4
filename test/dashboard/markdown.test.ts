import { describe, expect, it } from "vitest";

import { markdownView, inlineView, type MarkdownPlace } from "../../api/dashboard/views/markdown.ts";
import { linksTo } from "../../api/dashboard/views/reader-links.ts";

const place: MarkdownPlace = { pathOf: () => undefined, headingOf: () => ({ level: 3 }) };
const viewOf = (markdown: string, own: Partial<MarkdownPlace> = {}): string =>
  markdownView(markdown, { ...place, ...own }).toString();

/** Names of all elements and attributes in markup. */
function namesIn(markup: string): readonly string[] {
  const tags = markup.match(/<[a-z][^>]*>/gi) ?? [];
  return tags.flatMap((tag) => [
    ...(tag.match(/^<[a-z\d]+/i) ?? []),
    ...Array.from(tag.replaceAll(/"[^"]*"/g, '""').matchAll(/\s([a-z-]+)/gi), ([, name = ""]) => name),
  ]);
}

const permitted = new Set(
  "<p <a <bdi <code <pre <em <strong <s <ul <ol <li <blockquote <br <hr <h3 <div <table <thead <tbody <tr <th <td href class rel target start scope tabindex role aria-label data-language".split(
    " ",
  ),
);

/** Elements, attributes and link targets that only hostile Markdown could bring. */
function harmOf(markup: string): readonly string[] {
  const targets = Array.from(markup.matchAll(/href="([^"]*)"/g), ([, target = ""]) => target);
  return [
    ...namesIn(markup).filter((name) => !permitted.has(name)),
    ...targets.filter((target) => !/^(?:https?:\/\/|mailto:|\/-\/read\?)/.test(target)),
    ...(markup.match(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu) ?? []),
  ];
}

describe("Markdown from outside", () => {
  it.each([
    "<script>alert(1)</script>",
    "a <img src=x onerror=alert(1)> b",
    "<svg onload=alert(1)><script>1</script></svg>\n\n<!-- a --><style>*{}</style>",
    "<a href='javascript:alert(1)'>a</a>",
    "[a](javascript:alert(1))",
    "[a](JaVaScRiPt:alert(1))",
    "[a](java\tscript:alert(1))",
    "[a](<java\nscript:alert(1)>)",
    "[a](<  javascript:alert(1)>)",
    "[a](\u0001javascript:alert(1))",
    "[a](&#106;avascript:alert(1))",
    "[a](&#x6A;avascript&colon;alert(1))",
    "[a](javascript%3Aalert(1))",
    "[a](vbscript:x) [b](data:text/html;base64,PHN2Zz4=) [c](file:///etc/passwd) [d](//evil.example.com)",
    "![a](javascript:alert(1)) ![b](data:image/svg+xml,<svg>)",
    '[a](https://example.com "t\\" onclick=\\"alert(1)")',
    '[a](https://example.com/"onclick="alert(1))',
    "<javascript:alert(1)> <https://example.com/?a=<b>>",
    "[![a](https://example.com/a.png)](https://example.com) [a [b](https://b.example.com)](https://a.example.com)",
    '```"><script>alert(1)</script>\n"><b>\n```',
    "`</code><script>`",
    "| <b>a</b> | b |\n|:-:|---|\n| <i>c</i> | [d](javascript:x) |",
    "[x]: javascript:alert(1)\n\n[x] and [^1]\n\n[^1]: javascript:alert(1)",
    "\u202eabc\u2066 &#x202e;&#8294; `\u202e` [\u202e](https://example.com/\u202e)",
    "# <b>a</b> \u202e {#id onclick=x}",
    "[a](mailto:a@b.example?bcc=c@d.example) [b](mailto:a@b.example)",
  ])("is inert: %j", (markdown) => {
    expect(harmOf(viewOf(markdown))).toEqual([]);
    expect(harmOf(inlineView(markdown).toString())).toEqual([]);
  });

  it("never has a link in a link", () => {
    const markup = viewOf("[![a](https://example.com/a.png) b](https://example.com)");
    expect(markup.match(/<a /g)).toHaveLength(1);
  });

  const many = 10_000;
  /** Maximum length of rendered prose. */
  const longest = 20_000;
  it.each([
    ["quotes", `${">".repeat(many)}a`],
    ["brackets", "[".repeat(many)],
    ["links", `${"[".repeat(many)}a${"](b)".repeat(many)}`],
    ["images", "![".repeat(many)],
    ["emphasis", "*a **b _c ".repeat(many / 4)],
    ["backticks", "`a``".repeat(many)],
    ["dollar signs", "$a ".repeat(many)],
    ["formulas without end", "\\[ \\( $$".repeat(many / 2)],
    ["lists", Array.from({ length: 300 }, (_, at) => `${"  ".repeat(at)}- a`).join("\n")],
    ["columns", `${"|a".repeat(many / 3)}\n${"|-".repeat(many / 3)}\n|b`],
    ["rows", `|a|b|\n|-|-|\n${"|x|y|\n".repeat(many / 3)}`],
    ["angle brackets", "<".repeat(many)],
    ["entities", "&#x".repeat(many)],
  ])("with thousands of %s ends soon", (_, markdown) => {
    const began = performance.now();
    expect(harmOf(viewOf(markdown.slice(0, longest)))).toEqual([]);
    // Half a second if the machine has nothing else to do.
    expect(performance.now() - began).toBeLessThan(5000);
  });

  it("that is longer than any passage is shown as text", () => {
    expect(viewOf(`# ${"a ".repeat(longest)}`)).toMatch(/^<pre tabindex="0"># a/);
  });
});

describe("rendered Markdown", () => {
  it("has lists, tables, quotations, code and marks", () => {
    const markup = viewOf(
      "1. a\n2. **b** *c* ~~d~~ `e`\n\n> f\n\n| g | h |\n|---|---|\n| i | j |\n\n```ts\nk<l>\n```\n\n---",
    );
    for (const part of [
      '<ol start="1">',
      "<strong>b</strong> <em>c</em> <s>d</s> <code>e</code>",
      "<blockquote>",
      '<th scope="col">g</th>',
      "<td>j</td>",
      '<pre tabindex="0"><code data-language="ts">k&lt;l&gt;\n</code></pre>',
      "<hr",
    ])
      expect(markup).toContain(part);
  });

  it("keeps formulas and footnotes as text", () => {
    expect(viewOf("$a_1 * b_2 * c$ costs $5 or $6, \\(x * y * z\\)[^1]\n\n[^1]: A note.")).toContain(
      "$a_1 * b_2 * c$ costs $5 or $6, \\(x * y * z\\)[^1]",
    );
    expect(viewOf("[^1]: A note.")).toContain("[^1]: A note.");
  });

  it("has headings of the place, by their Markdown", () => {
    const headingOf = (markdown: string) => ({ level: markdown === "`a` b" ? 4 : 6, id: `s-${markdown.length}` });
    expect(viewOf("# `a` b\n\n## c", { headingOf })).toContain('<h4 id="s-5"><code>a</code> b</h4><h6 id="s-1">c</h6>');
  });

  it("opens web pages outside, without a referrer", () => {
    const markup = viewOf("[a](https://example.com/a) ![b](http://example.com/b.png)");
    expect(markup.match(/rel="noopener noreferrer nofollow" target="_blank"/g)).toHaveLength(2);
    expect(markup).not.toContain("<img");
  });
});

describe("links within a library", () => {
  const pages = [
    { page: "docs/guide/install.md", url: "https://git.example.com/blob/c0ffee/docs/guide/install.md" },
    { page: "docs/README.md", url: "https://git.example.com/blob/c0ffee/docs/README.md" },
    { page: "api.yaml#/paths/~1users/get", url: "https://git.example.com/blob/c0ffee/api.yaml#/paths/~1users/get" },
    { page: "https://docs.example.com/start/", url: "https://docs.example.com/start/" },
  ];
  const pathOf = linksTo("/acme/widgets", pages);
  const read = (page: string) => `/-/read?${new URLSearchParams({ library: "/acme/widgets", page }).toString()}`;

  it.each([
    ["https://git.example.com/blob/c0ffee/docs/guide/install.md", read("docs/guide/install.md")],
    [
      "https://git.example.com/blob/c0ffee/docs/guide/install#größe%20x",
      `${read("docs/guide/install.md")}#s-gr%C3%B6%C3%9Fe%20x`,
    ],
    ["https://git.example.com/blob/c0ffee/docs/", read("docs/README.md")],
    ["docs/guide/install.md#a", `${read("docs/guide/install.md")}#s-a`],
    ["api.yaml#/paths/~1users/get", read("api.yaml#/paths/~1users/get")],
    ["https://docs.example.com/start", read("https://docs.example.com/start/")],
    ["#here%", "#s-here%25"],
    ["https://docs.example.com/other", undefined],
    ["javascript:alert(1)", undefined],
    ["#", undefined],
    ["", undefined],
  ])("lead from %j to %s", (address, path) => {
    expect(pathOf(address)).toBe(path);
  });
});
