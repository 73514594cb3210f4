import type { Finding } from "../../domain/passage.ts";
import { isNegated, mannerAt } from "./context.ts";
import type { Manner } from "./context.ts";
import { backwards, rotated } from "./encoded.ts";
import type { Notations } from "./encoded.ts";
import { everywhere, mayReach, tells } from "./judge.ts";
import type { Hit } from "./judge.ts";
import { normalise } from "./normalise.ts";
import type { Normalised } from "./normalise.ts";
import type { Sign } from "./sign.ts";
import { signs } from "./signs/index.ts";
import { otherScripts } from "./signs/other-scripts.ts";
import { createWordSearch } from "./word-search.ts";

/** What a text may say to an agent, and in which other notations it may say more. */
export interface Found {
  readonly hits: readonly Hit[];
  readonly notations: Notations;
}

interface FindOptions {
  /** How much signs count in the text: less than 1 in code, which is full of prompts that are data. */
  readonly factor?: number;
  /** Finds signs too that cannot reach the limit by themselves, as more is known of the text. */
  readonly all?: boolean;
}

/** What is reported counts half, what is discussed a quarter. */
const factors: Readonly<Record<Manner, number>> = { plain: 1, reported: 0.5, discussed: 0.25 };
/** Minimum number of disguised words that count as a disguise. */
const minDisguised = 2;
/** What is asked not to be done is no task. */
const demands: ReadonlySet<Finding> = new Set(["agent_task", "sends_secrets", "harms"]);

/** Those that tell come first: where none of them is found, the others are not searched. */
const inOrder = [...signs.filter(tells), ...signs.filter((sign) => !tells(sign))];
/** Words that belong to no sign, but tell how a text is written, are searched along with those of signs, behind them. */
const wordSearch = createWordSearch([...inOrder.map(({ needs }) => needs), [backwards], [rotated]]);

/**
 * Finds signs. One pass over the text as it is tells which signs it has the words for, and whether disguised words may hide others: then it is
 * normalised and searched again. Else it is normalised only if its signs may reach the limit, which half of the texts of documentation are too short for.
 */
export function findSigns(text: string, { factor = 1, all = false }: FindOptions = {}): Found {
  const plain = wordSearch.search(text);
  const { escaped, numbered } = plain;
  const hasWord = (number: number): boolean => plain.possible.includes(inOrder.length + number);
  const notations = { escaped, numbered, backwards: hasWord(0), rotated: hasWord(1) };
  const early = plain.odd ? normalise(text, plain) : undefined;
  const { possible } = early === undefined ? plain : wordSearch.search(early.words);
  const candidates = [...(plain.foreign ? otherScripts : []), ...possible.flatMap((number) => inOrder[number] ?? [])];
  const wanted = candidates.filter(({ marks }) => marks === undefined || hasMark(marks, text, early));
  if (wanted.length === 0 || (!all && !mayReach(wanted))) return { hits: [], notations };
  const normalised = early ?? normalise(text, plain);
  const hits: Hit[] = [];
  for (const sign of wanted) {
    if (hits.length > 0 || all || factor < 1 || tells(sign)) hits.push(...hitsOf(sign, text, normalised, factor));
  }
  if (normalised.disguised >= minDisguised) hits.push({ at: everywhere, reason: "disguised", weight: 2 });
  return { hits, notations };
}

function hasMark(marks: readonly string[], text: string, normalised: Normalised | undefined): boolean {
  return marks.some((mark) => text.includes(mark) || normalised?.words.includes(mark));
}

/** Where a text has a sign, and how much that counts there. Places are those in normalised words. */
function hitsOf(
  sign: Sign,
  text: string,
  { words, codes, places, quoted }: Normalised,
  factor: number,
): readonly Hit[] {
  const { reason, weight, pattern } = sign;
  const where = sign.in === "text" ? text : words;
  const searched = sign.in === "codes" ? codes : where;
  const scale = words.length / where.length;
  const hits: Hit[] = [];
  pattern.lastIndex = 0;
  // `matchAll` would copy the expression each time.
  for (let match = pattern.exec(searched); match !== null; match = pattern.exec(searched)) {
    const index = sign.in === "codes" ? (places[match.index] ?? 0) : match.index;
    if (demands.has(reason) && isNegated(where, index)) continue;
    const manner = mannerAt(where, index, sign.in === "text" ? [] : quoted);
    // In code nearly everything is quoted: that is counted already.
    const least = manner === "plain" && sign.itself === true ? 1 : factor;
    hits.push({ at: index * scale, reason, weight: weight * Math.min(least, factors[manner]), full: weight });
  }
  return hits;
}
