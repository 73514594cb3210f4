import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";
import { createClassifier, type ClassifierOptions } from "../../sources/classifier/index.ts";

interface Batch {
  readonly passages: readonly { readonly id: string; readonly text: string }[];
}

/** A classifier that responds with what `answer` returns. */
async function classifierOf(answer: (batch: Batch) => unknown, options: Partial<ClassifierOptions> = {}) {
  const asked: { batch: Batch; headers: IncomingHttpHeaders }[] = [];
  const problems: string[] = [];
  const respond = (batch: Batch, headers: IncomingHttpHeaders, response: ServerResponse): void => {
    asked.push({ batch, headers });
    const reply = answer(batch);
    if (reply === "nothing") return;
    if (typeof reply === "number") response.writeHead(reply, { location: "/elsewhere" }).end();
    else response.end(typeof reply === "string" ? reply : JSON.stringify(reply));
  };
  const server = createServer(
    (request, response) => void json(request).then((batch) => respond(batch as Batch, request.headers, response)),
  );
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/judge?model=1`);
  const screen = createClassifier({
    url,
    token: null,
    fails: "closed",
    onProblem: (reason) => void problems.push(reason),
    ...options,
  });
  const judge = (texts: readonly string[], signal = new AbortController().signal) =>
    screen.judge(
      texts.map((text, at) => ({ id: `p${at}`, text })),
      signal,
    );
  return { screen, judge, asked, problems };
}

const marking = ({ passages }: Batch) => ({
  findings: Object.fromEntries(
    passages.filter(({ text }) => text.includes("bad")).map(({ id }) => [id, ["override", "jailbreak"]]),
  ),
});

it("finds what the classifier says, by its names or as classified", async () => {
  const { judge, asked } = await classifierOf(marking, { token: "t0ken" });
  expect(await judge(["good", "bad"])).toEqual(new Map([["p1", ["override", "classified"]]]));
  expect(asked[0]?.headers).toMatchObject({ authorization: "Bearer t0ken", "content-type": "application/json" });
  expect(asked[0]?.batch).toEqual({
    passages: [
      { id: "0", text: "good" },
      { id: "1", text: "bad" },
    ],
  });
});

it("sends passages of several pages in one request, 64 at most, and no long ones together", async () => {
  const { judge, asked } = await classifierOf(marking);
  const pages = Array.from({ length: 10 }, (_, page) =>
    Array.from({ length: 20 }, (_each, at) => (at === page ? "bad" : "good")),
  );
  const findings = await Promise.all(pages.map((page) => judge(page)));
  expect(findings.map((each) => [...(each?.keys() ?? [])])).toEqual(pages.map((_, page) => [`p${page}`]));
  const sizes = asked.map(({ batch }) => batch.passages.length);
  expect(sizes.toSorted((one, other) => other - one)).toEqual([64, 64, 64, 8]);
  await judge(["x".repeat(150_000), "y".repeat(100_000), "z".repeat(300_000), "bad"]);
  expect(asked.slice(4).map(({ batch }) => batch.passages.length)).toEqual([1, 1, 1, 1]);
});

it.each<[string, unknown, string]>([
  ["fails", 500, "it answers 500"],
  ["redirects", 302, "unexpected redirect"],
  ["answers no JSON", "<html>", "its answer is not in the form of docs/guides/add-a-classifier.md"],
  [
    "answers another form",
    { findings: [["override"]] },
    "its answer is not in the form of docs/guides/add-a-classifier.md",
  ],
  [
    "answers about others",
    { findings: { "7": ["override"] } },
    "its answer has a passage that the request did not have",
  ],
  ["answers too much", "x".repeat(1_100_000), "it answers more than 1000000 bytes"],
  ["is silent", "nothing", "it does not answer in time"],
])("one that %s holds passages back, or lets them pass, as configured", async (_, answer, reason) => {
  const closed = await classifierOf(() => answer, { deadline: 500 });
  await expect(closed.judge(["good"])).rejects.toMatchObject({
    code: "service_unavailable",
    message: expect.stringContaining(reason),
  });
  expect(closed.problems).toEqual([reason]);
  const open = await classifierOf(() => answer, { deadline: 500, fails: "open" });
  expect(await open.judge(["good"])).toBeUndefined();
});

it("gets no requests for a time after three failures, and then again", async () => {
  let isAway = true;
  const { judge, asked } = await classifierOf((batch) => (isAway ? 503 : marking(batch)), { openFor: 200 });
  for (let time = 0; time < 5; time += 1)
    await expect(judge(["bad"])).rejects.toMatchObject({ code: "service_unavailable" });
  expect(asked).toHaveLength(3);
  isAway = false;
  await expect.poll(() => judge(["bad"]).catch(() => undefined)).toEqual(new Map([["p0", ["override", "classified"]]]));
});

it("is no longer waited for once the caller aborts", async () => {
  const { judge } = await classifierOf(() => "nothing");
  const controller = new AbortController();
  const waiting = judge(["good"], controller.signal);
  controller.abort(new Error("given up"));
  await expect(waiting).rejects.toThrow("given up");
});

it("sends and accepts bodies as in docs/guides/add-a-classifier.md", async () => {
  const text = readFileSync("docs/guides/add-a-classifier.md", "utf8");
  const [sent, taken] = [...text.matchAll(/```json\n(.*?)```/gs)].map(([, body = ""]) => JSON.parse(body) as unknown);
  const { passages } = sent as Batch;
  const { judge, asked } = await classifierOf(() => taken);
  expect(await judge(passages.map(({ text: each }) => each))).toEqual(new Map([["p1", ["override"]]]));
  expect(asked[0]?.batch).toEqual(sent);
});
