import { Failure } from "../../domain/failures.ts";
import type { CandidateFilter, Candidates, Question, PassageIndex } from "../../domain/ports.ts";
import { readPassage } from "../../domain/passage-lines.ts";
import { occurrencesIn } from "../../ranking/count.ts";
import { lookedUp } from "../../ranking/question.ts";
import { correctionsOf, misspeltWords } from "../../ranking/spelling.ts";
import type { KnownTerm } from "../../ranking/spelling.ts";
import { createMemory } from "../memory.ts";
import type { MeilisearchServer } from "./client.ts";
import { createReader } from "./documents-by-id.ts";
import { candidateFields, toCandidate } from "./documents.ts";
import type { PassageDocument, TermsCandidate } from "./documents.ts";
import { createFrequencyMemory } from "./frequencies.ts";
import type { KnownTerms } from "./frequencies.ts";
import { loadGeneration, removeDocuments, removeRecord } from "./load.ts";
import { planSearches, quoted } from "./plan.ts";
import type { Plan, Search } from "./plan.ts";
import { loadedGeneration, searchGeneration } from "./state.ts";
import type { GenerationRecord, GenerationState, LoadedGeneration, SearchResult } from "./state.ts";
import { createVocabularies } from "./vocabulary.ts";
import { equals, fromSnap, toSnap, toWord } from "./words.ts";

/**
 * Bytes of what is kept in memory since it was read lately: terms of candidates, which take three to four times as many as
 * strings of their own; JSON of passages; ids that single terms find.
 */
const candidateBytes = 8 * 1024 * 1024;
const passageBytes = 10 * 1024 * 1024;
const singleBytes = 2 * 1024 * 1024;

/** Records that are listed with one request. */
const pageSize = 100_000;

/**
 * Passages of all generations in one index of Meilisearch, filtered by generation. A generation is loaded when its
 * record is there and as many documents as the record says; that is looked at with every question, so that nothing is
 * ever answered from a part.
 */
export function createMeilisearchPassageIndex(server: MeilisearchServer): PassageIndex {
  const memory = createFrequencyMemory();
  const singles = createMemory<readonly string[]>(singleBytes);
  const readCandidates = createReader(server, {
    fields: candidateFields,
    make: (document) => ({
      value: toCandidate(document),
      bytes: document.sid.length + document.url.length + document.fields.length,
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
        besides: [...question.standIns.keys()],
      };
      const plan = planSearches(terms, { total, frequency }, filter);
      const { ids, loaded } = await find(generation, plan, conditionsOf(generation, filter));
      const { found, occurrences } = withTerms(await readCandidates(generation, ids), plan.terms, [
        ...frequency.keys(),
      ]);
      return {
        total,
        averageLength: loaded.averageLength,
        documentFrequency: frequency,
        corrections,
        candidates: found.map(({ candidate }) => candidate),
        occurrences,
        read: (ids) => readPassages(generation, ids),
      };
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
    const { total, frequency: recalled } = memory.recall(generation, terms);
    const unknown = terms.filter((term) => !recalled.has(term));
    if (total !== undefined && unknown.length === 0) return { total, frequency: recalled };
    const filter = equals("snap", toSnap(generation));
    const { results, loaded } = await search(
      generation,
      unknown.map((term) => ({ q: quoted(term), filter, limit: 0 })),
    );
    const asked = new Map(unknown.map((term, at) => [term, results[at]?.estimatedTotalHits ?? 0]));
    memory.keep(generation, { total: loaded.snippets, frequency: asked });
    return {
      total: loaded.snippets,
      frequency: new Map(terms.map((term) => [term, recalled.get(term) ?? asked.get(term) ?? 0])),
    };
  }

  /** The ids of what a plan finds, each once. What single terms find is remembered. */
  async function find(
    generation: string,
    plan: Plan,
    conditions: readonly string[],
  ): Promise<{ readonly ids: readonly string[]; readonly loaded: LoadedGeneration }> {
    const keyOf = ({ q, limit, attributesToSearchOn = [] }: Search) =>
      `${conditions.join(" AND ")} ${limit} ${attributesToSearchOn.join()} ${q}`;
    const recalled = plan.singles.map((single) => singles.get(keyOf(single)));
    const unknown = plan.singles.filter((_, at) => recalled[at] === undefined);
    const asked = [...(plan.together === undefined ? [] : [plan.together]), ...unknown];
    const { results, loaded } = await search(
      generation,
      asked.map((one) => ({ ...one, filter: [...conditions], attributesToRetrieve: ["sid"] })),
    );
    const found = results.map(({ hits }) => (hits as readonly Pick<PassageDocument, "sid">[]).map(({ sid }) => sid));
    for (const [at, single] of unknown.entries()) {
      const ids = found.at(at - unknown.length) ?? [];
      singles.keep(keyOf(single), ids, ids.join("").length);
    }
    return { ids: [...new Set([...found, ...recalled.map((ids) => ids ?? [])].flat())], loaded };
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
}

/**
 * The candidates that have a term which was searched for, and where all that were looked up stand in them: Meilisearch also
 * takes a word for two, and finds `77` in what has a `7`.
 */
function withTerms(
  found: readonly TermsCandidate[],
  searched: readonly string[],
  terms: readonly string[],
): { readonly found: readonly TermsCandidate[]; readonly occurrences: Candidates["occurrences"] } {
  const occurrences = occurrencesIn(
    found.map((one) => one.terms),
    terms,
  );
  const having = new Set(searched.flatMap((term) => occurrences.get(term)?.filter((_, at) => at % 3 === 0) ?? []));
  if (having.size === found.length) return { found, occurrences };
  const kept = found.filter((_, at) => having.has(at));
  return withTerms(kept, searched, terms);
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
      : `The index has ${found} of the ${record.snippets} passages of generation ${generation}. It has to be loaded again.`,
  );
}
