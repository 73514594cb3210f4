import { Webhook } from "standardwebhooks";
import { expect, it, onTestFinished } from "vitest";
import { startGitServer } from "../support/git-server.ts";
import { startLectern } from "../support/lectern-process.ts";
import { folderOfTest } from "../support/of-test.ts";
import { startReceiver, type Received } from "../support/receiver.ts";
import { files } from "./setup.ts";

const settings = { FETCH_ALLOW: "127.0.0.1", SWEEP_SECONDS: "1" };
const wait = { timeout: 60_000, interval: 50 };

/** The events that a receiver got, by library. */
const eventsOf = (received: readonly Received[]) =>
  received.map(({ event: { type, data } }) => `${type} ${String(data["libraryId"] ?? data["name"])}`);

it("notifies a receiver of what is published, fails and expires, and again what a killed process has not delivered", async () => {
  const folder = await folderOfTest();
  const git = await startGitServer();
  onTestFinished(() => git.close());
  const receiver = await startReceiver();
  const accept = receiver.answer;
  let server = await startLectern(folder, settings);
  onTestFinished(async () => void (await server.kill("SIGTERM")));

  const made = (await server.call("POST", "/v2/receivers", { url: receiver.url })).body as {
    id: string;
    secret: string;
  };
  const one = await git.repository("acme/widgets.git", files);
  await server.call("POST", "/v2/add/repo/git", { docsRepoUrl: one.url, generateDocs: false });
  await expect.poll(() => eventsOf(receiver.received), wait).toEqual(["library.published /acme/widgets"]);
  const [first] = receiver.received;
  expect(new Webhook(made.secret).verify(first?.body ?? "", first?.headers ?? {})).toMatchObject({
    type: "library.published",
  });

  // Nothing is delivered until the process is killed: what it has recorded is, by the next one.
  receiver.answer = (response) => void response.socket?.destroy();
  const other = await git.repository("acme/gears.git", files);
  for (const docsRepoUrl of [other.url, `${git.url}/acme/none.git`])
    await server.call("POST", "/v2/add/repo/git", { docsRepoUrl, generateDocs: false });
  await Promise.all(["/acme/gears", "/acme/none"].map((id) => server.settled(id)));
  await server.kill("SIGKILL");
  const before = receiver.received.length;
  receiver.answer = accept;
  server = await startLectern(folder, settings);
  await expect
    .poll(() => eventsOf(receiver.received.slice(before)).toSorted((one, other) => one.localeCompare(other)), wait)
    .toEqual(["library.failed /acme/none", "library.published /acme/gears"]);
  const { body: listed } = await server.call("GET", "/v2/receivers");
  expect(listed).toMatchObject({ receivers: [{ id: made.id, waiting: 0, result: "It answered 204." }] });

  const expiresAt = new Date(Date.now() + 10 * 86_400_000).toISOString();
  const credential = { kind: "git", name: "bot", host: "127.0.0.1:1", data: { token: "secret" }, expiresAt };
  expect((await server.call("POST", "/v2/credentials", credential)).body).toMatchObject({ expiresAt });
  // A sweep of the start checks all credentials.
  await server.kill("SIGTERM");
  server = await startLectern(folder, settings);
  await expect.poll(() => eventsOf(receiver.received), wait).toContain("credential.expiring bot");
  expect(receiver.received.at(-1)?.event.data).toMatchObject({ host: "127.0.0.1:1", expiresAt });
});
