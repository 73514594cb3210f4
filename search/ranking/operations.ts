import type { Candidate } from "../../domain/ports.ts";
import { weights } from "./weights.ts";

/** A part of an API description, by the address of its page: the file with a JSON pointer as fragment. */
const ofDescription = /#\/(?:paths|webhooks|x-webhooks|components|definitions|tags|servers|info)\//;
const operation = /#\/(?:paths|webhooks|x-webhooks)\//;
/** Parts that answer no question about what to do, unless it asks for them. */
const besideOperations = /#\/(?:components\/schemas|definitions|tags|webhooks|x-webhooks)\/|\/callbacks\//;
/** Terms of a question about such parts: "get notified" is about webhooks. */
const partNames: ReadonlySet<string> = new Set(["schema", "webhook", "callback", "notifi"]);
const path = /#\/paths\/([^/]*)/;
/** A parameter at the end of a path: one resource of a kind. */
const one = /~1(?:\{|%7B)[^~/]*$/i;

/** Whether a page is an operation, webhook or callback. */
export function isOperationPage(url: string): boolean {
  return operation.test(url);
}

/** Whether a page is a schema, a list of the operations with a tag, a webhook or a callback. */
export function isBesideOperations(url: string): boolean {
  return besideOperations.test(url);
}

/** Whether a question with this term asks for a schema, a webhook or a callback. */
export function asksForParts(term: string): boolean {
  return partNames.has(term);
}

/** Whether a question is asked of an API: most that may answer are parts of a description. */
export function isOfApi(candidates: readonly Pick<Candidate, "pageUrl">[]): boolean {
  return 2 * candidates.filter(({ pageUrl }) => ofDescription.test(pageUrl)).length > candidates.length;
}

/**
 * How far a resource is from what most callers want, as a share of the best score by words: by the segments and the parameters of its
 * path; 0 for other pages. `ofOne`: the question may be about one resource, which then is no more remote than all of its kind.
 */
export function remotenessOf(url: string, ofOne: boolean): number {
  const { segment, parameter } = weights.operations;
  const [, encoded = ""] = path.exec(url) ?? [];
  const counted = ofOne ? encoded.replace(one, "") : encoded;
  return segment * occurrences(counted, /~1/g) + parameter * occurrences(counted, /\{|%7B/gi);
}

function occurrences(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
