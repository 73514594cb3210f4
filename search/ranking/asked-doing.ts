import { doingOf, nearDoingOf, type Doing } from "../../domain/verbs.ts";

/** What a question wants done, if it is about an operation of an API. */
export interface AskedDoing {
  /** The verb as written. */
  readonly verb: string;
  readonly doing: Doing;
  /** The verb has no other meaning. */
  readonly isSure: boolean;
}

/** Words after which a verb says what is to be done: "how do I cancel", "and then send". */
const leading =
  /^(?:to|i|we|you|they|one|can|could|should|must|may|will|please|and|then|or|let|let's|just|also|do|of|by)$/i;
/** Words before which those above negate it: "nobody can delete". */
const negating = /^(?:nobody|no|not|never|cannot|can't|don't|without|nothing|none)$/i;
/** Words between the two and the verb: "to permanently delete". */
const between = /^(?:\p{L}+ly|also|first|just|only|then)$/iu;
/** Beginnings of questions that only want to know. */
const asking =
  /^(?:(?:which|what|who|whose|where|when|how (?:many|much|often|long|large|big|old))\b|(?:is|are|was|were|does|did|has|have|had)\b[^?]*\?)/i;

/** Verbs that mean something else with the words after them, with what they mean. */
const phrases: readonly (readonly [RegExp, Doing | undefined])[] = [
  [/^(?:get|got|be|been|being) \p{L}+(?:ed|en|ld|nt)\b/iu, undefined],
  [/^get rid\b/i, "remove"],
  [/^(?:make|be|is) (?:sure|certain|able|possible)\b/i, undefined],
  [/^(?:set|sign|spin|open) (?:\S+ ){0,3}?up\b/i, "create"],
  [/^(?:look|search|hunt|browse|find) (?:at|up|for|through|out)\b/i, "read"],
  [/^(?:bring|put|roll|take|give|get|go) (?:\S+ ){0,3}?back\b/i, "change"],
  [/^(?:take|throw|kick|turn|shut|tear) (?:\S+ ){0,3}?(?:away|out|off|down)\b/i, "remove"],
  [/^(?:put|hand|pass) (?:\S+ ){1,4}?(?:on|in|into|onto|to)\b/i, "create"],
];

/** Maximum number of words of a phrase with those between its words. */
const longest = 8;

/**
 * What a question wants done: by the first verb at its beginning, at the beginning of a part of it, or after words such as "how do I". Words
 * that look like verbs elsewhere say nothing ("a deleted file", "a set of rules"). Undefined where no such verb is known.
 */
export function askedDoing(question: string): AskedDoing | undefined {
  for (const part of question.split(/[,.;:?!()\n]+/)) {
    const words = part.trim().split(/\s+/);
    for (const [at, word] of words.entries()) {
      if (!beginsVerb(words, at)) continue;
      const rest = words.slice(at, at + longest).join(" ");
      const phrase = phrases.find(([pattern]) => pattern.test(rest));
      if (phrase !== undefined && phrase[1] === undefined) continue;
      const plain = word.replace(/[^\p{L}]/gu, "");
      const sure = doingOf(plain);
      const doing = phrase?.[1] ?? sure ?? nearDoingOf(plain);
      if (doing !== undefined) return { verb: plain, doing, isSure: sure === doing };
    }
  }
  return asking.test(question.trim()) ? { verb: "", doing: "read", isSure: false } : undefined;
}

function beginsVerb(words: readonly string[], at: number): boolean {
  let before = at - 1;
  while (before >= 0 && between.test(words[before] ?? "")) before -= 1;
  if (before < 0) return true;
  return leading.test(words[before] ?? "") && !negating.test(words[before - 1] ?? "");
}

/** Maximum number of steps of a question. */
const maxSteps = 3;

/** What may separate two steps: with `then` it always does. */
const separator = /(?:[,;.:]\s*|\s)((?:and )?then|after that)\s+|(?:[,;.:]\s*|\s)and\s+|[,;.:]\s+/i;

/**
 * The steps of a task, such as uploading a file and sharing it: the parts of a question that follow "then", or begin with a verb as the
 * first one does; empty for a single step.
 */
export function stepsOf(question: string): readonly string[] {
  const [first = "", ...others] = question.split(separator);
  const steps = [first];
  let isTask = startsWithVerb(first);
  for (let at = 0; at + 1 < others.length; at += 2) {
    const [then, part = ""] = [others[at], others[at + 1]];
    isTask ||= then !== undefined;
    if (then !== undefined || startsWithVerb(part)) steps.push(part);
    else steps[steps.length - 1] += ` ${part}`;
  }
  return isTask && steps.length > 1 && steps.length <= maxSteps ? steps.map((step) => step.trim()) : [];
}

function startsWithVerb(part: string): boolean {
  const verb = askedDoing(part)?.verb ?? "";
  return verb !== "" && part.trim().toLowerCase().startsWith(verb.toLowerCase());
}
