import { describe, expect, it } from "vitest";
import type { CollectPorts } from "../../activities/collect.ts";
import { parsePage, type ParseInput } from "../../activities/parse-page.ts";
import type { BlobStore, PageRef, Source } from "../../domain/ports.ts";
import type { Manifest } from "../../domain/generation.ts";
import { damage } from "../contracts/healing.ts";
import { blobsOfTest, folderOfTest } from "../support/of-test.ts";
import { collectHere, neverResolved } from "./collecting.ts";

/** Pages that fill two parts. */
const paths = ["a.md", "b.md", "c.md"];
const text = (path: string): string =>
  `# ${path}\n\n${Array.from({ length: 7000 }, (_, at) => `Sentence ${at} of the page ${path} tells something of its own, in words that no other has: ${at * 7919}.`).join("\n\n")}\n`;

const spec = {
  kind: "folder",
  path: "/srv",
  selection: { folders: [], excludeFolders: null, excludeFiles: null },
} as const;

/** A source that reads only pages with unknown passages, and records them in `read`. */
function source(read: string[]): Source {
  return {
    kind: "folder",
    resolve: neverResolved,
    async *read(_, __, { known }) {
      for (const path of paths) {
        const page: PageRef = {
          key: path,
          url: `https://example.com/${path}`,
          mediaType: "text/markdown",
          fingerprint: path,
        };
        if (known(page)) yield { type: "known", page };
        else {
          read.push(path);
          yield { type: "page", page, bytes: Buffer.from(text(path)) };
        }
      }
    },
  };
}

const parsed = new Map<string, ReturnType<CollectPorts["parse"]>>();

/** Parses each page once for all tests, as it takes a tenth of a second. */
function parseOnce(input: ParseInput): ReturnType<CollectPorts["parse"]> {
  const known = parsed.get(input.path) ?? parsePage(input);
  parsed.set(input.path, known);
  return known;
}

async function setup() {
  const blobs = await blobsOfTest();
  const run = async (generation: string, { live, store = blobs }: { live?: Manifest; store?: BlobStore } = {}) => {
    const read: string[] = [];
    const collecting = collectHere({
      blobs: store,
      source: source(read),
      parse: parseOnce,
      // Other options each time, so that unchanged pages are read from their parts.
      input: { generation, spec, live: live?.generation, optionsHash: generation },
      context: { scratch: await folderOfTest() },
    });
    return { ...(await collecting), read };
  };
  return { blobs, run };
}

describe("a refresh", () => {
  it.each(["missing", "changed", "cut short", "empty"] as const)(
    "reads again only the pages of a part that is %s",
    async (how) => {
      const { blobs, run } = await setup();
      const { manifest: live } = await run("one");
      expect(live.parts.length).toBeGreaterThan(1);
      const [lost, kept] = [0, 1].map((part) => live.pages.filter(({ place }) => (place?.[0] === 0) === (part === 0)));
      expect([lost?.length, kept?.length]).not.toContain(0);
      expect((await run("two", { live })).read).toEqual([]);
      await damage(blobs, "one", "snippets-", how);
      const { manifest, damage: message, read } = await run("three", { live });
      expect(read).toEqual(lost?.map(({ path }) => path));
      expect(message).toMatch(/^The part .*-00000\.ndjson\.zst is (missing|damaged)\. Refresh the library/);
      expect(manifest.contentHash).toBe(live.contentHash);
    },
  );

  it("fails where a part is damaged while it runs, so that the next attempt reads the pages again", async () => {
    const { blobs, run } = await setup();
    const { manifest: live } = await run("one");
    let gets = 0;
    const get: BlobStore["get"] = async (key) => {
      if (key === live.parts[0]?.key) gets += 1;
      return key === live.parts[0]?.key && gets > 1 ? undefined : blobs.get(key);
    };
    const store = { ...blobs, get };
    await expect(run("two", { live, store })).rejects.toMatchObject({ code: "internal_error" });
    const { manifest, read } = await run("two", { live, store });
    expect(read).not.toEqual([]);
    expect(manifest.contentHash).toBe(live.contentHash);
  });

  it.each(["missing", "changed", "cut short", "empty"] as const)(
    "reads pages again that an interrupted attempt left in a part that is %s",
    async (how) => {
      const { blobs, run } = await setup();
      const { manifest: whole } = await run("one");
      const put: BlobStore["put"] = async (key, bytes) => {
        if (key.includes("manifest")) throw new Error("The store broke off.");
        await blobs.put(key, bytes);
      };
      for (const broken of ["two", "three"])
        await expect(run(broken, { store: { ...blobs, put } })).rejects.toThrow("broke off");
      expect((await run("two")).read).toEqual([]);
      await damage(blobs, "three", "snippets-", how);
      const { manifest, damage: message, read } = await run("three");
      expect(read).toEqual(whole.pages.flatMap(({ path, place }) => (place?.[0] === 0 ? [path] : [])));
      expect(message).toBeUndefined();
      expect(manifest.contentHash).toBe(whole.contentHash);
    },
  );

  it("fails, and takes no part for damaged, while the BlobStore is away", async () => {
    const { blobs, run } = await setup();
    const { manifest: live } = await run("one");
    const away = { ...blobs, get: () => Promise.reject(new Error("The disk is away.")) };
    await expect(run("two", { live, store: away })).rejects.toThrow("The disk is away.");
  });
});
