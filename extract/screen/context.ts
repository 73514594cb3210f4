import type { Normalised } from "./normalise.ts";

/** How something is said: plainly, of somebody else or as a purpose, or so where orders to agents are the subject. */
export type Manner = "plain" | "reported" | "discussed";

/** What tells that such orders are the subject, in normalised words, and how near it has to be, in characters. */
const discussed =
  / (?:prompt injections?|injections?|injected|injects?|jailbreaks?|red team\w*|guardrails?|adversarial|attacks?|attackers?|attacking|malicious|classifiers?|detects?|detectors?|blocked|phrases? (?:like|such)|texts? (?:like|such)) /;
const discussedWithin = 200;

/** Somebody makes another one do it. */
const reported =
  /(?: (?:tells?|telling|asks|asking|instructs?|instructing|tricks?|makes?|make|makes|gets?|lets?|causes?|forces?|convinces?|told|trying|tries|attempts?) (?:(?!you )[^ .]{1,40} ){0,4}(?:to )?| (?:can|may|might|could|would) )$/;
/** A purpose, such as "to ignore all of them, pass -f"; not what one is obliged to do. */
const purpose = /(?<! you| have| has| need| needs| required| requested| obliged| order| assistant) to $/;
/** How much of what stands before a sign is looked at, in characters. */
const lookBehind = 120;

const negated = /(?: not| dont| never) $/;

/** How what begins at an offset is said. Quotation marks mean something only where such orders are the subject. */
export function mannerAt(text: string, offset: number, quoted: Normalised["quoted"]): Manner {
  const before = text.slice(Math.max(0, offset - lookBehind), offset);
  const isReported = reported.test(before) || purpose.test(before);
  const isSubject = discussed.test(text.slice(Math.max(0, offset - discussedWithin), offset + discussedWithin));
  if (isSubject && (isReported || isWithin(quoted, offset))) return "discussed";
  return isReported ? "reported" : "plain";
}

/** Whether what begins at an offset is asked not to be done. */
export function isNegated(text: string, offset: number): boolean {
  return negated.test(text.slice(Math.max(0, offset - 8), offset));
}

/** Whether an offset is in one of the stretches, which are in order. */
function isWithin(stretches: Normalised["quoted"], offset: number): boolean {
  let [low, high] = [0, stretches.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((stretches[middle]?.[1] ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  const [from = offset + 1] = stretches[low] ?? [];
  return from <= offset;
}
