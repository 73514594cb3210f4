import { describe, expect, it } from "vitest";
import { extractPage } from "../../../extract/index.ts";
import { readHtml } from "../../../extract/html/index.ts";
import { needsBrowser } from "../../../extract/website/scan.ts";
import { passagesOf } from "../extract.ts";
import { documentOf, fixture, pageOf, textOf } from "./outline.ts";
import { endurance } from "../../support/endurance.ts";

const codesOf = (content: string) =>
  documentOf(pageOf(content)).blocks.flatMap((block) => (block.type === "code" ? [block.code] : []));

describe("code of a page", () => {
  it.each([
    [
      "fences, entities and blanks at ends",
      "<pre><code>```js\n&lt;a&gt; &amp;amp;  \n\tb\n```\n</code></pre>",
      "```js\n<a> &amp;  \n\tb\n```",
    ],
    ["blank lines", "<pre>\na\n\n\nb\n</pre>", "a\n\n\nb"],
    [
      "lines without line ends",
      '<pre><code><span class="line">a</span><span class="line"></span><span class="line">b</span></code></pre>',
      "a\n\nb",
    ],
    [
      "lines with line ends",
      '<pre><code><span class="line">a</span>\n<span class="line"></span>\n<span class="line">b</span></code></pre>',
      "a\n\nb",
    ],
    [
      "lines of blocks",
      '<pre><code><div class="ec-line"><div class="code">a</div></div><div class="ec-line"><div class="code">\n</div></div><div class="ec-line"><div class="code">b</div></div></code></pre>',
      "a\n\nb",
    ],
    ["lines by breaks", "<pre>a<br><br/>b</pre>", "a\n\nb"],
    ["a list of lines", "<pre><ol><li>a</li><li></li><li>b</li></ol></pre>", "a\n\nb"],
    [
      "a table with numbers of lines",
      '<table class="lntable"><tr><td class="lntd"><pre><code><span class="lnt">1\n</span><span class="lnt">2\n</span></code></pre></td><td class="lntd"><pre><code class="language-go">a\nb\n</code></pre></td></tr></table>',
      "a\nb",
    ],
    ["numbers before lines", '<pre><span class="lineno">1 </span>a\n<span class="lineno">2 </span>b</pre>', "a\nb"],
    [
      "a button and what cannot be selected",
      '<pre><button>Copy</button><span style="user-select:none">$ </span>npm install</pre>',
      "npm install",
    ],
    [
      "prompts that the source has",
      '<pre><span class="gp">$ </span>npm install\n<span class="go">done</span></pre>',
      "$ npm install\ndone",
    ],
    ["blanks that do not break, where there are no others", "<pre>a&nbsp;=&nbsp;1</pre>", "a = 1"],
  ])("has %s", (_, content, code) => {
    expect(codesOf(content)).toEqual([code]);
  });

  it("has its caption before it, which is no description of the code before that", () => {
    const figure = (caption: string, code: string): string =>
      `<figure><figcaption>${caption}</figcaption><pre>${code}</pre></figure>`;
    const words = "Words about all gears that turn another gear.";
    const content = `<h1>Gears</h1><p>${words}</p><h2>A</h2><pre>first</pre>${figure("Turn it by hand", "second")}${figure("a/b.c", "third")}`;
    const page = { path: "a.html", mediaType: "text/html", bytes: new TextEncoder().encode(pageOf(content)) };
    expect(passagesOf(extractPage(page, readHtml)).flatMap(({ blocks }) => blocks)).toMatchObject([
      { markdown: `${words}\n\n#### A` },
      { codes: [{ code: "first" }], description: words },
      { markdown: "**Turn it by hand**" },
      { codes: [{ code: "second" }], title: "A: Turn it by hand" },
      { codes: [{ code: "third", file: "a/b.c" }] },
    ]);
  });

  it("is between the items of its list, which link to it", () => {
    const result = textOf(pageOf("<ol><li><p>Do this:</p><pre>a();</pre></li><li>Then that.</li></ol>"));
    expect(result).toMatch(
      /1\. Do this:\n\n\(leads: Do this:\)\n\n\{"language":""\}\n {2}\| a\(\);\n\n\(leads: Then that\.\)\n\n2\. Then that\./,
    );
  });
});

describe("a page", () => {
  it("has the anchors of its headings, or of their containers, in its passages", () => {
    const words = "Words enough to be served as prose, which people read with pleasure. ".repeat(12);
    const page = pageOf(
      `<section id="one"><h2>First part</h2><p>${words}</p></section><h2 id="of(T, U)">Second part</h2><p>${words}</p><h3>Without a place</h3><p>${words}</p><h2>Third</h2><p>${words}</p>`,
    );
    const result = extractPage(
      { path: "https://e.com/a", mediaType: "text/html", bytes: new TextEncoder().encode(page) },
      readHtml,
    );
    expect(result.outcome === "indexed" && result.passages.map(({ title, fragment }) => [title, fragment])).toEqual([
      ["First part", "one"],
      ["Second part", "of(T,%20U)"],
      ["Without a place", "of(T,%20U)"],
      ["Third", ""],
    ]);
  });

  it("has absolute links where its address is known, and no links to scripts", () => {
    const page = pageOf(
      `<p>See <a href="../b#c">this</a>, <a href="javascript:alert(1)">that</a> and <a href="https://e.com/x">more</a>.</p>`,
    );
    expect(textOf(page, { url: "https://e.com/docs/a" })).toContain(
      "See [this](https://e.com/b#c), that and [more](https://e.com/x).",
    );
    expect(textOf(page)).toContain("[this](../b#c)");
  });

  it("is read without what is excluded; a selector that cannot be parsed excludes nothing", () => {
    const page = pageOf(`<p class="ad">Buy it.</p><p>Words.</p><ul id="x"><li>Gone</li></ul>`);
    const read = textOf(page, { exclude: [".ad", "ul#x > li", "p[["] });
    expect(read).toContain("Words.");
    expect(read).not.toMatch(/Buy it|Gone/);
  });

  it("has its title without that of its site", () => {
    const titled = (title: string, heading: string, head = "") =>
      documentOf(`<head><title>${title}</title>${head}</head><body>${heading}<p>Words.</p></body>`).title;
    expect(titled("Install | Guide | Site", "<h1>Install</h1>")).toBe("Install");
    expect(titled("Site — Install", "<h1>Install</h1>")).toBe("Install");
    expect(titled("Install - Site", "", '<meta property="og:site_name" content="Site">')).toBe("Install");
    expect(titled("Well-known words", "")).toBe("Well-known words");
  });

  it("shows declarative shadow roots with what fills their slots", () => {
    const page = pageOf(
      `<x-note><template shadowrootmode="open"><p>Before it.</p><slot name="body">Nothing.</slot><slot></slot></template><p slot="body">In the slot.</p>Rest of it.<p slot="other">Not shown.</p></x-note>`,
    );
    const read = textOf(page);
    expect(read).toMatch(/Before it\.[^]*In the slot\.[^]*Rest of it\./);
    expect(read).not.toMatch(/Nothing|Not shown/);
  });

  it("writes tables, nested lists, terms and footnotes as Markdown", () => {
    const page = pageOf(
      `<table><tr><th>A|B</th><th>C</th></tr><tr><td><p>one</p><p>two</p></td><td><ul><li>x</li><li>y</li></ul></td></tr></table><ul><li>a<ul><li>b</li></ul></li></ul><dl><dt><code>t</code></dt><dd>A term.</dd></dl><p>Noted<sup><a href="#fn1" role="doc-noteref">1</a></sup>.</p><aside role="doc-footnote" id="fn1">The note.</aside>`,
    );
    expect(textOf(page)).toContain(
      "| A\\|B | C |\n| --- | --- |\n| one two | x; y |\n\n(leads: a)\n\n(leads: b)\n\n- a\n  - b\n\n(leads: A term.)\n\n- `t`: A term.\n\nNoted[^1].\n\n[^1]: The note.",
    );
  });
});

describe("needsBrowser", () => {
  const scripts = '<script src="a.js"></script>';
  it.each([
    ["an empty root", `<div id="root"></div>${scripts}`, true],
    ["one that loads", `<div id="app"><p>Loading…</p></div>${scripts}`, true],
    ["an element of Angular", `<app-root></app-root>${scripts}`, true],
    ["nothing but navigation", `<nav>${"Menu ".repeat(300)}</nav><div id="__next"></div>${scripts}`, true],
    ["text that is hidden until scripts run", `<div hidden>${"Words. ".repeat(200)}</div>${scripts}`, true],
    [
      "a note for those without scripts",
      `<noscript>${"Enable JavaScript. ".repeat(50)}</noscript><div id="root"></div>${scripts}`,
      true,
    ],
    [
      "a short page that has a paragraph",
      `<div id="app"><h1>Start</h1><p>Words of the first page.</p></div>${scripts}`,
      false,
    ],
    ["a page without scripts", "<p>Short.</p>", false],
    ["text next to an empty root", `<main>${"Words. ".repeat(200)}</main><div id="root"></div>${scripts}`, false],
  ])("of %s", (_, body, needed) => {
    expect(needsBrowser(`<!doctype html><html><head><title>A</title></head><body>${body}</body></html>`)).toBe(needed);
  });

  it("of pages of generators is false", () => {
    for (const name of ["docusaurus", "vitepress", "starlight", "nextra", "gitbook"])
      expect(needsBrowser(fixture(name) + scripts), name).toBe(false);
  });
});

describe("the cost of a page", () => {
  const cost = (html: string): number => {
    const before = process.threadCpuUsage();
    readHtml(html, { url: "https://e.com/a" });
    needsBrowser(html);
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  };
  const section =
    '<h2 id="a">A section</h2><p>Words <a href="b">that</a> are read.</p><pre><code class="language-js">a();\nb();\n</code></pre><ul><li>a</li></ul>';

  it.runIf(endurance)(
    "of a large one is that of seconds, whatever is in it",
    () => {
      const pages = [
        section,
        "<tr><td>a<td>b",
        "<div>",
        "<b>",
        "<p>a<li>b<td>c<em>",
        '<i id="a">',
        "<a href=x>b</a> ",
        "<pre>a</pre>",
        "<dl><dt id=a><code class=descname>f</code><dd>b</dl>",
      ];
      for (const part of pages) expect(cost(part.repeat(300_000 / part.length)), part).toBeLessThan(10_000);
      expect(cost(`<div ${Array.from({ length: 100_000 }, (_, at) => `a${at}=1`).join(" ")}>x</div>`)).toBeLessThan(
        15_000,
      );
    },
    120_000,
  );

  it("is none for one that is nested too deep", () => {
    expect(readHtml("<div>".repeat(100_000))).toMatchObject({ code: "too_large" });
  });
});
