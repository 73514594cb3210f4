import { describe, expect, it } from "vitest";
import { guessLanguage, toLanguage } from "../../extract/language.ts";
import { codesOf, extract } from "./extract.ts";

it.each([
  [
    "text",
    '# HELP http_requests_total The total.\n# TYPE http_requests_total counter\nhttp_requests_total{method="post",code="200"} 1027 1395066363000',
  ],
  ["text", 'process_open_fds{pid="1"} 12\ngo_gc_seconds_sum 1.2e-05'],
  ["text", "https://example.com/a/b?c=d"],
  ["text", "/hub/accept-code?code=abc123&next=/users"],
  ["text", 'data: {"type":"start"}\n\ndata: {"type":"end"}'],
  ["text", "Error: Cannot find module"],
  ["text", "Traceback (most recent call last):\n  File"],
  ["text", "2025-01-02T03:04:05Z started"],
  ["text", "a\n├── b.js\n└── c.js"],
  ["text", "The page was read, and nothing was found in it."],
  ["text", "legal.md\nlessons/_index.md\nlessons/lesson-1/part-1.md"],
  ["text", ".env                # loaded in all cases\n.env.local          # ignored by git"],
  ["text", "/app\n  layout.tsx\n  /features\n    todos.ts"],
  ["text", "acme config [command] [flags]"],
  ["text", "Usage: acme build [options] <entry>"],
  [
    "text",
    "  -b, --base string   the address\n      --cache string  its folder\n                      on disk\n  -h, --help          help",
  ],
  ["http", "GET /api/users?limit=2 HTTP/1.1\nHost: example.com"],
  ["http", "POST https://example.com/a"],
  ["http", "HTTP/1.1 200 OK\nContent-Type: text/plain"],
  ["http", "Authorization: Bearer abc"],
  ["dotenv", "# The key\nAPI_KEY=abc\nNAME='a b'"],
  ["bash", "export API_KEY=abc"],
  ["bash", "PORT=4000 next start"],
  ["bash", "user@host:~/a$ ls"],
  ["bash", "❯ bun test"],
  ["bash", "uv run main.py"],
  ["bash", "kubectl get pods"],
  ["powershell", "PS C:\\\\Users> dir"],
  ["batch", "C:\\\\Users> dir"],
  ["python", "In [1]: import a"],
  ["python", "from a.b import c\n\nc()"],
  ["toml", '[tool.a]\nb = "c"\nd = [\n  "e",\n]\n\n[[f]]\ng = 1'],
  ["ini", "[a]\nb = c d\n; e\nf=1"],
  ["yaml", "a:\n  b: c\n  d:\n    - e\n    - f: 1"],
  ["yaml", "---\n# x\nservices:\n  web:\n    image: a:1"],
  ["sql", "SELECT *\nFROM a;"],
  ["sql", "CREATE TABLE a (b int);"],
  ["dockerfile", "FROM node:24 AS build\nWORKDIR /app"],
  ["go", 'package main\n\nimport "fmt"'],
])("a block shows that it is %s: %j", (language, code) => {
  expect(guessLanguage(code)).toBe(language);
});

it.each([
  "a: 1",
  "User: Hello\nTool: Hi",
  "try:\n    a()\nexcept E:\n    pass",
  "const a = `\n├── b\n`;\nc();\nd();",
  "a = 1\nb = 2",
  "SELECTED = True",
  "import a from 'b';",
  "/regex/.test(a)",
  "// https://example.com\na()",
  "type A = { b: c };",
  "x",
  "a.b",
  "a.run\nb.stop",
  "-a + b",
  "x --y",
  "const [a] = b",
  "a [b]",
  "from(bucket: 1)",
  "GET",
  "data: dict = {}\nx()",
])("a block without a clear language stays as it is: %j", (code) => {
  expect(guessLanguage(code)).toBe("");
});

it("code with an unknown language, or data, does not get the main language of its page", () => {
  const page = "# A\n\n```python\na()\n```\n\n```python\nb()\n```\n\n```\nhttps://example.com\n```\n\n```\nc()\n```\n";
  expect(codesOf(extract("a.md", page)).map(({ language }) => language)).toEqual([
    "python",
    "python",
    "text",
    "python",
  ]);
  const grammar = "# A\n\n```abnf\na = b\n```\n\n```json\n{}\n```\n\n```\nc()\n```\n";
  expect(codesOf(extract("a.md", grammar)).map(({ language }) => language)).toEqual(["abnf", "json", ""]);
});

describe("what a program prints is not in the language of the code around it", () => {
  const page = (before: string, code: string): string => {
    const others = ["a()", "b()", "c()"].map((one) => `\`\`\`python\n${one}\n\`\`\`\n\nWords between.`).join("\n\n");
    return `# A\n\n${others}\n\n${before}\n\n\`\`\`\n${code}\n\`\`\`\n`;
  };
  const languageOf = (text: string): string | undefined => codesOf(extract("a.md", text)).at(-1)?.language;

  it.each([
    ["This prints:", "User(id=1)"],
    ["The output is as follows:", "<User 1>"],
    ["You should see something like this.", "1 passed in 0.2s"],
    ["It fails with this error:", "ValidationError(1)"],
    ["Run it.", "Anna from North is tall\nOtto from South is small"],
    ["Then look at it.", "at Component\nat div"],
    ["First:\n\n```bash\nd\n```", "4 8 15"],
  ])("after %j: %j", (before, code) => {
    expect(languageOf(page(before, code))).toBe("text");
  });

  it.each([
    ["Write:", "d()"],
    ["You should see the following code:", "d()"],
    ["The output of the function:", "import d"],
    ["You will get an error like this:", "def d():\n    raise E(1)"],
    ["Write:", "import d as e from f"],
  ])("after %j there is code: %j", (before, code) => {
    expect(languageOf(page(before, code))).toBe("python");
  });

  it("a command is none", () => {
    const text = "# A\n\n```bash\nls\n```\n\n```bash\nls\n```\n\nRun:\n\n```\nacme deploy all things\n```\n";
    expect(languageOf(text)).toBe("bash");
  });
});

it.each([
  ["pycon3", "python"],
  ["restructuredtext", "rst"],
  ["eval-rst", "rst"],
  ["command-line", "bash"],
  ["conf", "ini"],
  ["pytb", "text"],
  ["Dockerfile", "dockerfile"],
])("%s goes by the name of %s", (name, language) => {
  expect(toLanguage(name)).toBe(language);
});

it.each([
  ["{code-cell} ipython3", "python"],
  ["{code} js", "javascript"],
  ["{prompt} bash", "bash"],
  ["{.python linenums=1}", "python"],
  ["{linenums=1}", ""],
  ["from a import b", ""],
])("a fence that says `%s` is in %j", (info, language) => {
  expect(codesOf(extract("a.md", `# A\n\n~~~${info}\nx y\n~~~\n`))[0]?.language).toBe(language);
});
