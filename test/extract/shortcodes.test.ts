import { describe, expect, it } from "vitest";
import { codesOf, extract, proseOf, snippetsOf } from "./extract.ts";

describe("a shortcode", () => {
  it("that marks code is read as a fence, with the code as it stands there", () => {
    const page =
      '# A\n\nRun it:\n\n{{< highlight go "linenos=true" >}}\nfunc a() {\n\tb(`c`) // {{< x >}}\n}\n{{< / highlight >}}\n\n- Or:\n\n  {{% redis-cli %}}\n  redis> GET a\n  {{% /redis-cli %}}\n';
    expect(codesOf(extract("a.md", page))).toMatchObject([
      { language: "go", code: "func a() {\n\tb(`c`) // {{< x >}}\n}", lines: [5, 9] },
      { language: "redis", code: "redis> GET a" },
    ]);
    expect(proseOf(page)).not.toContain("{{");
  });

  it("that marks code keeps what is in a fence already, and gives code the name of its file", () => {
    const page =
      "# A\n\n{{< code >}}\n```js\na();\n```\n{{< /code >}}\n\n{{< code-toggle file=content/a.md >}}\nb = 1\n{{< /code-toggle >}}\n";
    expect(codesOf(extract("a.md", page))).toMatchObject([
      { language: "javascript", code: "a();" },
      { language: "toml", code: "b = 1", file: "content/a.md" },
    ]);
  });

  it("of a callout is its label, whatever the theme calls it", () => {
    const page =
      '# A\n\n{{% alert title="Rotate keys" color="warning" %}}\nThey expire.\n{{% /alert %}}\n\n{{< note >}}Mind the gap.{{< /note >}}\n\n{{% notice tip "Faster" %}}\nUse a cache.\n{{% /notice %}}\n\n{{< hint danger >}}\nIt is gone then.\n{{< /hint >}}\n';
    expect(proseOf(page)).toBe(
      "**Warning: Rotate keys**\nThey expire.\n\n**Note:** Mind the gap.\n\n**Tip: Faster**\nUse a cache.\n\n**Danger:**\nIt is gone then.",
    );
  });

  it("in a link is its address, and in a sentence its text; pictures and unknown ones are left out", () => {
    const page =
      '# A\n\nSee [the `GET` command]({{< relref "/commands/get" >}}) of a {{< glossary_tooltip text="Pod" term_id="pod" >}}.\n\n{{< image filename="/a.png"\n  alt="A" >}}\n\n{{% whatever %}}\nIt was added {{< new-in 1.2.0 />}} and `{{< kept >}}` stays.\n{{% /whatever %}}\n';
    expect(proseOf(page)).toBe(
      "See [the `GET` command](/commands/get) of a Pod.\n\nIt was added **New in 1.2.0:** and `{{< kept >}}` stays.",
    );
  });

  it("of tabs makes one snippet of them", () => {
    const tabs =
      '# A\n\nInstall it:\n\n{{< tabpane text=true >}}\n{{% tab header="Homebrew" %}}\n```sh\nbrew install a-tool\n```\n{{% /tab %}}\n{{% tab header="Mise" %}}\n```sh\nmise use -g a-tool\n```\n{{% /tab %}}\n{{< /tabpane >}}\n';
    expect(snippetsOf(extract("a.md", tabs), "code")).toMatchObject([
      {
        description: "Install it: For Homebrew and Mise.",
        codes: [{ code: "brew install a-tool" }, { code: "mise use -g a-tool" }],
      },
    ]);
    const listed =
      '# A\n\nAsk it:\n\n{{< multitabs id="a"\n  tab1="JSON"\n  tab2="YAML" >}}\n\n```\n{"a": 1}\n```\n\n-tab-sep-\n\n```\na: 1\n```\n\n{{< /multitabs >}}\n';
    expect(snippetsOf(extract("a.md", listed), "code")).toMatchObject([
      {
        codes: [
          { language: "json", code: '{"a": 1}' },
          { language: "yaml", code: "a: 1" },
        ],
      },
    ]);
    const bare = '# A\n\n{{< tabpane >}}\n{{< tab "Go" >}}\nfmt.Println(1)\n{{< /tab >}}\n{{< /tabpane >}}\n';
    expect(codesOf(extract("a.md", bare))).toMatchObject([{ language: "go", code: "fmt.Println(1)" }]);
  });

  it("in a fence, or escaped, is text", () => {
    const page = "# A\n\nWrite {{</* note */>}} here:\n\n```text\n{{< note >}}\nb\n{{< /note >}}\n```\n";
    expect(codesOf(extract("a.md", page))[0]?.code).toBe("{{< note >}}\nb\n{{< /note >}}");
    expect(proseOf(page.replace("here:", "in all of your pages."))).toContain("{{</* note */>}}");
  });

  it("leaves the lines of a page and its front matter where they are", () => {
    const page =
      '---\ntitle: "{{< a >}}"\n---\n\n{{< image src="a"\n   b="c" >}}\n\n## B\n\nText of it:\n\n```js\nc();\n```\n';
    expect(snippetsOf(extract("a.md", page), "code")).toMatchObject([{ lines: [12, 14], codes: [{ code: "c();" }] }]);
  });
});

describe("a block of code of Jekyll", () => {
  it("is read as a fence", () => {
    const page =
      "# A\n\nTry this one:\n\n{% highlight ruby linenos %}\nputs 1\n{% endhighlight %}\n\n{% raw %}\nIt is said here.\n{% endraw %}\n";
    expect(codesOf(extract("a.md", page))).toMatchObject([{ language: "ruby", code: "puts 1" }]);
    expect(proseOf(page)).not.toContain("{%");
  });
});
