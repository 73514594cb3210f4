import { doingOf, markOf } from "../../domain/verbs.ts";
import type { Doing } from "../../domain/verbs.ts";
import { toSentences } from "../sentences.ts";
import { plain } from "./prose-text.ts";
import type { OperationPart } from "./part.ts";

/** Segments of paths and words of ids that say nothing of what is there: prefixes, versions, names of hosts. */
const empty = /^(?:api|apis|rest|v\d+(?:\.\d+|(?:alpha|beta|rc)\d*)*|\d+(?:\.\d+)*|.*\.(?:io|com|org|net))?$/i;
/** Words of a phrase behind which it only says where or for whom. */
const prepositions = /^(?:for|in|of|on|to|by|with|from|at|as|into|within|between|via|using|without|that|which|if)$/i;
const articles = /^(?:an?|the|your|their|its|and|or|all|specified|given|new)$/i;
/** Telling words of a short sentence. */
const maxSentence = 12;
/** Telling words of a sentence that says more than an id does. */
const maxInstead = 5;
/** What makes a name longer that is to be found behind others of the same words: the more words, the less each says. */
const aside = "obsolete legacy superseded retired";
/** Who calls is whom it is for. */
const caller = / (?:for|by|of) the (?:authenticated|current|logged[- ]in|calling) (?:user|account|app|caller)\b/gi;

type Named = Pick<OperationPart, "kind" | "method" | "path" | "operationId" | "summary" | "description" | "deprecated">;

/**
 * What an operation is about, in as few words as can be: those of its summary, or of its id; where it has neither, or an id that was
 * made of its path, the verb that its method means there and the things that the path names, the last one first.
 * `POST /v1/customers` is "create customers". Behind them stands the mark of what it does: who wants to remove a customer finds what
 * deletes one. What is deprecated has no mark, so that what replaces it comes first.
 */
export function subjectOf(operation: Named): string {
  const words = wordsAbout(operation);
  if (operation.kind !== "path") return `${operation.kind} event ${words}`;
  if (operation.deprecated) return `deprecated ${words} ${aside}`;
  const marks = doingsOf(operation, words.split(" ")).map(markOf);
  return [words, ...marks].join(" ");
}

/** What an operation does: as its method says, and where that may be anything as the first or the last of its words does. */
function doingsOf({ method, path }: Named, words: readonly string[]): readonly Doing[] {
  const said = [words[0], words.at(-1)].map((word = "") => doingOf(word)).find((doing) => doing !== undefined);
  if (method === "GET" || method === "HEAD" || said === "list") {
    const last = path.split("/").at(-1) ?? "";
    return said === "list" || (!isParameter(last) && /s$/i.test(last)) ? ["list", "read"] : ["read"];
  }
  if (method === "DELETE") return ["remove"];
  if (said !== undefined) return [said];
  return method === "PUT" || method === "PATCH" ? ["change"] : [];
}

function wordsAbout(operation: Named): string {
  const { kind, method, path, operationId, summary, description } = operation;
  const said = sentenceOf(summary);
  if (said.length > 1) return said.join(" ");
  const more = sentenceOf(description);
  const id = headOf(wordsOf(operationId));
  if (id.length > 1 && !repeatsPath(wordsOf(operationId), method, path))
    return (more.length > 1 && more.length <= maxInstead ? more : id).join(" ");
  if (kind !== "path") return wordsOf(path).join(" ");
  const segments = path.split(/[/:]/).filter((segment) => !empty.test(segment));
  const things = segments.filter((segment) => !isParameter(segment)).toReversed();
  return distinct([...verbsOf(operation, segments), ...things.flatMap(wordsOf)]).join(" ");
}

/** The telling words of the first sentence of a text; none of one that is too long to say in short what there is. */
function sentenceOf(text: string): readonly string[] {
  const words = tellingOf(wordsOf((toSentences(plain(text))[0] ?? "").replace(caller, "")));
  return words.length > maxSentence ? [] : words;
}

/** Each word once, whatever its case. */
function distinct(words: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return words.filter((word) => !seen.has(word.toLowerCase()) && seen.add(word.toLowerCase()));
}

/** The words of a text, those of identifiers one by one. */
function wordsOf(text: string): readonly string[] {
  return text.replace(/([a-z0-9])([A-Z])/g, "$1 $2").match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** The words of an id that say what is done with what: `listPodForAllNamespaces` is "list pod". */
function headOf(words: readonly string[]): readonly string[] {
  const end = words.findIndex((word, at) => at > 1 && prepositions.test(word));
  return tellingOf(end < 0 ? words : words.slice(0, end));
}

/** Words that say something: every question would be about the others. */
function tellingOf(words: readonly string[]): readonly string[] {
  return words.filter((word) => !prepositions.test(word) && !articles.test(word) && !empty.test(word));
}

/** True for an id that a program made of method and path. */
function repeatsPath([first = "", ...others]: readonly string[], method: string, path: string): boolean {
  const words = path.split("/").filter((segment) => !empty.test(segment));
  return (
    first.toUpperCase() === method && others.join("").toLowerCase() === words.flatMap(wordsOf).join("").toLowerCase()
  );
}

function isParameter(segment: string): boolean {
  return segment.includes("{");
}

/** What is done: as the description begins with it, such as "Cancels", and as the method says. */
function verbsOf({ method, description }: Named, segments: readonly string[]): readonly string[] {
  const [first = ""] = wordsOf(plain(description.slice(0, 200)));
  const own = /^[A-Z][a-z]{2,}[^s]s$/.test(first) && !/^(?:Returns|Retrieves|This)$/.test(first) ? [first] : [];
  const last = segments.at(-1) ?? "";
  const meant = verbsOfMethod(method, isParameter(last), /s$/i.test(last));
  return own.some((verb) => meant.some((other) => verb.toLowerCase().startsWith(other))) ? meant : [...own, ...meant];
}

function verbsOfMethod(method: string, isItem: boolean, isPlural: boolean): readonly string[] {
  if (method === "GET") return [isPlural && !isItem ? "list" : "get"];
  if (method === "DELETE") return ["delete"];
  if (method === "PUT" || method === "PATCH" || (method === "POST" && isItem)) return ["update"];
  return method !== "POST" ? [method.toLowerCase()] : isPlural ? ["create"] : [];
}
