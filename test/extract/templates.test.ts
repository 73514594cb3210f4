import { describe, expect, it } from "vitest";
import { codesOf, extract, proseIn } from "./extract.ts";

describe("a template's tag", () => {
  it("that captures code makes a fence of it, in the language that it is highlighted in, without its name after it", () => {
    const page =
      '# A\n\nRun it:\n\n{%- set codeBlock %}{% raw %}\n<p>{{ name }}</p>\n\n    ```\n{% endraw %}{%- endset %}\n{{ codeBlock | highlight("html") | safe }}\n\nThen:\n\n{% capture snippet %}\nfirst()\n{% endcapture %}\n<div>{{ snippet | trim | highlight: "js" }}</div>\n\nDone.\n';
    expect(codesOf(extract("a.md", page))).toMatchObject([
      { language: "html", code: "<p>{{ name }}</p>\n\n    ```" },
      { code: "first()" },
    ]);
    expect(proseIn(page)).not.toMatch(/[{}]/);
  });

  it("that captures code which an included file shows makes a fence of it", () => {
    const page =
      '# A\n\nConfigure it:\n\n{% set codeContent %}\nexport default function (config) {\n\n\tconfig.add("a");\n}\n{% endset %}\n{% include "snippets/config.njk" %}\n';
    expect(codesOf(extract("a.md", page))).toMatchObject([
      { language: "javascript", code: 'export default function (config) {\n\n\tconfig.add("a");\n}' },
    ]);
  });

  it("that captures code makes a fence of it on lines that end with CR LF", () => {
    const page =
      '# A\n\n{% codetitle "a.js" %}\n{% set codeBlock %}\na();\n{% endset %}\n{{ codeBlock | highlight("js") }}\n';
    expect(codesOf(extract("a.md", page.replaceAll("\n", "\r\n")))).toMatchObject([{ file: "a.js", code: "a();" }]);
  });

  it("that captures prose leaves it as it is", () => {
    const page = "# A\n\n{% capture note %}\nMind the gap.\n{% endcapture %}\n{{ note | markdownify }}\n";
    expect(codesOf(extract("a.md", page))).toEqual([]);
    expect(proseIn(page)).toContain("Mind the gap.");
  });

  it.each(["\n", "\r\n"])("in a fence is code, whatever ends its lines: %j", (end) => {
    const page = ["# A", "", "```liquid", '{% youtube "abc" %}', "{% endraw %}", "```", ""].join(end);
    expect(codesOf(extract("a.md", page))).toMatchObject([{ code: `{% youtube "abc" %}${end}{% endraw %}` }]);
  });

  it("with the name of a file gives it to the code below", () => {
    const page =
      '# A\n\n{% codetitle "src/page.njk" %}\n\n```html\n<p></p>\n```\n\n{% codetitle "a.js" %}\n{% set codeBlock %}\na();\n{% endset %}\n{{ codeBlock | highlight("js") }}\n';
    expect(codesOf(extract("a.md", page))).toMatchObject([
      { language: "html", file: "src/page.njk" },
      { language: "javascript", file: "a.js", code: "a();" },
    ]);
    expect(proseIn(page)).not.toContain("codetitle");
  });

  it("of a callout is its label, and of anything else its argument", () => {
    const page =
      '# A\n\n{% toc %}\n\n{% callout "warning", "md" %}Mind `{% the %}` gap.{% endcallout %}\n\n{% addedin "1.1" %}Added in {% addedin "1.2.0" %}, see {% userlink name %}.\n\n```njk\n{% callout "info" %}\n```\n';
    expect(proseIn(page)).toContain("**Warning:** Mind `{% the %}` gap.");
    expect(proseIn(page)).toContain("1.1 Added in 1.2.0, see .");
    expect(codesOf(extract("a.md", page))).toMatchObject([{ code: '{% callout "info" %}' }]);
  });
});
