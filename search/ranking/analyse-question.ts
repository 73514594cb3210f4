import type { Question } from "../../domain/ports.ts";
import { doingOf, markOf } from "../../domain/verbs.ts";
import { askedDoing, stepsOf } from "./asked-doing.ts";
import { analyseText } from "./analyse-text.ts";
import { isKnown, meaningOf } from "./meaning.ts";
import { routeName, routes, wordsOf } from "./terms.ts";
import { synonymsOf, commands } from "./synonyms.ts";

/** Words of questions that say nothing about the subject. Compared before stemming. */
export const stopWords: ReadonlySet<string> = new Set(
  `a about above after again all also am an and are as at be because been before being below between both but by
  can could d did do does doing don down during each ever every few for from further get gets getting give go had has
  have having he her here hers him his how i if in into is it its itself just kind let like ll look m make makes many
  may me might more most much must my need needs no nor not now of off on once one only or other our out over own
  please possible re s same she should show so some such t than that the their them then there these they thing things
  this those through to too tell under until up us use used uses using ve very want wants was way ways we were what
  when where whether which while who whom why will with within without work works would you your
  best correct document documentation docs example examples explain explanation find guide help know question tutorial`
    .split(/\s+/)
    .filter((word) => word !== ""),
);

/** Numbers of words that may spell a library's name together, in the order in which they are tried. */
const nameLengths = [4, 3, 2, 1];

/** Analyses a question. Stop words and the library's own name, which its pages repeat, are left out if anything remains. */
export function analyseQuestion(query: string, library?: { readonly id: string; readonly title: string }): Question {
  const words = wordsOf(withPaths(query));
  const telling = words.filter((word, at) => !stopWords.has(word.toLowerCase()) || matters(word, at));
  // "Create a new …" does not ask for something new.
  const useful = doingOf(telling[0] ?? "") === "create" ? telling.filter((word) => word !== "new") : telling;
  const stripped = library === undefined ? useful : withoutName(useful, library);
  const kept = [stripped, telling, words].find((candidates) => analyseText(candidates.join(" ")) !== "") ?? [];

  const analysed = kept.map((word) => ({ word, group: analyseText(wholeName(word)).split(" ") }));
  const groups = analysed.map(({ group }) => group).filter(([first]) => first !== "");
  const terms = new Set(groups.flat());
  const asked = askedDoing(query);
  const mark = asked && { term: analyseText(markOf(asked.doing)), isSure: asked.isSure };
  const marks = mark === undefined ? [] : [[mark.term, analyseText(asked?.verb ?? "")] as const];
  const steps = stepsOf(query).map((step) => analyseQuestion(step, library));
  return {
    terms: [...terms],
    standIns: new Map([...commandsOf(words[0] ?? "", terms), ...standInsOf(terms), ...marks]),
    ...(mark && { mark }),
    words: [...new Set(analysed.flatMap(({ word, group }) => (group.length === 1 && !isKnown(word) ? group : [])))],
    meaning: meaningOf(query),
    ...(steps.length > 0 && { steps }),
  };
}

/** A name that has synonyms, such as JavaScript, as one word, as its parts are about other things; other identifiers as they are. */
function wholeName(word: string): string {
  const lower = word.toLowerCase();
  return /^\p{Lu}/u.test(word) && synonymsOf(analyseText(lower)).length > 0 ? lower : word;
}

/** Whether a stop word matters: the method GET, a command at the beginning, or the language Go. */
function matters(word: string, at: number): boolean {
  return word === "GET" || (at === 0 ? commands.has(word.toLowerCase()) : word === "Go");
}

/** A question with each route as one identifier, and with `GET` in lower case unless a route follows. */
function withPaths(query: string): string {
  return query.replace(/\bGET\b(?!\s+\/)/g, "get").replace(routes, (route) => ` ${routeName(route)} `);
}

/** All distinct terms that an index looks up for a question: its own terms and their stand-ins. */
export function lookedUp({ terms, standIns, mark, steps = [] }: Question): readonly string[] {
  return [...new Set([...terms, ...standIns.keys(), ...(mark ? [mark.term] : []), ...steps.flatMap(lookedUp)])];
}

/** Other terms for the command that a question begins with: an API creates what its caller adds or registers. */
function commandsOf(word: string, terms: ReadonlySet<string>): readonly (readonly [string, string])[] {
  const command = analyseText(word);
  if (!terms.has(command)) return [];
  return (commands.get(command) ?? []).flatMap((other) => (terms.has(other) ? [] : [[other, command] as const]));
}

function standInsOf(terms: ReadonlySet<string>): ReadonlyMap<string, string> {
  const standIns = new Map<string, string>();
  for (const term of terms) {
    for (const other of synonymsOf(term)) if (!terms.has(other)) standIns.set(other, term);
  }
  return standIns;
}

/** The words without runs that spell the library's name, however it is written: Next.js, nextjs, next-js. */
function withoutName(
  words: readonly string[],
  { id, title }: { readonly id: string; readonly title: string },
): string[] {
  const names = new Set([glue(title), glue(id.split("/").at(-1) ?? "")]);
  names.delete("");
  const glued = words.map(glue);
  const kept: string[] = [];
  for (let at = 0; at < words.length;) {
    const length = nameLengths.find(
      (count) => at + count <= words.length && names.has(glued.slice(at, at + count).join("")),
    );
    if (length === undefined) kept.push(words[at] ?? "");
    at += length ?? 1;
  }
  return kept;
}

function glue(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}+#]/gu, "");
}
