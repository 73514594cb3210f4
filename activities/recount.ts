import type { BlobStore, Catalog } from "../domain/ports.ts";
import type { Manifest } from "../domain/generation.ts";
import { readPassage } from "../domain/passage-lines.ts";
import { isServed } from "../domain/passage.ts";
import { snippetsOf } from "../domain/split-passage.ts";
import type { Chores } from "./chores.ts";
import { readParts } from "./damage.ts";
import { manifestOf, unlessDamaged } from "./parts.ts";

/** What counting snippets needs of the world. */
export interface RecountPorts {
  readonly catalog: Catalog;
  readonly blobs: BlobStore;
  readonly announce: (libraryUid: string) => Promise<void>;
  readonly now: () => number;
}

/** Maximum generations that one sweep counts: each is read as a whole. */
const maxCounted = 100;

/** Counts the snippets of live generations from before that was done as they were made. Returns how many. */
export async function recountSnippets(ports: RecountPorts, chores: Chores): Promise<number> {
  const { catalog, blobs } = ports;
  const live = await catalog.generations.live();
  const due = live.filter(({ counts, damage }) => counts.snippets === undefined && damage === null);
  return chores.each(due.slice(0, maxCounted), async ({ id, libraryUid, counts }) => {
    const manifest = await unlessDamaged(manifestOf(blobs, id));
    const snippets = manifest && (await unlessDamaged(countSnippets(ports, manifest, chores)));
    if (snippets === undefined) return;
    await catalog.generations.recount(id, { ...counts, snippets });
    await ports.announce(libraryUid);
  });
}

async function countSnippets(ports: RecountPorts, manifest: Manifest, chores: Chores): Promise<number> {
  let snippets = 0;
  for await (const part of readParts(ports, manifest)) {
    chores.beat();
    const lines = Buffer.from(part.buffer, part.byteOffset, part.length).toString("utf8").split("\n");
    for (const line of lines) {
      const passage = line === "" ? undefined : readPassage(line);
      if (passage && isServed(passage)) snippets += snippetsOf(passage);
    }
  }
  return snippets;
}
