import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { collect } from "../../activities/collect.ts";
import { parsePage } from "../../activities/parse-page.ts";
import { readPartLines } from "../../activities/parts.ts";
import { pool } from "../support/pool.ts";
import { createFolderSource } from "../../sources/folder/index.ts";
import { createFetchClient } from "../../sources/lib/fetch/client.ts";
import { createGuard } from "../../sources/lib/fetch/guard.ts";
import { createGitSource } from "../../sources/git/index.ts";
import { createFolderBlobStore } from "../../stores/blobs/folder.ts";
import type { BlobStore, Source } from "../../domain/ports.ts";
import { codesOf, type Passage } from "../../domain/passage.ts";
import type { Manifest } from "../../domain/generation.ts";
import type { SourceSpec } from "../../domain/kinds/index.ts";
import { amount } from "../support/endurance.ts";
import { writeFiles } from "../support/files.ts";
import { startGitServer } from "../support/git-server.ts";
import { folderOfTest } from "../support/of-test.ts";
import { gitSpec, wholeTree } from "../support/git-spec.ts";

/** A change of one file: its new content, or null to remove it. */
type Edit = readonly [path: string, content: string | null];

const pagePaths = ["README.md", "docs/a.md", "docs/b.md", "docs/deep/c.mdx"];
const partPaths = ["docs/part.md", "parts/one.md", "parts/two.md"];
const codePaths = ["src/x.ts", "src/y.py", "docs/z.rs"];

const words = fc.constantFrom("Alpha", "Beta", "Gamma", "Delta");
const includes = fc.constantFrom(
  "<<< @/src/x.ts",
  "<<< ../src/x.ts",
  "{* ./src/y.py *}",
  "{* ../src/y.py ln[1:2] *}",
  "```rust\n{{#include z.rs}}\n```",
  '```py\n--8<-- "src/y.py"\n```',
  "<!--@include: ./part.md-->",
  '--8<-- "parts/one.md"',
  "{{#include ../parts/two.md}}",
  "{{#include two.md}}",
  "{{#include one.md}}",
);
const text = fc
  .array(
    fc.oneof(
      words.map((word) => `This paragraph tells about ${word} and what it is good for in practice.`),
      includes,
    ),
    {
      minLength: 1,
      maxLength: 4,
    },
  )
  .map((blocks) => `# Title\n\n${blocks.join("\n\n")}\n`);
const code = words.map((word) => `first(${word});\nsecond(${word});\n`);
const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.tuple(fc.constantFrom(...pagePaths, ...partPaths), fc.option(text, { freq: 5 })),
  fc.tuple(fc.constantFrom(...codePaths), fc.option(code, { freq: 4 })),
);

let base: string;
let blobs: BlobStore;
beforeEach(async () => {
  base = await folderOfTest();
  blobs = createFolderBlobStore({ folder: join(base, "blobs") });
});

let runs = 0;

/** Collects a source; `parsed` lists the pages that were extracted. */
async function run(
  source: Source,
  spec: SourceSpec,
  live?: Manifest,
): Promise<{ manifest: Manifest; parsed: string[] }> {
  const { signal } = new AbortController();
  const state = await source.resolve(spec, null, { signal, credential: null });
  const parsed: string[] = [];
  const scratch = await mkdtemp(join(base, "scratch-"));
  const { manifest } = await collect(
    {
      blobs,
      source,
      parse: async (input) => {
        parsed.push(input.path);
        return parsePage(input);
      },
    },
    {
      generation: `run-${(runs += 1)}`,
      library: { teamspace: "default", id: "/acme/includes" },
      version: "",
      optionsHash: "",
      spec,
      state,
      title: "Includes",
      description: "",
      upload: null,
      live: live?.generation,
    },
    {
      signal,
      credential: null,
      keepFailed: 5,
      scratch,
      limits: { pages: 1000, bytes: 10_000_000, pageBytes: 1_000_000 },
      report: () => undefined,
    },
  );
  return { manifest, parsed };
}

async function linesOf({ parts }: Manifest): Promise<readonly string[]> {
  return (await Promise.all(parts.map((part) => readPartLines(blobs, part)))).flat();
}

/** The pages of a manifest, without their place in parts. */
function pagesOf({ pages }: Manifest): readonly object[] {
  return pages.map((page) => ({ ...page, place: undefined }));
}

/** The result of a run in comparable form. */
async function outcomeOf(manifest: Manifest): Promise<object> {
  return { contentHash: manifest.contentHash, lines: await linesOf(manifest), pages: pagesOf(manifest) };
}

/** Compares a refresh with a run from scratch after each round of edits; `readAgain` has the pages that a further refresh reads. */
async function runBoth(
  source: Source,
  spec: SourceSpec,
  rounds: readonly (readonly Edit[])[],
  apply: (edits: readonly Edit[]) => Promise<void>,
): Promise<{ refreshed: object[]; scratch: object[]; readAgain: string[] }> {
  const both = { refreshed: [] as object[], scratch: [] as object[], readAgain: [] as string[] };
  let live: Manifest | undefined;
  for (const edits of rounds) {
    await apply(edits);
    const { manifest } = await run(source, spec, live);
    const scratch = (await run(source, spec)).manifest;
    // If nothing changed, the live generation stays, with the revisions of its pages.
    const isLive = live !== undefined && manifest.generation === live.generation;
    const toOutcome = isLive ? ({ contentHash }: Manifest) => ({ contentHash }) : outcomeOf;
    both.refreshed.push(await toOutcome(manifest));
    both.scratch.push(await toOutcome(scratch));
    both.readAgain.push(...(await run(source, spec, manifest)).parsed);
    live = manifest;
  }
  return both;
}

const rounds = fc.array(fc.array(edit, { minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 5 });
const selection = wholeTree;

describe("a refresh gives the same result as a run from scratch", () => {
  it("of a folder, after any edits of pages and includes", async () => {
    await fc.assert(
      fc.asyncProperty(rounds, async (edits) => {
        const root = await mkdtemp(join(base, "root-"));
        const source = createFolderSource({ roots: [base], pool, extensions: [".md", ".mdx"] });
        const both = await runBoth(source as Source, { kind: "folder", path: root, selection }, edits, async (some) => {
          for (const [path, content] of some) {
            await mkdir(dirname(join(root, path)), { recursive: true });
            if (content === null) await rm(join(root, path), { force: true });
            else await writeFile(join(root, path), content);
          }
        });
        expect(both.refreshed).toEqual(both.scratch);
        expect(both.readAgain).toEqual([]);
      }),
      { numRuns: amount({ short: 5, long: 24 }), endOnFailure: true },
    );
  });

  describe("of a repository", () => {
    let server: Awaited<ReturnType<typeof startGitServer>>;
    beforeAll(async () => {
      server = await startGitServer();
    });
    afterAll(() => server.close());

    it("after any edits of pages and includes", async () => {
      const guard = createGuard({ allow: [server.host] });
      const client = createFetchClient({
        guard,
        userAgent: "Lectern test",
        proxies: { http: undefined, https: undefined, except: "" },
        headersTimeout: 5000,
        bodyTimeout: 5000,
      });
      const source = createGitSource({ client, guard, pool, extensions: [".md", ".mdx"] });
      try {
        await fc.assert(
          fc.asyncProperty(
            fc.array(fc.array(edit, { minLength: 2, maxLength: 8 }), { minLength: 2, maxLength: 3 }),
            async (edits) => {
              const repository = await server.repository(`acme/r${(runs += 1)}`, {
                "README.md": "# R\n",
                "docs/0.md": "# 0\n",
              });
              const spec = gitSpec(repository.url);
              const existing = new Set<string>(["README.md"]);
              const both = await runBoth(source as Source, spec, edits, async (some) => {
                const files: Record<string, string | null> = {};
                for (const [path, content] of some) {
                  if (content === null && !existing.has(path)) continue;
                  files[path] = content;
                  if (content === null) existing.delete(path);
                  else existing.add(path);
                }
                if (Object.keys(files).length > 0) await repository.commit(files);
              });
              expect(both.refreshed).toEqual(both.scratch);
              expect(both.readAgain).toEqual([]);
            },
          ),
          // Each round takes nine fetches.
          { numRuns: amount({ short: 2, long: 5 }), endOnFailure: true },
        );
      } finally {
        await client.close();
      }
    });
  });
});

describe("a refresh extracts the pages that changed", () => {
  const source = () => createFolderSource({ roots: [base], pool, extensions: [".md"] }) as Source;

  const write = (files: Readonly<Record<string, string>>): Promise<void> => writeFiles(join(base, "root"), files);

  it("and those whose includes changed, came or went, and no others", async () => {
    const spec: SourceSpec = { kind: "folder", path: join(base, "root"), selection };
    await write({
      "a.md": "# A\n\nText of the first page, which is long enough.\n\n<<< ./a.ts\n",
      "b.md": "# B\n\nText of the second page, which is long enough.\n\n<!--@include: ./part.md-->\n",
      "c.md": "# C\n\nText of the third page, which is long enough.\n\n<<< ./later.ts\n",
      "d.md": "# D\n\nText of the fourth page, which is long enough.\n",
      "part.md": "Text of the part, which is long enough to be served.\n\n<<< ./deep.ts\n",
      "a.ts": "a();\n",
      "deep.ts": "deep();\n",
    });
    const first = await run(source(), spec);
    expect(first.parsed).toEqual(["a.md", "b.md", "c.md", "d.md", "part.md"]);
    expect(first.manifest.pages.find(({ path }) => path === "c.md")).toMatchObject({
      outcome: "indexed",
      notes: ["Line 5 includes ./later.ts, which is not in the tree."],
      includes: [{ path: "later.ts", fingerprint: "" }],
    });

    await write({ "deep.ts": "deep(2);\n" });
    const second = await run(source(), spec, first.manifest);
    expect(second.parsed).toEqual(["b.md", "part.md"]);
    expect(second.manifest.revision).not.toBe(first.manifest.revision);
    await write({ "later.ts": "later();\n" });
    const third = await run(source(), spec, second.manifest);
    expect(third.parsed).toEqual(["c.md"]);

    const passages = (await linesOf(third.manifest)).map((line) => JSON.parse(line) as Passage);
    const included = passages.flatMap(codesOf).map(({ code: own, sources }) => [own, sources]);
    expect(included).toContainEqual([
      "later();",
      [{ path: "later.ts", url: `file://${base}/root/later.ts#L1-L1`, lines: [1, 1] }],
    ]);
    const other = passages.find((one) => codesOf(one)[0]?.code === "deep(2);");
    expect(other?.source).toMatchObject({ path: "b.md", lines: [3, 5] });
    expect(other?.blocks[1]).toMatchObject({ type: "code", lines: [5, 5] });
  });
});
