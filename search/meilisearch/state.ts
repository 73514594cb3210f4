import type { MultiSearchQuery } from "meilisearch";
import type { SearchField } from "../../domain/ports.ts";
import type { MeilisearchServer } from "./client.ts";
import { passageFormat } from "./settings.ts";
import { equals, toSnap } from "./words.ts";

/** What is kept of a loaded generation, written when all of its documents were seen to be there. */
export interface GenerationRecord {
  /** The generation's id. */
  readonly id: string;
  readonly snap: string;
  /** `passageFormat` of its documents. */
  readonly format: string;
  /** How many passages it has. */
  readonly snippets: number;
  /** JSON of the mean terms of each field. */
  readonly averageLength: string;
  /** Its terms, one a line with the number of passages: what misspelt words are corrected by. */
  readonly vocabulary: string;
}

/** What is read of a record with every question. */
export const stateAttributes = ["id", "format", "snippets", "averageLength"] as const;

/** A generation as the index has it at one moment. */
export interface GenerationState {
  readonly record: Pick<GenerationRecord, (typeof stateAttributes)[number]> | undefined;
  /** Passages that can be found. */
  readonly found: number;
}

/** A loaded generation. */
export interface LoadedGeneration {
  readonly passages: number;
  readonly averageLength: Readonly<Record<SearchField, number>>;
}

/** A result of a search, as far as it is read. */
export interface SearchResult {
  readonly hits: readonly unknown[];
  readonly estimatedTotalHits?: number;
}

/**
 * Runs searches, and behind them looks at the generation: its documents only ever vanish once it is loaded, so where
 * all are there in the end, all were there for the searches.
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
  // Written by `load`, under a name that nobody else uses.
  const record = kept?.hits[0] as GenerationState["record"];
  return { results: results.slice(0, -2), state: { record, found: counted?.estimatedTotalHits ?? 0 } };
}

/** The generation, where it is loaded and whole. */
export function loadedGeneration({ record, found }: GenerationState): LoadedGeneration | undefined {
  if (record === undefined || record.format !== passageFormat || record.snippets !== found) return undefined;
  return { passages: found, averageLength: JSON.parse(record.averageLength) as LoadedGeneration["averageLength"] };
}
