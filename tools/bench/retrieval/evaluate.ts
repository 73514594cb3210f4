import { createHash } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { createFolding } from "../../../activities/parts.ts";
import { exportGeneration } from "../../../activities/transfer.ts";
import { renderJson } from "../../../api/render.ts";
import { createFolderBlobStore } from "../../../stores/blobs/folder.ts";
import { answerQuestion } from "../../../domain/answering.ts";
import type { AnsweringPorts, Located } from "../../../domain/answering.ts";
import type { Ranker, PassageIndex } from "../../../domain/ports.ts";
import type { Manifest } from "../../../domain/generation.ts";
import { ranker as standardRanker } from "../../../search/ranking/ranker.ts";
import { createSqlitePassageIndex } from "../../../search/sqlite/passage-index.ts";
import { pageOf, prepare, scoreAnswers } from "./answers.ts";
import type { Asked, Documented, Prepared, Scored } from "./answers.ts";
import { libraryIdOf } from "./libraries.ts";
import { cacheFolder } from "./packages.ts";
import type { Half } from "./questions.ts";
import { jsonSources, startServer, tokensOf } from "./server.ts";
import { summarise } from "./summary.ts";
import type { Summary } from "./summary.ts";

/** What is evaluated, and on what. */
export interface EvaluateOptions {
  /** `tune` unless told. */
  readonly half?: Half | "both";
  /** Names of libraries; all unless told. */
  readonly libraries?: readonly string[];
  /** The ranker; Lectern's own unless told. */
  readonly ranker?: Ranker;
  /** What an answer may hold: 5,000 tokens and 50 passages unless told, as a client gets without asking. */
  readonly tokens?: number;
  readonly limit?: number;
}

/** Sums of each half that was asked for; single questions of the half `tune` alone. */
export interface Evaluation {
  readonly tune?: Summary;
  readonly aside?: Summary;
  readonly questions: readonly Scored[];
}

/** Everything that decides what is extracted, and what the index holds of it. */
const extracting = ["activities/steps.ts", "activities/parse-page.ts", "sources/folder/index.ts"];
const indexing = ["search/sqlite/build.ts", "search/sqlite/build-worker.ts", "search/sqlite/passage-rows.ts"];
const root = join(import.meta.dirname, "..", "..", "..");

/**
 * Answers the questions in this process, over the SQLite index and without HTTP: the same answers as a server's, in
 * seconds. What is extracted and indexed is kept in the cache folder, under a name made from the sources of the code
 * that did it, so that a change of the ranker's order costs nothing and one of extraction or analysis is seen.
 * For scripts of a reader's own (docs/internals/measuring.md).
 * @public
 */
export async function evaluate(options: EvaluateOptions = {}): Promise<Evaluation> {
  const prepared = await prepare(options.half ?? "tune", options.libraries);
  return toEvaluation(await scoreAnswers(prepared, await askInProcess(prepared, options)));
}

/** Asks the questions of these libraries in this process. */
export async function askInProcess(
  prepared: readonly Prepared[],
  options: Omit<EvaluateOptions, "half" | "libraries"> = {},
): Promise<readonly Asked[]> {
  const index = createSqlitePassageIndex({ folder: join(cacheFolder(), "index", await hashSources(indexing)) });
  try {
    const asked: Asked[] = [];
    for (const built of await extractAll(prepared)) asked.push(...(await askLibrary(index, built, options)));
    return asked;
  } finally {
    await index.close();
  }
}

/** Sums up scored answers half by half; single questions are kept of the half `tune` alone. */
export function toEvaluation(scored: readonly Scored[]): Evaluation {
  const [tune, aside] = (["tune", "aside"] as const).map((half) =>
    scored.filter(({ question }) => question.half === half),
  );
  return {
    ...(tune && tune.length > 0 && { tune: summarise(tune) }),
    ...(aside && aside.length > 0 && { aside: summarise(aside) }),
    questions: tune ?? [],
  };
}

/** Documentation with what was extracted from it. */
export interface Extracted extends Documented {
  readonly title: string;
  readonly manifest: Manifest;
  readonly lines: readonly string[];
}

/** The generations of the documentation, out of the cache or from a server that is started for those that are not there. */
export async function extractAll(prepared: readonly Documented[]): Promise<readonly Extracted[]> {
  const folder = join(cacheFolder(), "generations", await hashSources(extracting));
  const fileOf = ({ library }: Documented): string =>
    join(folder, `${library.name}-${library.sha256.slice(0, 12)}.ndjson`);
  const kept = await Promise.all(prepared.map((one) => readKept(fileOf(one))));
  const missing = prepared.filter((_, at) => kept[at] === undefined);
  if (missing.length > 0) {
    await mkdir(folder, { recursive: true });
    await using server = await startServer(missing, "sqlite");
    const blobs = createFolderBlobStore({ folder: join(server.dataFolder, "blobs") });
    for (const one of missing) {
      const status = server.statuses.get(one.library.name);
      if (!status) throw new Error(`${one.library.name} has no status.`);
      const lines = [JSON.stringify(status.title), ...(await Array.fromAsync(exportGeneration(blobs, status.live.id)))];
      await writeFile(`${fileOf(one)}.${process.pid}`, lines.join("\n"));
      await rename(`${fileOf(one)}.${process.pid}`, fileOf(one));
    }
  }
  return Promise.all(
    prepared.map(async (one, at) => {
      const text = kept[at] ?? (await readFile(fileOf(one), "utf8"));
      const [title = "", manifest = "", ...lines] = text.split("\n").filter((line) => line !== "");
      return { ...one, title: JSON.parse(title) as string, manifest: JSON.parse(manifest) as Manifest, lines };
    }),
  );
}

/** Loads what was extracted into an index, as the step does. */
export async function loadExtracted(
  index: PassageIndex,
  generation: string,
  { manifest, lines }: Pick<Extracted, "manifest" | "lines">,
): Promise<void> {
  const parts = async function* (): AsyncGenerator<Uint8Array> {
    yield createFolding(manifest.folds ?? [])(Buffer.from(`${lines.join("\n")}\n`));
  };
  const { signal } = new AbortController();
  await index.load(generation, parts(), { signal, report: () => {}, language: manifest.language });
}

async function askLibrary(
  index: PassageIndex,
  { library, folder, questions, title, manifest, lines }: Extracted,
  { ranker = standardRanker, tokens = 5000, limit = 50 }: EvaluateOptions,
): Promise<readonly Asked[]> {
  const generation = `${library.name}-${manifest.contentHash.slice(0, 16)}`;
  if ((await index.count(generation)) === undefined) await loadExtracted(index, generation, { manifest, lines });
  // The story reads nothing else of its ports and of what was located.
  const ports = { passages: index, ranker } as unknown as AnsweringPorts;
  const located = {
    library: { id: libraryIdOf(library), title },
    version: "",
    generation: { id: generation },
  } as Located;
  const asked: Asked[] = [];
  for (const question of questions) {
    const start = performance.now();
    const { passages } = await answerQuestion(ports, located, { query: question.question, tokens, limit });
    const milliseconds = performance.now() - start;
    const json = renderJson(passages) as Parameters<typeof jsonSources>[0];
    asked.push({
      question,
      text: passages.map(({ source }) => pageOf(source.url, folder)),
      json: jsonSources(json).map((url) => pageOf(url, folder)),
      tokens: tokensOf(json),
      milliseconds,
    });
  }
  return asked;
}

async function readKept(file: string): Promise<string | undefined> {
  return readFile(file, "utf8").catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  });
}

/** A hash over source files and all files of the project that they import, in turn. */
async function hashSources(entries: readonly string[]): Promise<string> {
  const hash = createHash("sha256");
  const seen = new Set<string>();
  const open = entries.map((entry) => join(root, entry));
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    const text = await readFile(file, "utf8");
    hash.update(`${relative(root, file)}\0${text}\0`);
    for (const [, name = ""] of text.matchAll(/\b(?:from|import)\s+"(\.[^"]+)"/g)) open.push(join(dirname(file), name));
  }
  return hash.digest("hex").slice(0, 16);
}
