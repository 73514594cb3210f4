import { Failure } from "../domain/failures.ts";
import { showLibrary } from "../domain/library.ts";
import type { BlobStore, Catalog, GenerationRecord, WrittenBlob } from "../domain/ports.ts";
import type { Manifest, Part } from "../domain/generation.ts";
import type { Chores } from "./chores.ts";
import { createFolding, checkPart, damageIn, generationPrefix, manifestKey, manifestOf, readPart } from "./parts.ts";

/** The ports that damage checks use. */
export interface DamagePorts {
  readonly catalog: Catalog;
  readonly blobs: BlobStore;
  readonly now: () => number;
}

interface FindingPorts extends DamagePorts {
  /** The `stampOf` each generation when this process last checked it. */
  readonly looked: Map<string, string>;
}

const hour = 3_600_000;

/** Hours in which the sweep verifies every part: about a week. A prime, so that a server that runs an hour a day reaches all. */
const verifyEvery = 167;

/**
 * The error message if the manifest or a part of a generation is missing or damaged, else undefined. It verifies the hash of parts
 * that are `chosen`, changed their size, or were written after the manifest; the others only have to exist.
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
  const prefix = generationPrefix(generation);
  const stored = new Map<string, Omit<WrittenBlob, "key"> | undefined>();
  if (blobs.written) for await (const { key, ...written } of blobs.written(prefix)) stored.set(key, written);
  else for await (const key of blobs.list(prefix)) stored.set(key, undefined);
  const madeAt = stored.get(manifestKey(generation))?.at ?? Infinity;
  for (const part of parts) {
    const written = stored.get(part.key);
    const isTouched = written !== undefined && (written.bytes !== part.bytes || written.at > madeAt);
    if (chosen(part) || isTouched || !stored.has(part.key)) await checkPart(blobs, part);
  }
}

/** Whether the sweep at the given time verifies the hash of a part. */
export function isVerificationDue({ sha256 }: Pick<Part, "sha256">, time: number): boolean {
  return Number.parseInt(sha256.slice(0, 8), 16) % verifyEvery === Math.floor(time / hour) % verifyEvery;
}

/** The parts of a generation as an index loads them: folded lines are marked, and boilerplate is left out. Damage is recorded before it is thrown. */
export async function* readParts(
  { catalog, blobs, now }: DamagePorts,
  { generation, parts, ...changes }: Pick<Manifest, "generation" | "parts" | "folds" | "cuts">,
): AsyncGenerator<Uint8Array> {
  const fold = createFolding(changes);
  for (const part of parts) {
    const reading = readPart(blobs, part);
    const damage = await damageIn(reading);
    if (damage !== undefined) await catalog.generations.noteDamage(generation, damage, now());
    yield fold(await reading);
  }
}

/** Maximum time of a brief check, in milliseconds. Each begins with another generation. */
const briefly = 1000;

/**
 * Checks every live generation, verifies the hashes of the parts whose turn it is, records damage and returns how many are damaged.
 * `brief`: only generations whose files were written or removed since the last check, and only for a second.
 */
export async function findDamage(
  { catalog, blobs, now, looked }: FindingPorts,
  chores: Chores,
  { brief }: { readonly brief: boolean },
): Promise<number> {
  if (brief && !blobs.written) return 0;
  const time = now();
  const until = performance.now() + (brief ? briefly : Infinity);
  let damaged = 0;
  const live = await catalog.generations.live();
  const known = new Set(live.map(({ id }) => id));
  for (const id of looked.keys()) if (!known.has(id)) looked.delete(id);
  const first = Math.floor(Math.random() * live.length);
  await chores.each(
    [...live.slice(first), ...live.slice(0, first)],
    async ({ id, libraryUid, version, damage: before }) => {
      if (performance.now() > until) return;
      const stamp = await stampOf(blobs, id);
      if (brief && looked.get(id) === stamp) return;
      const damage = await damageOf(blobs, id, (part) => {
        chores.beat();
        // A damaged generation is verified completely: its blobs may have been restored.
        return before !== null || isVerificationDue(part, time);
      });
      looked.set(id, stamp);
      if (damage === undefined && before === null) return;
      const isLive = await catalog.generations.noteDamage(id, damage ?? null, time);
      if (damage === undefined || !isLive) return;
      damaged += 1;
      const name = await showLibraryOf(catalog, { libraryUid, version });
      const message = `${name} is damaged: ${damage} The sweep refreshes it daily, unless the library's schedule is "never".`;
      chores.note(new Failure("generation_damaged", message));
    },
  );
  return damaged;
}

/** A stamp of a generation's blobs: every write and every removal changes it. */
async function stampOf(blobs: BlobStore, generation: string): Promise<string> {
  let [count, size, at] = [0, 0, 0];
  for await (const blob of blobs.written?.(generationPrefix(generation)) ?? []) {
    count += 1;
    size += blob.bytes;
    at = Math.max(at, blob.at);
  }
  return `${count} ${size} ${at}`;
}

/** The display name of a generation's library version; its uid if the library is gone. */
export async function showLibraryOf(
  catalog: Catalog,
  { libraryUid, version }: Pick<GenerationRecord, "libraryUid" | "version">,
): Promise<string> {
  const library = await catalog.libraries.get(libraryUid);
  return showLibrary(library?.id ?? libraryUid, version);
}
