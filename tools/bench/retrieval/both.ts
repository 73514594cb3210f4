/**
 * Whether SQLite and Meilisearch answer the same: short questions, which match hundreds of passages, asked of both in this process. Run it
 * with `npm run bench:both -- --docs FOLDER`.
 *
 *   --docs FOLDER   has a checkout of each repository of `repositories`, under its name here
 *   --library a,b   some of them
 */
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { createFolding } from "../../../activities/parts.ts";
import { exportGeneration } from "../../../activities/transfer.ts";
import { answerQuestion, type AnsweringPorts, type Located } from "../../../domain/answering.ts";
import type { Manifest } from "../../../domain/generation.ts";
import type { PassageIndex } from "../../../domain/ports.ts";
import { ranker } from "../../../search/ranking/ranker.ts";
import { createMeilisearch } from "../../../search/meilisearch/client.ts";
import { createMeilisearchPassageIndex } from "../../../search/meilisearch/passage-index.ts";
import { setupMeilisearch } from "../../../search/meilisearch/setup.ts";
import { createSqlitePassageIndex } from "../../../search/sqlite/passage-index.ts";
import { createFolderBlobStore } from "../../../stores/blobs/folder.ts";
import { temporaryFolder } from "../../../test/support/lectern-process.ts";
import { startMeilisearch } from "../../dev/meilisearch.ts";
import { printTable } from "../measure.ts";
import { pageOf } from "./answers.ts";
import { parseQuestions } from "./questions.ts";
import { startServer } from "./server.ts";

/** ID and title of each repository. */
const repositories: Readonly<Record<string, { readonly id: string; readonly title: string }>> = {
  react: { id: "/reactjs/react.dev", title: "react.dev" },
  fastapi: { id: "/fastapi/fastapi", title: "FastAPI" },
  vite: { id: "/vitejs/vite", title: "Vite" },
  rails: { id: "/rails/rails", title: "Rails" },
  vue: { id: "/vuejs/docs", title: "vuejs.org" },
  polars: { id: "/pola-rs/polars", title: "Polars" },
};

const { values } = parseArgs({ options: { docs: { type: "string" }, library: { type: "string" } } });
if (values.docs === undefined) throw new Error("--docs names the folder with the checkouts.");
const checkouts = resolve(values.docs);
const names = values.library?.split(",") ?? Object.keys(repositories);

await using stack = new AsyncDisposableStack();
const server = stack.use(
  await startServer(
    names.map((name) => ({ library: { name }, folder: join(checkouts, name) })),
    "sqlite",
  ),
);
const folder = stack.use(await temporaryFolder());
const sqlite = createSqlitePassageIndex({ folder: join(folder.path, "sqlite") });
stack.defer(() => sqlite.close());
const key = "a-master-key-of-the-benchmark";
const meilisearchServer = await startMeilisearch({ folder: join(folder.path, "meilisearch"), key });
stack.defer(() => meilisearchServer.stop());
const meilisearch = createMeilisearch({ url: meilisearchServer.url, apiKey: key, prefix: "both_" });
await setupMeilisearch(meilisearch);
const indexes = [sqlite, createMeilisearchPassageIndex(meilisearch)] as const;

const rows: string[][] = [];
for (const name of names) {
  for (const index of indexes) await load(index, name);
  const questions = parseQuestions(name, await readFile(join(import.meta.dirname, "short", `${name}.json`), "utf8"));
  let same = 0;
  for (const { question } of questions) {
    const [one, other] = await Promise.all(indexes.map((index) => firstPage(index, name, question)));
    if (one === other) same += 1;
  }
  rows.push([name, String(questions.length), String(same)]);
}
printTable(["repository", "questions", "same first page"], rows);

/** Loads the generation of the server's library into an index. */
async function load(index: PassageIndex, name: string): Promise<void> {
  const id = server.statuses.get(name)?.live.id ?? "";
  const blobs = createFolderBlobStore({ folder: join(server.dataFolder, "blobs") });
  const [first = "", ...lines] = await Array.fromAsync(exportGeneration(blobs, id));
  const manifest = JSON.parse(first) as Manifest;
  const parts = async function* (): AsyncGenerator<Uint8Array> {
    yield createFolding(manifest)(Buffer.from(`${lines.join("\n")}\n`));
  };
  const { signal } = new AbortController();
  await index.load(name, parts(), { signal, report: () => {}, language: manifest.language });
}

async function firstPage(index: PassageIndex, name: string, query: string): Promise<string | undefined> {
  // `answerQuestion` uses nothing else of its ports and of the located library.
  const ports = { passages: index, ranker } as unknown as AnsweringPorts;
  const library = { ...repositories[name], source: { kind: "git" } };
  const located = { library, version: "", generation: { id: name } } as unknown as Located;
  const { passages } = await answerQuestion(ports, located, { query, tokens: 5000, limit: 50 });
  return passages[0] && pageOf(passages[0].source.url, join(checkouts, name));
}
