import { doingOf, markOf } from "../../domain/verbs.ts";
import type { Doing } from "../../domain/verbs.ts";
import { toSentences, firstSentences } from "../sentences.ts";
import type { OperationPart } from "./part.ts";
import { plain } from "./description-text.ts";

/** Segments of paths and words of ids without meaning: prefixes, versions, names of hosts. */
const meaningless = /^(?:api|apis|rest|v\d+(?:\.\d+|(?:alpha|beta|rc)\d*)*|\d+(?:\.\d+)*|.*\.(?:io|com|org|net))?$/i;
/** Prepositions: what follows them only says where or for whom. */
const prepositions = /^(?:for|in|of|on|to|by|with|from|at|as|into|within|between|via|using|without|that|which|if)$/i;
const articles = /^(?:an?|the|your|their|its|and|or|all|specified|given|new)$/i;
/** Maximum number of significant words in a sentence that is used. */
const maxSentence = 12;
/** Maximum number of them in a description that is preferred to an id. */
const maxInstead = 5;
/** Words that rank a deprecated operation behind others of the same words: the more words, the less each weighs. */
const demotion = "obsolete legacy superseded retired";
/** Phrases that name the caller, who is always meant. */
const caller = / (?:for|by|of) the (?:authenticated|current|logged[- ]in|calling) (?:user|account|app|caller)\b/gi;

type Named = Pick<OperationPart, "kind" | "method" | "path" | "operationId" | "summary" | "description" | "deprecated">;

/**
 * What an operation is about, in as few words as can be: those of its summary, or of its id; where it has neither, or an id that was
 * made of its path, the verb that its method means there and the things that the path names, the last one first.
 * `POST /v1/customers` is "create customers". They are followed by the mark of what it does, so that a question about removing
 * finds what deletes. What is deprecated has no mark, so that its replacement ranks first.
 */
export function subjectOf(operation: Named): string {
  const words = wordsAbout(operation);
  if (operation.kind !== "path") return `${operation.kind} event ${words}`;
  if (operation.deprecated) return `deprecated ${words} ${demotion}`;
  const marks = doingsOf(operation, words.split(" ")).map(markOf);
  return [words, ...marks].join(" ");
}

/** What an operation does: by its method, and where that may be anything, by the first or the last of its words. */
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
  const segments = path.split(/[/:]/).filter((segment) => !meaningless.test(segment));
  const things = segments.filter((segment) => !isParameter(segment)).toReversed();
  return distinct([...verbsOf(operation, segments), ...things.flatMap(wordsOf)]).join(" ");
}

/** The significant words of the first sentence of a text; none of a sentence that is too long. */
function sentenceOf(text: string): readonly string[] {
  const words = significantOf(wordsOf((toSentences(plain(text))[0] ?? "").replace(caller, "")));
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

/** The words of an id up to the first preposition: `listPodForAllNamespaces` is "list pod". */
function headOf(words: readonly string[]): readonly string[] {
  const end = words.findIndex((word, at) => at > 1 && prepositions.test(word));
  return significantOf(end < 0 ? words : words.slice(0, end));
}

/** Words without those that any question or operation has. */
function significantOf(words: readonly string[]): readonly string[] {
  return words.filter((word) => !prepositions.test(word) && !articles.test(word) && !meaningless.test(word));
}

/** True for an id that was generated from method and path. */
function repeatsPath([first = "", ...others]: readonly string[], method: string, path: string): boolean {
  const words = path.split("/").filter((segment) => !meaningless.test(segment));
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

/** Maximum length of a purpose, in characters. */
const maxWords = 120;

/** Where an operation is: its method and path, or the name that it has as a webhook or callback. */
export function placeOf({ kind, method, path, callback }: OperationPart): string {
  if (kind === "path") return `${method} ${path}`;
  if (kind === "webhook") return `Webhook ${path} (${method})`;
  return `Callback ${callback?.name ?? ""} of ${callback?.of ?? ""} (${method} ${path})`;
}

/** What an operation does, in a few words: its summary, the beginning of its description, or its id. */
export function purposeOf({ summary, description, operationId }: OperationPart): string {
  const said = summary || firstSentences(plain(description), maxWords);
  return said === "" ? operationId : firstSentences(plain(said), maxWords).replace(/\.$/, "");
}
