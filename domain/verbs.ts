/** What an operation of an API does to things, as the methods of HTTP have it; `list` reads many of them. */
export type Doing = "create" | "list" | "read" | "change" | "remove";

/** Verbs that say this and nothing else. */
const verbs: Readonly<Record<Doing, string>> = {
  create: "create add make insert",
  list: "list enumerate browse",
  read: "get retrieve read fetch show view see find return describe",
  change: "update change edit modify set replace patch",
  remove: "delete remove destroy drop erase",
};

/** Verbs that say more than that, or of some things only: who registers or uploads a thing creates one, mostly. */
const nearVerbs: Readonly<Record<Exclude<Doing, "list">, string>> = {
  create: "register upload submit send post invite connect issue generate save book start launch reserve",
  read: "check download look lookup search query",
  change: "rename adjust configure switch assign enable disable mark turn resize",
  remove: "clear revoke unset detach disconnect uninstall discard kick",
};

const doings = toMap(verbs);
const nearDoings = toMap(nearVerbs);

/** What a verb says is done, in its base form or in the third person; undefined for other words. */
export function doingOf(word: string): Doing | undefined {
  return lookUp(doings, word);
}

/** What a verb mostly comes to that says more than that; undefined for other words. */
export function nearDoingOf(word: string): Doing | undefined {
  return lookUp(nearDoings, word);
}

function lookUp(table: ReadonlyMap<string, Doing>, word: string): Doing | undefined {
  const lower = word.toLowerCase();
  const forms = [lower, lower.replace(/s$/, ""), lower.replace(/es$/, ""), lower.replace(/ies$/, "y")];
  return forms.map((form) => table.get(form)).find((doing) => doing !== undefined);
}

function toMap(table: Readonly<Partial<Record<Doing, string>>>): ReadonlyMap<string, Doing> {
  return new Map(
    Object.entries(table).flatMap(([doing, words]) => words.split(" ").map((word) => [word, doing as Doing] as const)),
  );
}

/** Index term that marks operations of this kind, so that they are found by any verb of it. It cannot occur in text. */
export function markOf(doing: Doing): string {
  return `operationto${doing}`;
}
