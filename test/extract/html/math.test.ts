import { describe, expect, it } from "vitest";
import { documentOf, pageOf } from "./outline.ts";

const read = (content: string): string =>
  documentOf(pageOf(content))
    .blocks.slice(1)
    .flatMap((block) => (block.type === "heading" ? [block.text] : block.type === "code" ? [] : [block.markdown]))
    .filter((text) => text !== "")
    .join("\n\n");

const katex = (tex: string, attributes = ""): string =>
  `<span class="katex"><span class="katex-mathml"><math ${attributes}><semantics><mi>x</mi><annotation encoding="application/x-tex">${tex}</annotation></semantics></math></span><span class="katex-html" aria-hidden="true">drawn</span></span>`;
const mathml = (inner: string): string => `<math>${inner}</math>`;
const drawn = `<span class="MathJax_Preview">drawn</span><span class="MathJax" id="e1"><nobr>drawn</nobr><span class="MJX_Assistive_MathML"><math><mi>drawn</mi></math></span></span>`;
const container = (inner: string, attributes = ""): string =>
  `<mjx-container class="MathJax" ${attributes}><mjx-math aria-hidden="true"></mjx-math><mjx-assistive-mml>${inner}</mjx-assistive-mml></mjx-container>`;

describe("a formula of a page is served once", () => {
  it.each([
    ["KaTeX", katex("a_i^2 \\sum_{i=1}"), "$a_i^2 \\sum_{i=1}$"],
    ["KaTeX, displayed", `<span class="katex-display">${katex("x", 'display="block"')}</span>`, "\n\n$$\nx\n$$\n\n"],
    ["KaTeX with a sign of its own", katex("\\text{$x$}"), "\\(\\text{$x$}\\)"],
    ["KaTeX that draws only", '<span class="katex"><span class="katex-html" aria-hidden="true">x2</span></span>', "x2"],
    ["MathJax 2", `${drawn}<script type="math/tex">a < b</script>`, "$a < b$"],
    ["kramdown", `<script type="math/tex; mode=display">% <![CDATA[\na &= b %]]></script>`, "\n\n$$\na &= b\n$$\n\n"],
    ["MathJax 3", container(mathml("<msup><mi>x</mi><mn>2</mn></msup>")), "x^2"],
    [
      "MathJax 4",
      container('<math data-latex="\\frac{a}{b}"><mi>drawn</mi></math>', 'display="true"'),
      "\n\n$$\n\\frac{a}{b}\n$$\n\n",
    ],
    [
      "raw text",
      "\\(a  *\n b\\), \\[x\\], $$y$$, \\begin{align}z\\end{align}",
      "\\(a  *\n b\\), \\[x\\], $$y$$, \\begin{align}z\\end{align}",
    ],
    ["an escaped and an open sign", "\\\\(a  b\\\\) and \\( c  d", "\\\\(a b\\\\) and \\( c d"],
    ["Sphinx", '<span class="math notranslate">\\(a_1\\)</span>', "\\(a_1\\)"],
    ["Pandoc for KaTeX", '<span class="math inline">a_1</span>', "$a_1$"],
    ["GitHub", '<math-renderer class="js-inline-math">$a$</math-renderer>', "$a$"],
    [
      "Wikipedia",
      `<span class="mwe-math-element"><span style="display: none">${mathml('<semantics><mi>c</mi><annotation encoding="application/x-tex">c_1</annotation></semantics>')}</span><img class="mwe-math-fallback-image-inline" alt="c_1"></span>`,
      "$c_1$",
    ],
    ["LaTeX2HTML", '<img src="img1.png" alt="$x \\le y$">', "$x \\le y$"],
    ["an image of Sphinx", '<img class="math" src="m.png" alt="a_1">', "$a_1$"],
    ["a power", mathml("<msup><mi>a</mi><mrow><mi>n</mi><mo>+</mo><mn>1</mn></mrow></msup>"), "a^(n+1)"],
    [
      "a fraction and a root",
      mathml("<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></mfrac><msqrt><mi>x</mi></msqrt>"),
      "(a+b)/2√x",
    ],
    [
      "words",
      mathml("<mi>sin</mi><mo>&#x2061;</mo><mi>x</mi><mo>∈</mo><msub><mi>R</mi><mi>max</mi></msub>"),
      "sin x ∈ R_(max)",
    ],
    [
      "a matrix",
      mathml("<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr><mtr><mtd><mn>3</mn></mtd></mtr></mtable>"),
      "1, 2; 3",
    ],
  ])("of %s", (_, formula, shown) => {
    const expected = `So ${shown} holds.`.replace(/ ?\n\n ?/g, "\n\n");
    expect(read(`<p>So ${formula} holds.</p>`)).toBe(expected);
  });

  it("in headings, lists and tables, too", () => {
    const formula = katex("x^2");
    const text = read(
      `<h2>The ${formula} norm</h2><p>It is one.</p><ul><li>one ${formula}</li></ul><table><tr><th>${formula}</th></tr><tr><td>a</td></tr></table>`,
    );
    expect(text).toBe("The $x^2$ norm\n\nIt is one.\n\n- one $x^2$\n\n| $x^2$ |\n| --- |\n| a |");
  });

  it("and not where it is hidden, or in code", () => {
    expect(read(`<p>Words <span hidden>${katex("x")}</span><math style="display:none"><mi>y</mi></math></p>`)).toBe(
      "Words",
    );
    expect(read("<p>Write <code>\\(x\\)</code>.</p>")).toBe("Write `\\(x\\)`.");
    const { blocks } = documentOf(pageOf("<pre>echo $$  \\(a\\)  $$</pre>"));
    expect(blocks.at(-1)).toMatchObject({ code: "echo $$  \\(a\\)  $$" });
  });
});
