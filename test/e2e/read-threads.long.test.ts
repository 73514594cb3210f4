import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openReadThreads } from "../../cli/read-threads.ts";
import { loadConfig } from "../../cli/config.ts";
import type { Computation } from "../../api/answer/compose.ts";
import { repositoryFiles } from "../../tools/bench/corpus.ts";
import { startGitServer } from "../support/git-server.ts";
import { startLectern, type LecternProcess } from "../support/lectern-process.ts";
import { folderOfTest } from "../support/of-test.ts";

const paths = ["/docs/lectern", "/acme/corpus"].flatMap((libraryId) =>
  [
    { query: "how do I rotate the encryption keys" },
    { query: "configure options", type: "json" },
    { query: "error handling example", kind: "code", tokens: "900" },
    { query: "run it", language: "typescript", type: "json", kind: "info" },
    { query: "zzqqxx vvkkww" },
    { query: "instal the servr", limit: "2", type: "json" },
  ].map((question) => `/v2/context?${new URLSearchParams({ libraryId, ...question }).toString()}`),
);

async function answersOf(server: LecternProcess): Promise<readonly unknown[]> {
  const answers = await Promise.all(paths.map((path) => server.call("GET", path)));
  return answers.map(({ status, headers, body }) => [status, headers.get("etag"), body]);
}

it("threads give the answers of the main thread, byte for byte, also after a lost file was loaded again", async () => {
  const data = await folderOfTest();
  const git = await startGitServer();
  onTestFinished(() => git.close());
  const { url } = await git.repository("acme/corpus", repositoryFiles(2, { documents: 12, sources: 3 }));
  const env = { FETCH_ALLOW: git.host, INDEX_OWN_DOCS: "on" };
  const alone = await startLectern(data, env);
  await alone.call("POST", "/v2/add/repo/git", { docsRepoUrl: url, libraryName: "/acme/corpus" });
  for (const id of ["/acme/corpus", "/docs/lectern"]) await alone.settled(id);
  const expected = await answersOf(alone);
  expect(expected.map((answer) => (answer as [number])[0])).toEqual(paths.map(() => 200));
  await alone.kill("SIGTERM");

  const threaded = await startLectern(data, { ...env, READ_THREADS: "2" });
  onTestFinished(() => void threaded.kill("SIGTERM"));
  expect(await answersOf(threaded)).toEqual(expected);
  // Both threads, and their caches.
  for (let round = 0; round < 3; round += 1) expect(await answersOf(threaded)).toEqual(expected);

  const index = join(data, "index");
  for (const name of await readdir(index, { recursive: true }))
    if (name.endsWith(".sqlite")) await rm(join(index, name));
  expect((await threaded.call("GET", paths[0] ?? "")).body).toMatchObject({ error: "index_rebuilding" });
  const isLoaded = async (path: string): Promise<boolean> => (await threaded.call("GET", path)).status === 200;
  await expect
    .poll(async () => (await Promise.all(paths.map(isLoaded))).every(Boolean), { timeout: 30_000 })
    .toBe(true);
  expect(await answersOf(threaded)).toEqual(expected);
});

it("a thread that dies fails its own question with a clear error, and is replaced", async () => {
  const data = await folderOfTest();
  const threads = openReadThreads(loadConfig({ READ_THREADS: "1" }), data, { threadMemory: 64 });
  onTestFinished(() => threads?.close());
  const computation = (query: string) =>
    ({
      located: { library: { source: { kind: "git" }, title: "", id: "/acme/none" }, generation: { id: "gone" } },
      question: { query, tokens: 5000, limit: 10 },
    }) as unknown as Computation;
  const words = Array.from({ length: 3_000_000 }, (_, at) => `word${at}`).join(" ");
  await expect(threads?.compute(computation(words), "")).rejects.toMatchObject({
    code: "service_unavailable",
    message: "The thread that computed the answer was ended. Try again in a moment.",
  });
  // Another thread looks for the file.
  await expect(threads?.compute(computation("word"), "")).rejects.toMatchObject({ code: "index_rebuilding" });
});

it("there are no threads where servers do the work", async () => {
  const open = (env: Record<string, string>) => openReadThreads(loadConfig({ READ_THREADS: "2", ...env }), "/data");
  expect(open({ MEILI_URL: "http://meilisearch.example.com", MEILI_API_KEY: "k" })).toBeUndefined();
  expect(open({ READ_THREADS: "0" })).toBeUndefined();
  const threads = open({});
  expect(threads).toBeDefined();
  await threads?.close();
});
