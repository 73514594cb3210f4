import { createHash, randomBytes } from "node:crypto";
import { mkdir, open as openPath, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { LRUCache } from "lru-cache";
import { diskFailure, Failure } from "../../domain/failures.ts";
import type { Candidate, CandidateFilter, PassageIndex } from "../../domain/ports.ts";
import type { Passage } from "../../domain/passage.ts";
import { lookedUp } from "../ranking/analyse-question.ts";
import { correctionsOf, misspeltWords } from "../ranking/spelling.ts";
import { createPassageFileBuilder, type Analyse } from "./build.ts";
import { bestRows } from "./best-rows.ts";
import { hasItsChecksum, stampOf, isOutage, toFailure } from "./damage.ts";
import { checkGenerationId } from "../loading.ts";
import { rarestTerms } from "../candidates.ts";
import { emptyRows, occurrencesIn, type TermRows } from "./postings.ts";
import { recall, isDatabaseError, openPassageFile, type Sized, type PassageFile } from "./passage-file.ts";
import { kindFacet, languageFacet } from "./passage-format.ts";
import { toRows } from "./passage-rows.ts";

/** Sizes of the LRU caches, in bytes of stored data; about twice as much in memory. */
const termBytes = 9 * 1024 * 1024;
const candidateBytes = 3 * 1024 * 1024;
const passageBytes = 8 * 1024 * 1024;

/** Maximum number of tries of a read whose file is replaced meanwhile. */
const maxTries = 3;

/** Age of a verification after which a file is read again, to find damage without a write, in milliseconds: a week. */
const verifiedFor = 7 * 86_400_000;

/** Interval in which removed files are closed, in milliseconds. */
const removedInterval = 60_000;

/** An open file that had its checksum. `first` is the offset of its rows in the caches, different for each file. */
interface OpenFile extends PassageFile {
  readonly first: number;
  readonly stamp: string;
}

/** The result of reading all of a file. */
interface Verified {
  readonly stamp: string;
  readonly at: number;
  readonly isWhole: Promise<boolean>;
}

export interface SqlitePassageIndexOptions {
  readonly folder: string;
  /** Maximum number of open files; 128 by default. */
  readonly openFiles?: number;
  /** Runs `toRows` on another thread; by default it runs on this one. */
  readonly analyse?: Analyse;
}

/**
 * Passages in one immutable SQLite file per generation: `<folder>/<2 hex digits of its hash>/<generation>.sqlite`. A file is built
 * as `<generation>.<random>.building`, and renamed when it is complete and synced to disk. Its checksum is verified before its
 * first answer in this process, and again whenever it was written to: a damaged file counts as not loaded.
 */
export function createSqlitePassageIndex({
  folder,
  openFiles = 128,
  analyse = async (lines) => toRows(lines),
}: SqlitePassageIndexOptions): PassageIndex {
  const builder = createPassageFileBuilder(analyse);
  const terms = new LRUCache<string, TermRows>({ maxSize: termBytes });
  const candidates = new LRUCache<number, Candidate>({ maxSize: candidateBytes });
  const passages = new LRUCache<number, Passage>({ maxSize: passageBytes });
  const files = new LRUCache<string, OpenFile>({ max: openFiles, dispose: (file) => file.close() });
  const verified = new Map<string, Verified>();
  /** Generations whose file could not be read although it had its checksum. Each is rebuilt once. */
  const distrusted = new Set<string>();
  /** Number of rows of all files opened so far. */
  let opened = 0;
  let checkedRemoved = 0;
  /** Names of the files that are being built. */
  const inProgress = new Set<string>();

  return {
    async load(generation, parts, control) {
      const path = pathOf(generation);
      const loaded = await countWhole(generation);
      const { model } = control;
      if (loaded !== undefined && (model === undefined || model === (await find(generation))?.model)) return loaded;
      const building = path.replace(/sqlite$/, `${randomBytes(6).toString("hex")}.building`);
      try {
        await mkdir(dirname(path), { recursive: true });
        await removeFiles(generation, (name) => name.endsWith(".building") && !inProgress.has(name));
        inProgress.add(basename(building));
        await builder.build(building, parts, control);
        await sync(building);
        control.signal.throwIfAborted();
        // An unusable file, or a folder. One without the embeddings answers until it is replaced.
        if (loaded === undefined) await rm(path, { recursive: true, force: true });
        await rename(building, path);
        await sync(dirname(path));
      } catch (error) {
        await rm(building, { force: true }).catch((cause: unknown) => {
          throw asFailure(
            cause,
            `The unfinished file of generation ${generation} could not be removed from the index.`,
          );
        });
        throw asFailure(error, `Generation ${generation} could not be loaded into the index.`);
      } finally {
        inProgress.delete(basename(building));
      }
      const count = await countWhole(generation);
      if (count === undefined)
        throw new Failure("search_failed", `Generation ${generation} was dropped while it was loaded.`);
      return count;
    },
    count: async (generation) => (await find(generation))?.count,
    model: async (generation) => (await find(generation))?.model,
    async verify(generation) {
      const path = pathOf(generation);
      const stamp = stampOf(path);
      return stamp !== undefined && isWhole(generation, path, stamp, verifiedFor);
    },
    async candidates(generation, question, filter) {
      return reading(generation, (file) => {
        const { count: total, averageLength, model } = file;
        const facets = facetsOf(filter);
        const asked = lookedUp(question);
        const lists = recallLists(file, [...asked, ...facets]);
        const listOf = (term: string): TermRows => lists.get(term) ?? emptyRows;
        const documentFrequency = new Map(asked.map((term) => [term, listOf(term).frequency]));
        const near = misspeltWords(question.words, documentFrequency).map(
          (word) => [word, file.spellings(word)] as const,
        );
        const corrections = correctionsOf(near, documentFrequency);
        for (const [term, list] of recallLists(file, [...corrections.values()].flat())) lists.set(term, list);
        const wanted = rarestTerms(documentFrequency, total, facets.length > 0);
        const rows = bestRows({ ...file.rowLengths, terms: lists }, wanted, facets, filter.limit);
        const best = recallRows(candidates, file, rows, file.candidates);
        const rowOf = new Map(best.map(({ id }, at) => [id, rows[at]]));
        // The ranker counts all terms, also those that are not part of the match.
        const occurring = [...documentFrequency].flatMap(([term, frequency]) => (frequency > 0 ? [term] : []));
        return {
          total,
          averageLength,
          model,
          documentFrequency,
          corrections,
          candidates: best,
          occurrences: new Map(occurring.map((term) => [term, occurrencesIn(listOf(term), rows)])),
          read: async (ids) =>
            reading(generation, (current) => {
              const wanted = ids.map((id) => {
                const row = rowOf.get(id);
                if (row === undefined) throw new Error(`"${id}" is not one of these candidates.`);
                return row;
              });
              return recallRows(passages, current, wanted, current.passages);
            }),
        };
      });
    },
    async drop(generation) {
      await removeFiles(generation, () => true);
    },
    async generations() {
      const generations = new Set<string>();
      for (const name of await namesIn(folder)) {
        for (const file of await namesIn(join(folder, name))) generations.add(generationOf(file));
      }
      return [...generations].toSorted();
    },
    async ready() {
      try {
        await mkdir(folder, { recursive: true });
      } catch (error) {
        throw asFailure(error, "The index folder cannot be used. Check its permissions.");
      }
    },
    async close() {
      await builder.close();
      files.clear();
    },
  };

  function pathOf(generation: string): string {
    checkGenerationId(generation);
    const hash = createHash("sha256").update(generation).digest("hex");
    return join(folder, hash.slice(0, 2), `${generation}.sqlite`);
  }

  /** The facts of a generation's file; undefined if it is not usable. */
  async function find(generation: string): Promise<Pick<PassageFile, "count" | "model"> | undefined> {
    const path = pathOf(generation);
    const stamp = stampOf(path);
    if (stamp === undefined) return undefined;
    const open = files.peek(generation);
    if (open?.stamp === stamp) return open;
    const known = verified.get(generation);
    if (known?.stamp === stamp && !(await known.isWhole)) return undefined;
    try {
      // Not kept open: the sweep counts all generations, which must not displace those that are read.
      const file = openPassageFile(path);
      file?.close();
      return file;
    } catch (error) {
      if (!(await isWhole(generation, path, stamp))) return undefined;
      throw unreadable(generation, error);
    }
  }

  /** Removes a generation's `chosen` files: the finished one, and unfinished ones of killed loads. */
  async function removeFiles(generation: string, chosen: (name: string) => boolean): Promise<void> {
    const parent = dirname(pathOf(generation));
    files.delete(generation);
    verified.delete(generation);
    for (const name of await namesIn(parent)) {
      if (generationOf(name) === generation && chosen(name))
        await rm(join(parent, name), { recursive: true, force: true });
    }
  }

  /** Whether a file has its checksum. It is only read again if it was written to, or after `maxAge`. */
  async function isWhole(generation: string, path: string, stamp: string, maxAge = Infinity): Promise<boolean> {
    const known = verified.get(generation);
    if (known?.stamp === stamp && Date.now() - known.at < maxAge) return known.isWhole;
    const verification: Verified = { stamp, at: Date.now(), isWhole: hasItsChecksum(path) };
    verified.set(generation, verification);
    try {
      const result = await verification.isWhole;
      if (!result) files.delete(generation);
      return result;
    } catch (error) {
      if (verified.get(generation) === verification) verified.delete(generation);
      // It has just been removed.
      if (stampOf(path) === undefined) return false;
      throw unreadable(generation, error);
    }
  }

  /** The stamp of a generation's file, if that has its checksum. */
  async function findWhole(generation: string): Promise<string | undefined> {
    const path = pathOf(generation);
    const stamp = stampOf(path);
    return stamp !== undefined && (await isWhole(generation, path, stamp)) ? stamp : undefined;
  }

  async function countWhole(generation: string): Promise<number | undefined> {
    const stamp = await findWhole(generation);
    try {
      return stamp === undefined ? undefined : use(generation, stamp)?.count;
    } catch (error) {
      throw unreadable(generation, error);
    }
  }

  /** The open file of a generation, which must have its checksum; undefined if it has another format. */
  function use(generation: string, stamp: string): OpenFile | undefined {
    const open = files.get(generation);
    if (open?.stamp === stamp) return open;
    files.delete(generation);
    const file = openPassageFile(pathOf(generation));
    if (file === undefined) return undefined;
    closeRemoved();
    const opening = { ...file, first: opened, stamp };
    opened += file.count + 1;
    files.set(generation, opening);
    return opening;
  }

  /** Closes files that another thread has removed: while they are open, the disk keeps them. */
  function closeRemoved(): void {
    if (performance.now() - checkedRemoved < removedInterval) return;
    checkedRemoved = performance.now();
    for (const name of files.keys()) if (stampOf(pathOf(name)) === undefined) files.delete(name);
  }

  /** The rows of each term. */
  function recallLists({ first, rowsOf }: OpenFile, wanted: readonly string[]): Map<string, TermRows> {
    const values = recall(terms, wanted, (term) => `${first} ${term}`, rowsOf);
    return new Map(wanted.map((term, at) => [term, values[at] ?? emptyRows]));
  }

  /** The result of `read` on a file that had its checksum before, and was not written to meanwhile. */
  async function reading<T>(generation: string, read: (file: OpenFile) => T): Promise<T> {
    for (let tries = 1; tries <= maxTries; tries += 1) {
      const stamp = await findWhole(generation);
      if (stamp === undefined) break;
      const isUntouched = (): boolean => stampOf(pathOf(generation)) === stamp;
      try {
        // Nothing is awaited here, as another question may close the file.
        const file = use(generation, stamp);
        if (file === undefined) break;
        const result = read(file);
        if (isUntouched()) return result;
      } catch (error) {
        if (!isUntouched()) continue;
        if (distrusted.has(generation) || isOutage(error)) throw unreadable(generation, error);
        distrusted.add(generation);
        files.delete(generation);
        verified.set(generation, { stamp, at: Date.now(), isWhole: Promise.resolve(false) });
        throw notLoaded(generation, error);
      }
    }
    throw notLoaded(generation);
  }
}

function notLoaded(generation: string, cause?: unknown): Failure {
  return new Failure("index_rebuilding", `The index does not have generation ${generation}. Try again later.`, {
    cause,
  });
}

/** The failure of reading a file that had its checksum. */
function unreadable(generation: string, cause: unknown): Failure {
  const message = `Generation ${generation} could not be read from the index. The server's log says why. If the error persists, restart the server.`;
  return toFailure(cause, message);
}

/** The values of rows, in their order. Keys of the cache are numbers, which are fastest. */
function recallRows<T extends object>(
  cache: LRUCache<number, T>,
  { first }: OpenFile,
  rows: readonly number[],
  read: (missing: readonly number[]) => Iterable<readonly [number, Sized<T>]>,
): readonly T[] {
  return recall(cache, rows, (row) => first + row, read).map((value, at) => {
    if (value === undefined) throw new Error(`The file has no row ${rows[at]}.`);
    return value;
  });
}

function facetsOf({ kind, language }: CandidateFilter): readonly string[] {
  return [
    ...(kind === undefined ? [] : [kindFacet(kind)]),
    ...(language === undefined ? [] : [languageFacet(language)]),
  ];
}

/** An error of SQLite or the file system as a Failure; any other error as it is. */
function asFailure(error: unknown, message: string): unknown {
  const isSystemError = error instanceof Error && "syscall" in error;
  return isSystemError || isDatabaseError(error) || diskFailure(error) ? toFailure(error, message) : error;
}

function generationOf(name: string): string {
  return name.split(".", 1)[0] ?? name;
}

async function namesIn(path: string): Promise<string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR")) return [];
    throw error;
  }
}

async function sync(path: string): Promise<void> {
  await using handle = await openPath(path, "r");
  await handle.sync();
}
