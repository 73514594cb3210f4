import { setImmediate as nextTurn } from "node:timers/promises";
import { Failure } from "../../domain/failures.ts";
import type { LoadOptions, SearchField } from "../../domain/ports.ts";
import { linesOf } from "../../domain/passage.ts";
import { untilStopped } from "../loading.ts";
import type { MeilisearchServer } from "./client.ts";
import { createDocumentWriter } from "./documents.ts";
import { passageFormat } from "./settings.ts";
import { equals, toSnap } from "./words.ts";
import type { MultiSearchQuery } from "meilisearch";

/** Maximum documents and characters of a request. */
const batchDocuments = 10_000;
const batchSize = 8 * 1024 * 1024;
/** Maximum number of unfinished requests. Meilisearch processes waiting ones together. */
const maxWaiting = 2;
/** Characters analysed in one turn of the event loop: about 5 ms. */
const turnSize = 64 * 1024;

/**
 * Writes a generation's documents, verifies that all can be found, and only then records the generation as loaded. A repeated or
 * concurrent load writes the same documents.
 * @throws Failure search_failed; the signal's reason
 */
export async function loadGeneration(
  server: MeilisearchServer,
  generation: string,
  parts: AsyncIterable<Uint8Array>,
  { signal, report, language, model = "" }: LoadOptions,
): Promise<number> {
  const snap = toSnap(generation);
  signal.throwIfAborted();
  const before = await searchGeneration(server, generation, []);
  const loaded = loadedGeneration(before.state);
  if (loaded !== undefined && (model === "" || loaded.model === model)) return loaded.passages;
  // Until all documents are replaced, they have vectors of two models, which cannot be compared: the table answers meanwhile.
  if (loaded !== undefined && loaded.model !== "") await keep({ id: generation, format: passageFormat });
  // The same with documents of two formats.
  if (loaded === undefined && before.state.record !== undefined)
    await server.finish(await removeRecord(server, generation), { signal });

  const writer = createDocumentWriter(generation, language);
  const waiting: { readonly task: number; readonly passages: number }[] = [];
  let batch: string[] = [];
  let size = 0;
  let confirmed = 0;
  let turn = 0;
  const progress = () => report({ loaded: confirmed });

  for await (const part of untilStopped(parts, signal)) {
    for (const line of linesOf(part)) {
      add(writer.write(line));
      if (size >= batchSize || batch.length >= batchDocuments) await send();
      turn += line.length;
      if (turn < turnSize) continue;
      turn = 0;
      await nextTurn();
      signal.throwIfAborted();
    }
  }
  await send();
  while (waiting.length > 0) await settle();
  await verify();
  const record: GenerationRecord = {
    id: generation,
    snap,
    format: writer.isEmbedded() ? `${passageFormat} ${model}` : passageFormat,
    snippets: writer.count,
    averageLength: JSON.stringify(writer.averageLength()),
    vocabulary: writer.vocabulary(),
  };
  const task = await server.write("generations", (index) => index.addDocuments([record], { primaryKey: "id" }));
  await server.finish(task, { signal, waiting: progress });
  progress();
  return writer.count;

  /** Changes the record. */
  async function keep(record: Pick<GenerationRecord, "id" | "format">): Promise<void> {
    const task = await server.write("generations", (index) => index.updateDocuments([record], { primaryKey: "id" }));
    await server.finish(task, { signal });
  }

  function add(document: string | undefined): void {
    if (document === undefined) return;
    batch.push(document);
    size += document.length;
  }

  /** Sends the batch. The request is not aborted, so that a later drop comes after it in the server's queue. */
  async function send(): Promise<void> {
    while (waiting.length >= maxWaiting) await settle();
    signal.throwIfAborted();
    if (batch.length === 0) return;
    const documents = batch.join("\n");
    const passages = batch.length;
    [batch, size] = [[], 0];
    const task = await server.write("snippets", (index) =>
      index.addDocumentsFromString(documents, "application/x-ndjson", { primaryKey: "id" }),
    );
    waiting.push({ task, passages });
    signal.throwIfAborted();
    progress();
  }

  async function settle(): Promise<void> {
    const [first] = waiting;
    if (first === undefined) return;
    await server.finish(first.task, { signal, waiting: progress });
    waiting.shift();
    confirmed += first.passages;
    progress();
  }

  async function verify(): Promise<void> {
    const { state } = await searchGeneration(server, generation, []);
    if (state.found === writer.count) return;
    // Too many: documents of another format remain. All are removed, and the next load starts over.
    if (state.found > writer.count) await server.finish(await removeDocuments(server, generation), { signal });
    throw new Failure(
      "search_failed",
      `Meilisearch has ${state.found} passages of generation ${generation} instead of ${writer.count}. Load it again.`,
    );
  }
}

/** Enqueues the removal of a generation's record. Returns the task. */
export function removeRecord(server: MeilisearchServer, generation: string): Promise<number> {
  return server.write("generations", (index) => index.deleteDocument(generation));
}

/** Enqueues the removal of a generation's documents. Returns the task. */
export function removeDocuments(server: MeilisearchServer, generation: string): Promise<number> {
  return server.write("snippets", (index) => index.deleteDocuments({ filter: equals("snap", toSnap(generation)) }));
}

/** The record of a loaded generation, written after all documents are verified. */
export interface GenerationRecord {
  readonly id: string;
  readonly snap: string;
  /** `passageFormat` of its documents; after a space the model of their embeddings, if all have one. */
  readonly format: string;
  /** Number of passages. */
  readonly snippets: number;
  /** JSON of the mean number of terms of each field. */
  readonly averageLength: string;
  /** The possible corrections of misspelt words, one per line with its number of passages. */
  readonly vocabulary: string;
}

/** Attributes of a record that every question reads. */
export const stateAttributes = ["id", "format", "snippets", "averageLength"] as const;

/** The state of a generation in the index. */
export interface GenerationState {
  readonly record: Pick<GenerationRecord, (typeof stateAttributes)[number]> | undefined;
  /** Number of passages that can be found. */
  readonly found: number;
}

/** A loaded generation. */
export interface LoadedGeneration {
  readonly passages: number;
  readonly averageLength: Readonly<Record<SearchField, number>>;
  /** The model of its embeddings; "": it has none. */
  readonly model: string;
}

export type SearchResults = Awaited<ReturnType<MeilisearchServer["search"]>>;

/**
 * Runs searches, then reads the state of the generation. A loaded generation only ever loses documents: if all exist after the
 * searches, they existed during them.
 */
export async function searchGeneration(
  server: MeilisearchServer,
  generation: string,
  queries: readonly Omit<MultiSearchQuery, "indexUid">[],
): Promise<{ readonly results: SearchResults; readonly state: GenerationState }> {
  const filter = equals("snap", toSnap(generation));
  const index = server.nameOf("snippets");
  const results = await server.search([
    ...queries.map((query) => ({ ...query, indexUid: index })),
    { indexUid: server.nameOf("generations"), q: "", filter, limit: 1, attributesToRetrieve: [...stateAttributes] },
    { indexUid: index, q: "", filter, limit: 0 },
  ]);
  const [kept, counted] = results.slice(-2);
  const record = kept?.hits[0] as GenerationState["record"];
  return { results: results.slice(0, -2), state: { record, found: counted?.estimatedTotalHits ?? 0 } };
}

/** The generation; undefined if it is not completely loaded. */
export function loadedGeneration({ record, found }: GenerationState): LoadedGeneration | undefined {
  const [format, ...rest] = (record?.format ?? "").split(" ");
  if (record === undefined || format !== passageFormat || record.snippets !== found) return undefined;
  const averageLength = JSON.parse(record.averageLength) as LoadedGeneration["averageLength"];
  return { passages: found, averageLength, model: rest.join(" ") };
}
