import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startEmbeddings } from "../support/embeddings-server.ts";
import { startLectern, temporaryFolder, type LecternProcess } from "../support/lectern-process.ts";

const libraryId = "/docs/colours";
const asking = (query: string): string => new URLSearchParams({ libraryId, query }).toString();
const question = "delete a record";

it("embeds again for another model beside the old one: the table answers until that is done", async () => {
  await using folder = await temporaryFolder();
  const docs = join(folder.path, "colours");
  await mkdir(docs);
  await writeFile(
    join(docs, "record.md"),
    "# The record\n\nA record of the table has a colour. Each record has a number.\n",
  );
  await writeFile(
    join(docs, "night.md"),
    "# Elephants of the record\n\nThe elephants of a record walk away from the table at night.\n",
  );
  const { state, url } = await startEmbeddings();
  let running: LecternProcess | undefined;
  const start = async (model: string): Promise<LecternProcess> => {
    await running?.kill("SIGTERM");
    const env = { FOLDER_ROOTS: folder.path, EMBEDDINGS_URL: url, EMBEDDINGS_MODEL: model, SWEEP_SECONDS: "1" };
    running = await startLectern(join(folder.path, "data"), env);
    return running;
  };
  await using ending = new AsyncDisposableStack();
  ending.defer(async () => void (await running?.kill("SIGTERM")));

  const first = await start("one");
  await first.call("POST", "/v2/add/folder", { path: docs });
  expect((await first.settled(libraryId))["notes"]).toEqual([]);
  expect(await explained(first)).toEqual(["one", "Elephants of the record"]);
  const tag = await tagOf(first);

  // The server holds back the passages.
  const released = Promise.withResolvers<void>();
  state.hold = (input) => (input[0] === "ready" ? undefined : released.promise);
  const second = await start("two");
  await expect.poll(() => state.asked.some(({ model, input }) => model === "two" && input[0] !== "ready")).toBe(true);
  expect(await explained(second)).toEqual(["table", "The record"]);
  const status = async (): Promise<unknown> =>
    (await second.call("GET", `/v2/libs/status?libraryId=${libraryId}`)).body;
  expect(await status()).toMatchObject({
    state: "finalized",
    notes: [expect.stringContaining("two has not embedded the passages yet")],
  });
  expect(await tagOf(second)).not.toBe(tag);

  released.resolve();
  await expect.poll(() => explained(second)).toEqual(["two", "Elephants of the record"]);
  expect(await status()).toMatchObject({ notes: [] });

  state.answer = (response) => response.destroy();
  for (const query of ["removal of a record", "erasing the record"])
    expect((await explained(second, query))[0]).toBe("table");
  expect(second.stderr().match(/questions are not embedded/g)).toHaveLength(1);
  const metrics = await (await fetch(`${second.url}/metrics`)).text();
  expect(metrics).toMatch(/lectern_embedding_duration_seconds_count{result="failed"[^\n]* 2/);
});

async function explained(server: LecternProcess, query = question): Promise<readonly unknown[]> {
  const { status, body } = await server.call("GET", `/v2/context/explain?${asking(query)}`);
  expect(status).toBe(200);
  const { meaningBy, passages } = body as { meaningBy: string; passages: readonly { place: number; title: string }[] };
  return [meaningBy, passages.find(({ place }) => place === 1)?.title];
}

async function tagOf(server: LecternProcess): Promise<string | null> {
  return (await server.call("GET", `/v2/context?${asking(question)}`)).headers.get("etag");
}
