import { Failure } from "../domain/failures.ts";
import { showLibrary } from "../domain/library.ts";
import type { BlobStore, Catalog, GenerationRecord } from "../domain/ports.ts";
import type { Manifest, Part } from "../domain/generation.ts";
import type { Chores } from "./chores.ts";
import { createFolding } from "./folding.ts";
import { checkPart, damageIn, generationPrefix, manifestOf, readPart } from "./parts.ts";

/** What looking for damage needs of the world. */
export interface DamagePorts {
  readonly catalog: Catalog;
  readonly blobs: BlobStore;
  readonly now: () => number;
}

const hour = 3_600_000;

/** Hours in which the sweep verifies every part: about a week. A prime, so that a server that runs an hour a day gets to all. */
const verifyEvery = 167;

/**
 * The error message if the manifest or a part of a generation is missing or damaged, else undefined. The hash is verified of
 * parts that are `chosen`; the others only have to exist.
 * @throws Failure service_unavailable if the BlobStore is unreachable: that is not damage
 */
export async function damageOf(
  blobs: BlobStore,
  generation: string,
  chosen: (part: Part) => boolean = () => false,
): Promise<string | undefined> {
  return damageIn(checkGeneration(blobs, generation, chosen));
}

async function checkGeneration(blobs: BlobStore, generation: string, chosen: (part: Part) => boolean): Promise<void> {
  const { parts } = await manifestOf(blobs, generation);
  const stored = new Set<string>();
  for await (const key of blobs.list(generationPrefix(generation))) stored.add(key);
  for (const part of parts) if (chosen(part) || !stored.has(part.key)) await checkPart(blobs, part);
}

/** Whether the sweep at the given time verifies the hash of a part. */
export function isTurn({ sha256 }: Pick<Part, "sha256">, time: number): boolean {
  return Number.parseInt(sha256.slice(0, 8), 16) % verifyEvery === Math.floor(time / hour) % verifyEvery;
}

/** The parts of a generation as an index loads them, one by one: folded lines say so. Damage is recorded before it is thrown. */
export async function* readParts(
  { catalog, blobs, now }: DamagePorts,
  { generation, parts, folds = [] }: Pick<Manifest, "generation" | "parts" | "folds">,
): AsyncGenerator<Uint8Array> {
  const fold = createFolding(folds);
  for (const part of parts) {
    const reading = readPart(blobs, part);
    const damage = await damageIn(reading);
    if (damage !== undefined) await catalog.generations.noteDamage(generation, damage, now());
    yield fold(await reading);
  }
}

/** Checks every live generation, with the hashes of the parts whose turn it is, records damage and returns how many are damaged. */
export async function findDamage({ catalog, blobs, now }: DamagePorts, chores: Chores): Promise<number> {
  const time = now();
  let damaged = 0;
  await chores.each(await catalog.generations.live(), async ({ id, libraryUid, version, damage: before }) => {
    const found = await damageOf(blobs, id, (part) => {
      chores.beat();
      // A damaged generation is verified completely: its blobs may have been restored.
      return before !== null || isTurn(part, time);
    });
    if (found === undefined && before === null) return;
    const isLive = await catalog.generations.noteDamage(id, found ?? null, time);
    if (found === undefined || !isLive) return;
    damaged += 1;
    const name = await showLibraryOf(catalog, { libraryUid, version });
    const message = `${name} is damaged: ${found} The sweep does so daily unless the library's schedule is "never".`;
    chores.note(new Failure("generation_damaged", message));
  });
  return damaged;
}

/** How the library version of a generation is shown; by its uid if it is gone. */
export async function showLibraryOf(
  catalog: Catalog,
  { libraryUid, version }: Pick<GenerationRecord, "libraryUid" | "version">,
): Promise<string> {
  const library = await catalog.libraries.get(libraryUid);
  return showLibrary(library?.id ?? libraryUid, version);
}
