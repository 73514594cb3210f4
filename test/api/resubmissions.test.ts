import { expect, it } from "vitest";

import type { ApiAnswer } from "../../api/answers.ts";
import { codePassage } from "./samples.ts";
import { setup } from "./setup.ts";
import { uploadRequest } from "./upload.ts";

const hours = 3_600_000;
const id = "/acme/widgets";
const docsRepoUrl = "https://git.example.com/acme/widgets";
const other = "https://git.example.com/mallory/widgets";

/** A public library whose only run has failed, its submitter's key, and a key of another teamspace. */
async function failedLibrary() {
  const world = await setup({ rateLimitSubmissions: 1000 });
  const { send, addKey, fail, catalog, clock } = world;
  const submitter = (await addKey(["submit"], { teamspace: "web" })).key;
  const stranger = (await addKey(["submit"], { teamspace: "mobile" })).key;
  const add = (key: string, url: string, fields: object = {}) =>
    send("POST", "/v2/add/repo/git", { key, body: { docsRepoUrl: url, libraryName: id, ...fields } });
  const runOf = ({ body }: ApiAnswer) => (body as { runId: string }).runId;
  const failNow = async (answer: ApiAnswer) => fail(runOf(answer), "source_not_found", "Gone.");
  const current = async () => (await catalog.libraries.find([""], id, ""))?.library;
  await failNow(await add(submitter, docsRepoUrl, { description: "Parts." }));
  const wait = (time: number): void => void (clock.now += time);
  return { ...world, submitter, stranger, add, runOf, failNow, current, wait };
}

it("reserves the ID of a failed public library for its submitter for a day", async () => {
  const { add, stranger, current, wait, engine } = await failedLibrary();
  const before = await current();
  const started = engine.started.length;
  const refused = {
    status: 409,
    body: {
      error: "duplicate_repo",
      message: expect.stringContaining("others from 2026-01-03T03:04:05.000Z on.") as string,
    },
  };
  expect(await add(stranger, other)).toMatchObject(refused);
  wait(24 * hours - 1);
  expect(await add(stranger, other)).toMatchObject(refused);
  expect(await current()).toEqual(before);
  expect(engine.started).toHaveLength(started);
  wait(1);
  expect((await add(stranger, other)).status).toBe(200);
  expect(await current()).toMatchObject({ source: { url: other }, submittedBy: { teamspace: "mobile" } });
});

it("lets its submitter and administrators of the instance take it at once, but not those of teamspaces", async () => {
  const { add, submitter, addKey, failNow, current } = await failedLibrary();
  const second = await add(submitter, other);
  expect(second.status).toBe(200);
  await failNow(second);
  for (const teamspace of ["web", "mobile"])
    expect((await add((await addKey(["admin"], { teamspace })).key, docsRepoUrl)).status, teamspace).toBe(409);
  expect((await add((await addKey(["admin"])).key, docsRepoUrl)).status).toBe(200);
  expect(await current()).toMatchObject({ source: { url: docsRepoUrl } });
});

it("lets any key restart the same source, without changing its options or submitter", async () => {
  const { add, stranger, runOf, failNow, current, engine } = await failedLibrary();
  const before = await current();
  const options = { folders: ["evil"], branch: "evil", description: "Mine.", title: "Mine" };
  const restarted = await add(stranger, docsRepoUrl, options);
  expect(restarted).toMatchObject({
    status: 200,
    body: { libraryName: id, message: expect.stringContaining("as it was first submitted") as string },
  });
  expect(engine.started.at(-1)?.runId).toBe(runOf(restarted));
  expect(await current()).toEqual(before);
  expect((await add(stranger, docsRepoUrl)).status, "it is being indexed").toBe(409);
  await failNow(restarted);
  expect((await add(stranger, other)).status).toBe(409);
});

it("lets no other key give a failed library a token by restarting it", async () => {
  const { add, stranger, current } = await failedLibrary();
  const before = await current();
  const token = { gitToken: "t", private: false };
  expect(await add(stranger, docsRepoUrl, token)).toMatchObject({ status: 403, body: { error: "forbidden" } });
  expect(await current()).toEqual(before);
});

it("counts the day from the last run that failed or was cancelled", async () => {
  const { add, stranger, runOf, wait, catalog, clock } = await failedLibrary();
  wait(20 * hours);
  const restarted = await add(stranger, docsRepoUrl);
  await catalog.runs.close(runOf(restarted), { outcome: "cancelled" }, clock.now);
  wait(23 * hours);
  expect((await add(stranger, other)).status).toBe(409);
  wait(hours);
  expect((await add(stranger, other)).status).toBe(200);
});

it("lets only its submitter and administrators replace an old redirect", async () => {
  const { add, submitter, stranger, finish, runOf, current, catalog, clock, wait } = await failedLibrary();
  const first = await add(submitter, docsRepoUrl);
  await finish(runOf(first), [codePassage]);
  const uid = (await current())?.uid ?? "";
  const to = "https://git.example.com/acme/gadgets";
  await catalog.libraries.move(uid, { from: docsRepoUrl, to, id: "/acme/gadgets" }, clock.now);
  expect(await current()).toMatchObject({ redirect: "/acme/gadgets" });
  wait(1000 * hours);
  for (const url of [other, docsRepoUrl, to])
    expect(await add(stranger, url)).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining("moved to /acme/gadgets") as string },
    });
  expect((await add(submitter, docsRepoUrl)).status).toBe(200);
  expect(await current()).toMatchObject({ redirect: null, source: { url: docsRepoUrl } });
});

it("lets all submitting keys of a teamspace resubmit its libraries", async () => {
  const { send, addKey, fail, runOf } = await failedLibrary();
  const [one, two] = [await addKey(["submit"]), await addKey(["submit"])];
  const add = (key: string, url: string) =>
    send("POST", "/v2/add/repo/git", { key, body: { docsRepoUrl: url, libraryName: id, private: true } });
  await fail(runOf(await add(one.key, docsRepoUrl)), "source_not_found", "Gone.");
  expect((await add(two.key, other)).status).toBe(200);
});

it("treats every uploaded file as another source", async () => {
  const { send, stranger, submitter, fail, runOf, catalog } = await failedLibrary();
  const upload = async (key: string, content: string) => {
    const request = await uploadRequest({ name: "pets.yaml", text: content });
    return send("POST", "/v2/add/openapi-upload", { key, ...request });
  };
  await fail(runOf(await upload(submitter, "one")), "source_invalid", "No description.");
  const before = (await catalog.libraries.find([""], "/docs/pets", ""))?.library;
  expect((await upload(stranger, "two")).status).toBe(409);
  expect((await catalog.libraries.find([""], "/docs/pets", ""))?.library).toEqual(before);
  expect((await upload(submitter, "three")).status).toBe(200);
});
