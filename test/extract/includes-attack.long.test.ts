import { describe, expect, it } from "vitest";
import { includesOf } from "../../extract/includes/index.ts";
import { extractPage } from "../../extract/index.ts";
import { codesOf, withFiles } from "./extract.ts";

const encoder = new TextEncoder();

const placesOf = (path: string, text: string) =>
  includesOf({ path, bytes: encoder.encode(text) }).flatMap(({ places }) => places);

const intro = "# A\n\nThis page has a paragraph of its own that is served in any case.\n\n";

/** CPU time of some work, in milliseconds: the machine may be busy with other things. */
function cpu(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

describe("paths", () => {
  const written = [
    "../../../etc/passwd",
    "/etc/passwd",
    "//etc/passwd",
    "file:///etc/passwd",
    "https://example.com/a.md",
    "..\\..\\secret.md",
    "a/../../../../secret.md",
    "@/../../secret.md",
    "./.git/config/../../../x.md",
    "\u0000.md",
    ".git",
    "..",
    "x/",
    `${"a/".repeat(400)}a.md`,
  ];

  it.each(written)("never lead out of the tree: %j", (path) => {
    const forms = [
      `<<< ${path}`,
      `<!--@include: ${path}-->`,
      `--8<-- "${path}"`,
      `{* ${path} *}`,
      `{!${path}!}`,
      `{{#include ${path}}}`,
      `{% include "${path}" %}`,
      `{{< readfile file="${path}" >}}`,
      `<Snippet file="${path}" />`,
      `[x](${path} ':include')`,
      `\`\`\`{literalinclude} ${path}\n\`\`\``,
    ];
    const places = placesOf("docs/guide/a.mdx", forms.join("\n\n"));
    for (const place of places) {
      expect(place.length).toBeLessThan(600);
      expect(place.split("/")).not.toContain("..");
      expect(place).not.toMatch(/^\/|^\.git\/|\\|:\/\/|\p{Cc}/u);
    }
  });

  it("are taken as they are written: nothing in them is decoded", () => {
    expect(placesOf("docs/a.md", "<<< ./%2e%2e/%2e%2e/b.ts\n")).toEqual(["docs/%2e%2e/%2e%2e/b.ts"]);
  });

  it("of what is no text are not looked at", () => {
    expect(placesOf("docs/a.md", "<<< ./a.png\n\n<<< ./a.wasm\n")).toEqual([]);
  });
});

describe("files that cannot be included", () => {
  it.each([
    ["is not text", Uint8Array.of(1, 0, 2)],
    ["is empty", ""],
    ["is kept in Git LFS", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"],
    ["has 1000001 bytes", "x".repeat(1_000_001)],
  ])("are left out, and the page is served: %s", (why, content) => {
    const result = withFiles("a.md", `${intro}<<< ./a.ts\n`, { "a.ts": content });
    expect(result).toMatchObject({ outcome: "indexed", notes: [expect.stringContaining(why)] });
    expect(codesOf(result)).toEqual([]);
  });

  it("are no files in windows-1252: these are served, with a note", () => {
    const content = Uint8Array.from([...encoder.encode("const name = 'caf"), 0xe9, ...encoder.encode("';")]);
    const result = withFiles("a.md", `${intro}<<< ./a.ts\n`, { "a.ts": content });
    expect(result).toMatchObject({ outcome: "indexed", notes: [expect.stringContaining("is not UTF-8")] });
    expect(codesOf(result).map(({ code }) => code)).toEqual(["const name = 'café';"]);
  });

  it("are named with the reason that the source has", () => {
    const files = new Map([["a.ts", "is a symbolic link"]]);
    const result = extractPage({
      path: "a.md",
      mediaType: "text/markdown",
      bytes: encoder.encode(`${intro}<<< ./a.ts\n`),
      files,
    });
    expect(result).toMatchObject({ notes: ["Line 5 includes ./a.ts, which is a symbolic link."] });
  });
});

describe("including ends", () => {
  it("where a page includes itself", () => {
    const page = `${intro}{{#include a.md}}\n`;
    expect(withFiles("a.md", page, { "a.md": page })).toMatchObject({
      outcome: "indexed",
      notes: ["Line 5 includes a.md, which includes itself."],
    });
  });

  it("where pages include each other", () => {
    const result = withFiles("a.md", `${intro}{{#include b.md}}\n`, {
      "b.md": "Words of b that are long enough to be served by themselves.\n\n{{#include c.md}}\n",
      "c.md": "{{#include b.md}}\n\n{{#include a.md}}\n",
      "a.md": "not again",
    });
    expect(result).toMatchObject({
      outcome: "indexed",
      notes: ["Line 5 includes b.md, which includes itself.", "Line 5 includes a.md, which includes itself."],
    });
  });

  it("where a chain goes too deep", () => {
    const files = Object.fromEntries(
      Array.from({ length: 10 }, (_, depth) => [
        `${depth}.md`,
        `Text number ${depth}.\n\n{{#include ${depth + 1}.md}}\n`,
      ]),
    );
    const result = withFiles("a.md", `${intro}{{#include 0.md}}\n`, files);
    expect(result).toMatchObject({ notes: ["Line 5 includes 5.md, which is included more than 5 files deep."] });
    expect(JSON.stringify(result)).toContain("Text number 4.");
  });

  it("where a page includes one file a hundred thousand times", () => {
    const page = `${intro}${"<<< ./a.ts\n\n".repeat(100_000)}`;
    const result = withFiles("a.md", page, { "a.ts": `${"run();\n".repeat(1000)}` });
    expect(codesOf(result).length).toBeLessThanOrEqual(1000);
    expect(result).toMatchObject({ outcome: "indexed" });
    expect(result.notes).toContain("Includes after the first 1000 are left as they are.");
    expect(result.notes?.length).toBeLessThanOrEqual(22);
  });

  it("where a page includes a large file as often as it goes", () => {
    const page = `${intro}${"<<< ./a.ts\n\n".repeat(1000)}`;
    const result = withFiles("a.md", page, { "a.ts": "x = 1234567;\n".repeat(76_000) });
    expect(result).toMatchObject({
      outcome: "indexed",
      notes: expect.arrayContaining([expect.stringContaining("more than a page may include")]),
    });
    expect(JSON.stringify(result).length).toBeLessThan(20_000_000);
  });

  it("where files include ten files each that include ten", () => {
    const files = Object.fromEntries(
      Array.from({ length: 5 }, (_, depth) => [
        `${depth}.md`,
        `Text ${depth}.\n\n${`{{#include ${depth + 1}.md}}\n\n`.repeat(10)}`,
      ]),
    );
    const result = withFiles("a.md", `${intro}${"{{#include 0.md}}\n\n".repeat(10)}`, { ...files, "5.md": "End." });
    expect(result.outcome).toBe("indexed");
    expect(JSON.stringify(result).length).toBeLessThan(5_000_000);
  });

  it("in bounded time where many parts of one file are looked for", () => {
    const file = "// ANCHOR: a\nlet x = 1;\n// ANCHOR_END: a\n".repeat(20_000);
    const page = `${intro}${"```rust\n{{#include a.rs:zzz}}\n```\n\n".repeat(1000)}`;
    expect(cpu(() => withFiles("a.md", page, { "a.rs": file }))).toBeLessThan(5000);
  });

  it.each([
    ["<", "<A "],
    ["attributes", '<A a="'],
    ["braces", "<A a={{"],
    ["blanks in a tag", `import X from './a.ts?raw';\n<A${" ".repeat(1000)}`],
    ["open comments", "<!-- @include: "],
    ["open Liquid tags", "{%\n"],
    ["open scissors", "--8<--\nx\n"],
    ["open variants", "{* a"],
    ["open shortcodes", '{{< include "'],
    ["open fences", "```{literalinclude} a\n"],
    ["embeds", "[](x ':include"],
    ["fence markers", "~~~"],
    ["quotes", "> > > <<< "],
  ])("in time in proportion where a page repeats %s", (_title, piece) => {
    const page = (size: number) =>
      encoder.encode(`import X from './a.ts?raw';\n\n--8<-- "a"\n\n${piece.repeat(Math.ceil(size / piece.length))}`);
    const [small, large] = [page(100_000), page(800_000)];
    const least = (bytes: Uint8Array, rounds: number): number =>
      Math.min(...Array.from({ length: rounds }, () => cpu(() => includesOf({ path: "a.mdx", bytes }))));
    // Less than a tenth of a second is fast enough, whatever a smaller page takes.
    const first = least(large, 1);
    const limit = first < 100 ? 100 : 20 * Math.max(least(small, 3), 5);
    expect(first < limit ? first : least(large, 2)).toBeLessThan(limit);
  });
});
