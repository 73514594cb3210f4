import { Failure } from "../../domain/failures.ts";
import type { Candidate, CandidateFilter, Question, SnippetIndex } from "../../domain/ports.ts";
import type { Snippet } from "../../domain/snippet.ts";
import { lookedUp } from "../../ranking/question.ts";
import { correctionsOf, misspeltWords } from "../../ranking/spelling.ts";
import type { KnownTerm } from "../../ranking/spelling.ts";
import { rank } from "../../ranking/rank.ts";
import { createMemory } from "../memory.ts";
import type { MeilisearchServer } from "./client.ts";
import { candidateAttributes, documentId, toCandidate } from "./documents.ts";
import type { CandidateHit, SnippetDocument } from "./documents.ts";
import { createFrequencyMemory } from "./frequencies.ts";
import type { KnownTerms } from "./frequencies.ts";
import { loadGeneration, removeDocuments, removeRecord } from "./load.ts";
import { planSearches, quoted } from "./plan.ts";
import { loadedGeneration, searchGeneration } from "./state.ts";
import type { GenerationRecord, GenerationState, LoadedGeneration, SearchResult } from "./state.ts";
import { createVocabularies } from "./vocabulary.ts";
import { equals, fromSnap, toSnap, toWord } from "./words.ts";

/** Bytes of JSON of the snippets that are kept in memory since they were read lately. */
const snippetBytes = 12 * 1024 * 1024;

/** Records that are listed with one request. */
const pageSize = 100_000;

/**
 * Snippets of all generations in one index of Meilisearch, filtered by generation. A generation is loaded when its
 * record is there and as many documents as the record says; that is looked at with every question, so that nothing is
 * ever answered from a part.
 */
export function createMeilisearchSnippetIndex(server: MeilisearchServer): SnippetIndex {
  const memory = createFrequencyMemory();
  const snippets = createMemory<Snippet>(snippetBytes);
  const vocabularies = createVocabularies(async (generation) => {
    const record = await server.ask((client) =>
      client.index<GenerationRecord>(server.nameOf("generations")).getDocument(generation, { fields: ["vocabulary"] }),
    );
    return record.vocabulary;
  });

  return {
    load: (generation, parts, options) => loadGeneration(server, generation, parts, options),
    async count(generation) {
      const { state } = await searchGeneration(server, generation, []);
      return loadedGeneration(state)?.snippets;
    },
    async candidates(generation, question, filter) {
      const known = await knownTerms(generation, question);
      const { total } = known;
      const frequency = new Map(known.frequency);
      const near: [string, readonly KnownTerm[]][] = [];
      for (const word of misspeltWords(question.words, frequency))
        near.push([word, await vocabularies.near(generation, word)]);
      const corrections = correctionsOf(near, frequency);
      const terms = {
        asked: [...new Set([...question.terms, ...[...corrections.values()].flat()])],
        besides: [...question.guesses, ...question.standIns.keys()],
      };
      const conditions = conditionsOf(generation, filter);
      const searches = planSearches(terms, { total, frequency }, filter);
      const { results, loaded } = await search(
        generation,
        searches.map((one) => ({ ...one, filter: conditions, attributesToRetrieve: [...candidateAttributes] })),
      );
      const found = toCandidates(results);
      const statistics = {
        total,
        averageLength: loaded.averageLength,
        documentFrequency: frequency,
        corrections,
      };
      const read = (ids: readonly string[]) => readSnippets(generation, ids);
      const all = { ...statistics, candidates: found, read };
      if (found.length <= filter.limit) return all;
      return { ...all, candidates: rank(question, all, filter.limit).map(({ candidate }) => candidate) };
    },
    async drop(generation) {
      toSnap(generation);
      // In this order, and behind all that a broken load has sent.
      const tasks = [await removeRecord(server, generation), await removeDocuments(server, generation)];
      for (const task of tasks) await server.finish(task, { missingIsFine: true });
    },
    async generations() {
      const found = new Set<string>();
      for (let offset = 0; ; offset += pageSize) {
        const { results } = await server.ask((client) =>
          client.index(server.nameOf("generations")).getDocuments({ fields: ["id"], limit: pageSize, offset }),
        );
        for (const { id } of results) found.add(String(id));
        if (results.length < pageSize) break;
      }
      const { facetDistribution } = await server.ask((client) =>
        client.index(server.nameOf("snippets")).search("", { facets: ["snap"], limit: 0 }),
      );
      for (const snap of Object.keys(facetDistribution?.["snap"] ?? {})) found.add(fromSnap(snap));
      return [...found].toSorted();
    },
    async ready() {
      await server.ask((client) => client.health());
    },
    close: async () => undefined,
  };

  /** How often the question's terms occur, remembered or asked for. The same question always gets the same answer. */
  async function knownTerms(generation: string, question: Question): Promise<KnownTerms> {
    const terms = lookedUp(question);
    const known = memory.recall(generation, terms);
    if (known !== undefined) return known;
    const filter = equals("snap", toSnap(generation));
    const { results, loaded } = await search(
      generation,
      terms.map((term) => ({ q: quoted(term), filter, limit: 0 })),
    );
    const frequency = new Map(terms.map((term, at) => [term, results[at]?.estimatedTotalHits ?? 0]));
    memory.keep(generation, { total: loaded.snippets, frequency });
    return { total: loaded.snippets, frequency };
  }

  async function search(
    generation: string,
    queries: Parameters<typeof searchGeneration>[2],
  ): Promise<{ readonly results: readonly SearchResult[]; readonly loaded: LoadedGeneration }> {
    const { results, state } = await searchGeneration(server, generation, queries);
    const loaded = loadedGeneration(state);
    if (loaded === undefined) throw notLoaded(generation, state);
    return { results, loaded };
  }

  /** The snippets, those that are not remembered with one request. */
  async function readSnippets(generation: string, ids: readonly string[]): Promise<readonly Snippet[]> {
    const found = new Map(ids.map((id) => [id, snippets.get(`${generation} ${id}`)]));
    const missing = ids.filter((id) => found.get(id) === undefined);
    if (missing.length > 0) {
      const { results } = await server.ask((client) =>
        client.index<SnippetDocument>(server.nameOf("snippets")).getDocuments({
          ids: missing.map((id) => documentId(generation, id)),
          fields: ["sid", "snippet"],
          limit: missing.length,
        }),
      );
      for (const { sid, snippet: line } of results) {
        const snippet = JSON.parse(line) as Snippet;
        snippets.keep(`${generation} ${sid}`, snippet, line.length);
        found.set(sid, snippet);
      }
    }
    return ids.map((id) => {
      const snippet = found.get(id);
      if (snippet === undefined)
        throw new Failure("search_failed", `Generation ${generation} has just been removed from the index. Try again.`);
      return snippet;
    });
  }
}

function conditionsOf(generation: string, { kind, language }: CandidateFilter): string[] {
  return [
    equals("snap", toSnap(generation)),
    ...(kind === undefined ? [] : [equals("kind", kind)]),
    ...(language === undefined ? [] : [equals("languages", toWord(language))]),
  ];
}

/** The candidates of all searches, each once. */
function toCandidates(results: readonly SearchResult[]): readonly Candidate[] {
  // What `candidates` asked for, of documents that `load` wrote.
  const hits = results.flatMap((result) => result.hits as readonly CandidateHit[]);
  return [...new Map(hits.map((hit) => [hit.sid, hit])).values()].map(toCandidate);
}

function notLoaded(generation: string, { record, found }: GenerationState): Failure {
  return new Failure(
    "search_failed",
    record === undefined
      ? `Generation ${generation} is not loaded. Try again; it may have just been replaced.`
      : `The index has ${found} of the ${record.snippets} snippets of generation ${generation}. It has to be loaded again.`,
  );
}
