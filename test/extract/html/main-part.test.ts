import { describe, expect, it } from "vitest";
import { extractPage } from "../../../extract/index.ts";
import { readHtml } from "../../../extract/html/index.ts";
import { documentOf, pageOf, textOf } from "./outline.ts";

const body = (content: string): string => `<html><head><title>T</title></head><body>${content}</body></html>`;
const inputOf = (mediaType: string, text: string) => ({
  path: "docs/a",
  mediaType,
  bytes: new TextEncoder().encode(text),
});
const links = `<div class="side"><ul>${'<li><a href="/p">Another page of it</a></li>'.repeat(12)}</ul></div>`;
const member = (name: string): string =>
  `<article><h4 id="${name}">${name}()</h4><p>${"It does what it is for. ".repeat(6)}</p></article>`;
const intro = "<p>Grinds barley between two stones.</p><pre>open()</pre>";
const words = `<p>${"One two three four. ".repeat(9)}</p>`;

describe("the main part of a page", () => {
  it.each([
    ["one member", `<div id="content"><h1>Mill</h1>${intro}${member("a")}</div>`],
    [
      "members in an element of their own",
      `<div id="content"><h1>Mill</h1>${intro}<div>${member("a")}${member("b")}</div></div>`,
    ],
    ["members directly in the body", `<h1>Mill</h1>${intro}${member("a")}${member("b")}`],
    [
      "members without a first heading",
      `<div><div><h2>Mill</h2>${intro}</div><div>${member("a")}${member("b")}</div></div>`,
    ],
    [
      "an introduction with the id of the content",
      `<div id="content"><h1>Mill</h1>${intro}</div>${member("a")}${member("b")}`,
    ],
  ])("has what introduces %s", (_, content) => {
    const text = textOf(body(links + content));
    expect(text).toMatch(/# Mill[^]*Grinds barley between two stones\.[^]*\n {2}\| open\(\)\n[^]*a\(\) \{#a\}/);
    expect(text).not.toContain("Another page");
  });

  it.each([
    [
      "main elements",
      `<h1>Mill</h1><main><h2>A</h2>${words}</main><p>Between them is a sentence.</p><main><h2>B</h2>${words}</main>`,
    ],
    [
      "sections",
      `<div><h1>Mill</h1><p>Between them is a sentence.</p><section role="main"><h2>A</h2>${words}</section><section role="main"><h2>B</h2>${words}</section></div>`,
    ],
    [
      "columns",
      `<div><div><article><h1>Mill</h1><h2>A</h2>${words}</article></div><p>Between them is a sentence.</p><div><article><h2>B</h2>${words}</article></div></div>`,
    ],
  ])("is all of several %s", (_, content) => {
    const text = textOf(body(links + content));
    for (const part of ["# Mill", "## A", "Between them", "## B"]) expect(text).toContain(part);
    expect(text).not.toContain("Another page");
  });

  it("has the heading above it, unless that is the site's", () => {
    const main = `<main><h2>A</h2>${words}</main>`;
    const header = `<header><nav><a href="a">Menu</a></nav><h1>Mill</h1><p>Grinds barley.</p></header>`;
    expect(textOf(body(`${header}<div>${links}${main}</div>`))).toContain("# Mill {#}\n\nGrinds barley.\n\n## A");
    const site = `<header><h1><a href="/">Site</a></h1><p>Its claim.</p></header>`;
    expect(textOf(body(site + main))).not.toContain("Site");
  });
});

describe("what is dropped from a page", () => {
  it("is counted by its reason, if it has words", () => {
    const page = pageOf(
      `<nav><a href="a">Menu</a></nav><nav></nav><script>let a;</script><p>Words <span hidden>hidden</span>.</p><button>Copy</button><div class="ad">Buy</div>`,
    ).replace("</body>", "<div>Beside it</div><footer>Copyright</footer></body>");
    const { dropped } = documentOf(page, { exclude: [".ad"] });
    expect(dropped).toEqual({
      menu: 1,
      script: 1,
      hidden: 1,
      control: 1,
      excluded: 1,
      footer: 1,
      beside: 1,
    });
  });

  it("is in the outcome of the page", () => {
    const text = `${words}<button>Copy</button><button>Run</button>`;
    expect(extractPage(inputOf("text/html", pageOf(text)), readHtml)).toMatchObject({
      outcome: "indexed",
      dropped: { control: 2 },
    });
  });

  it("is counted in Markdown, in all its pieces", () => {
    const part = `# More\n\nWords that it has.\n\n\`\`\`sh\nrun it\n\`\`\`\n\n<p hidden>Words</p>\n\n<style>\na {}\n</style>\n\n<svg></svg>\n\n`;
    const outcome = (text: string) => extractPage(inputOf("text/markdown", text));
    expect(outcome(part)).toMatchObject({ dropped: { hidden: 1, style: 1 } });
    const long = `## Long\n\n\`\`\`\n${"line\n".repeat(400_001)}\`\`\`\n\n`;
    expect(outcome(part + long + part)).toMatchObject({ dropped: { hidden: 2, style: 2 } });
  });

  it("is nothing that readers see as content", () => {
    const shown = [
      "<article><header><p>It introduces the article.</p></header><p>More of it.</p></article>",
      '<div class="toc"><h2>The table</h2><p>It introduces a format for tables of contents, in words.</p></div>',
      '<button aria-expanded="false" aria-controls="q">It introduces?</button><div id="q" hidden><p>An answer.</p></div>',
      "<button><h3>It introduces</h3></button>",
      "<textarea readonly>It introduces</textarea>",
      "<dialog open><p>It introduces.</p></dialog>",
      '<p>A <span style="color:transparent;background-clip:text">It introduces</span> gradient.</p>',
      '<p>A <span class="footnote">It introduces</span> note.</p>',
      '<section class="footnotes"><ol><li id="fn1">It introduces.</li></ol></section>',
    ];
    for (const one of shown) expect(textOf(pageOf(`<p>Words.</p>${one}`)), one).toContain("It introduces");
  });

  it("is nothing between the parts of an object's description", () => {
    const list = `<dl class="py function"><dt class="sig" id="a"><span class="descname">open</span>()</dt><div><p>It introduces.</p></div><dd>It opens.</dd></dl>`;
    expect(textOf(pageOf(list))).toMatch(/\| open\(\)\n\nIt introduces\.\n\nIt opens\./);
  });

  it("are the signs of self-links, and not the names of operators", () => {
    const text = textOf(
      pageOf(
        `<h2 id="a"><code>$</code><a href="#a">#</a></h2><p>Words.</p><pre>proc <a href="#b">\`$\`</a>(x: int)</pre><h3><a href="#c">&lt;=&gt;</a></h3><p>The <a href="#d">[]=</a> sets.</p><h3 id="t">Title <a href="#t">%</a><a href="#t">🔗</a><a href="#t">§</a><a href="#t">¶</a></h3><p>More <a href="#">+</a><a href="#e" data-toggle="collapse">-</a>words.</p>`,
      ),
    );
    expect(text).toContain("## $ {#a}");
    expect(text).toContain("  | proc `$`(x: int)");
    expect(text).toContain("### <=> {#");
    expect(text).toContain("The []= sets.");
    expect(text).toContain("### Title {#t}");
    expect(text).toContain("More words.");
  });
});

it("has each footnote once, where labels begin again and one is not referred to", () => {
  const text = textOf(
    pageOf(
      `<p>One<a href="#fn1" role="doc-noteref">1</a>.</p><ol class="footnotes"><li id="fn1">First note.</li><li id="fn2">Second note.</li></ol><p>Two<a href="#fn3" role="doc-noteref">1</a>.</p><div class="footnotes"><p id="fn3">Third note.</p></div>`,
    ),
  );
  for (const note of ["First", "Second", "Third"])
    expect(text.replace(/\(leads.*\n/g, "").split(`${note} note.`)).toHaveLength(2);
  expect(text).toContain("[^1]: First note.");
});
