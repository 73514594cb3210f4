import { expect, it, onTestFinished } from "vitest";
import { freePort } from "../../tools/dev/program.ts";
import { startGitServer } from "../support/git-server.ts";
import { startLectern, temporaryFolder } from "../support/lectern-process.ts";
import { files } from "../e2e/setup.ts";

const settings = { FETCH_ALLOW: "127.0.0.1" };

/** Two git hosts, and a server that may read from both. */
async function setup() {
  const folder = await temporaryFolder();
  const [slow, other] = [await startGitServer(), await startGitServer()];
  let server = await startLectern(folder.path, settings);
  onTestFinished(async () => {
    await server.kill("SIGKILL");
    await slow.close();
    await other.close();
    await folder[Symbol.asyncDispose]();
  });
  const hold = async (name: string) => {
    const { url } = await slow.repository(name, files);
    return { url, ...slow.hold(name) };
  };
  return {
    slow,
    other,
    hold,
    server: () => server,
    add: (url: string) => server.call("POST", "/v2/add/repo/git", { docsRepoUrl: url }),
    status: async (id: string) => (await server.call("GET", `/v2/libs/status?libraryId=${id}`)).body,
    /** Kills the server and starts it again. */
    async restart(signal: NodeJS.Signals) {
      await server.kill(signal);
      server = await startLectern(folder.path, settings);
    },
  };
}

it("a repository of another host is indexed at once while four of one host are slow", async () => {
  const { other, hold, server, add, status } = await setup();
  const held = await Promise.all([1, 2, 3, 4, 5].map((number) => hold(`slow/repository-${number}`)));
  for (const { url } of held) await add(url);
  await Promise.all(held.slice(0, 4).map(({ reached }) => reached));
  const { url } = await other.repository("quick/repository", files);
  await add(url);
  expect(await server().settled("/quick/repository")).toMatchObject({ state: "finalized" });
  expect(await status("/slow/repository-5")).toMatchObject({ openRun: { startedAt: null } });
  for (const { release } of held) release();
  for (const number of [1, 2, 3, 4, 5])
    expect(await server().settled(`/slow/repository-${number}`)).toMatchObject({ state: "finalized" });
});

it("a restarted server answers before it continues runs", async () => {
  const folder = await temporaryFolder();
  const git = await startGitServer();
  const port = await freePort();
  const env = { ...settings, PORT: String(port), RUNS_AT_ONCE: "1" };
  onTestFinished(async () => {
    await git.close();
    await folder[Symbol.asyncDispose]();
  });
  // When the server dies, one run is executing and one waits.
  const names = ["acme/first", "acme/second"];
  const [first] = names.map((name) => git.hold(name));
  const before = await startLectern(folder.path, env);
  for (const name of names) await before.call("POST", "/v2/add/repo/git", { docsRepoUrl: `${git.url}/${name}` });
  await first?.reached;
  await before.kill("SIGKILL");

  const statuses: Promise<number>[] = [];
  for (const name of names)
    git.answer(name, (_request, response) => {
      const health = fetch(`http://127.0.0.1:${port}/api/health`);
      statuses.push(
        health.then(
          ({ status }) => status,
          () => 0,
        ),
      );
      response.writeHead(404).end();
    });
  for (const name of names) git.hold(name).release();
  const after = await startLectern(folder.path, env);
  for (const name of names) await after.settled(`/${name}`);
  await after.kill("SIGTERM");
  expect(await Promise.all(statuses)).toEqual(statuses.map(() => 200));
  expect(statuses.length).toBeGreaterThanOrEqual(2);
});

it("a run during which the server died twice waits for an administrator, and others continue", async () => {
  const { hold, server, add, status, restart } = await setup();
  const deadly = await hold("acme/deadly");
  const innocent = await hold("acme/innocent");
  await add(deadly.url);
  await add(innocent.url);
  await Promise.all([deadly.reached, innocent.reached]);
  await restart("SIGKILL");
  // Either may have been the cause: the older one is tried first, alone.
  expect(await server().call("GET", "/health")).toMatchObject({ status: 200 });
  await expect.poll(() => status("/acme/deadly")).toMatchObject({ phase: "resolving", openRun: { failure: null } });
  await restart("SIGTERM");
  await restart("SIGKILL");

  expect(await server().call("GET", "/health")).toMatchObject({ status: 200 });
  const failure = {
    error: "run_suspended",
    message: expect.stringMatching(/died 2 times.*refresh the library/) as string,
  };
  expect(await status("/acme/deadly")).toMatchObject({ state: "error", openRun: { state: "open", failure } });
  innocent.release();
  expect(await server().settled("/acme/innocent")).toMatchObject({ state: "finalized" });
  const read = await server().call("GET", "/v2/context?libraryId=/acme/deadly&query=a");
  expect(read).toMatchObject({ status: 422, body: failure });

  deadly.release();
  const body = { name: "submitter", scopes: ["submit"] };
  const { key } = (await server().call("POST", "/v2/keys", body)).body as { key: string };
  const refresh = (headers?: Record<string, string>) =>
    server().call("POST", "/v1/refresh", { libraryName: "/acme/deadly" }, headers);
  expect(await refresh({ Authorization: `Bearer ${key}` })).toMatchObject({ status: 422, body: failure });
  expect(await refresh()).toMatchObject({
    status: 200,
    body: { message: expect.stringContaining("resumed") as string },
  });
  expect(await server().settled("/acme/deadly")).toMatchObject({ state: "finalized" });
});
