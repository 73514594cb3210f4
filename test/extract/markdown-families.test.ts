import { describe, expect, it } from "vitest";
import { codesOf, extract, proseIn } from "./extract.ts";

describe("Quarto", () => {
  it("has its containers, tabs and cells", () => {
    const page = `---
title: A page
jupyter: python3
---

::: {.callout-note title="Mind this"}
Some words of it.
:::

:::: {.panel-tabset}
## R

\`\`\`{r}
#| echo: false
plot(1)
\`\`\`

## Python

\`\`\`{python}
print(1)
\`\`\`
::::

::: {#fig-one layout-ncol=2}
The world of {{< var name >}} in pictures.
:::
`;
    expect(proseIn(page, "a.qmd")).toBe("**Note: Mind this** Some words of it.\n---\nThe world of name in pictures.");
    expect(codesOf(extract("a.qmd", page))).toMatchObject([
      { language: "r", code: "#| echo: false\nplot(1)", label: "R", lines: [13, 22] },
      { language: "python", code: "print(1)", label: "Python", lines: [13, 22] },
    ]);
  });
});

describe("Markdoc", () => {
  it("has its tags as components, variables of its front matter and code as it is", () => {
    const page = `---
title: Gears
---

# {% $markdoc.frontmatter.title %} {% #overview %}

A gear has teeth. {% .lead %}

{% callout type="warning" title="Mind it" %}
Words in \`{% callout %}\` of it.
{% /callout %}

{% tabs %}
{% tab label="React" %}
\`\`\`js {% title="app.js" %}
{% render() %}
\`\`\`
{% /tab %}
{% tab label="Vue" %}
\`\`\`js
vue();
\`\`\`
{% /tab %}
{% /tabs %}

{% if $flags.new %}
Only for some readers.
{% /if %}

{% comment %}
Seen by nobody
{% /comment %}

{% quick-link title="Install" href="/docs" description="Step by step" /%}
`;
    const read = extract("docs/a.markdoc", page);
    expect(read).toMatchObject({ outcome: "indexed", title: "Gears" });
    expect(proseIn(page, "a.mdoc")).toBe(
      "A gear has teeth.\n\n**Warning: Mind it** Words in `{% callout %}` of it.\n---\n" +
        "Only for some readers.\n\n**[Install](/docs)**: Step by step",
    );
    expect(codesOf(read)).toMatchObject([
      { code: "{% render() %}", file: "app.js", label: "React" },
      { code: "vue();", label: "Vue" },
    ]);
  });

  it("has its tables of lists as tables, and others as they are", () => {
    const page =
      '# A\n\nWords of it.\n\n{% table %}\n* Name\n* Meaning\n---\n* gear\n*\n  Turns:\n  - left\n  - right {% align="right" %}\n{% /table %}\n\n{% table %}\n| a | b |\n|---|---|\n| c | d |\n{% /table %}\n';
    expect(proseIn(page, "a.mdoc")).toBe(
      "Words of it.\n\n| Name | Meaning |\n| --- | --- |\n| gear | Turns: left; right |\n\n| a | b |\n| --- | --- |\n| c | d |",
    );
  });

  it("loses no text where tags are broken, and takes linear time", () => {
    expect(proseIn("# A\n\nSome {% words of it\nwithout an end.\n", "a.mdoc")).toContain("words of it");
    const seconds = (times: number): number => {
      const started = process.threadCpuUsage().user;
      for (const part of ["{% a ", '{% a="', "{% /", "{% $a "]) extract("a.mdoc", `# A\n\n${part.repeat(times)}\n`);
      return (process.threadCpuUsage().user - started) / 1e6;
    };
    // Four times the text; quadratic time would be 16 times as much.
    expect(seconds(10_000) / seconds(2500)).toBeLessThan(10);
  });
});
