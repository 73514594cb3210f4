import type { ContentFilter, ContentMatch, ContentMatches, LibraryEntry, Question } from "../../domain/ports.ts";
import { incomplete } from "../library-search.ts";
import type { LibraryContent } from "../library-content.ts";
import { contentTerms, rarityIn } from "../ranking/library-content.ts";
import type { MeilisearchServer } from "./client.ts";
import { incompleteMark } from "./settings.ts";
import { equals, isOneOf, toWord } from "./words.ts";

/** The content of a library in its document. */
export interface ContentFields {
  /** Its terms, and those with the most impact, each as one word. */
  readonly terms: readonly string[];
  readonly strong: readonly string[];
  /** JSON of `StoredContent`. */
  readonly content: string;
}

interface StoredContent {
  readonly impacts: readonly (readonly [term: string, impact: number])[];
  /** Base64. */
  readonly meaning: string;
}

/** Number of terms of a library that count as strong. */
const strongTerms = 60;
/** Maximum number of libraries with a term that are read. */
const maxWithTerm = 100;
/** Share of a strong term's worth that another one has. */
const weakShare = 0.3;

/** The fields of a document for the content of its library. */
export function toContentFields({ impacts, meaning }: LibraryContent): ContentFields {
  const terms = [...impacts.keys()].map(toWord);
  const stored: StoredContent = { impacts: [...impacts], meaning: Buffer.from(meaning).toString("base64") };
  return { terms, strong: terms.slice(0, strongTerms), content: JSON.stringify(stored) };
}

/** Finds libraries by what they say: with one request their number by term, and those to read; with another their content. */
export async function findContents(
  server: MeilisearchServer,
  question: Question,
  { teamspaces, limit, uids }: ContentFilter,
  documentId: (uid: string) => string,
): Promise<ContentMatches> {
  const sought = contentTerms(question);
  if (teamspaces.length === 0 || sought.length === 0) return { total: 0, frequency: new Map(), libraries: [] };
  const indexUid = server.nameOf("libraries");
  const owners = isOneOf("owner", teamspaces.map(toWord));
  const search = (conditions: readonly string[], most: number) => ({
    indexUid,
    q: "",
    filter: [owners, ...conditions],
    limit: most,
    attributesToRetrieve: ["uid"],
  });
  const most = uids === undefined ? maxWithTerm : 0;
  const [all, ...found] = await server.search([
    search([], 0),
    ...sought.flatMap(({ term }) => [
      search([equals("terms", toWord(term))], most),
      search([equals("strong", toWord(term))], most),
    ]),
  ]);
  const total = all?.estimatedTotalHits ?? 0;
  const frequency = new Map<string, number>();
  const scores = new Map<string, number>();
  for (const [at, { term, share }] of sought.entries()) {
    const [any, strong] = found.slice(2 * at);
    frequency.set(term, any?.estimatedTotalHits ?? 0);
    const worth = share * rarityIn(any?.estimatedTotalHits ?? 0, total);
    const isStrong = new Set(strong?.hits.map(({ uid }) => String(uid)));
    for (const uid of new Set([...isStrong, ...(any?.hits ?? []).map((hit) => String(hit["uid"]))]))
      scores.set(uid, (scores.get(uid) ?? 0) + worth * (isStrong.has(uid) ? 1 : weakShare));
  }
  const best = [...scores].toSorted(([, a], [, b]) => b - a).map(([uid]) => uid);
  return { total, frequency, libraries: await readContents(server, (uids ?? best.slice(0, limit)).map(documentId)) };
}

/** The content of the documents that have one. */
async function readContents(server: MeilisearchServer, ids: readonly string[]): Promise<readonly ContentMatch[]> {
  const { results } = await server.ask((client) =>
    client.index<{ uid: string; entry: string; content?: string }>(server.nameOf("libraries")).getDocuments({
      fields: ["uid", "entry", "content"],
      ids: [...ids, incompleteMark],
      limit: ids.length + 1,
    }),
  );
  if (results.some(({ uid }) => uid === incompleteMark)) throw incomplete();
  return results.flatMap(({ entry, content }) => {
    if (content === undefined) return [];
    const { impacts, meaning } = JSON.parse(content) as StoredContent;
    return [
      {
        entry: JSON.parse(entry) as LibraryEntry,
        impacts: new Map(impacts),
        meaning: new Int8Array(Buffer.from(meaning, "base64")),
      },
    ];
  });
}
