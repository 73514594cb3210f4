import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { readFindings } from "../../activities/findings.ts";
import { exportGeneration, importGeneration } from "../../activities/transfer.ts";
import type { Screen, Source } from "../../domain/ports.ts";
import { openHealing } from "../contracts/healing.ts";
import { serve } from "../sources/fetch/setup.ts";
import { blobsOfTest, folderOfTest } from "../support/of-test.ts";
import { collectHere, neverResolved } from "./collecting.ts";

const id = "/acme/widgets";
const pages = {
  "README.md": "# Widgets\n\nMake one with `make()`.\n",
  "docs/colours.md": "# Colours\n\nThe purple elephant paints widgets.\n",
};

/** A classifier that flags elephants, and answers 503 while `isAway`. */
async function startClassifier() {
  const state = { isAway: false, texts: [] as string[] };
  const answer = (body: string, response: ServerResponse): void => {
    const { passages } = JSON.parse(body) as { passages: readonly { id: string; text: string }[] };
    if (state.isAway) {
      response.writeHead(503).end();
      return;
    }
    state.texts.push(...passages.map((passage) => passage.text));
    const flagged = passages
      .filter((passage) => passage.text.includes("elephant"))
      .map(({ id: each }) => [each, ["elephant"]]);
    response.end(JSON.stringify({ findings: Object.fromEntries(flagged) }));
  };
  const host = await serve(async (request, response) => answer(await text(request), response));
  return { state, url: `http://${host}/` };
}

it("quarantines what the classifier finds, and judges a changed page alone", async () => {
  const { state, url } = await startClassifier();
  const { add, live, write, refresh, settle, blobs } = await openHealing({ SCREEN_URL: url });
  await add(id, pages);
  const first = await live(id);
  expect(first.counts).toMatchObject({ passages: 1, quarantined: 1 });
  const [finding] = await readFindings(blobs, first.id);
  expect(finding?.passage).toMatchObject({ title: "Colours", findings: ["classified"], flags: ["quarantined"] });
  expect(state.texts).toContainEqual(expect.stringContaining("README.md\n\nWidgets\n\nMake one with `make()`."));

  state.texts.length = 0;
  await write(id, { "README.md": "# Widgets\n\nMake two with `make(2)`.\n" });
  await refresh(id);
  await settle();
  const second = await live(id);
  expect(second.id).not.toBe(first.id);
  expect(second.counts).toMatchObject({ passages: 1, quarantined: 1 });
  expect(state.texts).toEqual([expect.stringContaining("Make two")]);
});

it("publishes without an unreachable classifier where that is set, notes it, and has it judge at the next refresh", async () => {
  const { state, url } = await startClassifier();
  state.isAway = true;
  const { add, live, refresh, settle, blobs, lectern } = await openHealing({ SCREEN_URL: url, SCREEN_FAILS: "open" });
  await add(id, pages);
  const first = await live(id);
  expect(first.counts).toMatchObject({ passages: 2, quarantined: 0 });
  const note = "The classifier was unreachable for 2 pages; the next refresh asks it again.";
  expect((await lectern.ports.manifest(first.id))?.notes).toEqual([note]);

  state.isAway = false;
  // Only three failures in a row pause the classifier for 30 seconds.
  await refresh(id);
  await settle();
  const second = await live(id);
  expect(second.counts).toMatchObject({ passages: 1, quarantined: 1 });
  expect((await lectern.ports.manifest(second.id))?.notes).toBeUndefined();
  expect(await readFindings(blobs, second.id)).toHaveLength(1);

  await refresh(id);
  await settle();
  expect((await live(id)).id).toBe(second.id);
});

it("judges an import of pages that no classifier has judged", async () => {
  const { state, url } = await startClassifier();
  const { add, live, blobs, lectern } = await openHealing();
  await add(id, pages);
  const { id: generation } = await live(id);
  const lines = await Array.fromAsync(exportGeneration(blobs, generation));
  expect(state.texts).toEqual([]);

  const judging = await openHealing({ SCREEN_URL: url });
  const { manifest } = await importGeneration(judging.blobs, Readable.from(lines), "imported", {
    screen: judging.lectern.screen,
  });
  expect(manifest.counts).toMatchObject({ passages: 1, quarantined: 1 });
  expect(lectern.screen).toBeUndefined();
});

it("judges a page again that another classifier has judged", async () => {
  const blobs = await blobsOfTest();
  const scratch = await folderOfTest();
  const source: Source = {
    kind: "git",
    resolve: neverResolved,
    async *read(_, __, { known }) {
      const page = { key: "a.md", url: "https://example.com/a.md", mediaType: "text/markdown", fingerprint: "1" };
      yield known(page)
        ? { type: "known", page }
        : { type: "page", page, bytes: Buffer.from("# A\n\nThe purple elephant paints widgets.\n") };
    },
  };
  let judged: string[] = [];
  const collected = async (generation: string, live: string | undefined, name?: string) => {
    judged = [];
    const judge: Screen["judge"] = async (passages) => {
      judged.push(...passages.map(({ id: each }) => each));
      return new Map(name === "strict" ? passages.map(({ id: each }) => [each, ["classified"]] as const) : []);
    };
    const { manifest } = await collectHere({
      blobs,
      source,
      ...(name !== undefined && { screen: { name, judge } }),
      input: { generation, live, optionsHash: name ?? "none" },
      context: { scratch },
    });
    return { judged: judged.length, quarantined: manifest.counts.quarantined, contentHash: manifest.contentHash };
  };
  const first = await collected("g1", undefined, "lenient");
  expect(first).toMatchObject({ judged: 1, quarantined: 0 });
  expect(await collected("g2", "g1", "lenient")).toMatchObject({ judged: 0, quarantined: 0 });
  const strict = await collected("g3", "g1", "strict");
  expect(strict).toMatchObject({ judged: 1, quarantined: 1 });
  // A quarantined passage alone is a change that a run publishes.
  expect(strict.contentHash).not.toBe(first.contentHash);
  expect(await collected("g4", "g3")).toMatchObject({ judged: 0, quarantined: 0, contentHash: first.contentHash });
});
