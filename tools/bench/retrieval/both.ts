/**
 * Whether an index decides what is answered: short questions, which hundreds of passages match, asked of both indexes in this
 * process. Run it with `npm run bench:both -- --docs FOLDER`; docs/internals/measuring.md says what the figures mean.
 *
 *   --docs FOLDER   has a checkout of each repository of `repositories`, called by its name here
 *   --library a,b   some of them
 *   --half tune|aside|both   both unless told
 *   --questions     prints each question of the half `tune` that is answered differently
 */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { globSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { answerQuestion } from "../../../domain/answering.ts";
import type { AnsweringPorts, Located } from "../../../domain/answering.ts";
import type { Passage } from "../../../domain/passage.ts";
import type { PassageIndex } from "../../../domain/ports.ts";
import { ranker } from "../../../search/ranking/ranker.ts";
import { createMeilisearch } from "../../../search/meilisearch/client.ts";
import { createMeilisearchPassageIndex } from "../../../search/meilisearch/passage-index.ts";
import { setupMeilisearch } from "../../../search/meilisearch/setup.ts";
import { createSqlitePassageIndex } from "../../../search/sqlite/passage-index.ts";
import { startMeilisearch } from "../../dev/meilisearch.ts";
import { temporaryFolder } from "../../../test/support/lectern-process.ts";
import { pageOf } from "./answers.ts";
import { extractAll, loadExtracted } from "./evaluate.ts";
import type { Extracted } from "./evaluate.ts";
import { firstOccurrences, meanScores, score } from "./metrics.ts";
import { parseQuestions } from "./questions.ts";
import type { BenchQuestion } from "./questions.ts";
import { show } from "./report.ts";

/** A repository: its ID, the title that it has when it is indexed, and the folders with its documentation. */
interface Repository {
  readonly id: string;
  readonly title: string;
  readonly docs: string;
}

const repositories: Readonly<Record<string, Repository>> = {
  react: { id: "/reactjs/react.dev", title: "react.dev", docs: "src/content" },
  fastapi: { id: "/fastapi/fastapi", title: "FastAPI", docs: "docs/en/docs" },
  vite: { id: "/vitejs/vite", title: "Vite", docs: "docs" },
  rails: { id: "/rails/rails", title: "Rails", docs: "guides/source" },
  vue: { id: "/vuejs/docs", title: "vuejs.org", docs: "src" },
  polars: { id: "/pola-rs/polars", title: "Polars", docs: "docs/source" },
};

const { values } = parseArgs({
  options: {
    docs: { type: "string" },
    library: { type: "string" },
    half: { type: "string", default: "both" },
    questions: { type: "boolean", default: false },
  },
});
if (values.docs === undefined) throw new Error("--docs names the folder with the checkouts.");
const checkouts = resolve(values.docs);
const names = values.library?.split(",") ?? Object.keys(repositories);

/** What one index answers to one question. */
interface Answered {
  readonly question: BenchQuestion;
  readonly passages: readonly Passage[];
  /** Its pages below the checkout, each once. */
  readonly pages: readonly string[];
}

const libraries = await extractAll(await Promise.all(names.map(prepareCheckout)));
await using stack = new AsyncDisposableStack();
const folder = stack.use(await temporaryFolder());
const sqlite = createSqlitePassageIndex({ folder: join(folder.path, "sqlite") });
stack.defer(() => sqlite.close());
const key = "a-master-key-of-the-benchmark";
const server = await startMeilisearch({ folder: join(folder.path, "meilisearch"), key });
stack.defer(() => server.stop());
const meilisearch = createMeilisearch({ url: server.url, apiKey: key, prefix: "both_" });
await setupMeilisearch(meilisearch);
const indexes = [sqlite, createMeilisearchPassageIndex(meilisearch)] as const;

const pairs: (readonly [Answered, Answered])[] = [];
for (const library of libraries) {
  for (const index of indexes) await loadExtracted(index, library.library.name, library);
  for (const question of library.questions) {
    const [one, other] = await Promise.all(indexes.map((index) => ask(index, library, question)));
    if (one && other) pairs.push([one, other]);
  }
}
for (const half of ["tune", "aside"] as const) {
  const own = pairs.filter(([{ question }]) => question.half === half);
  if (own.length > 0) print(half, own);
}

async function prepareCheckout(name: string) {
  const repository = repositories[name];
  if (repository === undefined)
    throw new Error(`There is no ${name}; there are ${Object.keys(repositories).join(", ")}.`);
  const checkout = join(checkouts, name);
  const text = await readFile(join(import.meta.dirname, "short", `${name}.json`), "utf8");
  const questions = parseQuestions(name, text).filter(({ half }) => values.half === "both" || values.half === half);
  const hash = createHash("sha256");
  for (const path of globSync(`${repository.docs}/**/*.{md,mdx}`, { cwd: checkout }).toSorted())
    hash.update(`${path}\0${await readFile(join(checkout, path), "utf8")}\0`);
  const library = { name, sha256: hash.digest("hex") };
  return { library, folder: checkout, questions };
}

async function ask(index: PassageIndex, { library, folder: checkout }: Extracted, question: BenchQuestion) {
  // The story reads nothing else of its ports and of what was located.
  const ports = { passages: index, ranker } as unknown as AnsweringPorts;
  const located = { library: repositories[library.name], version: "", generation: { id: library.name } };
  const request = { query: question.question, tokens: 5000, limit: 50 };
  const { passages } = await answerQuestion(ports, located as unknown as Located, request);
  const pages = firstOccurrences(passages.map(({ source }) => pageOf(source.url, checkout)));
  return { question, passages, pages };
}

function print(half: string, own: readonly (readonly [Answered, Answered])[]): void {
  const share = (same: (pair: readonly [Answered, Answered]) => boolean) =>
    `${own.filter(same).length} of ${own.length}`;
  const idsOf = ({ passages }: Answered) => passages.map(({ id }) => id).join();
  console.log(`\n${half}: the same first page ${share(([a, b]) => a.pages[0] === b.pages[0])}, the same five pages`);
  console.log(
    `${share(([a, b]) => a.pages.slice(0, 5).join() === b.pages.slice(0, 5).join())}, the same answer ${share(([a, b]) => idsOf(a) === idsOf(b))}`,
  );
  for (const [at, name] of ["SQLite", "Meilisearch"].entries()) {
    const { mrr, hit1, ndcg5 } = meanScores(own.map((pair) => score(pair[at]?.pages ?? [], pair[0].question.grades)));
    console.log(`${name}: MRR ${show(mrr)}, Hit@1 ${show(hit1)}, nDCG@5 ${show(ndcg5)}`);
  }
  if (!values.questions || half !== "tune") return;
  for (const [one, other] of own) {
    if (idsOf(one) === idsOf(other)) continue;
    console.log(`${one.question.library}: ${one.question.question}`);
    for (const { pages } of [one, other]) console.log(`  ${pages.slice(0, 5).join(" ")}`);
  }
}
