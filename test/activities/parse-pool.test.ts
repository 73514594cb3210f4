import { afterEach, describe, expect, it } from "vitest";
import { createParsePool } from "../../activities/parse-pool.ts";
import type { ParsePool } from "../../activities/parse-pool.ts";
import { parsePage } from "../../activities/parse-worker.ts";
import type { ParseInput } from "../../activities/parse-worker.ts";
import type { IncludedFile } from "../../domain/ports.ts";
import type { Snippet } from "../../domain/snippet.ts";
import { toLine } from "../../extract/snippets.ts";
import { analysis, toRows } from "../../search/sqlite/snippet-rows.ts";
import { codeSnippet } from "../contracts/snippet-samples.ts";

const pools: ParsePool[] = [];
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

function open(options: Parameters<typeof createParsePool>[0]): ParsePool {
  const pool = createParsePool(options);
  pools.push(pool);
  return pool;
}

const place = {
  url: "https://git.example.com/a/b",
  spec: { kind: "folder", path: "/docs", selection: { folders: [], excludeFolders: null, excludeFiles: null } },
  revision: "abc",
} as const;

const page = (index: number, length = 1): ParseInput => ({
  ...place,
  path: `docs/${index}.md`,
  bytes: new TextEncoder().encode(
    `# Page ${index}\n\n${"Words of it that make prose.\n\n".repeat(length)}\`\`\`js\ncode(${index});\n\`\`\`\n`,
  ),
});
const pages = Array.from({ length: 80 }, (_, index) => page(index, (index % 7) * 40));

describe("the parse pool", () => {
  it.each([1, 2])("says with %i thread(s) what extraction says of each page", async (threads) => {
    const { parse, warm } = open({ threads });
    warm();
    expect(await Promise.all(pages.map((input) => parse(input)))).toEqual(pages.map(parsePage));
  });

  it("hands what pages include on to the threads", async () => {
    const { parse } = open({ threads: 2 });
    const file = (path: string, content: string | null, reason?: string): IncludedFile => ({
      path,
      url: `https://git.example.com/a/b/${path}`,
      fingerprint: path,
      bytes: content === null ? null : new TextEncoder().encode(content),
      ...(reason !== undefined && { reason }),
    });
    const inputs = Array.from({ length: 40 }, (_, index): ParseInput => ({
      ...page(index),
      bytes: new TextEncoder().encode(`# Page ${index}\n\nRun it:\n\n<<< ./a.ts\n\n<<< ./b.ts\n\n<<< ./c.ts\n`),
      includes: [
        file("docs/a.ts", `a(${index});\n`),
        file("docs/b.ts", null, "is a symbolic link"),
        file("docs/c.ts", `c(${index});\n`),
      ],
    }));
    const parsed = await Promise.all(inputs.map((input) => parse(input)));
    expect(parsed).toEqual(inputs.map(parsePage));
    const [first] = parsed;
    expect(first).toMatchObject({ notes: ["Line 7 includes ./b.ts, which is a symbolic link."] });
    const lines = first?.outcome === "indexed" ? new TextDecoder().decode(first.lines).trim().split("\n") : [];
    expect(lines.map((line) => (JSON.parse(line) as Snippet).codes[0])).toMatchObject([
      {
        code: "a(0);",
        sources: [{ path: "docs/a.ts", url: "https://git.example.com/a/b/docs/a.ts#L1-L1", lines: [1, 1] }],
      },
      { code: "c(0);", sources: [{ path: "docs/c.ts" }] },
    ]);
  });

  it("leaves the caller's bytes as they are", async () => {
    const { parse } = open({ threads: 1 });
    const shared = new Uint8Array(1000).fill(10);
    const { bytes } = page(1);
    shared.set(bytes, 100);
    const view = shared.subarray(100, 100 + bytes.length);
    const before = shared.slice();
    const parsing = parse({ ...place, path: "a.md", bytes: view });
    expect(await parsing).toMatchObject({ outcome: "indexed", summary: { title: "Page 1" } });
    expect(shared).toEqual(before);
  });

  it("fails a page that its thread dies of, and no other", async () => {
    const { parse } = open({ threads: 1, threadMemory: 24 });
    const heavy = { ...place, path: "heavy.md", bytes: new TextEncoder().encode("- a\n- b\n\n".repeat(12_000)) };
    const [first, dead, last] = await Promise.allSettled([parse(page(1)), parse(heavy), parse(page(2))]);
    expect(first).toMatchObject({ status: "fulfilled", value: { summary: { title: "Page 1" } } });
    expect(dead).toMatchObject({ status: "rejected", reason: { code: "source_invalid" } });
    expect(last).toMatchObject({ status: "fulfilled", value: { summary: { title: "Page 2" } } });
  });

  it("gives up a page whose caller has", async () => {
    const { parse } = open({ threads: 1 });
    const controller = new AbortController();
    const parsing = parse(page(1), controller.signal);
    const other = parse(page(2));
    controller.abort(new Error("enough"));
    await expect(parsing).rejects.toThrow("enough");
    await expect(parse(page(3), controller.signal)).rejects.toThrow("enough");
    expect(await other).toMatchObject({ summary: { title: "Page 2" } });
  });

  it("runs other functions beside the pages, with what they answer and throw", async () => {
    const pool = open({ threads: 1 });
    const line = new TextEncoder().encode(toLine(codeSnippet("a", { title: "Cache" })).line);
    const lines = Array.from({ length: 20 }, () => ({ lines: line, language: "rust" }));
    const parsing = Promise.all(pages.map((input) => pool.parse(input)));
    expect(await Promise.all(lines.map((one) => pool.run(analysis, one)))).toEqual(lines.map(toRows));
    await expect(pool.run(analysis, { lines: new Uint8Array([123]), language: "" })).rejects.toThrow("JSON");
    expect(await parsing).toEqual(pages.map(parsePage));
    const given = { lines: line.slice(), language: "" };
    await pool.run(analysis, given, [given.lines.buffer]);
    expect(given.lines).toHaveLength(0);
    await pool.close();
    await expect(pool.run(analysis, lines[0])).rejects.toMatchObject({ code: "service_unavailable" });
  });

  it("refuses pages once it is closed, and gives up those that wait", async () => {
    const pool = open({ threads: 1 });
    const waiting = Promise.allSettled(pages.map((input) => pool.parse(input)));
    await pool.close();
    expect((await waiting).at(-1)).toMatchObject({ status: "rejected", reason: { code: "service_unavailable" } });
    await expect(pool.parse(page(1))).rejects.toMatchObject({ code: "service_unavailable" });
  });
});
