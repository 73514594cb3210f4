/** What an operation of an API does, as HTTP methods do; `list` reads many resources. */
export type Doing = "create" | "list" | "read" | "change" | "remove";

/** Verbs with exactly this meaning. */
const verbs: Readonly<Record<Doing, string>> = {
  create: "create add make insert",
  list: "list enumerate browse",
  read: "get retrieve read fetch show view see find return describe",
  change: "update change edit modify set replace patch",
  remove: "delete remove destroy drop erase",
};

/** Verbs with a narrower meaning: registering something mostly creates it. */
const nearVerbs: Readonly<Record<Exclude<Doing, "list">, string>> = {
  create:
    "register upload submit send post invite connect issue generate save book start launch reserve report define charge grant give begin open schedule attach import load ingest record publish push request order pay subscribe enroll trigger run execute bill share copy duplicate clone fork",
  read: "check download look lookup search query export dump count inspect preview track watch monitor estimate compare",
  change:
    "rename adjust configure switch assign enable disable mark turn resize move restore revert rotate pause resume extend reset reschedule approve reject archive unarchive lock unlock merge restrict limit upgrade renew swap exchange",
  remove:
    "clear revoke unset detach disconnect uninstall discard kick cancel end stop terminate quit unlink unsubscribe deactivate purge unassign",
};

const doings = toMap(verbs);
const nearDoings = toMap(nearVerbs);

/** The meaning of a verb, in its base form or third person; undefined for other words. */
export function doingOf(word: string): Doing | undefined {
  return lookUp(doings, word);
}

/** The usual meaning of a verb with a narrower one; undefined for other words. */
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

/** The index term of operations with a meaning, by which any of its verbs finds them. It does not occur in text. */
export function markOf(doing: Doing): string {
  return `operationto${doing}`;
}
