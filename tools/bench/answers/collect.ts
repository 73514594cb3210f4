import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pageOf } from "../retrieval/answers.ts";
import type { Prepared } from "../retrieval/answers.ts";
import { libraryIdOf } from "../retrieval/libraries.ts";
import type { Half } from "../retrieval/questions.ts";
import { ask, startServer } from "../retrieval/server.ts";
import type { IndexKind } from "../retrieval/server.ts";
import { judgeJson, judgeText } from "./figures.ts";
import type { JsonAnswer, JsonFigures, TextFigures } from "./figures.ts";
import { readPage } from "./page.ts";
import type { SourcePage } from "./page.ts";

/** The answer to one question, in both forms. */
export interface CollectedAnswer {
  readonly library: string;
  /** Of the question, unique within the library. */
  readonly id: string;
  readonly half: Half;
  readonly question: string;
  readonly text: string;
  readonly json: JsonAnswer;
}

/** An answer with its figures. */
export interface JudgedAnswer extends CollectedAnswer {
  readonly figures: { readonly text: TextFigures; readonly json: JsonFigures };
}

/** What tells one question from all others, and a saved answer to it. */
export function keyOf({ library, id }: { readonly library: string; readonly id: string }): string {
  return `${library}/${id}`;
}

/** A hash of a text, hex: an order by chance that is the same each time. */
export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** The libraries with those of their questions alone that have one of these keys; libraries without any are left out. */
export function onlyQuestions(prepared: readonly Prepared[], keys: ReadonlySet<string>): readonly Prepared[] {
  return prepared
    .map((one) => ({ ...one, questions: one.questions.filter((question) => keys.has(keyOf(question))) }))
    .filter(({ questions }) => questions.length > 0);
}

/** Asks a server of the present version each question in both forms. */
export async function collectAnswers(
  prepared: readonly Prepared[],
  index: IndexKind,
): Promise<readonly CollectedAnswer[]> {
  await using server = await startServer(prepared, index);
  const answers: CollectedAnswer[] = [];
  for (const { library, questions } of prepared) {
    for (const { id, half, question } of questions) {
      const text = (await ask(server.lectern, libraryIdOf(library), question, "txt")) as string;
      const json = (await ask(server.lectern, libraryIdOf(library), question, "json")) as JsonAnswer;
      answers.push({ library: library.name, id, half, question, text, json });
    }
  }
  return answers;
}

/** Judges answers by the pages of the libraries that they are from, which lie on this machine. */
export function judgeAnswers(
  prepared: readonly Prepared[],
  answers: readonly CollectedAnswer[],
): readonly JudgedAnswer[] {
  return prepared.flatMap(({ library, folder }) => {
    const pages = new Map<string, SourcePage | undefined>();
    const pageAt = (url: string): SourcePage | undefined => {
      if (!pages.has(url)) pages.set(url, pageBelow(folder, url));
      return pages.get(url);
    };
    return answers
      .filter((answer) => answer.library === library.name)
      .map((answer) => ({
        ...answer,
        figures: { text: judgeText(answer.text, pageAt), json: judgeJson(answer.json) },
      }));
  });
}

/** Only Markdown can be looked up; an answer that found nothing names no page. */
function pageBelow(folder: string, url: string): SourcePage | undefined {
  if (url === "" || !/\.(?:mdx?|txt)$/.test(url)) return undefined;
  return readPage(readFileSync(join(folder, pageOf(url, folder)), "utf8"), { mdx: url.endsWith(".mdx") });
}
