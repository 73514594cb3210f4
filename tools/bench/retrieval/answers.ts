import { pathToFileURL } from "node:url";
import { fetchDocs } from "./packages.ts";
import { libraries } from "./libraries.ts";
import type { BenchLibrary } from "./libraries.ts";
import { firstOccurrences, score } from "./metrics.ts";
import type { Scores } from "./metrics.ts";
import { createPlainIndex } from "./plain.ts";
import { readQuestions } from "./questions.ts";
import type { BenchQuestion, Half } from "./questions.ts";

/** Documentation on this machine, under a name and the hash of it, and the questions about it. */
export interface Documented {
  readonly library: Pick<BenchLibrary, "name" | "sha256">;
  /** The folder that is indexed. */
  readonly folder: string;
  readonly questions: readonly BenchQuestion[];
}

/** A library with its documentation on this machine and its questions. */
export interface Prepared extends Documented {
  readonly library: BenchLibrary;
}

/** What Lectern answered to one question: pages in the order of the answer, repeats left in. */
export interface Asked {
  readonly question: BenchQuestion;
  /** Pages in the order of the text form. */
  readonly text: readonly string[];
  /** Pages in the order of the JSON form, code before prose. */
  readonly json: readonly string[];
  /** Model tokens of the answer, as Lectern counts them. */
  readonly tokens: number;
  /** How long it took, in milliseconds. */
  readonly milliseconds: number;
}

/** A question with the scores of all that answered it. */
export interface Scored extends Asked {
  /** Pages of the plain index. */
  readonly plain: readonly string[];
  readonly scores: { readonly text: Scores; readonly json: Scores; readonly plain: Scores };
}

/** The two forms of an answer and the plain index, in the order of the tables. */
export const systems = ["text", "json", "plain"] as const;
export type System = (typeof systems)[number];

/**
 * Fetches the documentation of the libraries and reads the questions of one half or both.
 * @throws Error where a name is no library's, a package cannot be fetched, or a file of questions is not valid
 */
export async function prepare(half: Half | "both", names?: readonly string[]): Promise<readonly Prepared[]> {
  const unknown = names?.find((name) => !libraries.some((library) => library.name === name));
  if (unknown !== undefined)
    throw new Error(`There is no library ${unknown}; there are ${libraries.map(({ name }) => name).join(", ")}.`);
  const chosen = libraries.filter(({ name }) => names === undefined || names.includes(name));
  const prepared: Prepared[] = [];
  for (const library of chosen) {
    const folder = await fetchDocs(library);
    const all = await readQuestions(library.name, folder);
    prepared.push({ library, folder, questions: all.filter((one) => half === "both" || one.half === half) });
  }
  return prepared;
}

/** Asks the plain index of each library the same questions, and scores all answers. */
export async function scoreAnswers(prepared: readonly Prepared[], asked: readonly Asked[]): Promise<readonly Scored[]> {
  const scored: Scored[] = [];
  for (const { library, folder } of prepared) {
    const index = await createPlainIndex(folder);
    for (const answer of asked.filter(({ question }) => question.library === library.name)) {
      const { grades, question } = answer.question;
      const plain = index.pages(question);
      const scoreOf = (pages: readonly string[]): Scores => score(firstOccurrences(pages), grades);
      const scores = { text: scoreOf(answer.text), json: scoreOf(answer.json), plain: scoreOf(plain) };
      scored.push({ ...answer, plain, scores });
    }
    index.close();
  }
  return scored;
}

/** Places from which on a page that nobody has judged does not matter. */
const judgedPlaces = 5;

/** The pages among the first five of an answer that nobody has judged for this question: they count as wrong. */
export function unjudged({ grades, others }: BenchQuestion, pages: readonly string[]): readonly string[] {
  return firstOccurrences(pages)
    .slice(0, judgedPlaces)
    .filter((page) => !grades.has(page) && !others.has(page));
}

/** The page below a folder that an address of a folder's library shows. */
export function pageOf(url: string, folder: string): string {
  const root = `${pathToFileURL(folder).href}/`;
  if (!url.startsWith(root)) throw new Error(`${url} is the address of no page below ${root}`);
  return decodeURIComponent(url.slice(root.length).replace(/#.*$/, ""));
}
