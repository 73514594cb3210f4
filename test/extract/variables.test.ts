import { describe, expect, it } from "vitest";
import { extractPage } from "../../extract/index.ts";
import { includesOf } from "../../extract/includes/index.ts";
import { codesOf, examplesOf, extract, passagesOf, proseIn, proseOf, withFiles } from "./extract.ts";

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
    [
      "| a |version| b |\n|---|---|---|\n| c |version| d |",
      "| a | version | b |\n| --- | --- | --- |\n| c | version | d |",
    ],
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

describe("what the repository says of names in double braces", () => {
  const page = "# Use {{es}}\n\nInstall {{es}} and {{ kib.name }}, `{{es}}` of ${es}.\n\n~~~sh\nrun {{es}}\n~~~\n";

  it.each([
    [
      "docs/docset.yml",
      'project: x\ntoc:\n  - file: a.md\nsubs:\n  es:   "Elastic{{kib.name}}"\n  kib.name: Kibana # so\nes: no\n',
    ],
    [
      "mkdocs.yml",
      "site_name: x\nextra:\n  es: ElasticKibana\n  kib:\n    name: 'Kibana'\nplugins:\n  - x:\n      es: no\n",
    ],
    [
      "docs/antora.yml",
      "name: x\nasciidoc:\n  attributes:\n    es: ElasticKibana@\n    text: >\n      es: no\n    kib.name: Kibana\n",
    ],
  ])("is replaced in prose, but not in code: %s", (place, settings) => {
    const result = withFiles("docs/guide/a.md", page, { [place]: settings });
    expect(passagesOf(result)).toMatchObject([{ title: "Use ElasticKibana" }]);
    expect(proseOf(result)).toEqual(["Install ElasticKibana and Kibana, `{{es}}` of ${es}."]);
    expect(codesOf(result)).toMatchObject([{ code: "run {{es}}" }]);
    const [include] = includesOf({ path: "docs/guide/a.md", bytes: new TextEncoder().encode(page) });
    expect(include?.places).toContain(place);
  });

  it("is what conf.py and _config.yml have of MyST's substitutions", () => {
    const text = "# A\n\nInstall {{ role }} with these words.\n";
    for (const files of [
      { "docs/conf.py": 'a = {"role": "no"}\nmyst_substitutions = {\n    "role": "Widgetron",\n}\n' },
      { "_config.yml": "title: x\nparse:\n  myst_substitutions:\n    role: Widgetron\n" },
    ])
      expect(proseOf(withFiles("docs/a.md", text, files))).toEqual(["Install Widgetron with these words."]);
  });

  it("is what Jekyll has of its site", () => {
    const result = withFiles("a.md", "# A\n\nInstall {{ site.product.name }} or {{ site.other }} of {{ product }}.\n", {
      "_config.yml": "product:\n  name: Widgetron\n",
    });
    expect(proseOf(result)).toEqual(["Install Widgetron or site.other of {{ product }}."]);
  });

  it("is its name on a page that is in no tree", () => {
    const bytes = new TextEncoder().encode("# A\n\nInstall {{ site.product }} or {{ other }} with these words.\n");
    const page = extractPage({ path: "https://docs.example/a", mediaType: "text/markdown", bytes });
    expect(proseOf(page)).toEqual(["Install site.product or {{ other }} with these words."]);
  });

  it("has less weight than one of the page, and stays as written where it is unknown", () => {
    const result = withFiles("a.md", "---\nes: Mine\n---\n\n# A\n\nInstall {{es}} and {{other}} with these words.\n", {
      "docset.yml": "subs:\n  es: Site\n  deep:\n    - [\n",
    });
    expect(proseOf(result)).toEqual(["Install Mine and {{other}} with these words."]);
    expect(includesOf({ path: "a.md", bytes: new TextEncoder().encode("# A\n\nNo { braces } here.\n") })).toEqual([]);
  });
});
