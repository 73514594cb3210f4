import { describe, expect, it } from "vitest";
import { codesOf, proseOf, withFiles } from "./extract.ts";

const python = "from fastapi import FastAPI\n\napp = FastAPI()\n\n\n@app.get('/')\nasync def root():\n\treturn {}\n";
const typescript =
  "import { a } from 'a';\n\n// #region setup\n  const x = a();\n\n  x.run();\n// #endregion setup\n\nexport { x };\n";
const rust =
  '// ANCHOR: all\nfn main() {\n    // ANCHOR: inner\n    let x = 5;\n    // ANCHOR_END: inner\n    println!("{x}");\n}\n// ANCHOR_END: all\n';

/** Page, its path, the files, and the expected block of code. */
interface Sample {
  readonly path: string;
  readonly page: string;
  readonly files: Readonly<Record<string, string>>;
  readonly code: object;
}

const samples: Readonly<Record<string, Sample>> = {
  "VitePress, the whole file relative to the page": {
    path: "docs/guide/a.md",
    page: "# A\n\nRun it:\n\n<<< ../snippets/a.ts\n",
    files: { "docs/snippets/a.ts": typescript },
    code: {
      language: "typescript",
      code: typescript.trimEnd(),
      lines: [5, 5],
      sources: [{ path: "docs/snippets/a.ts", lines: [1, 9] }],
    },
  },
  "VitePress, a region from the root, highlighted, labelled, its indentation taken off": {
    path: "docs/guide/a.md",
    page: "# A\n\n<<< @/snippets/a.ts#setup{1,3 ts:line-numbers} [a.ts]\n",
    files: { "docs/snippets/a.ts": typescript },
    code: {
      language: "typescript",
      file: "a.ts",
      code: "const x = a();\n\nx.run();",
      sources: [{ path: "docs/snippets/a.ts", lines: [4, 6] }],
    },
  },
  "VitePress in a container that is indented in a list": {
    path: "a.md",
    page: "# A\n\n1. First do this:\n\n   <<< ./a.py\n",
    files: { "a.py": python },
    code: { language: "python", code: python.trimEnd(), sources: [{ path: "a.py", lines: [1, 8] }] },
  },
  "Hugo's documentation, a part of its data with the keys above it": {
    path: "content/en/configuration/a.md",
    page: "# A\n\nThis is the default:\n\n{{< code-toggle config=privacy.x />}}\n",
    files: {
      "data/docs.yaml":
        "a:\n  privacy: no\nconfig:\n  build: 1\n  privacy:\n    y:\n      x: no\n    x:\n    - b\n\n    - c\n\n    z: 1\n",
    },
    code: {
      language: "yaml",
      file: "hugo.yaml",
      code: "privacy:\n  x:\n  - b\n\n  - c",
      sources: [
        { path: "data/docs.yaml", lines: [5, 5] },
        { path: "data/docs.yaml", lines: [8, 11] },
      ],
    },
  },
  "VuePress, lines of a file": {
    path: "docs/a.md",
    page: "# A\n\n@[code{3-4} ts{2}:no-line-numbers](./a.ts)\n",
    files: { "docs/a.ts": "1\n2\nconst three = 3;\nconst four = 4;\n5\n" },
    code: {
      language: "typescript",
      code: "const three = 3;\nconst four = 4;",
      sources: [{ path: "docs/a.ts", lines: [3, 4] }],
    },
  },
  "FastAPI, from the folder that the site is built in, some lines of it": {
    path: "docs/en/docs/tutorial/first-steps.md",
    page: "# A\n\n{* ../../docs_src/first/a.py ln[1,3:8] hl[6] title[a.py] *}\n",
    files: { "docs_src/first/a.py": python },
    code: {
      language: "python",
      file: "a.py",
      code: "from fastapi import FastAPI\napp = FastAPI()\n\n\n@app.get('/')\nasync def root():\n\treturn {}",
      sources: [
        { path: "docs_src/first/a.py", lines: [1, 1] },
        { path: "docs_src/first/a.py", lines: [3, 8] },
      ],
    },
  },
  "older FastAPI, in a fence in a tab": {
    path: "docs/en/docs/tutorial/first-steps.md",
    page: '# A\n\n=== "Python 3.9"\n\n    ```Python hl_lines="2"\n    {!> ../../../docs_src/first/a.py!}\n    ```\n',
    files: { "docs_src/first/a.py": python },
    code: { language: "python", code: python.trimEnd(), sources: [{ path: "docs_src/first/a.py", lines: [1, 8] }] },
  },
  "older Typer, lines of a file": {
    path: "docs/tutorial/a.md",
    page: "# A\n\n```Python\n{!./docs_src/a.py[ln:3-4]!}\n```\n",
    files: { "docs_src/a.py": "1\n2\nthree = 3\nfour = 4\n5\n" },
    code: { language: "python", code: "three = 3\nfour = 4", sources: [{ path: "docs_src/a.py", lines: [3, 4] }] },
  },
  "mdBook, an anchor with two parts": {
    path: "src/a.md",
    page: "# A\n\n```rust\n{{#include ../l.rs:a}}\n```\n",
    files: {
      "l.rs": "// ANCHOR: a\nuse x;\n// ANCHOR_END: a\n\nfn no() {}\n\n// ANCHOR: a\nfn main() {}\n// ANCHOR_END: a\n",
    },
    code: {
      language: "rust",
      code: "use x;\nfn main() {}",
      sources: [
        { path: "l.rs", lines: [2, 2] },
        { path: "l.rs", lines: [8, 8] },
      ],
    },
  },
  "MkDocs, lines of a file in a fence": {
    path: "docs/a.md",
    page: '# A\n\n```yaml title="a.yml"\n--8<-- "examples/a.yml:2:3"\n```\n',
    files: { "examples/a.yml": "a: 1\nb: 2\nc: 3\nd: 4\n" },
    code: { language: "yaml", file: "a.yml", code: "b: 2\nc: 3", sources: [{ path: "examples/a.yml", lines: [2, 3] }] },
  },
  "MkDocs, a section of a file, without the marks of those in it": {
    path: "docs/a.md",
    page: '# A\n\n``` python\n--8<-- "docs/a.py:func"\n```\n',
    files: {
      "docs/a.py":
        "import x\n# --8<-- [start:func]\ndef f():\n    # --8<-- [start:body]\n    return 1\n    # --8<-- [end:body]\n# --8<-- [end:func]\nf()\n",
    },
    code: {
      language: "python",
      code: "def f():\n    return 1",
      sources: [
        { path: "docs/a.py", lines: [3, 3] },
        { path: "docs/a.py", lines: [5, 5] },
      ],
    },
  },
  "MkDocs, the block form": {
    path: "docs/a.md",
    page: "# A\n\n```js\n--8<--\n; left-out.js\na.js\n\nb.js\n--8<--\n```\n",
    files: { "docs/a.js": "a();\n", "docs/b.js": "b();\n" },
    code: {
      language: "javascript",
      code: "a();\nb();",
      sources: [
        { path: "docs/a.js", lines: [1, 1] },
        { path: "docs/b.js", lines: [1, 1] },
      ],
    },
  },
  "mdBook, an anchor without the marks in it, beside lines of the page": {
    path: "src/ch01.md",
    page: "# A\n\n```rust,ignore\nuse std;\n{{#include ../listings/a.rs:all}}\n```\n",
    files: { "listings/a.rs": rust },
    code: {
      language: "rust",
      code: 'use std;\nfn main() {\n    let x = 5;\n    println!("{x}");\n}',
      sources: [
        { path: "src/ch01.md", lines: [4, 4] },
        { path: "listings/a.rs", lines: [2, 2] },
        { path: "listings/a.rs", lines: [4, 4] },
        { path: "listings/a.rs", lines: [6, 7] },
      ],
    },
  },
  "mdBook, one line with rustdoc_include": {
    path: "src/ch01.md",
    page: "# A\n\n```rust\n{{#rustdoc_include ../listings/a.rs:4}}\n```\n",
    files: { "listings/a.rs": rust },
    code: { code: "    let x = 5;", sources: [{ path: "listings/a.rs", lines: [4, 4] }] },
  },
  "mdBook, a playground": {
    path: "src/ch01.md",
    page: "# A\n\n{{#playground a.rs editable}}\n",
    files: { "src/a.rs": "fn main() {}\n" },
    code: { language: "rust", code: "fn main() {}", lines: [3, 3] },
  },
  "Docusaurus, a raw import in a CodeBlock in tabs": {
    path: "website/docs/a.mdx",
    page: '---\nid: a\n---\nimport CodeBlock from \'@theme/CodeBlock\';\nimport Source from \'!!raw-loader!roa-loader!./a.ts\';\n\n# A\n\n<Tabs>\n  <TabItem value="ts">\n    <CodeBlock language="ts" title="src/a.ts">\n      {Source}\n    </CodeBlock>\n  </TabItem>\n</Tabs>\n',
    files: { "website/docs/a.ts": typescript },
    code: {
      language: "typescript",
      file: "src/a.ts",
      code: typescript.trimEnd(),
      sources: [{ path: "website/docs/a.ts", lines: [1, 9] }],
    },
  },
  "Docusaurus, a raw import from the site's folder, class names, a .md page": {
    path: "website/docs/a.md",
    page: 'import Source from \'!!raw-loader!@site/examples/a.js\';\n\n# A\n\n<RunnableCodeBlock className="language-js" type="x">{Source}</RunnableCodeBlock>\n',
    files: { "website/examples/a.js": "run();\n" },
    code: { language: "javascript", code: "run();", lines: [5, 5] },
  },
  "Astro, a raw import in an attribute": {
    path: "src/content/docs/a.mdx",
    page: 'import { Code } from "@astrojs/starlight/components";\nimport code from "./a.toml?raw";\n\n# A\n\n<Code code={code} lang="toml" title="a.toml" />\n',
    files: { "src/content/docs/a.toml": "a = 1\n" },
    code: { language: "toml", file: "a.toml", code: "a = 1" },
  },
  "MyST, literalinclude with lines and dedent": {
    path: "docs/a.md",
    page: "# A\n\n```{literalinclude} ../examples/a.py\n:language: python\n:lines: 2-3\n:dedent:\n```\n",
    files: { "examples/a.py": "def f():\n    one()\n    two()\n" },
    code: { language: "python", code: "one()\ntwo()", sources: [{ path: "examples/a.py", lines: [2, 3] }] },
  },
  "MyST, literalinclude of a definition": {
    path: "docs/a.md",
    page: "# A\n\n```{literalinclude} a.py\n:pyobject: A.f\n```\n",
    files: { "docs/a.py": "class A:\n    @x\n    def f(self):\n        return 1\n\n    def g(self): ...\n" },
    code: { code: "    @x\n    def f(self):\n        return 1", sources: [{ path: "docs/a.py", lines: [2, 4] }] },
  },
  "MyST, literalinclude between two texts": {
    path: "docs/a.md",
    page: "# A\n\n:::{literalinclude} /a.py\n:start-after: begin\n:end-before: end\n:::\n",
    files: { "docs/a.py": "x\n# begin\ny = 1\n# end\n" },
    code: { code: "y = 1", sources: [{ path: "docs/a.py", lines: [3, 3] }] },
  },
  "Hugo, a sample of kubernetes.io": {
    path: "content/en/docs/tasks/a.md",
    page: '# A\n\n{{% code_sample file="application/nginx.yaml" %}}\n',
    files: { "content/en/examples/application/nginx.yaml": "kind: Pod\n" },
    code: { language: "yaml", code: "kind: Pod", sources: [{ path: "content/en/examples/application/nginx.yaml" }] },
  },
  "Hugo, readfile as code": {
    path: "content/docs/a.md",
    page: '# A\n\n{{< readfile file="a.go" code="true" lang="go" >}}\n',
    files: { "content/docs/a.go": "package a\n" },
    code: { language: "go", code: "package a" },
  },
  "Jekyll, in a fence": {
    path: "docs/a.md",
    page: "# A\n\n```ruby\n{% include_relative a.rb %}\n```\n",
    files: { "docs/a.rb": "puts 1\n" },
    code: { language: "ruby", code: "puts 1" },
  },
  "Docsify, a fragment": {
    path: "docs/a.md",
    page: "# A\n\n[a](_media/a.js ':include :type=code js :fragment=demo')\n",
    files: { "docs/_media/a.js": "x();\n/// [demo]\n  y();\n/// [demo]\nz();\n" },
    code: { language: "javascript", code: "y();", sources: [{ path: "docs/_media/a.js", lines: [3, 3] }] },
  },
};

describe("code that a page includes", () => {
  it.each(Object.entries(samples))("is served in its place: %s", (_title, { path, page, files, code }) => {
    const result = withFiles(path, page, files);
    const codes = codesOf(result);
    expect(codes).toHaveLength(1);
    expect(codes[0]).toMatchObject(code);
    expect(result).not.toHaveProperty("notes");
  });

  it.each(Object.entries(samples))("is what the files have on the named lines: %s", (_title, { path, page, files }) => {
    const [code] = codesOf(withFiles(path, page, files));
    const lines = (code?.sources ?? []).flatMap((source) =>
      (source.path === path ? page : (files[source.path] ?? ""))
        .split("\n")
        .slice(source.lines[0] - 1, source.lines[1]),
    );
    const dedent = Math.max(0, (lines[0]?.length ?? 0) - (code?.code.split("\n")[0]?.length ?? 0));
    expect(code?.code.split("\n")).toEqual(lines.map((line) => line.slice(dedent)));
  });
});

describe("what cannot be included", () => {
  it("is taken out, with a note on the page", () => {
    const result = withFiles(
      "docs/a.md",
      "# A\n\nSome text that is there in any case.\n\n<<< ./gone.ts\n\n```rust\n{{#include ../../../etc/passwd}}\n```\n\n{* /etc/passwd *}\n",
      {},
    );
    expect(codesOf(result)).toEqual([]);
    expect(proseOf(result)).toEqual(["Some text that is there in any case."]);
    expect(result).toMatchObject({
      notes: [
        "Line 5 includes ./gone.ts, which is not in the tree.",
        "Line 8 includes ../../../etc/passwd, which is no path inside of the tree.",
        "Line 11 includes /etc/passwd, which is named like a file with keys or passwords.",
      ],
    });
  });

  it("stays where the page shows how to include", () => {
    const sample = '--8<-- "filename.ext"';
    const result = withFiles("docs/a.md", `# A\n\nWrite it so:\n\n\`\`\`md\n${sample}\n\`\`\`\n`, {});
    expect(codesOf(result).map(({ code }) => code)).toEqual([sample]);
    expect(result).not.toHaveProperty("notes");
  });

  it("is not looked for in a fence where the tool would not", () => {
    const result = withFiles("docs/a.md", "# A\n\nWrite it so:\n\n```md\n<<< ./a.ts\n```\n", {
      "docs/a.ts": "no();\n",
    });
    expect(codesOf(result).map(({ code }) => code)).toEqual(["<<< ./a.ts"]);
  });

  it("names the part that a file does not have", () => {
    const page =
      "# A\n\nSome words stand here as well, enough of them to be served.\n\n```rust\n{{#include a.rs:nothing}}\n```\n";
    expect(withFiles("a.md", page, { "a.rs": rust })).toMatchObject({
      notes: ["Line 6 includes a.rs, which has no part named nothing."],
    });
  });
});
