import type { ServerResponse } from "node:http";
import { expect, it } from "vitest";
import { mergeProgress, type Progress, type StepPolicy } from "../../domain/steps.ts";
import { attemptStep } from "../../workers/attempt.ts";
import { clientFor, serve } from "../sources/fetch/setup.ts";

const policy: StepPolicy = { queue: "main", summary: "Read it", timeout: 60_000, heartbeat: null, attempts: 1 };
const soon = { limit: 600, every: 20, tells: 100 };

/** A server with this answer, a step that requests it, and the progress that the step reports. */
async function startStep(
  answer: (response: ServerResponse) => void,
  request: { idleTimeout?: number; times?: number } = {},
) {
  const host = await serve((_, response) => answer(response));
  const client = clientFor([host]);
  const reported: Progress[] = [];
  const step = attemptStep(
    policy,
    new AbortController().signal,
    (progress) => void reported.push(progress),
    async ({ signal }) => {
      const { times = 1, ...more } = request;
      for (let time = 0; time < times; time += 1)
        await (await client.request(new URL(`http://${host}/docs?key=secret`), { signal, ...more })).text();
      return "read";
    },
    soon,
  );
  return { host, step, reported };
}

const drip = (response: ServerResponse, bytes: number, every: number, times = Infinity): void => {
  response.writeHead(200);
  let sent = 0;
  const timer = setInterval(() => {
    response.write("a".repeat(bytes));
    if ((sent += 1) >= times) response.end();
  }, every);
  response.on("close", () => clearInterval(timer));
};

const dripHead = ({ socket }: ServerResponse): void => {
  socket?.write("HTTP/1.1 200 OK\r\nX-Long: ");
  const timer = setInterval(() => socket?.write("a"), 100);
  socket?.on("close", () => clearInterval(timer));
};

it.each([
  ["says nothing", (): void => {}],
  ["sends a byte of its head now and then", (response: ServerResponse): void => dripHead(response)],
  ["sends a byte of its body now and then", (response: ServerResponse): void => drip(response, 1, 100)],
] as const)(
  "a step fails with the name of the host that takes its request and %s, and reports the wait before",
  async (_, answer) => {
    const { host, step, reported } = await startStep(answer);
    await expect(step).rejects.toMatchObject({
      code: "timeout",
      message: expect.stringContaining(
        `${host} has not answered for 1 s; the last request was GET http://${host}/docs.`,
      ) as string,
    });
    const waiting = { host, request: `GET http://${host}/docs`, since: expect.any(Number) as number };
    expect(reported.slice(-2)).toEqual([{ waiting }, { waiting: null }]);
  },
);

it.each([
  ["whose hosts send enough", (response: ServerResponse): void => drip(response, 10_000, 100, 10), {}],
  [
    "of a server that prepares what it sends, with signs of life",
    (response: ServerResponse): void => drip(response, 5, 100, 10),
    { idleTimeout: 5000 },
  ],
  [
    "of many requests that each take their time",
    (response: ServerResponse): void => void setTimeout(() => void response.end("x"), 300),
    { times: 4 },
  ],
] as const)("a step goes on %s", async (_, answer, request) => {
  const { step } = await startStep(answer, request);
  expect(await step).toBe("read");
});

it("a wait is in the progress until something arrives; figures only grow", () => {
  const waiting = { host: "docs.example.com", request: "GET https://docs.example.com/", since: 1 };
  const before = mergeProgress({ pagesDone: 3 }, { waiting });
  expect(before).toEqual({ pagesDone: 3, waiting });
  expect(mergeProgress(before, { pagesDone: 2 })).toEqual({ pagesDone: 3, waiting });
  expect(mergeProgress(before, { waiting: null })).toEqual({ pagesDone: 3 });
});
