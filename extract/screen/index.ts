import type { Finding, PassageBlock } from "../../domain/passage.ts";
import type { ExtractedBlock, ExtractedCode } from "../page.ts";
import { commentsOf } from "./comments.ts";
import { encodedTexts, hidesText } from "./invisible.ts";
import { normalise } from "./normalise.ts";
import type { Normalised } from "./normalise.ts";
import { limit } from "./sign.ts";
import type { Sign } from "./sign.ts";
import { signs, vocabulary } from "./signs.ts";
import { createWordSearch } from "./words.ts";

/** What is screened of a passage, and the title of its page if that is known. */
export interface Screened {
  readonly title: string;
  readonly breadcrumb: readonly string[];
  readonly blocks: readonly (PassageBlock | ExtractedBlock)[];
  readonly page?: { readonly title: string };
}

/** Reasons of which a text needs one: without whom it is said to, an order is documentation. */
const telling: ReadonlySet<Finding> = new Set([
  "override",
  "addressed_to_agents",
  "conceals",
  "sends_secrets",
  "asks_for_prompt",
  "new_role",
  "feigns_conversation",
]);

/** Code is full of prompts that are data. */
const inCode = 0.5;
/** What is quoted, told of others, or given as a purpose, is no order; less so where the text warns of such orders. */
const quotedFactor = 0.5;
const discussedFactor = 0.25;
/** Signs of a disguise, for so many words. */
const minDisguised = 2;

const discussed =
  /prompt[- ]?injection|injection attack|jailbreak|red[- ]team|guardrail|adversarial|attacker|malicious|inject/i;

/** Somebody makes another one do it. */
const reported =
  /(?: (?:tells?|telling|asks|asking|instructs?|instructing|tricks?|makes?|make|makes|gets?|lets?|causes?|forces?|convinces?|told|trying|tries|attempts?) (?:(?!you )[^ .]{1,40} ){0,4}(?:to )?| (?:can|may|might|could|would) )$/;
/** A purpose, such as "to ignore all of them, pass -f"; not what one is obliged to do. */
const purpose = /(?<! you| have| has| need| needs| required| requested| obliged| order| assistant) to $/;
/** So much of what stands before a sign is looked at, in characters. */
const lookBehind = 120;

const search = createWordSearch(signs.map(({ needs }) => needs));

/**
 * The reasons to take a passage for an order to the reader's agent; none for one that is documentation. It is normalised
 * first; then it has to have signs enough, of whom it is said to and of what is asked. Whatever an agent gets to read is screened:
 * titles, breadcrumb, names of files and the page's own path, or its address, as well.
 */
export function screen({ title, breadcrumb, blocks, page }: Screened, path = ""): readonly Finding[] {
  const examples = blocks.filter((block) => block.type === "code");
  const codes = examples.flatMap((example): readonly ExtractedCode[] => example.codes);
  const names = codes.flatMap(({ file = "", label = "", marks = [] }) => [file, label, ...marks]);
  const said = examples.flatMap((example) => [example.title, example.description]);
  const prose = blocks.flatMap((block) => (block.type === "prose" ? [block.markdown] : []));
  const headings = new Set([readablePath(path), ...breadcrumb, page?.title ?? "", title, ...names]);
  // Joined: a template would make a rope, which is slow to read character by character.
  const found = new Set(screenText([...headings, ...prose].join("\n\n")));
  // These repeat what the prose says, but not in an import.
  for (const reason of screenText(said.join("\n\n"))) found.add(reason);
  for (const { code } of codes) for (const reason of screenCode(code)) found.add(reason);
  return [...found];
}

/** A path or an address as people read it. */
function readablePath(path: string): string {
  try {
    return decodeURI(path);
  } catch (error) {
    if (error instanceof URIError) return path;
    throw error;
  }
}

/** The reasons to take a text for an order to an agent. `addressed`: that it is for agents is known. */
export function screenText(text: string, { addressed = false } = {}): readonly Finding[] {
  const known: readonly Hit[] = addressed ? [{ at: everywhere, reason: "addressed_to_agents", weight: 2 }] : [];
  const found = judge([...known, ...hitsIn(text, 1, addressed)]);
  if (hidesText(text)) return ["hidden_characters", ...found];
  if (found.length > 0) return found;
  for (const encoded of encodedTexts(text)) {
    const reasons = judge([...known, ...hitsIn(encoded, 1, addressed)]);
    if (reasons.length > 0) return [...reasons, "encoded"];
  }
  return [];
}

function screenCode(code: string): readonly Finding[] {
  if (hidesText(code)) return ["hidden_characters"];
  const hits = hitsIn(code, inCode);
  if (hits.length === 0) return [];
  // What is said in comments is said to the reader.
  const comments = commentsOf(code);
  const scale = code.length / Math.max(1, comments.length);
  return judge([...hits, ...hitsIn(comments, 1, true).map((hit) => ({ ...hit, at: hit.at * scale }))]);
}

/** A sign in a text. `at` is about where, in characters, or `everywhere`. */
interface Hit {
  readonly at: number;
  readonly reason: Finding;
  readonly weight: number;
}

const everywhere = -1;

/** What belongs together stands within so many characters. */
const reach = 600;

/** The reasons, if the weights of those within reach of each other come to the limit; of each reason the heaviest counts. */
function judge(hits: readonly Hit[]): readonly Finding[] {
  const near = new Map<Finding, Hit>();
  const found = new Set<Finding>();
  for (const hit of hits.toSorted((one, other) => one.at - other.at)) {
    const before = near.get(hit.reason);
    if (before === undefined || hit.weight >= before.weight || !reaches(before, hit)) near.set(hit.reason, hit);
    const together = [...near.values()].filter((one) => reaches(one, hit));
    const sum = together.reduce((total, { weight }) => total + weight, 0);
    const reasons = together.map(({ reason }) => reason);
    if (sum < limit || !reasons.some((reason) => telling.has(reason))) continue;
    for (const reason of reasons) found.add(reason);
  }
  return [...found];
}

function reaches(one: Hit, other: Hit): boolean {
  return one.at === everywhere || other.at - one.at <= reach;
}

/** The signs of a text, if they may come to the limit, or in any case (`all`). */
function hitsIn(text: string, factor: number, all = false): readonly Hit[] {
  let read: Normalised | undefined;
  let found = search.search(text);
  if (found.odd) {
    read = normalise(text, vocabulary);
    found = search.search(read.words);
  }
  const wanted: Sign[] = [];
  for (const number of found.possible) {
    const sign = signs[number];
    if (sign !== undefined && (sign.marks === undefined || hasMark(sign.marks, text, read))) wanted.push(sign);
  }
  if (wanted.length === 0 || (!all && !mayReach(wanted))) return [];
  read ??= normalise(text, vocabulary);
  const hits: Hit[] = [];
  const isDiscussed = discussed.test(text);
  for (const sign of wanted) {
    const { reason, weight } = sign;
    const searched = sign.in === "text" ? text : read[sign.in];
    const scale = read.words.length / searched.length;
    for (const { index } of searched.matchAll(sign.pattern)) {
      const aside = isAside(searched, index) || (sign.in === "words" && isWithin(read.quoted, index));
      // In code nearly everything is quoted: that is counted already.
      const less = !aside ? factor : isDiscussed ? discussedFactor : quotedFactor;
      hits.push({ at: index * scale, reason, weight: weight * less });
    }
  }
  if (read.disguised >= minDisguised) hits.push({ at: everywhere, reason: "disguised", weight: 2 });
  return hits;
}

function hasMark(marks: readonly string[], text: string, read: Normalised | undefined): boolean {
  return marks.some((mark) => text.includes(mark) || read?.words.includes(mark));
}

/** Whether the signs that a text may have come to the limit, so that it has to be read. */
function mayReach(possible: readonly Sign[]): boolean {
  if (!possible.some(({ reason }) => telling.has(reason))) return false;
  const weights = new Map<Finding, number>();
  let sum = 0;
  for (const { reason, weight } of possible) {
    const before = weights.get(reason) ?? 0;
    if (weight <= before) continue;
    sum += weight - before;
    weights.set(reason, weight);
  }
  return sum >= limit;
}

/** Whether what begins at an offset is told of somebody else, or is a purpose. */
function isAside(text: string, offset: number): boolean {
  const before = text.slice(Math.max(0, offset - lookBehind), offset);
  return reported.test(before) || purpose.test(before);
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
