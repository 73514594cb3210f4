import { LRUCache } from "lru-cache";
import { Failure } from "../../domain/failures.ts";
import { searchFields, type CandidateFilter, type Question, type PassageIndex } from "../../domain/ports.ts";
import { readPassage } from "../../domain/passage.ts";
import { occurrencesIn } from "../ranking/analyse-text.ts";
import { lookedUp } from "../ranking/analyse-question.ts";
import { correctionsOf, misspeltWords, type KnownTerm } from "../ranking/spelling.ts";
import { lengthOf, rarestTerms } from "../candidates.ts";
import {
  bestCandidates,
  bestHits,
  planSearches,
  quoted,
  type SingleHit,
  type Plan,
  type Search,
} from "./candidates.ts";
import type { MeilisearchServer } from "./client.ts";
import { createReader, createFrequencyMemory, type KnownTerms } from "./caches.ts";
import { candidateFields, toCandidate } from "./documents.ts";
import {
  loadGeneration,
  removeDocuments,
  removeRecord,
  loadedGeneration,
  searchGeneration,
  type GenerationRecord,
  type GenerationState,
  type LoadedGeneration,
  type SearchResults,
} from "./generations.ts";
import { indexNames, restoreIndexes } from "./setup.ts";
import { createVocabularies } from "./vocabulary.ts";
import { equals, fromSnap, toSnap, toWord } from "./words.ts";

/** Sizes of the LRU caches in bytes of stored data; terms of candidates take three to four times as much in memory. */
const candidateBytes = 8 * 1024 * 1024;
const passageBytes = 9 * 1024 * 1024;
const singleBytes = 3 * 1024 * 1024;

const scoreBytes = 8;

/** Maximum number of records listed with one request. */
const pageSize = 100_000;

/**
 * Passages of all generations in one index of Meilisearch, filtered by generation. A generation is loaded if it has a record and as
 * many documents as the record says. Every question checks that, so that none is answered from a part of a generation.
 */
export function createMeilisearchPassageIndex(server: MeilisearchServer): PassageIndex {
  const memory = createFrequencyMemory();
  const singles = new LRUCache<string, readonly SingleHit[]>({ maxSize: singleBytes });
  const readCandidates = createReader(server, {
    fields: candidateFields,
    make: (document) => ({
      value: toCandidate(document),
      bytes: document.sid.length + document.url.length + document.fields.length + document.meaning.length,
    }),
    maxBytes: candidateBytes,
  });
  const readPassages = createReader(server, {
    fields: ["snippet"],
    make: ({ snippet }) => ({ value: readPassage(snippet), bytes: snippet.length }),
    maxBytes: passageBytes,
  });
  const vocabularies = createVocabularies(async (generation) => {
    const record = await server.ask((client) =>
      client.index<GenerationRecord>(server.nameOf("generations")).getDocument(generation, { fields: ["vocabulary"] }),
    );
    return record.vocabulary;
  });

  return {
    load: (generation, parts, options) => loadGeneration(server, generation, parts, options),
    count: async (generation) => (await find(generation))?.passages,
    model: async (generation) => (await find(generation))?.model,
    async candidates(generation, question, filter) {
      const known = await knownTerms(generation, question);
      const { total } = known;
      const frequency = new Map(known.frequency);
      const near: [string, readonly KnownTerm[]][] = [];
      for (const word of misspeltWords(question.words, frequency))
        near.push([word, await vocabularies.near(generation, word)]);
      const corrections = correctionsOf(near, frequency);
      const filtered = filter.kind !== undefined || filter.language !== undefined;
      const wanted = rarestTerms(frequency, total, filtered);
      const { ids, loaded } = await bestOf(
        generation,
        planSearches(wanted, filter),
        known,
        conditionsOf(generation, filter),
      );
      const { averageLength, model } = loaded;
      const statistics = {
        total,
        frequency,
        averageLength: lengthOf(searchFields.map((field) => averageLength[field])),
      };
      const best = bestCandidates(await readCandidates(generation, ids, model), wanted, statistics, filter.limit);
      return {
        total,
        averageLength,
        model,
        documentFrequency: frequency,
        corrections,
        candidates: best.map(({ candidate }) => candidate),
        occurrences: occurrencesIn(
          best.map(({ terms }) => terms),
          frequency.keys(),
        ),
        read: (ids) => readPassages(generation, ids),
      };
    },
    async drop(generation) {
      toSnap(generation);
      // In this order. The server's queue has them after all requests of an interrupted load.
      const tasks = [await removeRecord(server, generation), await removeDocuments(server, generation)];
      for (const task of tasks) await server.finish(task, { missingIsFine: true });
    },
    async generations() {
      const generations = new Set<string>();
      for (let offset = 0; ; offset += pageSize) {
        const { results } = await server.ask((client) =>
          client.index(server.nameOf("generations")).getDocuments({ fields: ["id"], limit: pageSize, offset }),
        );
        for (const { id } of results) generations.add(String(id));
        if (results.length < pageSize) break;
      }
      const { facetDistribution } = await server.ask((client) =>
        client.index(server.nameOf("snippets")).search("", { facets: ["snap"], limit: 0 }),
      );
      for (const snap of Object.keys(facetDistribution?.["snap"] ?? {})) generations.add(fromSnap(snap));
      return [...generations].toSorted();
    },
    async ready() {
      // With the key of reads, in each index.
      await server.search(indexNames.map((name) => ({ indexUid: server.nameOf(name), q: "", limit: 0 })));
    },
    prepare: () => restoreIndexes(server),
    // Of all indexes of the server, which does not tell the size of a single one.
    size: () => server.ask(async (client) => (await client.getStats()).databaseSize),
    close: async () => undefined,
  };

  async function find(generation: string): Promise<LoadedGeneration | undefined> {
    return loadedGeneration((await searchGeneration(server, generation, [])).state);
  }

  /** The frequencies of the question's terms, cached or requested. */
  async function knownTerms(generation: string, question: Question): Promise<KnownTerms> {
    const terms = lookedUp(question);
    const { total, frequency: cached } = memory.recall(generation, terms);
    const unknown = terms.filter((term) => !cached.has(term));
    if (total !== undefined && unknown.length === 0) return { total, frequency: cached };
    const filter = equals("snap", toSnap(generation));
    const { results, loaded } = await search(
      generation,
      unknown.map((term) => ({ q: quoted(term), filter, limit: 0 })),
    );
    const requested = new Map(unknown.map((term, at) => [term, results[at]?.estimatedTotalHits ?? 0]));
    memory.keep(generation, { total: loaded.passages, frequency: requested });
    return {
      total: loaded.passages,
      frequency: new Map(terms.map((term) => [term, cached.get(term) ?? requested.get(term) ?? 0])),
    };
  }

  /** The distinct ids of the estimated best hits of a plan. Hits of single terms are cached. */
  async function bestOf(
    generation: string,
    { together, singles: planned, read }: Plan,
    known: KnownTerms,
    conditions: readonly string[],
  ): Promise<{ readonly ids: readonly string[]; readonly loaded: LoadedGeneration }> {
    const keyOf = ({ q, limit }: Search) => `${conditions.join(" AND ")} ${limit} ${q}`;
    const hits = new Map(planned.map((single) => [single.term, singles.get(keyOf(single))]));
    const unknown = planned.filter(({ term }) => hits.get(term) === undefined);
    const queryOf = ({ q, limit, matchingStrategy }: Search) => ({
      q,
      limit,
      matchingStrategy,
      filter: [...conditions],
      attributesToRetrieve: ["sid"],
    });
    const { results, loaded } = await search(generation, [
      ...unknown.map((single) => ({ ...queryOf(single), showRankingScore: true })),
      ...(together === undefined ? [] : [queryOf(together)]),
    ]);
    const found = results.map((result) => result.hits as unknown as readonly SingleHit[]);
    for (const [at, single] of unknown.entries()) {
      const ofTerm = (found[at] ?? []).map(({ sid, _rankingScore }) => ({ sid, _rankingScore }));
      hits.set(single.term, ofTerm);
      singles.set(keyOf(single), ofTerm, { size: ofTerm.reduce((sum, { sid }) => sum + sid.length + scoreBytes, 1) });
    }
    const best = bestHits(
      Array.from(hits, ([term, ofTerm]) => [term, ofTerm ?? []]),
      known,
      read,
    );
    const both = found.slice(unknown.length).flatMap((result) => result.map(({ sid }) => sid));
    return { ids: [...new Set([...both, ...best])], loaded };
  }

  async function search(
    generation: string,
    queries: Parameters<typeof searchGeneration>[2],
  ): Promise<{ readonly results: SearchResults; readonly loaded: LoadedGeneration }> {
    const { results, state } = await searchGeneration(server, generation, queries);
    const loaded = loadedGeneration(state);
    if (loaded === undefined) throw notLoaded(generation, state);
    return { results, loaded };
  }
}

function conditionsOf(generation: string, { kind, language }: CandidateFilter): string[] {
  return [
    equals("snap", toSnap(generation)),
    ...(kind === undefined ? [] : [equals("kinds", kind)]),
    ...(language === undefined ? [] : [equals("languages", toWord(language))]),
  ];
}

function notLoaded(generation: string, { record, found }: GenerationState): Failure {
  return new Failure(
    "index_rebuilding",
    record === undefined
      ? `The index does not have generation ${generation}. Try again later.`
      : `The index has ${found} of the ${record.snippets} passages of generation ${generation}. It has to be reloaded.`,
  );
}
