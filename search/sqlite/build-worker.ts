import { parentPort } from "node:worker_threads";
import type { PassageRows, PassageHead } from "./passage-rows.ts";
import { DatabaseSync } from "node:sqlite";
import { searchFields } from "../../domain/ports.ts";
import { dimensions } from "../ranking/meaning.ts";
import { writeChecksum } from "./damage.ts";
import { createPostingMerger } from "./building-postings.ts";
import { postingIndex, passageFormat, passageSchema } from "./passage-format.ts";
import { packVarints } from "./postings.ts";

/** Messages to this thread: for each file its path, batches of its rows, and the end. */
export type WriteRequest =
  | { readonly path: string }
  | { readonly rows: PassageRows }
  /** `model`: that of the embeddings, which count if all rows have one of the same length. */
  | { readonly finish: true; readonly model: string };

/** Its replies: passages written so far, after each batch, and passages in the complete file. An error ends the thread. */
export type BuildReply = { readonly written: number } | { readonly finished: number };

if (parentPort !== null) {
  const port = parentPort;
  let writer: PassageWriter | undefined;
  const writing = (): PassageWriter => {
    if (writer === undefined) throw new Error("No path was sent for the file.");
    return writer;
  };
  const reply = (message: BuildReply) => port.postMessage(message);
  port.on("message", (request: WriteRequest) => {
    if ("path" in request) writer = createPassageWriter(request.path);
    else if ("rows" in request) reply({ written: writing().add(request.rows) });
    else {
      reply({ finished: writing().finish(request.model) });
      writer = undefined;
    }
  });
}

type PassageWriter = ReturnType<typeof createPassageWriter>;

/** Creates the file at `path`, which must not exist, nor be read before `finish`. An unfinished file cannot be continued. */
function createPassageWriter(path: string) {
  const db = new DatabaseSync(path);
  // No journal: the file is not read before it is complete, and an interrupted build is removed.
  db.exec("PRAGMA page_size = 16384; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;");
  db.exec(passageSchema);
  db.exec("BEGIN");
  const addSegment = db.prepare("INSERT INTO segments VALUES (?, ?)");
  const addList = db.prepare("INSERT INTO postings VALUES (?, ?, ?, ?)");
  const addPassage = db.prepare("INSERT INTO passages VALUES (?, ?, ?, ?, ?, ?, ?)");
  const addPage = db.prepare("INSERT INTO pages VALUES (?, ?)");
  const addBlock = db.prepare("INSERT INTO blocks VALUES (?, ?)");

  const pages = new Map<string, number>();
  /** Number of terms in each of `searchFields`, in all rows. */
  const lengths = searchFields.map(() => 0);
  let count = 0;
  /** The lengths of meanings. */
  const widths = new Set<number>();
  let segments = 0;
  const postings = createPostingMerger(({ lengths: rowLengths, lists }) => {
    segments += 1;
    addSegment.run(segments, new Uint8Array(rowLengths.buffer));
    for (const [term, frequency, list] of lists) addList.run(segments, term, frequency, list);
  });

  return {
    /** Adds rows. Returns the number of rows so far. */
    add(rows: PassageRows): number {
      let first = count + 1;
      let start = 0;
      for (const [end, rowsWithin] of rows.blockEnds) {
        addBlock.run(first, rows.blocks.subarray(start, end));
        first += rowsWithin;
        start = end;
      }
      postings.add(rows.postings);
      const heads = JSON.parse(rows.heads) as readonly PassageHead[];
      const width = rows.meanings.length / Math.max(heads.length, 1);
      if (heads.length > 0) widths.add(width);
      for (const [at, { id, pageUrl, tokens, belowTitle, lengths: own }] of heads.entries()) {
        count += 1;
        const meaning = rows.meanings.subarray(at * width, (at + 1) * width);
        addPassage.run(count, id, pageOf(pageUrl), tokens, belowTitle ? 1 : 0, packVarints(own), meaning);
        for (const [field, length] of own.entries()) lengths[field] = (lengths[field] ?? 0) + length;
      }
      return count;
    },
    /** Completes and closes the file. Returns its number of rows. */
    finish(model: string): number {
      postings.finish();
      const averageLength = Object.fromEntries(
        searchFields.map((field, at) => [field, (lengths[at] ?? 0) / Math.max(count, 1)]),
      );
      const addMeta = db.prepare("INSERT INTO meta VALUES (?, ?)");
      addMeta.run("averageLength", JSON.stringify(averageLength));
      addMeta.run("count", String(count));
      addMeta.run("model", widths.size === 1 && !widths.has(dimensions) ? model : "");
      addMeta.run("format", passageFormat);
      db.exec(`${postingIndex}; COMMIT`);
      db.close();
      writeChecksum(path);
      return count;
    },
  };

  function pageOf(url: string): number {
    const known = pages.get(url);
    if (known !== undefined) return known;
    const page = pages.size + 1;
    pages.set(url, page);
    addPage.run(page, url);
    return page;
  }
}
