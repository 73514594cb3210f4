import { createHash, hash } from "node:crypto";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { applyDelta, deltaSizes, maxDeltaResult } from "./delta.ts";
import { keepPack } from "./keep-pack.ts";
import { createPackWindow, firstEntry, PackError, passOver } from "./pack-file.ts";
import type { ObjectType, PackEntry, PackFile, PackWindow } from "./pack-file.ts";

/** An object of Git. `bytes` is null where it is larger than was asked for. */
export interface GitObject {
  readonly type: ObjectType;
  readonly size: number;
  readonly bytes: Uint8Array | null;
}

/** The objects of packs, found by their ids: the SHA-1 of what they hold, so what is found is what was named. */
export interface GitObjects {
  /** Takes in a pack, whole. @throws what the pack throws; errors of the disk */
  add(pack: AsyncIterable<Uint8Array>): Promise<void>;
  /**
   * The object of an id, in memory of its own; undefined where no pack has it. Answers one after the other, and is quick
   * where objects are asked for in the order in which the packs have them.
   * @throws PackError; the signal's reason
   */
  read(oid: string, maxBytes: number): Promise<GitObject | undefined>;
}

/** What keeping objects needs. */
export interface GitObjectsOptions {
  /** An empty folder of our own. */
  readonly folder: string;
  readonly signal: AbortSignal;
  /** Cap on what all packs hold, in bytes: a small pack can hold much. */
  readonly maxBytes: number;
  /** Packs are kept in memory up to so many bytes of them; 6 MB unless told. */
  readonly inMemory?: number;
}

/** Where an object stands. */
interface Place {
  readonly file: PackFile;
  readonly at: number;
  readonly type: ObjectType;
  readonly size: number;
}

/** How far a pack has been looked through: where the next entry stands, and how many are left. */
interface Scan {
  readonly file: PackFile;
  at: number;
  left: number;
}

/** An object, or why it is not there: the id of the one that it differs from, which has not been seen; or its size, which is too large. */
type Made =
  | { readonly type: ObjectType; readonly bytes: Uint8Array }
  | { readonly missing: string }
  | { readonly tooLarge: number };

/** Objects that others are made of are remembered, so many bytes of them. */
const rememberedBytes = 8_000_000;
/** Larger objects are passed over piece by piece while packs are looked through. */
const maxHeld = 8_000_000;
/** Differences in a row; Git makes 50 of itself, and 4,095 at most. */
const maxChain = 4095;
/** So much is unpacked before others have their turn, in bytes; what an object costs besides is counted as some of them. */
const turn = { bytes: 1_000_000, object: 20_000 };

/**
 * Keeps packs on the disk and looks through them as far as it has to, so that what is wanted in the order in which it
 * comes is unpacked once and written nowhere else.
 */
export function createGitObjects(options: GitObjectsOptions): GitObjects {
  const { folder, signal, maxBytes, inMemory = 6_000_000 } = options;
  const scans: Scan[] = [];
  const places = new Map<string, Place>();
  /** Differences to objects that have not been seen yet, by the ids of these. */
  const waiting = new Map<string, Pick<Place, "file" | "at">[]>();
  /** The size of an object that was too large to be made, whose id is therefore not known. */
  let unmade: number | undefined;
  const along = createPackWindow();
  const anywhere = createPackWindow();
  const memory = createMemory();
  let files = 0;
  let held = 0;
  let unpacked = 0;
  let untilTurn = turn.bytes;

  async function spend(bytes: number): Promise<void> {
    unpacked += bytes;
    if (unpacked > maxBytes) throw new PackError(`it unpacks to more than ${maxBytes} bytes`);
    untilTurn -= bytes + turn.object;
    if (untilTurn > 0) return;
    untilTurn = turn.bytes;
    await nextTurn();
    signal.throwIfAborted();
  }

  async function unpack(
    window: PackWindow,
    file: PackFile,
    entry: PackEntry,
  ): Promise<{ bytes: Uint8Array; end: number }> {
    await spend(entry.size);
    return window.inflate(file, entry);
  }

  /** Makes the object of an entry out of what is packed there. */
  async function make(file: PackFile, at: number, entry: PackEntry, packed: Uint8Array): Promise<Made> {
    const deltas: Uint8Array[] = [];
    let [type, bytes, base] = [entry.type, packed, baseOf(file, entry)];
    while (type === null) {
      const { to } = deltaSizes(bytes);
      if (to > maxDeltaResult) return { tooLarge: to };
      if (deltas.push(bytes) > maxChain) throw new PackError("differences follow one another without end");
      if (base === undefined) return { missing: String(entry.base) };
      const known = memory.get(base);
      if (known) ({ type, bytes } = known);
      else {
        const below = await anywhere.entry(base.file, base.at);
        if (below.size > maxDeltaResult) return { tooLarge: below.size };
        ({ bytes } = await unpack(anywhere, base.file, below));
        type = below.type;
        if (type !== null) memory.put(base, { type, bytes });
        base = baseOf(base.file, below);
      }
    }
    if (deltas.length === 0) return { type, bytes };
    for (const delta of deltas.toReversed()) {
      await spend(deltaSizes(delta).to);
      bytes = applyDelta(bytes, delta);
    }
    memory.put({ file, at }, { type, bytes: new Uint8Array(bytes) });
    return { type, bytes };
  }

  function baseOf(file: PackFile, { base }: PackEntry): Pick<Place, "file" | "at"> | undefined {
    return typeof base === "number" ? { file, at: base } : places.get(base ?? "");
  }

  /** Notes where an object is, and that those are to be made which waited for it. Answers its id. */
  async function settle(file: PackFile, at: number, made: Made): Promise<string> {
    if ("tooLarge" in made) unmade ??= made.tooLarge;
    if ("missing" in made) {
      const those = waiting.get(made.missing) ?? [];
      those.push({ file, at });
      waiting.set(made.missing, those);
    }
    if (!("type" in made)) return "";
    const { type, bytes } = made;
    const oid = idOf(type, bytes);
    if (!places.has(oid)) places.set(oid, { file, at, type, size: bytes.length });
    await wake(oid);
    return oid;
  }

  async function wake(oid: string): Promise<void> {
    const those = waiting.get(oid) ?? [];
    waiting.delete(oid);
    for (const { file, at } of those) {
      const entry = await anywhere.entry(file, at);
      const { bytes } = await unpack(anywhere, file, entry);
      await settle(file, at, await make(file, at, entry, bytes));
    }
  }

  /** Looks at the next entry of a pack, and answers the object there where it is the one that is wanted. */
  async function step(scan: Scan, wanted: string): Promise<Uint8Array | undefined> {
    const { file, at } = scan;
    const entry = await along.entry(file, at);
    scan.left -= 1;
    if (entry.size > maxHeld) {
      await spend(entry.size);
      const digest = createHash("sha1").update(`${entry.type} ${entry.size}\0`);
      scan.at = await passOver(file, entry, (bytes) => {
        signal.throwIfAborted();
        digest.update(bytes);
      });
      if (entry.type === null) unmade ??= entry.size;
      else places.set(digest.digest("hex"), { file, at, type: entry.type, size: entry.size });
      return undefined;
    }
    const { bytes, end } = await unpack(along, file, entry);
    scan.at = end;
    const made = await make(file, at, entry, bytes);
    const oid = await settle(file, at, made);
    return oid === wanted && "bytes" in made ? made.bytes : undefined;
  }

  /** Looks through the packs until the object is found. Answers its bytes where they are at hand. */
  async function find(oid: string): Promise<Uint8Array | undefined> {
    for (let scan = scans[0]; scan !== undefined && !places.has(oid); [scan] = scans) {
      if (scan.at === 0) [scan.left, scan.at] = [await along.count(scan.file), firstEntry];
      const found = scan.left > 0 ? await step(scan, oid) : void scans.shift();
      if (found) return found;
    }
    return undefined;
  }

  async function load({ file, at }: Place): Promise<Uint8Array> {
    const entry = await anywhere.entry(file, at);
    const { bytes } = await unpack(anywhere, file, entry);
    const made = await make(file, at, entry, bytes);
    if ("bytes" in made) return made.bytes;
    throw new PackError("an object is gone");
  }

  return {
    async add(pack) {
      files += 1;
      const file = await keepPack(pack, join(folder, `${files}.pack`), inMemory - held);
      held += file.bytes?.length ?? 0;
      scans.push({ file, at: 0, left: 0 });
    },
    async read(oid, cap) {
      signal.throwIfAborted();
      const found = await find(oid);
      const place = places.get(oid);
      if (place === undefined) return unmade === undefined ? undefined : { type: "blob", size: unmade, bytes: null };
      const { type, size } = place;
      if (size > cap) return { type, size, bytes: null };
      return { type, size, bytes: found ?? (await load(place)) };
    },
  };
}

/** Objects up to so many bytes are hashed in one piece, which leaves nothing behind to be collected. */
const onePiece = 2 ** 17;
const scratch = Buffer.alloc(onePiece);

/** The id of an object: the SHA-1 of its type, its length and what it holds. */
function idOf(type: ObjectType, bytes: Uint8Array): string {
  const head = `${type} ${bytes.length}\0`;
  if (head.length + bytes.length > onePiece) return createHash("sha1").update(head).update(bytes).digest("hex");
  scratch.set(bytes, scratch.write(head, "latin1"));
  return hash("sha1", scratch.subarray(0, head.length + bytes.length), "hex");
}

/** Objects by their places; those that were put first are forgotten first. */
function createMemory(): {
  get(place: Pick<Place, "file" | "at">): { type: ObjectType; bytes: Uint8Array } | undefined;
  put(place: Pick<Place, "file" | "at">, object: { type: ObjectType; bytes: Uint8Array }): void;
} {
  const objects = new Map<string, { type: ObjectType; bytes: Uint8Array }>();
  let held = 0;
  const keyOf = ({ file, at }: Pick<Place, "file" | "at">): string => `${file.path} ${at}`;
  return {
    get: (place) => objects.get(keyOf(place)),
    put(place, object) {
      if (objects.has(keyOf(place))) return;
      objects.set(keyOf(place), object);
      held += object.bytes.length;
      for (const [key, { bytes }] of objects) {
        if (held <= rememberedBytes) break;
        objects.delete(key);
        held -= bytes.length;
      }
    },
  };
}
