import { expect, it } from "vitest";
import { parsePage } from "../../activities/parse-page.ts";
import { readPartLines } from "../../activities/parts.ts";
import { Failure } from "../../domain/failures.ts";
import type { Source } from "../../domain/ports.ts";
import { codesOf, type Passage } from "../../domain/passage.ts";
import type { Manifest } from "../../domain/generation.ts";
import { blobsOfTest, folderOfTest } from "../support/of-test.ts";
import { collectHere, neverResolved } from "./collecting.ts";

const url = (path: string): string => `https://example.com/${path}`;

/** A source of these pages; a page without text fails. */
function sourceOf(pages: Readonly<Record<string, string | null>>): Source {
  return {
    kind: "git",
    resolve: neverResolved,
    async *read(_, __, { known }) {
      for (const [key, text] of Object.entries(pages)) {
        const page = { key, url: url(key), mediaType: "text/markdown", fingerprint: text ?? "?" };
        if (text === null)
          yield { type: "failed", page, failure: { code: "source_unreachable", message: "It did not answer." } };
        else if (known(page)) yield { type: "known", page };
        else yield { type: "page", page, bytes: Buffer.from(text) };
      }
    },
  };
}

async function library() {
  const [blobs, scratch] = [await blobsOfTest(), await folderOfTest()];
  let live: Manifest | undefined;
  let runs = 0;
  const parse = async (input: Parameters<typeof parsePage>[0]) => {
    if (Buffer.from(input.bytes).includes("too slow")) throw new Failure("page_too_costly", "It is too slow to read.");
    return parsePage(input);
  };
  /** Collects at a revision, and makes the result live. */
  const refresh = async (pages: Readonly<Record<string, string | null>>, revision: string) => {
    const { manifest } = await collectHere({
      blobs,
      source: sourceOf(pages),
      parse,
      input: {
        generation: `g${runs++}`,
        state: { revision, ref: null, location: "" },
        live: live?.generation,
      },
      context: { scratch, keepFailed: 2 },
    });
    const before = live;
    live = manifest;
    const lines = (await Promise.all(manifest.parts.map((part) => readPartLines(blobs, part)))).flat();
    const passages = lines.map((line) => JSON.parse(line) as Passage);
    return { manifest, passages, changed: before?.contentHash !== manifest.contentHash };
  };
  return refresh;
}

const page = (name: string): string =>
  `# ${name}\n\nThis page tells how ${name} works, in a sentence.\n\n\`\`\`js\n${name}();\n\`\`\`\n`;

it("a page that fails keeps its last passages for some refreshes, at the revision at which they were read", async () => {
  const refresh = await library();
  const first = await refresh({ "a.md": page("alpha"), "b.md": page("beta") }, "r1");
  for (const [revision, failures] of [["r2", 1] as const, ["r3", 2] as const]) {
    const { manifest, passages, changed } = await refresh({ "a.md": page("alpha"), "b.md": null }, revision);
    expect(manifest.pages[1]).toMatchObject({
      path: "b.md",
      outcome: "failed",
      code: "source_unreachable",
      reason: "It did not answer.",
      failures,
    });
    expect(manifest.counts).toMatchObject({ pages: 1, pagesFailed: 1, code: 2 });
    const [alpha, beta] = ["alpha();", "beta();"].map((code) => passages.find((one) => codesOf(one)[0]?.code === code));
    expect(alpha?.source.revision).toBe(revision);
    expect(beta?.source).toEqual(first.passages.find((one) => codesOf(one)[0]?.code === "beta();")?.source);
    // Otherwise nothing would be published, and the number of failures would be lost.
    expect(changed).toBe(true);
  }
  const { manifest, passages } = await refresh({ "a.md": page("alpha"), "b.md": null }, "r4");
  expect(manifest.pages[1]).not.toHaveProperty("failures");
  expect(passages.every(({ source }) => source.path === "a.md")).toBe(true);
});

it("a page that comes back with the same content is used again, and counts as read", async () => {
  const refresh = await library();
  const first = await refresh({ "a.md": page("alpha") }, "r1");
  await refresh({ "a.md": null }, "r2");
  const { manifest } = await refresh({ "a.md": page("alpha") }, "r3");
  expect(manifest.pages[0]).toMatchObject({ outcome: "indexed" });
  expect(manifest.pages[0]).not.toHaveProperty("failures");
  expect(manifest.pages[0]).not.toHaveProperty("reason");
  expect(manifest.contentHash).toBe(first.manifest.contentHash);
});

it("a page that cannot be parsed any more keeps its passages too, and is parsed again when it changes", async () => {
  const refresh = await library();
  await refresh({ "a.md": page("alpha") }, "r1");
  const { manifest, passages } = await refresh({ "a.md": "too slow" }, "r2");
  expect(manifest.pages[0]).toMatchObject({ outcome: "failed", reason: "It is too slow to read.", failures: 1 });
  expect(passages.flatMap(codesOf).map(({ code }) => code)).toEqual(["alpha();"]);
  const later = await refresh({ "a.md": page("gamma") }, "r3");
  expect(later.manifest.pages[0]).toMatchObject({ outcome: "indexed" });
  expect(later.passages.flatMap(codesOf).map(({ code }) => code)).toEqual(["gamma();"]);
});

it("a page that never was read has nothing to keep", async () => {
  const refresh = await library();
  const { manifest } = await refresh({ "a.md": page("alpha"), "b.md": null }, "r1");
  expect(manifest.pages[1]).toEqual({
    path: "b.md",
    url: url("b.md"),
    outcome: "failed",
    code: "source_unreachable",
    reason: "It did not answer.",
  });
});

it("a run ends at the 21st page that is too slow, and aborts running extractions", async () => {
  const [blobs, scratch] = [await blobsOfTest(), await folderOfTest()];
  const slow = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`${String(index).padStart(2, "0")}.md`, "slow"]));
  let aborted = 0;
  const run = (pages: Readonly<Record<string, string>>, generation: string) =>
    collectHere({
      blobs,
      source: sourceOf(pages),
      parse: async (input, signal) => {
        if (input.path.startsWith("z"))
          await new Promise((_, reject) =>
            signal.addEventListener("abort", () => {
              aborted += 1;
              reject(signal.reason as Error);
            }),
          );
        if (Buffer.from(input.bytes).includes("slow")) throw new Failure("page_too_costly", "It is too slow to read.");
        return parsePage(input);
      },
      input: { generation, state: { revision: generation, ref: null, location: "" } },
      context: { scratch },
    });
  const { manifest } = await run({ ...slow(20), "y.md": page("alpha") }, "g0");
  expect(manifest.counts).toMatchObject({ pages: 1, pagesFailed: 20 });
  await expect(run({ ...slow(21), "z.md": "never ends", "z2.md": "never ends" }, "g1")).rejects.toMatchObject({
    code: "page_too_costly",
    message: expect.stringContaining("More than 20 pages are too slow to read, the last of them 20.md.") as string,
  });
  expect(aborted).toBe(2);
});
