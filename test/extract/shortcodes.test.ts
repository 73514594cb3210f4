import { describe, expect, it } from "vitest";
import { codesOf, examplesOf, extract, proseIn } from "./extract.ts";

describe("a shortcode", () => {
  it("that marks code is read as a fence, with the code as it stands there", () => {
    const page =
      '# A\n\nRun it:\n\n{{< highlight go "linenos=true" >}}\nfunc a() {\n\tb(`c`) // {{< x >}}\n}\n{{< / highlight >}}\n\n- Or:\n\n  {{% redis-cli %}}\n  redis> GET a\n  {{% /redis-cli %}}\n';
    expect(codesOf(extract("a.md", page))).toMatchObject([
      { language: "go", code: "func a() {\n\tb(`c`) // {{< x >}}\n}", lines: [5, 9] },
      { language: "redis", code: "redis> GET a" },
    ]);
    expect(proseIn(page)).not.toContain("{{");
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
    expect(proseIn(page)).toBe(
      "**Warning: Rotate keys**\nThey expire.\n\n**Note:** Mind the gap.\n\n**Tip: Faster**\nUse a cache.\n\n**Danger:**\nIt is gone then.",
    );
  });

  it("in a link is its address, and in a sentence its text; pictures and unknown ones are left out", () => {
    const page =
      '# A\n\nSee [the `GET` command]({{< relref "/commands/get" >}}) of a {{< glossary_tooltip text="Pod" term_id="pod" >}}.\n\n{{< image filename="/a.png"\n  alt="A" >}}\n\n{{% whatever %}}\nIt was added {{< new-in 1.2.0 />}} and `{{< kept >}}` stays.\n{{% /whatever %}}\n';
    expect(proseIn(page)).toBe(
      "See [the `GET` command](/commands/get) of a Pod.\n\nIt was added **New in 1.2.0:** and `{{< kept >}}` stays.",
    );
  });

  it("of tabs makes one snippet of them", () => {
    const tabs =
      '# A\n\nInstall it:\n\n{{< tabpane text=true >}}\n{{% tab header="Homebrew" %}}\n```sh\nbrew install a-tool\n```\n{{% /tab %}}\n{{% tab header="Mise" %}}\n```sh\nmise use -g a-tool\n```\n{{% /tab %}}\n{{< /tabpane >}}\n';
    expect(examplesOf(extract("a.md", tabs))).toMatchObject([
      {
        description: "Install it: For Homebrew and Mise.",
        codes: [{ code: "brew install a-tool" }, { code: "mise use -g a-tool" }],
      },
    ]);
    const listed =
      '# A\n\nAsk it:\n\n{{< multitabs id="a"\n  tab1="JSON"\n  tab2="YAML" >}}\n\n```\n{"a": 1}\n```\n\n-tab-sep-\n\n```\na: 1\n```\n\n{{< /multitabs >}}\n';
    expect(examplesOf(extract("a.md", listed))).toMatchObject([
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
    expect(proseIn(page.replace("here:", "in all of your pages."))).toContain("{{</* note */>}}");
  });

  it("leaves the lines of a page and its front matter where they are", () => {
    const page =
      '---\ntitle: "{{< a >}}"\n---\n\n{{< image src="a"\n   b="c" >}}\n\n## B\n\nText of it:\n\n```js\nc();\n```\n';
    expect(examplesOf(extract("a.md", page))).toMatchObject([{ lines: [12, 14], codes: [{ code: "c();" }] }]);
  });
});

describe("a block of code of Jekyll", () => {
  it("is read as a fence", () => {
    const page =
      "# A\n\nTry this one:\n\n{% highlight ruby linenos %}\nputs 1\n{% endhighlight %}\n\n{% raw %}\nIt is said here.\n{% endraw %}\n";
    expect(codesOf(extract("a.md", page))).toMatchObject([{ language: "ruby", code: "puts 1" }]);
    expect(proseIn(page)).not.toContain("{%");
  });

  it.each([
    ['See [that]({{% relref path="a.md" lang="en" %}}) there.', "See [that](a.md) there."],
    [
      'The {{< glossary_tooltip term_id="kubelet" >}} of {{< skew currentVersion >}} is it.',
      "The kubelet of currentVersion is it.",
    ],
    [
      "It is {{% latest-version %}} of {{< product-name >}} and {{< br >}}it.",
      "It is latest-version of product-name and it.",
    ],
    ['See {{< api-reference page="pod-v1" >}}, {{< icon "x" >}}too.', "See pod-v1, too."],
    ['{{< button href="/a" >}}Get started{{< /button >}}', "[Get started](/a)"],
    ['{{< button relref="/b" text="Read more" />}}', "[Read more](/b)"],
    ['{{< card link="/c" title="Start" icon="x" subtitle="Read on" >}}', "[Start](/c): Read on"],
    ['{{< details summary="Start" >}}\nRead on.\n{{< /details >}}', "**Start**\nRead on."],
    ['{{< expand "Start" >}}Read on.{{< /expand >}}', "**Start** Read on."],
    ['{{< feature-state for_k8s_version="v1.29" state="beta" >}}', "**Feature state:** Kubernetes v1.29 [beta]"],
    ['{{< feature-state feature_gate_name="A" >}}', "**Feature state:** feature gate `A`"],
    ['{{< figure src="/a.png" caption="How it works" >}}', "How it works"],
    ['{{< glossary_definition prepend="A Pod is" term_id="pod" >}}', ""],
    ['{{< filetree/folder name="a" >}}\n  {{< filetree/file name="b" >}}\n{{< /filetree/folder >}}', "- a/\n  - b"],
  ])("that prints, links or toggles is what it shows: %s", (markdown, shown) => {
    const words = "These are words enough to be served as prose by themselves.";
    expect(proseIn(`# A\n\n${words}\n\n${markdown}\n`)).toBe(shown === "" ? words : `${words}\n\n${shown}`);
  });

  it("in a heading that is named like a member of an object is that name", () => {
    const page = '# A\n\n## {{% heading "constructor" %}}\n\n~~~sh\nrun it\n~~~\n';
    expect(examplesOf(extract("a.md", page))[0]?.title).toBe("Constructor");
  });

  it("in a heading is its words", () => {
    const page = '# A\n\n## {{% heading "whatsnext" %}}\n\n~~~sh\nrun it\n~~~\n';
    expect(examplesOf(extract("a.md", page))[0]?.title).toBe("What's next");
  });
});
