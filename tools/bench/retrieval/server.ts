import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { startMeilisearch } from "../../dev/meilisearch.ts";
import { startLectern, temporaryFolder, type LecternProcess } from "../../../test/support/lectern-process.ts";
import { pageOf, type Asked, type Prepared } from "./answers.ts";
import { libraryIdOf } from "./libraries.ts";

/** The index of the server under test. */
export type IndexKind = "sqlite" | "meilisearch";

/** A folder with the documentation of a library. */
export interface Documentation extends Pick<Prepared, "folder"> {
  readonly library: Pick<Prepared["library"], "name">;
}

/** A running server that has read all libraries. */
export interface BenchServer extends AsyncDisposable {
  readonly lectern: LecternProcess;
  /** The server's data folder. */
  readonly dataFolder: string;
  /** The status of each library by its name. */
  readonly statuses: ReadonlyMap<string, LibraryStatus>;
}

/** Fields of a library's status that are used here. */
interface LibraryStatus {
  readonly live: { readonly id: string; readonly counts: { readonly code: number; readonly info: number } };
}

/** Fields of an answer in the JSON form that are used here. */
interface ContextJson {
  readonly codeSnippets: readonly { readonly codeId: string; readonly codeTokens: number }[];
  readonly infoSnippets: readonly { readonly pageId: string; readonly contentTokens: number }[];
}

/**
 * Starts `lectern serve`, with the embeddings server of the environment, on a fresh folder, submits each library as a folder and waits until all can be read.
 * @throws Error if one is refused or fails
 */
export async function startServer(prepared: readonly Documentation[], index: IndexKind): Promise<BenchServer> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await temporaryFolder());
  const env: Record<string, string> = {
    FOLDER_ROOTS: prepared.map((one) => one.folder).join(","),
    LOG_LEVEL: "error",
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith("EMBEDDINGS_"))),
  };
  if (index === "meilisearch") {
    const key = randomBytes(24).toString("hex");
    const meilisearch = await startMeilisearch({ folder: join(folder.path, "meilisearch"), key });
    stack.defer(() => meilisearch.stop());
    env["MEILI_URL"] = meilisearch.url;
    env["MEILI_API_KEY"] = key;
  }
  const dataFolder = join(folder.path, "data");
  const lectern = await startLectern(dataFolder, env);
  stack.defer(async () => void (await lectern.kill("SIGTERM")));
  for (const { library, folder: path } of prepared) {
    const body = { path, title: library.name, libraryName: libraryIdOf(library) };
    const answer = await lectern.call("POST", "/v2/add/folder", body);
    if (answer.status !== 200)
      throw new Error(
        `The submission of ${libraryIdOf(library)} was answered ${answer.status}: ${JSON.stringify(answer.body)}`,
      );
  }
  const statuses = new Map<string, LibraryStatus>();
  for (const { library } of prepared) {
    const status = await lectern.settled(libraryIdOf(library));
    if (status["state"] !== "finalized") throw new Error(`${libraryIdOf(library)} failed: ${JSON.stringify(status)}`);
    statuses.set(library.name, status as unknown as LibraryStatus);
  }
  const running = stack.move();
  return { lectern, dataFolder, statuses, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/** Asks all questions in sequence, in both forms; the text form is timed. */
export async function askServer(lectern: LecternProcess, prepared: readonly Prepared[]): Promise<readonly Asked[]> {
  // The first question of a library also loads its index.
  for (const { library } of prepared) await ask(lectern, libraryIdOf(library), "warm up", "txt");
  const asked: Asked[] = [];
  for (const { library, folder, questions } of prepared) {
    for (const question of questions) {
      const start = performance.now();
      const text = await ask(lectern, libraryIdOf(library), question.question, "txt");
      const milliseconds = performance.now() - start;
      const json = (await ask(lectern, libraryIdOf(library), question.question, "json")) as ContextJson;
      asked.push({
        question,
        text: textSources(text as string).map((url) => pageOf(url, folder)),
        json: jsonSources(json).map((url) => pageOf(url, folder)),
        tokens: tokensOf(json),
        milliseconds,
      });
    }
  }
  return asked;
}

/** The address of each page in the text form, in its order. */
export function textSources(text: string): readonly string[] {
  return [...text.matchAll(/^Source: (file:[^\s,]+)/gm)].map(([, url]) => url ?? "");
}

/** The address of each snippet in the JSON form, in its order. */
export function jsonSources({ codeSnippets, infoSnippets }: ContextJson): readonly string[] {
  return [...codeSnippets.map(({ codeId }) => codeId), ...infoSnippets.map(({ pageId }) => pageId)];
}

/** Model tokens of the JSON form, as Lectern counts them. */
function tokensOf({ codeSnippets, infoSnippets }: ContextJson): number {
  const all = [...codeSnippets.map(({ codeTokens }) => codeTokens), ...infoSnippets.map((one) => one.contentTokens)];
  return all.reduce((sum, tokens) => sum + tokens, 0);
}

/**
 * The answer to a question: text for the type `txt`, the parsed body for `json`.
 * @throws Error for a status other than 200
 */
export async function ask(
  lectern: LecternProcess,
  libraryId: string,
  query: string,
  type: "txt" | "json",
): Promise<unknown> {
  const answer = await lectern.call("GET", `/v2/context?${new URLSearchParams({ libraryId, query, type }).toString()}`);
  if (answer.status !== 200)
    throw new Error(`A question to ${libraryId} was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}
