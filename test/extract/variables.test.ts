import { describe, expect, it } from "vitest";
import { examplesOf, extract, proseIn } from "./extract.ts";

const matter = '---\ntitle: T\nversion: "2.4"\nmyst:\n  substitutions:\n    product: Widgetron\n---\n\n# A\n\n';

describe("what stands for words", () => {
  it.each([
    ["Install {{ page.version }} or {{version}} of {{ product }}.", "Install 2.4 or 2.4 of Widgetron."],
    [
      "Install {{ $frontmatter.version }} of |product| and ${version}, %version%.",
      "Install 2.4 of Widgetron and 2.4, 2.4.",
    ],
    ['Use {{ site.name | default: "x" }} and {{ page.other }} there.', "Use site.name and page.other there."],
    [
      "See [it]({{ site.baseurl }}/a/b) and [that]({% link _docs/a.md %}) now.",
      "See [it](/a/b) and [that](_docs/a.md) now.",
    ],
    ['See [it]({{ "/a/b" | relative_url }}) as well now.', "See [it](/a/b) as well now."],
    ["It is |release| of them, at |today|.", "It is release of them, at today."],
    ["| a |version| b |\n|---|---|---|\n| c |version| d |", "| a |version| b |\n|---|---|---|\n| c |version| d |"],
    ["Read {ref}`the guide <a/b>` on {func}`~a.b` and {term}`HTML`.", "Read the guide on `a.b` and HTML."],
    ['Press :kbd{value="K"}, a :badge[New]{color="x"} one, with :icon{name="i"} it.', "Press K, a New one, with  it."],
  ])("is what its front matter says, or its name: %s", (markdown, shown) => {
    expect(proseIn(`${matter}${markdown}\n`)).toBe(shown);
  });

  it.each([
    "Vue shows {{ message }} and {{ a ? b : c }}, Helm {{ .Values.image }} there.",
    "Set `{{ page.version }}`, `%version%` and `{ref}\u0060a\u0060` in %APPDATA% or ${HOME} there.",
    "Call a || b or x |> f() |> g(), at 50% to 60% of it.",
    "A {custom}`role` and time:kbd of it stay as they are.",
  ])("stays where it may be the subject: %s", (markdown) => {
    expect(proseIn(`${matter}${markdown}\n`)).toBe(markdown);
  });

  it("is in headings and descriptions too, and never in code", () => {
    const page = `${matter}## Version {{ page.version }}\n\nRun {{ product }}:\n\n~~~sh\nrun {{ page.version }} {{< param "version" >}}\n~~~\n`;
    expect(examplesOf(extract("a.md", page))).toMatchObject([
      {
        title: "Version 2.4",
        description: "Run Widgetron:",
        codes: [{ code: 'run {{ page.version }} {{< param "version" >}}' }],
      },
    ]);
  });

  it("is read from TOML as well", () => {
    expect(
      proseIn(
        '+++\ntitle = "T"\n[params]\nversion = "2.4"\n+++\n\nInstall {{< param "version" >}} of {{< param other >}}.\n',
      ),
    ).toBe("Install 2.4 of other.");
  });
});
