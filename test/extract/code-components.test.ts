import { describe, expect, it } from "vitest";
import { codesOf, extract, proseOf } from "./extract.ts";

const words = "These are words enough to be served as prose by themselves.";

describe("a component that holds code", () => {
  it.each([
    ["<TerminalBlock>\n\nnpm ls <name>\n\n# two\n\n</TerminalBlock>", "npm ls <name>\n\n# two", "bash"],
    [
      '<pre><code parentName="pre" {...{"className": "language-sh"}}>{`\\\nnpm rm a\nnpm i a-${b ? `c` : "d"}.tgz \\`e\\``}\n</code></pre>',
      'npm rm a\nnpm i a-${b ? `c` : "d"}.tgz `e`',
      "bash",
    ],
    ["<pre>{`<meta>\\n<body>`}</pre>", "<meta>\n<body>", ""],
    ['<CodeBlock language="js">{`\n  a(${b});\n`}</CodeBlock>', "a(${b});", "javascript"],
    ["<TerminalBlock>\nnpm ls\n</TerminalBlock>", "npm ls", "bash"],
    ["<Terminal>npm ls</Terminal>", "npm ls", "bash"],
    ["<Shell\n  title='x'\n>\n  npm ls\n    -l\n</Shell>", "npm ls\n  -l", "bash"],
    ['<ConsoleBlock level="error">\n\nIt *failed* in `act`.\n\n</ConsoleBlock>', "It *failed* in `act`.", "text"],
    [
      '<ConsoleBlockMulti>\n\n<ConsoleLogLine level="error">\n\nIt failed.\n\n</ConsoleLogLine>\n\n</ConsoleBlockMulti>',
      "It failed.",
      "text",
    ],
    ['<CodeBlock language="js">\n  {`a(\\`b\\`);\n\nc();`}\n</CodeBlock>', "a(`b`);\n\nc();", "javascript"],
    ['<Code lang="ts" code={`a();\nb();`} />', "a();\nb();", "typescript"],
    ["<Terminal cmd={['$ npx it', '$ cd it']} />", "$ npx it\n$ cd it", "bash"],
    ['<PackageManagerTabs command="add it -D" />', "add it -D", "bash"],
    ['<PackageManagers type="exec" pkg="it" args="--all" />', "exec it --all", "bash"],
    ['<PackageManagers pkg="it" />', "add it", "bash"],
  ])("is code: %j", (block, code, language) => {
    for (const path of ["a.mdx", "a.md"]) {
      const result = extract(path, `# A\n\n${words}\n${block}\n\nThen go on with the rest of it.\n`);
      expect(codesOf(result)).toMatchObject([{ code, language }]);
      expect(proseOf(result)).toEqual([words, "Then go on with the rest of it."]);
    }
  });

  it("has the title and the lines of its place, and the ends of its lines", () => {
    const page = `# A\r\n\r\n- ${words}\r\n\r\n  <CodeBlock title="src/a.js" language="js">\r\n    a();\r\n    b();\r\n  </CodeBlock>\r\n`;
    expect(codesOf(extract("a.mdx", page))).toEqual([
      { language: "javascript", code: "a();\r\nb();", file: "src/a.js", lines: [5, 8] },
    ]);
  });

  it("is not recognised where it holds a fence, nor within a sentence", () => {
    const page = `# A\n\n<CodeBlock>\n\n${"```"}js\na();\n${"```"}\n\n</CodeBlock>\n\nWrite <Code>a</Code> or so, as ${words}\n\n<Code>b</Code> is what it is.\n`;
    expect(codesOf(extract("a.mdx", page)).map(({ code }) => code)).toEqual(["a();"]);
  });

  it("is one that is handed code in template literals of several lines", () => {
    const page = `# A\n\n${words}\n\n<ConfigVariants\n  imports={\`\n    // Import it's "a\n    import { a } from './a.js'\n  \`}\n  settings={\`\n    plugins: [\n      a(),\n\n    ],\n  \`}\n/>\n\nThen go on with the rest of it.\n`;
    for (const path of ["a.mdx", "a.md"]) {
      const result = extract(path, page);
      expect(codesOf(result)).toMatchObject([
        { marks: ["It is given as “imports”."], code: "// Import it's \"a\nimport { a } from './a.js'" },
        { marks: ["It is given as “settings”."], code: "plugins: [\n  a(),\n\n]," },
      ]);
      expect(proseOf(result)).toEqual([words, "Then go on with the rest of it."]);
    }
  });
});
