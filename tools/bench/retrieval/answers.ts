import { pathToFileURL } from "node:url";
import { fetchDocs } from "./packages.ts";
import { libraries, type BenchLibrary } from "./libraries.ts";
import { firstOccurrences, score, type Scores } from "./metrics.ts";
import { createPlainIndex } from "./plain.ts";
import { readQuestions, type BenchQuestion } from "./questions.ts";

/** A library with the folder of its documentation and its questions. */
export interface Prepared {
  readonly library: BenchLibrary;
  readonly folder: string;
  readonly questions: readonly BenchQuestion[];
}

/** Lectern's answers to one question, as pages with repeats. */
export interface Asked {
  readonly question: BenchQuestion;
  /** Pages in the order of the text form. */
  readonly text: readonly string[];
  /** Pages in the order of the JSON form, code before prose. */
  readonly json: readonly string[];
  /** Model tokens of the answer, as Lectern counts them. */
  readonly tokens: number;
  /** Response time in milliseconds. */
  readonly milliseconds: number;
}

/** A question with the scores of each system. */
export interface Scored extends Asked {
  /** Pages of the plain index. */
  readonly plain: readonly string[];
  readonly scores: { readonly text: Scores; readonly json: Scores; readonly plain: Scores };
}

/** The two forms of an answer and the plain index, in the order of the tables. */
export const systems = ["text", "json", "plain"] as const;
export type System = (typeof systems)[number];

/**
 * Fetches the documentation of the named libraries, or of all, and reads their questions.
 * @throws Error for an unknown name, a package that cannot be fetched, or an invalid file of questions
 */
export async function prepare(names?: readonly string[]): Promise<readonly Prepared[]> {
  const unknown = names?.find((name) => !libraries.some((library) => library.name === name));
  if (unknown !== undefined)
    throw new Error(`There is no library ${unknown}; there are ${libraries.map(({ name }) => name).join(", ")}.`);
  const prepared: Prepared[] = [];
  for (const library of libraries.filter(({ name }) => names?.includes(name) ?? true)) {
    const folder = await fetchDocs(library);
    prepared.push({ library, folder, questions: await readQuestions(library.name, folder) });
  }
  return prepared;
}

/** Asks the plain index the same questions, and scores all answers. */
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

/** Number of places in which unjudged pages matter. */
const judgedPlaces = 5;

/** The unjudged pages among the first five of an answer: they count as wrong. */
export function unjudged({ grades, others }: BenchQuestion, pages: readonly string[]): readonly string[] {
  return firstOccurrences(pages)
    .slice(0, judgedPlaces)
    .filter((page) => !grades.has(page) && !others.has(page));
}

/** The path of a page in a folder, by its address in the library of that folder. */
export function pageOf(url: string, folder: string): string {
  const root = `${pathToFileURL(folder).href}/`;
  if (!url.startsWith(root)) throw new Error(`${url} is not the address of a page below ${root}`);
  return decodeURIComponent(url.slice(root.length).replace(/#.*$/, ""));
}
