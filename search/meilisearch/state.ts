import type { MultiSearchQuery } from "meilisearch";
import type { SearchField } from "../../domain/ports.ts";
import type { MeilisearchServer } from "./client.ts";
import { passageFormat } from "./settings.ts";
import { equals, toSnap } from "./words.ts";

/** The record of a loaded generation. It is written when all documents are verified. */
export interface GenerationRecord {
  /** The generation's id. */
  readonly id: string;
  readonly snap: string;
  /** `passageFormat` of its documents. */
  readonly format: string;
  /** Number of passages. */
  readonly snippets: number;
  /** JSON of the mean number of terms of each field. */
  readonly averageLength: string;
  /** The terms that misspelt words may be corrected to, one per line with its number of passages. */
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
}

/** The part of a search result that is read. */
export interface SearchResult {
  readonly hits: readonly unknown[];
  readonly estimatedTotalHits?: number;
}

/**
 * Runs searches, and after them reads the state of the generation. A loaded generation only ever loses documents: if all exist after
 * the searches, they existed during them.
 */
export async function searchGeneration(
  server: MeilisearchServer,
  generation: string,
  queries: readonly Omit<MultiSearchQuery, "indexUid">[],
): Promise<{ readonly results: readonly SearchResult[]; readonly state: GenerationState }> {
  const filter = equals("snap", toSnap(generation));
  const index = server.nameOf("snippets");
  const results = await server.search([
    ...queries.map((query) => ({ ...query, indexUid: index })),
    { indexUid: server.nameOf("generations"), q: "", filter, limit: 1, attributesToRetrieve: [...stateAttributes] },
    { indexUid: index, q: "", filter, limit: 0 },
  ]);
  const [kept, counted] = results.slice(-2);
  // Written by load.ts.
  const record = kept?.hits[0] as GenerationState["record"];
  return { results: results.slice(0, -2), state: { record, found: counted?.estimatedTotalHits ?? 0 } };
}

/** The generation, if it is completely loaded. */
export function loadedGeneration({ record, found }: GenerationState): LoadedGeneration | undefined {
  if (record === undefined || record.format !== passageFormat || record.snippets !== found) return undefined;
  return { passages: found, averageLength: JSON.parse(record.averageLength) as LoadedGeneration["averageLength"] };
}
