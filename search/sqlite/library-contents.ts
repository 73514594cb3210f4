import type { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import type { ContentFilter, ContentMatch, Question } from "../../domain/ports.ts";
import type { LibraryContent } from "../library-content.ts";
import { contentTerms, rarityIn } from "../ranking/library-content.ts";

/** Number of rows that are read in one turn of the event loop: 10 ms. */
const rowsATurn = 50;
/** Number of removed libraries in memory, as a multiple of the others, at which all are read again. */
const mostRemoved = 1;
const leastRemoved = 1000;

/** A library in memory. */
interface Slot extends Pick<ContentMatch, "meaning"> {
  readonly row: number;
  readonly teamspace: string;
}

/** The owner of a removed library, which is no teamspace. */
const gone = "/";

/** The libraries that have a term, as pairs: index of the slot, impact. */
type Postings = number[];

/** A library's row with its content. */
export interface FoundContent extends Omit<ContentMatch, "entry"> {
  readonly row: number;
}

/**
 * Finds libraries by what they say. The terms of all libraries are kept in memory, 2.5 kB each, as their rows in lists on a disk would be
 * spread over hundreds of pages for each library that is put. They are read with the first question.
 */
export function openContents(db: DatabaseSync) {
  const add = db.prepare("INSERT INTO contents(row, teamspace, impacts, meaning, sum) VALUES (?, ?, ?, ?, ?)");
  const remove = db.prepare("DELETE FROM contents WHERE row = ?");
  const next = db.prepare(`SELECT * FROM contents WHERE row > ? ORDER BY row LIMIT ${rowsATurn}`);
  let slots: (Slot | undefined)[] = [];
  let slotOf = new Map<number, number>();
  let postings = new Map<string, Postings>();
  /** The rows up to this one are in memory; Infinity: all. */
  let readTo = 0;

  return {
    put(row: number, teamspace: string, content: LibraryContent): void {
      const json = JSON.stringify([...content.impacts]);
      add.run(row, teamspace, json, content.meaning, crc32(json));
      if (row <= readTo) keep(row, teamspace, content);
    },
    remove(row: number): void {
      remove.run(row);
      const slot = slotOf.get(row);
      if (slot === undefined) return;
      slots[slot] = undefined;
      slotOf.delete(row);
      if (slots.length - slotOf.size > Math.max(leastRemoved, mostRemoved * slotOf.size)) forget();
    },
    /** Forgets what is in memory, as after a transaction that failed. */
    forget,
    /** Reads some rows into memory; true once all are there. @throws Error if one is damaged */
    readSome(): boolean {
      if (readTo === Infinity) return true;
      const rows = next.all(readTo);
      for (const stored of rows) keep(Number(stored["row"]), String(stored["teamspace"]), toContent(stored));
      readTo = rows.length < rowsATurn ? Infinity : Number(rows.at(-1)?.["row"]);
      return readTo === Infinity;
    },
    /** Libraries with a term of the question, the best by its terms, and the statistics; `only`: those of these rows. */
    find(question: Question, { teamspaces, limit }: ContentFilter, only: readonly number[] | undefined) {
      const owned = new Uint8Array(slots.length);
      for (let at = 0; at < slots.length; at += 1)
        owned[at] = teamspaces.includes(slots[at]?.teamspace ?? gone) ? 1 : 0;
      const total = owned.reduce((sum, one) => sum + one, 0);
      const sought = contentTerms(question).map((one) => ({ ...one, pairs: postings.get(one.term) ?? [] }));
      const frequency = new Map<string, number>();
      const scores = new Float64Array(slots.length);
      for (const { term, share, pairs } of sought) {
        let libraries = 0;
        for (let at = 0; at < pairs.length; at += 2) libraries += owned[pairs[at] ?? 0] ?? 0;
        frequency.set(term, libraries);
        const rarity = share * rarityIn(libraries, total);
        for (let at = 0; at < pairs.length; at += 2) {
          const slot = pairs[at] ?? 0;
          scores[slot] = (scores[slot] ?? 0) + (owned[slot] ?? 0) * rarity * (pairs[at + 1] ?? 0);
        }
      }
      const chosen = only ? only.flatMap((row) => slotOf.get(row) ?? []) : greatest(scores, limit);
      const impacts = new Map(chosen.map((slot) => [slot, new Map<string, number>()]));
      for (const { term, pairs } of sought)
        for (let at = 0; at < pairs.length; at += 2) impacts.get(pairs[at] ?? 0)?.set(term, pairs[at + 1] ?? 0);
      const contents = [...impacts].flatMap(([at, own]): readonly FoundContent[] => {
        const slot = slots[at];
        return slot ? [{ row: slot.row, meaning: slot.meaning, impacts: own }] : [];
      });
      return { total, frequency, contents };
    },
  };

  function keep(row: number, teamspace: string, { impacts, meaning }: LibraryContent): void {
    const slot = slots.push({ row, teamspace, meaning }) - 1;
    slotOf.set(row, slot);
    for (const [term, impact] of impacts) {
      const own = postings.get(term);
      if (own) own.push(slot, impact);
      else postings.set(term, [slot, impact]);
    }
  }

  function forget(): void {
    [slots, slotOf, postings, readTo] = [[], new Map(), new Map(), 0];
  }
}

/** The indexes of the greatest scores above 0, in descending order. */
function greatest(scores: Float64Array, limit: number): readonly number[] {
  const best: number[] = [];
  let least = 0;
  for (let at = 0; at < scores.length; at += 1) {
    const score = scores[at] ?? 0;
    if (score <= least) continue;
    best.splice(best.findLastIndex((other) => (scores[other] ?? 0) >= score) + 1, 0, at);
    if (best.length > limit) best.pop();
    if (best.length === limit) least = scores[best.at(-1) ?? 0] ?? 0;
  }
  return best;
}

/** @throws Error if it is damaged */
function toContent({ impacts, meaning, sum }: Record<string, unknown>): LibraryContent {
  if (typeof impacts !== "string" || crc32(impacts) !== sum) throw new Error("The content of a library is damaged.");
  return {
    impacts: new Map(JSON.parse(impacts) as [string, number][]),
    meaning: new Int8Array(meaning as Uint8Array),
  };
}
