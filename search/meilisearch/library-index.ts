import { hash } from "node:crypto";
import { foldId } from "../../domain/library.ts";
import type { LibraryEntry, LibraryIndex } from "../../domain/ports.ts";
import type { Subject } from "../../domain/subject.ts";
import { contentOf } from "../library-content.ts";
import { trigramsOf } from "../ranking/names.ts";
import { incomplete, keysOf, readLookUp, wordsOf, type LibraryLookUp } from "../library-search.ts";
import { ignoreError, type MeilisearchServer } from "./client.ts";
import { quoted } from "./candidates.ts";
import { findContents, toContentFields, type ContentFields } from "./library-contents.ts";
import { incompleteMark, libraryFormat } from "./settings.ts";
import { equals, isOneOf, toWord } from "./words.ts";

/** A library in the index. */
interface LibraryDocument extends ContentFields {
  readonly id: string;
  readonly uid: string;
  readonly format: string;
  /** The teamspace that owns it, as one word. */
  readonly owner: string;
  /** Its folded ID, as one word. */
  readonly lid: string;
  /** Its folded names and short names; and the same and its owners, each as one word. */
  readonly names: readonly string[];
  readonly exact: readonly string[];
  /** Names that only manifests claim, each as one word. */
  readonly claimed: readonly string[];
  /** Its folded names reversed, as Meilisearch tolerates a wrong first letter less than others. */
  readonly reversed: readonly string[];
  readonly trigrams: readonly string[];
  readonly words: string;
  readonly snippets: number;
  /** JSON of the entry. */
  readonly entry: string;
}

/** Maximum number of entries listed with one request. */
const pageSize = 100_000;
/** Maximum number of terms of a query: Meilisearch reads ten words. */
const readWords = 10;

/** A search among the libraries of the given owners. */
interface Search {
  readonly q: string;
  readonly limit: number;
  readonly conditions?: readonly string[];
  readonly attributesToSearchOn?: (keyof LibraryDocument)[];
  readonly matchingStrategy?: "frequency";
}

/**
 * Libraries in one index of Meilisearch: by ID, by exact name, by beginnings and misspelt names as Meilisearch finds
 * them, by parts of names, by the words of name and description, and by what they say.
 */
export function createMeilisearchLibraryIndex(server: MeilisearchServer): LibraryIndex {
  return {
    async put(entry, subject) {
      const document = toLibraryDocument(entry, subject);
      const task = await server.write("libraries", (index) => index.addDocuments([document], { primaryKey: "id" }));
      await server.finish(task);
    },
    async remove(uid) {
      const task = await server.write("libraries", (index) => index.deleteDocument(documentId(uid)));
      await server.finish(task, { missingIsFine: true });
    },
    async candidates(teamspaces, name, query, limit) {
      const searches = searchesFor(readLookUp(name, query), limit);
      if (searches.length === 0 || teamspaces.length === 0) return [];
      const owners = isOneOf("owner", teamspaces.map(toWord));
      const indexUid = server.nameOf("libraries");
      const results = await server.search([
        ...searches.map(({ conditions = [], ...search }) => ({
          ...search,
          indexUid,
          filter: [owners, ...conditions],
          attributesToRetrieve: ["uid", "entry"],
        })),
        { indexUid, q: "", filter: equals("format", incompleteMark), limit: 1, attributesToRetrieve: ["uid"] },
      ]);
      if (results.at(-1)?.hits.length !== 0) throw incomplete();
      // Documents written by `put`.
      const hits = results.flatMap((result) => result.hits as Pick<LibraryDocument, "uid" | "entry">[]);
      const entries = new Map(hits.map(({ uid, entry }) => [uid, entry]));
      return [...entries.values()].slice(0, limit).map((entry) => JSON.parse(entry) as LibraryEntry);
    },
    byContent: (question, filter) => findContents(server, question, filter, documentId),
    async entries(uids) {
      if (uids.length === 0) return [];
      const { results } = await server.ask((client) =>
        client.index<LibraryDocument>(server.nameOf("libraries")).getDocuments({
          fields: ["uid", "entry"],
          ids: [...uids.map(documentId), incompleteMark],
          limit: uids.length + 1,
        }),
      );
      if (results.some(({ uid }) => uid === incompleteMark)) throw incomplete();
      return results.map(({ entry }) => JSON.parse(entry) as LibraryEntry);
    },
    /** Entries of another format are left out, so that they are announced again. */
    async uids() {
      const uids: string[] = [];
      for (let offset = 0; ; offset += pageSize) {
        const { results } = await server.ask((client) =>
          client
            .index<LibraryDocument>(server.nameOf("libraries"))
            .getDocuments({ fields: ["uid"], filter: equals("format", libraryFormat), limit: pageSize, offset }),
        );
        uids.push(...results.map(({ uid }) => uid));
        if (results.length < pageSize) return uids.toSorted();
      }
    },
    async isWhole() {
      const mark = await server.ask((client) =>
        client.index(server.nameOf("libraries")).getDocument(incompleteMark).catch(ignoreError("document_not_found")),
      );
      return mark === undefined;
    },
    async complete() {
      const task = await server.write("libraries", (index) => index.deleteDocument(incompleteMark));
      await server.finish(task);
    },
  };
}

function documentId(uid: string): string {
  return hash("sha256", uid, "base64url");
}

/** The document of an entry. */
export function toLibraryDocument(entry: LibraryEntry, subject?: Subject): LibraryDocument {
  const { own, claimed } = keysOf(entry);
  const names = [...own, ...claimed].filter((key) => !key.startsWith("/"));
  return {
    id: documentId(entry.uid),
    uid: entry.uid,
    format: libraryFormat,
    owner: toWord(entry.key.teamspace),
    lid: toWord(foldId(entry.id)),
    names,
    exact: own.map(toWord),
    claimed: claimed.map(toWord),
    reversed: names.map(backwards),
    trigrams: [...new Set(names.flatMap(trigramsOf))].map(toWord),
    words: wordsOf(entry).map(toWord).join(" "),
    snippets: entry.totalSnippets,
    entry: JSON.stringify(entry),
    ...toContentFields(contentOf(entry, subject)),
  };
}

/** The searches for a name, the most certain kinds of match first. */
function searchesFor(sought: LibraryLookUp, limit: number): readonly Search[] {
  const exactly = (attribute: "lid" | "exact" | "claimed", values: readonly string[]): readonly Search[] =>
    values.length === 0 ? [] : [{ q: "", conditions: [isOneOf(attribute, values.map(toWord))], limit }];
  const named = (values: readonly string[]) => [...exactly("exact", values), ...exactly("claimed", values)];
  const searches = [...exactly("lid", sought.ids), ...named(sought.whole)];
  if (sought.name === "") return searches;

  const [half, quarter] = [Math.ceil(limit / 2), Math.ceil(limit / 4)];
  const [core, terms] = [sought.core.slice(0, readWords), sought.terms.slice(0, readWords)];
  // Quoted words must occur; the others improve the order.
  const needed = core.map(quoted).join(" ");
  const inWords = { attributesToSearchOn: ["words"], matchingStrategy: "frequency" } satisfies Partial<Search>;
  if (core.length > 0) {
    const topics = sought.topics.filter((term) => !core.includes(term)).slice(0, readWords - core.length);
    if (topics.length > 0)
      searches.push({ q: `${needed} ${topics.map(toWord).join(" ")}`, ...inWords, limit: quarter });
  }
  searches.push(...named(sought.parts));
  searches.push({ q: sought.name, attributesToSearchOn: ["names"], limit: half });
  if (core.length > 0) searches.push({ q: needed, attributesToSearchOn: ["words"], limit });
  const inner = trigramsOf(sought.name).slice(1, -1).map(toWord);
  if (inner.length > 0) searches.push({ q: "", conditions: inner.map((part) => equals("trigrams", part)), limit });
  for (const name of sought.resembled) {
    if (name !== sought.name) searches.push({ q: name, attributesToSearchOn: ["names"], limit: quarter });
    searches.push({ q: backwards(name), attributesToSearchOn: ["reversed"], limit: quarter });
  }
  if (terms.length > 1) searches.push({ q: terms.map(toWord).join(" "), ...inWords, limit: quarter });
  return searches;
}

function backwards(name: string): string {
  return Array.from(name).toReversed().join("");
}
