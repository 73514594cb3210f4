import type { Finding, PassageBlock } from "../../domain/passage.ts";
import type { ExtractedBlock, ExtractedCode } from "../page.ts";
import { commentsOf } from "./comments.ts";
import { backwards, decodedTexts, rotated } from "./encoded.ts";
import type { Notations } from "./encoded.ts";
import { hidesText } from "./invisible.ts";
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
/** What is told of others or given as a purpose is no order, nor what is quoted where such orders are the subject; less so if both. */
const reportedFactor = 0.5;
const discussedFactor = 0.25;
/** Two reasons of this weight count in full, whatever is around them. */
const strong = 3;
/** Minimum number of disguised words that count as a disguise. */
const minDisguised = 2;

/** What tells that such orders are the subject, in normalised words, and how near it has to be, in characters. */
const discussed =
  / (?:prompt injections?|injections?|injected|injects?|jailbreaks?|red team\w*|guardrails?|adversarial|attacks?|attackers?|attacking|malicious|classifiers?|detects?|detectors?|blocked|phrases? (?:like|such)|texts? (?:like|such)) /;
const discussedWithin = 200;

/** Somebody makes another one do it. */
const reported =
  /(?: (?:tells?|telling|asks|asking|instructs?|instructing|tricks?|makes?|make|makes|gets?|lets?|causes?|forces?|convinces?|told|trying|tries|attempts?) (?:(?!you )[^ .]{1,40} ){0,4}(?:to )?| (?:can|may|might|could|would) )$/;
/** A purpose, such as "to ignore all of them, pass -f"; not what one is obliged to do. */
const purpose = /(?<! you| have| has| need| needs| required| requested| obliged| order| assistant) to $/;
/** What is asked not to be done is no task. */
const demands: ReadonlySet<Finding> = new Set(["agent_task", "sends_secrets", "harms"]);
const negated = /(?: not| dont| never) $/;
/** So much of what stands before a sign is looked at, in characters. */
const lookBehind = 120;

/** The signs that every attack has come first: where none of them is found, the others are not searched. */
const searched = signs
  .filter((sign) => sign.foreign !== true)
  .toSorted((one, other) => Number(other.weight >= limit || tells(other)) - Number(one.weight >= limit || tells(one)));
const foreignSigns = signs.filter((sign) => sign.foreign === true);

/** Words that belong to no sign, but tell how a text is written, stand behind those of all signs. */
const search = createWordSearch([...searched.map(({ needs }) => needs), [backwards], [rotated]]);

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
export function readablePath(path: string): string {
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
  const { hits, notations } = look(text, 1, addressed);
  const found = judge([...known, ...hits]);
  if (hidesText(text)) return ["hidden_characters", ...found];
  return found.length > 0 ? found : screenEncoded(text, notations, known);
}

/** The reasons to take what is encoded in a text for an order. */
function screenEncoded(text: string, notations: Notations, known: readonly Hit[] = []): readonly Finding[] {
  for (const decoded of decodedTexts(text, notations)) {
    const reasons = judge([...known, { at: everywhere, reason: "encoded", weight: 1 }, ...look(decoded, 1, true).hits]);
    if (reasons.length > 0) return reasons;
  }
  return [];
}

function screenCode(code: string): readonly Finding[] {
  if (hidesText(code)) return ["hidden_characters"];
  const { hits, notations } = look(code, inCode);
  const found = hits.length === 0 ? [] : judge([...hits, ...hitsInComments(code)]);
  return found.length > 0 ? found : screenEncoded(code, notations);
}

/** What is said in comments is said to the reader. */
function hitsInComments(code: string): readonly Hit[] {
  const comments = commentsOf(code);
  const scale = code.length / Math.max(1, comments.length);
  return look(comments, 1, true).hits.map((hit) => ({ ...hit, at: hit.at * scale }));
}

/** A sign in a text. `at` is about where, in characters, or `everywhere`. */
interface Hit {
  readonly at: number;
  readonly reason: Finding;
  readonly weight: number;
  /** What it weighs where nothing makes it less. */
  readonly full?: number;
}

const everywhere = -1;

/** Maximum distance, in characters, of signs that count together. */
const reach = 250;
/** Whom it is said to is told in the same sentence or the one beside it. */
const addressReach = 160;

/** The reasons, if the weights of those within reach of each other come to the limit; of each reason the heaviest counts. */
function judge(hits: readonly Hit[]): readonly Finding[] {
  const near = new Map<Finding, Hit>();
  const found = new Set<Finding>();
  for (const hit of hits.toSorted((one, other) => one.at - other.at)) {
    const before = near.get(hit.reason);
    if (before === undefined || hit.weight >= before.weight || !reaches(before, hit)) near.set(hit.reason, hit);
    const together = [...near.values()].filter((one) => reaches(one, hit));
    const isPlain = together.filter(isStrong).length > 1;
    const sum = together.reduce((total, { weight, full = weight }) => total + (isPlain ? full : weight), 0);
    const reasons = together.map(({ reason }) => reason);
    if (sum < limit || !together.some(({ reason, weight }) => telling.has(reason) || weight >= limit)) continue;
    for (const reason of reasons) found.add(reason);
  }
  return [...found];
}

function isStrong({ reason, full = 0 }: Hit): boolean {
  return full >= (reason === "addressed_to_agents" ? 2 : strong) && telling.has(reason);
}

function reaches(one: Hit, other: Hit): boolean {
  const isAddress = one.reason === "addressed_to_agents" || other.reason === "addressed_to_agents";
  return one.at === everywhere || other.at - one.at <= (isAddress ? addressReach : reach);
}

function tells({ reason }: { readonly reason: Finding }): boolean {
  return telling.has(reason);
}

/** The signs of a text, if they may come to the limit, or in any case (`all`), and how else it may be written. */
function look(
  text: string,
  factor: number,
  all = false,
): { readonly hits: readonly Hit[]; readonly notations: Notations } {
  let read: Normalised | undefined;
  const first = search.search(text);
  let { possible } = first;
  const { odd, foreign, escaped, numbered } = first;
  const isWritten = (number: number): boolean => first.possible.includes(searched.length + number);
  const notations = { escaped, numbered, backwards: isWritten(0), rotated: isWritten(1) };
  if (odd) {
    read = normalise(text, vocabulary, first);
    ({ possible } = search.search(read.words));
  }
  const wanted: Sign[] = [];
  for (const number of possible) {
    const sign = searched[number];
    if (sign !== undefined && (sign.marks === undefined || hasMark(sign.marks, text, read))) wanted.push(sign);
  }
  if (foreign) wanted.unshift(...foreignSigns.filter(({ marks = [] }) => hasMark(marks, text, read)));
  if (wanted.length === 0 || (!all && !mayReach(wanted))) return { hits: [], notations };
  read ??= normalise(text, vocabulary, first);
  const hits: Hit[] = [];
  for (const sign of wanted) {
    const { reason, weight } = sign;
    if (hits.length === 0 && !all && factor === 1 && weight < limit && !tells(sign)) continue;
    const where = sign.in === "text" ? text : read.words;
    const scale = read.words.length / where.length;
    const searchedIn = sign.in === "codes" ? read.codes : where;
    sign.pattern.lastIndex = 0;
    // `matchAll` would copy the expression each time.
    for (let match = sign.pattern.exec(searchedIn); match !== null; match = sign.pattern.exec(searchedIn)) {
      const index = sign.in === "codes" ? (read.places[match.index] ?? 0) : match.index;
      if (demands.has(reason) && negated.test(where.slice(Math.max(0, index - 8), index))) continue;
      const isSubject = discussed.test(where.slice(Math.max(0, index - discussedWithin), index + discussedWithin));
      const isQuoted = isSubject && sign.in !== "text" && isWithin(read.quoted, index);
      const isTold = isAside(where, index);
      // In code nearly everything is quoted: that is counted already.
      const plainly = sign.itself === true ? 1 : factor;
      const less = !isTold && !isQuoted ? plainly : isSubject ? discussedFactor : Math.min(factor, reportedFactor);
      hits.push({ at: index * scale, reason, weight: weight * less, full: weight });
    }
  }
  if (read.disguised >= minDisguised) hits.push({ at: everywhere, reason: "disguised", weight: 2 });
  return { hits, notations };
}

function hasMark(marks: readonly string[], text: string, read: Normalised | undefined): boolean {
  return marks.some((mark) => text.includes(mark) || read?.words.includes(mark));
}

/** Whether the signs that a text may have come to the limit, so that it has to be read. */
function mayReach(possible: readonly Sign[]): boolean {
  if (!possible.some(({ reason, weight }) => telling.has(reason) || weight >= limit)) return false;
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
