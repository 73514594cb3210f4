import { doingOf, markOf, nearDoingOf, type Doing } from "../../domain/verbs.ts";
import { toSentences, firstSentences } from "../sentences.ts";
import type { OperationPart } from "./part.ts";
import { plain } from "./description-text.ts";

/** Path segments and words of ids without meaning: prefixes, versions, host names. */
const meaningless = /^(?:api|apis|rest|v\d+(?:\.\d+|(?:alpha|beta|rc)\d*)*|\d+(?:\.\d+)*|.*\.(?:io|com|org|net))?$/i;
/** Prepositions, after which a sentence only says where or for whom. */
const prepositions = /^(?:for|in|of|on|to|by|with|from|at|as|into|within|between|via|using|without|that|which|if)$/i;
const articles = /^(?:an?|the|your|their|its|and|or|all|specified|given|new)$/i;
/** Maximum number of significant words in a sentence. */
const maxSentence = 12;
/** Maximum number of significant words in a description that is preferred to an id. */
const maxInstead = 5;
/** Words that rank a deprecated operation lower: the more words, the less each weighs. */
const demotion = "obsolete legacy superseded retired";
/** Phrases for the caller, who is always implied. */
const caller = / (?:for|by|of) the (?:authenticated|current|logged[- ]in|calling) (?:user|account|app|caller)\b/gi;

type Named = Pick<OperationPart, "kind" | "method" | "path" | "operationId" | "summary" | "description" | "deprecated">;

/**
 * The subject of an operation in few words: from its summary or its id. Without them, or if the id repeats the path, a verb for the
 * method and the nouns of the path, the last one first: `POST /v1/customers` is "create customers". Marks of what it does follow, so
 * that questions about removing match operations that delete; deprecated operations have none, so that their replacements rank first.
 */
export function subjectOf(operation: Named): string {
  const words = wordsAbout(operation);
  if (operation.kind !== "path") return `${operation.kind} event ${words}`;
  if (operation.deprecated) return `deprecated ${words} ${demotion}`;
  const marks = doingsOf(operation, words.split(" ")).map(markOf);
  return [words, ...marks].join(" ");
}

/** What an operation does: by its method, or for methods with any effect, by its first or last word. */
function doingsOf({ method, path }: Named, words: readonly string[]): readonly Doing[] {
  const ends = [words[0] ?? "", words.at(-1) ?? ""];
  const named = [...ends.map(doingOf), ...ends.map(nearDoingOf)].find((doing) => doing !== undefined);
  if (method === "GET" || method === "HEAD" || named === "list") {
    const last = path.split("/").at(-1) ?? "";
    return named === "list" || (!isParameter(last) && /s$/i.test(last)) ? ["list", "read"] : ["read"];
  }
  if (method === "DELETE") return ["remove"];
  if (named !== undefined) return [named];
  return method === "PUT" || method === "PATCH" ? ["change"] : [];
}

function wordsAbout(operation: Named): string {
  const { kind, method, path, operationId, summary, description } = operation;
  const short = sentenceOf(summary);
  if (short.length > 1) return short.join(" ");
  const long = sentenceOf(description);
  const id = headOf(wordsOf(operationId));
  if (id.length > 1 && !repeatsPath(wordsOf(operationId), method, path))
    return (long.length > 1 && long.length <= maxInstead ? long : id).join(" ");
  if (kind !== "path") return wordsOf(path).join(" ");
  const segments = path.split(/[/:]/).filter((segment) => !meaningless.test(segment));
  const things = segments.filter((segment) => !isParameter(segment)).toReversed();
  return distinct([...verbsOf(operation, segments), ...things.flatMap(wordsOf)]).join(" ");
}

/** The significant words of the first sentence of a text; empty for a long sentence. */
function sentenceOf(text: string): readonly string[] {
  const words = significantOf(wordsOf((toSentences(plain(text))[0] ?? "").replace(caller, "")));
  return words.length > maxSentence ? [] : words;
}

/** The words without duplicates, ignoring case. */
function distinct(words: readonly string[]): readonly string[] {
  const lower = words.map((word) => word.toLowerCase());
  return words.filter((word, at) => lower.indexOf(word.toLowerCase()) === at);
}

/** The words of a text, with identifiers split into words. */
function wordsOf(text: string): readonly string[] {
  return text.replace(/([a-z0-9])([A-Z])/g, "$1 $2").match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** The words of an id up to the first preposition: `listPodForAllNamespaces` is "list pod". */
function headOf(words: readonly string[]): readonly string[] {
  const end = words.findIndex((word, at) => at > 1 && prepositions.test(word));
  return significantOf(end < 0 ? words : words.slice(0, end));
}

/** Words without those that are common to all questions and operations. */
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

/** Verbs for an operation: the first word of its description, such as "Cancels", and the method's. */
function verbsOf({ method, description }: Named, segments: readonly string[]): readonly string[] {
  const [first = ""] = wordsOf(plain(description.slice(0, 200)));
  const described = /^[A-Z][a-z]{2,}[^s]s$/.test(first) && !/^(?:Returns|Retrieves|This)$/.test(first) ? [first] : [];
  const last = segments.at(-1) ?? "";
  const byMethod = verbsOfMethod(method, isParameter(last), /s$/i.test(last));
  const isRepeated = byMethod.some((verb) => first.toLowerCase().startsWith(verb));
  return isRepeated ? byMethod : [...described, ...byMethod];
}

function verbsOfMethod(method: string, isItem: boolean, isPlural: boolean): readonly string[] {
  if (method === "GET") return [isPlural && !isItem ? "list" : "get"];
  if (method === "DELETE") return ["delete"];
  if (method === "PUT" || method === "PATCH" || (method === "POST" && isItem)) return ["update"];
  return method !== "POST" ? [method.toLowerCase()] : isPlural ? ["create"] : [];
}

/** Maximum length of a purpose, in characters. */
const maxPurpose = 120;

/** The place of an operation: its method and path, or its name as a webhook or callback. */
export function placeOf({ kind, method, path, callback }: OperationPart): string {
  if (kind === "path") return `${method} ${path}`;
  if (kind === "webhook") return `Webhook ${path} (${method})`;
  return `Callback ${callback?.name ?? ""} of ${callback?.of ?? ""} (${method} ${path})`;
}

/** The purpose of an operation in a few words: its summary, the beginning of its description, or its id. */
export function purposeOf({ summary, description, operationId }: OperationPart): string {
  const text = summary || firstSentences(plain(description), maxPurpose);
  return text === "" ? operationId : firstSentences(plain(text), maxPurpose).replace(/\.$/, "");
}
