import { describe, expect, it } from "vitest";
import { extractPage } from "../../../extract/index.ts";
import { readHtml } from "../../../extract/html/index.ts";
import { codesOf as codesIn, extract } from "../extract.ts";
import { documentOf, pageOf, textOf } from "./outline.ts";
import { endurance } from "../../support/endurance.ts";

const codesOf = (content: string) =>
  documentOf(pageOf(content)).blocks.flatMap((block) => (block.type === "code" ? [block.code] : []));

const blockOf = (content: string) => {
  const [code, ...others] = documentOf(pageOf(content)).blocks.filter(({ type }) => type === "code");
  if (code?.type !== "code" || others.length > 0) throw new Error(`${others.length} other blocks`);
  return code;
};

describe("lines that the markup makes in preformatted text", () => {
  it.each([
    [
      "elements shown as blocks",
      '<pre><code><span style="display:block">a {</span><span style="color: red; display: block"></span><span style="display:block">  b</span></code></pre>',
      "a {\n\n  b",
    ],
    [
      "classes that mean a block",
      '<pre><code><span class="block">a {</span><span class="d-block">  b</span></code></pre>',
      "a {\n  b",
    ],
    [
      "blocks that have their line ends",
      '<pre><code><span style="display:block">a</span>\n<span style="display:block">b</span>\n</code></pre>',
      "a\nb",
    ],
    [
      "a block among other text",
      '<pre><code>a\n<span style="display:block" class="hl">b</span>c</code></pre>',
      "a\nb\nc",
    ],
    [
      "classes of lines",
      '<pre><code><span class="code__line">a</span><span class="code__line codeLine_x1">  b</span></code></pre>',
      "a\n  b",
    ],
    ["an element of code for each", "<pre><code>a 1</code><code>  b</code></pre>", "a 1\n  b"],
    ["elements of code in one line", "<pre><code>a</code> <code>b</code></pre>", "a b"],
    [
      "rows, with numbers in attributes of both cells",
      '<pre><code><table>\n<tr>\n<td class="n" data-line-number="1"></td>\n<td data-line-number="1">if a:</td>\n</tr>\n<tr><td class="n" data-line-number="2">2</td><td data-line-number="2">    b</td></tr></table></code></pre>',
      "if a:\n    b",
    ],
    [
      "numbers between lines",
      '<pre><code><span class="lineno">1</span><span class="line">a</span><span class="lineno">2</span><span class="line">b</span></code></pre>',
      "a\nb",
    ],
  ])("by %s", (_, content, code) => {
    expect(codesOf(content)).toEqual([code]);
  });
});

describe("code without preformatted text", () => {
  const cells = (rows: readonly string[], cell = "<td>") => rows.map((row) => `<tr>${cell}${row}</td></tr>`).join("");
  it.each([
    [
      "a table of lines with their numbers",
      '<table class="highlight"><tr><td class="blob-num" data-line-number="1"></td><td class="blob-code">def f():</td></tr><tr><td class="blob-num" data-line-number="2"></td><td class="blob-code">    return 1</td></tr></table>',
      "def f():\n    return 1",
    ],
    [
      "a table with an element of code in each row",
      `<table>\n${cells(["<code>a {</code>", "", "<tt>&nbsp;&nbsp;b</tt>", "<code>}</code>"])}</table>`,
      "a {\n\n  b\n}",
    ],
    [
      "a table in an element whose class says that it is code",
      `<blockquote class="SCodeFlow"><table class="Blk">${cells([
        '<span class="p">(</span><a href="d">define</a><span class="sp">&nbsp;</span>x',
        '<p><span class="sp">&nbsp;&nbsp;</span>"of two words"<span class="p">)</span></p>',
        "&nbsp;",
      ])}</table></blockquote>`,
      '(define x\n  "of two words")\n',
    ],
    [
      "a table of coloured words, blanks and signs",
      `<table>${cells([
        '<span class="p">(</span><span class="s">f</span><span class="h">&nbsp;</span><span class="p">(</span>',
        '<span class="h">&nbsp;&nbsp;</span><span class="s">a</span><span class="p">)</span><span class="p">)</span>',
      ])}</table>`,
      "(f (\n  a))",
    ],
    [
      "coloured words with a class of code",
      '<div class="ACodeFlow"><p><span class="p">(</span><span class="s">f</span><span class="h">&nbsp;</span><span class="s">x)</span></p></div>',
      "(f x)",
    ],
    [
      "a monospace table",
      `<table class="verbatim">${cells(['<p><span class="stt">a</span><span class="h">&nbsp;&nbsp;</span>b</p>'])}</table>`,
      "a  b",
    ],
    ["a list of lines", '<ol class="code">\n<li>a {\n<li>&nbsp; b\n<li>}\n</ol>', "a {\n  b\n}"],
    [
      "elements of lines",
      '<div class="viewer"><div class="code-line">a {</div>\n<div class="code-line"></div>\n<div class="code-line">  b</div></div>',
      "a {\n\n  b",
    ],
    [
      "lines of elements of code",
      '<div><div class="line"><code>var</code> <code>a</code></div><div class="line"><code>&nbsp;&nbsp;b</code></div></div>',
      "var a\n  b",
    ],
    ["preformatted lines", '<div><pre class="x-line">a</pre><pre class="x-line">  b</pre></div>', "a\n  b"],
    ["a paragraph of typewriter text", "<p><tt>a {<br>\n&nbsp; b<br>\n}</tt></p>", "a {\n  b\n}"],
    ["samples", "<div><samp>one<br>two</samp></div>", "one\ntwo"],
    ["keys to press", "<li><kbd>cd x<br/>make</kbd></li>", "cd x\nmake"],
    ["an element that keeps its line ends", '<p><code style="white-space: pre-wrap">a\n  b</code></p>', "a\n  b"],
    ["an element shown as a block", '<p>Run this:<code style="display: block">a b</code></p>', "a b"],
    [
      "elements shown as blocks, one a line",
      '<div><code class="block">a</code>\n<code class="block">b</code></div>',
      "a\nb",
    ],
    ["a paragraph of the class", '<p class="source-code">a {<br>&nbsp;&nbsp;b<br>}</p>', "a {\n  b\n}"],
    ["old elements for it", "<listing>\na &lt; b\n c</listing>", "a < b\n c"],
    ["old elements without markup", "<xmp><b>\n c</xmp>", "<b>\n c"],
    ["a field that cannot be changed", "<textarea readonly>\na &lt; b\n  c</textarea>", "a < b\n  c"],
    ["an element of its own", '<code-sample lang="js">\na();\n  b();\n</code-sample>', "a();\n  b();"],
    ["an element of its own around code", "<x-snippet><code>a();</code></x-snippet>", "a();"],
  ])("is %s", (_, content, code) => {
    expect(codesOf(`<p>Before it.</p>${content}<p>After it.</p>`)).toEqual([code]);
    expect(textOf(pageOf(`<p>Before it.</p>${content}<p>After it.</p>`))).toMatch(/Before it\.[^]*\| [^]*After it\./);
  });

  it.each([
    ["a table of names with a heading", "<table><tr><th>Name</th></tr><tr><td><code>a</code></td></tr></table>"],
    ["a table of two columns", "<table><tr><td><code>a</code></td><td><code>b</code></td></tr></table>"],
    ["a numbered table", "<table><tr><td>1</td><td>Words</td></tr><tr><td>2</td><td>Others</td></tr></table>"],
    [
      "a table of contents",
      '<table><tr><td><a href="a">1<span class="hspace">&nbsp;</span>One</a></td></tr><tr><td><a href="b">2<span class="hspace">&nbsp;</span>Two</a></td></tr></table>',
    ],
    ["a table of errors", '<table class="error-codes"><tr><td>404</td><td>Not found</td></tr></table>'],
    ["a list of names", "<ul><li><code>a</code></li><li><code>b</code></li></ul>"],
    ["lines of a poem", '<div class="line-block"><div class="line">One,</div><div class="line">two.</div></div>'],
    ["code in a sentence", "<p>See <code>a<br>b</code>.</p>"],
    ["keys in a sentence", "<p><kbd>Ctrl</kbd>+<kbd>C</kbd></p>"],
    ["a name alone", "<p><code>name</code></p>"],
    ["names between breaks", "<p><code>a</code><br><code>b</code></p>"],
    ["words in an element of the class", '<div class="code-example"><p>These are words.</p></div>'],
    ["an element of its own in a sentence", "<p>Use <x-code>a</x-code> here.</p>"],
    ["an address", "<p>One street<br>One town</p>"],
  ])("is not %s", (_, content) => {
    expect(codesOf(`<p>Before it.</p>${content}<p>After it.</p>`)).toEqual([]);
  });

  it("of several lines stays in its cell", () => {
    expect(
      textOf(pageOf("<table><tr><th>A</th><th>B</th></tr><tr><td><code>a<br>b</code></td><td>c</td></tr></table>")),
    ).toMatch(/\| A \| B \|\n[^\n]*\n\| `a` `b` \| c \|/);
  });

  it("in a list of terms that has no terms is read", () => {
    const page = '<dl class="block"><div>Example: <ol><li><pre>val l = 1\nval r = 2</pre></li></ol></div></dl>';
    expect(codesOf(page)).toEqual(["val l = 1\nval r = 2"]);
    expect(textOf(pageOf(page))).toContain("Example:");
  });

  it("is not a field of Markdown that can be changed", () => {
    const page = "# A\n\nWrite what you like.\n\n<textarea>\nfrom the first line on\n</textarea>\n";
    expect(codesIn(extract("a.md", page))).toEqual([]);
    expect(codesIn(extract("a.md", page.replace("textarea>", "textarea readonly>")))).toMatchObject([
      { code: "from the first line on" },
    ]);
  });

  it("is served with the words around it", () => {
    const bytes = new TextEncoder().encode(
      pageOf(
        "<p>A dive calls the function with what was seen, one at a time and in order.</p><p><tt>bird.dive();<br>bird.rise();</tt></p>",
      ),
    );
    const read = extractPage({ path: "https://e.com/a", mediaType: "text/html", bytes }, readHtml);
    expect(read.outcome === "indexed" && read.passages.flatMap(({ blocks }) => blocks)).toMatchObject([
      { type: "prose" },
      { type: "code", codes: [{ code: "bird.dive();\nbird.rise();" }] },
    ]);
  });
});

describe("the bar of a block of code", () => {
  const code = "<pre><code>a();</code></pre>";
  it.each([
    [
      "a language and a button",
      `<div><div class="bar"><span>ts</span><button>Copy</button></div>${code}</div>`,
      "typescript",
      "",
    ],
    [
      "a language that the code says itself",
      `<div><div>Shell</div><pre><code class="language-js">a();</code></pre></div>`,
      "javascript",
      "",
    ],
    [
      "a file, a language and buttons",
      `<div><div><div>src/a.rs</div><div><span>Rust</span><a href="#">Copy code</a></div></div>${code}</div>`,
      "rust",
      "src/a.rs",
    ],
    ["a bar after the code", `<div>${code}<div><span>python</span><span>Copied!</span></div></div>`, "python", ""],
    [
      "words of buttons",
      `<div><div><span>Go</span><span>Run</span><a href="x">Open in playground</a><span>Wrap lines</span></div>${code}</div>`,
      "go",
      "",
    ],
    [
      "a count of lines",
      `<div><div><span>a.rb</span><span>12 lines (10 loc) · 1.2 KB</span></div>${code}</div>`,
      "",
      "a.rb",
    ],
    [
      "a title",
      `<div><div class="title-bar"><span>Do it</span><span>C#</span><span>Copy</span></div>${code}</div>`,
      "csharp",
      "Do it",
    ],
    [
      "a bar beside the code",
      `<h2>A</h2><p>Words.</p><div class="bar"><span>ts</span><span>Copy</span></div>${code}<p>Words.</p>`,
      "typescript",
      "",
    ],
  ])("has %s", (_, content, language, title) => {
    const block = blockOf(content);
    expect([block.language, block.file ?? block.label ?? ""]).toEqual([language, title]);
    expect(textOf(pageOf(content))).not.toMatch(/Copy|Copied|Run|playground|lines|^(?:ts|Shell|Rust|python|Go|C#)$/m);
  });

  it.each([
    ["words", `<div><div>Words that are read.</div>${code}</div>`, "Words that are read."],
    ["a sentence about a language", `<div><div>In <b>Rust</b></div>${code}</div>`, "In **Rust**"],
    ["a heading", `<div><h3>Python</h3>${code}</div>`, "Python"],
    ["a paragraph before it", `<p>Bash</p>${code}`, "Bash"],
  ])("is not %s", (_, content, kept) => {
    expect(textOf(pageOf(content))).toContain(kept);
  });
});

describe("the cost of code", () => {
  it.runIf(endurance).each([
    ["<p><tt>a<br>b", "</tt></p>", 1],
    ['<div class="bar">ts</div><pre>a', "</pre>", 1],
    ['<td data-line-number="1">1', "</td>", 1],
    ["<code>a<br>", "</code>", 200],
    ["<table><tr><td><tt>a", "</tt></td></tr></table>", 60],
    ['<div class="code line">', "</div>", 200],
    ['<div class="code"><p class="line"><code>a</code></p>', "</div>", 200],
    ["<x-code>a\n", "</x-code>", 200],
    ["<dl><div>", "</div></dl>", 100],
    ['<pre><code class="block">a', "</code></pre>", 100],
  ])("grows with the page: %s", (open, close, depth) => {
    const part = open.repeat(depth) + close.repeat(depth);
    const costOf = (length: number): number => {
      const page = pageOf(part.repeat(length / part.length));
      const before = process.threadCpuUsage();
      expect(readHtml(page)).toHaveProperty("blocks");
      const { user, system } = process.threadCpuUsage(before);
      return (user + system) / 1000;
    };
    costOf(50_000);
    expect(costOf(400_000)).toBeLessThan(8 * costOf(100_000) + 300);
  });
});
