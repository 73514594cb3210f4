import { expect, it } from "vitest";
import { readHtml } from "../../../extract/html/index.ts";

const deep = (open: string, close: string): string => open.repeat(150) + close.repeat(150);

/** Markup that is repeated in a page, with `@` for its number. */
const parts = {
  "open formulas": "\\( \\[ $$$ \\begin{align} ",
  "written formulas": "\\(a\\) $$b$$ ",
  "formulas of many parts": "<mi>ab</mi><mo>=</mo>",
  "formulas in formulas": deep('<span class="katex"><math><msup>', "</msup></math></span>"),
  "drawings without formulas": deep('<span class="MathJax">', "</span>"),
  "formulas of scripts": '<span class="MathJax">a</span> <script type="math/tex">a</script> ',
  "formulas of KaTeX":
    '<span class="katex"><annotation encoding="application/x-tex">a</annotation><i aria-hidden="true">a</i></span> ',
  mains: "<main><p>Words of it.</p></main>",
  "articles with words between them": "<div><article><p>Words of it.</p></article></div><p>Words between them.</p>",
  "articles in articles": deep("<article><p>Words.</p>", "</article>"),
  "mains in elements": deep("<div>", "<main>Words.</main></div>"),
  titles: "<div><h1>A</h1><p>Words.</p></div><article><p>Words of it.</p></article>",
  headers: "<article><header><p>Words of it</p></header></article>",
  "buttons and panels": '<button aria-expanded="false" aria-controls="a@">A</button><div id="a@" hidden>Words.</div>',
  "contents in contents": deep('<div class="toc">', '<a href="#a">A</a></div>'),
  footnotes: '<a href="#fn:@">@</a><ol class="footnotes"><li id="fn:@">Words.</li></ol>',
  "references to a footnote": '<a href="#fn:1">@</a>',
};

/** Time of the processor for a page of about `length` characters, in seconds; the lesser of two. */
function secondsOf(part: string, length: number): number {
  const content = Array.from({ length: Math.ceil(length / part.length) }, (_, at) => part.replaceAll("@", String(at)));
  const page = `<body><div>${part.startsWith("<mi") ? "<math>" : ""}${content.join("")}</body>`;
  const times = [1, 2].map(() => {
    const before = process.threadCpuUsage();
    readHtml(page);
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1e6;
  });
  return Math.min(...times);
}

it.each(Object.entries(parts))("a page of %s is read in time that is linear in its length", (_, part) => {
  const [short, long] = [secondsOf(part, 50_000), secondsOf(part, 200_000)];
  expect(long).toBeLessThan(8 * short + 0.3);
});
