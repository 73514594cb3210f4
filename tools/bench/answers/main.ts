/**
 * How answers read: whether a lead-in leads to something, code follows what it follows in its page, long lines repeat, the budget is kept.
 * Run it with `npm run bench:answers`; docs/internals/measuring.md says what the figures mean.
 *
 *   --library a,b            some libraries
 *   --draw N --out FOLDER    only writes N answers of the half set aside into files, to be judged
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { printTable } from "../measure.ts";
import { pageOf, prepare } from "../retrieval/answers.ts";
import { libraryIdOf } from "../retrieval/libraries.ts";
import type { BenchQuestion } from "../retrieval/questions.ts";
import { ask, startServer } from "../retrieval/server.ts";
import { judgeText, type TextFigures } from "./judge.ts";
import { readPage, type SourcePage } from "./page.ts";
import { tokensOf } from "./tokens.ts";

/** Default token budget of an answer. */
const budget = 5000;

const { values } = parseArgs({
  options: { library: { type: "string" }, draw: { type: "string" }, out: { type: "string" } },
});
const { draw, out } = values;
const prepared = await prepare(values.library?.split(","));
await using server = await startServer(prepared, "sqlite");
if (draw !== undefined && out !== undefined) await writeDrawn(Number(draw), out);
else await printFigures();

async function printFigures(): Promise<void> {
  const texts: TextFigures[] = [];
  const jsonTokens: number[] = [];
  for (const { library, folder, questions } of prepared) {
    const pages = new Map<string, SourcePage | undefined>();
    const pageAt = (url: string): SourcePage | undefined => {
      if (!pages.has(url)) pages.set(url, readPageAt(url, folder));
      return pages.get(url);
    };
    for (const { question } of questions) {
      const text = (await ask(server.lectern, libraryIdOf(library), question, "txt")) as string;
      texts.push(judgeText(text, pageAt));
      jsonTokens.push(tokensOf(JSON.stringify(await ask(server.lectern, libraryIdOf(library), question, "json"))));
    }
  }
  const sum = (of: (one: TextFigures) => number): number => texts.reduce((total, one) => total + of(one), 0);
  const tokens = sum((one) => one.tokens);
  console.log(`${texts.length} questions to ${prepared.length} libraries\n`);
  printTable(
    ["figure", "measured"],
    [
      ["tokens an answer", (tokens / texts.length).toFixed(0)],
      ["lead-ins to nothing", share(sum(({ leadIns }) => leadIns.toNothing) / sum(({ leadIns }) => leadIns.counted))],
      ["tokens in headings and sources", share(sum((one) => one.headingTokens) / tokens)],
      ["answers with a long line twice", String(texts.filter(({ repeats }) => repeats).length)],
      ["code in its place", share(sum(({ places }) => places.inPlace) / sum(({ places }) => places.judged))],
      ["text answers over their budget", excess(texts.map((one) => one.tokens))],
      ["JSON answers over their budget", excess(jsonTokens)],
    ],
  );
}

/** Reads a page of Markdown; undefined for other files and for the "" of an answer that found nothing. */
function readPageAt(url: string, folder: string): SourcePage | undefined {
  if (!/\.(?:mdx?|txt)$/.test(url)) return undefined;
  return readPage(readFileSync(join(folder, pageOf(url, folder)), "utf8"), { mdx: url.endsWith(".mdx") });
}

function share(part: number): string {
  return `${(part * 100).toFixed(1)} %`;
}

/** Number of answers over their budget, and their mean excess. */
function excess(all: readonly number[]): string {
  const over = all.filter((tokens) => tokens > budget);
  const mean = over.reduce((sum, tokens) => sum + tokens, 0) / over.length / budget - 1;
  return over.length === 0 ? "0" : `${over.length}, by ${share(mean)}`;
}

/** Writes answers to questions that are drawn by a hash of their IDs, each into a file. */
async function writeDrawn(count: number, folder: string): Promise<void> {
  const hash = ({ library, id }: BenchQuestion): string =>
    createHash("sha256").update(`${library}/${id}`).digest("hex");
  const aside = prepared.flatMap(({ questions }) => questions.filter(({ half }) => half === "aside"));
  const drawn = aside.toSorted((one, other) => (hash(one) < hash(other) ? -1 : 1)).slice(0, count);
  await mkdir(folder, { recursive: true });
  for (const [at, { library, question }] of drawn.entries()) {
    const text = (await ask(server.lectern, libraryIdOf({ name: library }), question, "txt")) as string;
    await writeFile(join(folder, `${at + 1}.md`), `Question to ${library}: ${question}\n\n${text}\n`);
  }
}
