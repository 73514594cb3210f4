import { connect } from "node:net";
import { expect, it } from "vitest";
import { jsonAnswer } from "../../api/answers.ts";
import { createThrottle } from "../../api/incoming-bodies.ts";
import { serve } from "./serving.ts";

it("delays what an address sends, but not other addresses or proxies", () => {
  let time = 0;
  const throttle = createThrottle(
    (address) => address === "proxy",
    () => time,
  );
  expect(throttle("one", 65_536)).toBe(0);
  expect(throttle("one", 3_276_800)).toBe(102);
  expect(throttle("two", 65_536)).toBe(0);
  expect(throttle("proxy", 32_768_000)).toBe(0);
  expect(throttle("2001:db8::1", 3_276_800)).toBe(100);
  expect(throttle("2001:db8::2", 3_276_800)).toBe(200);
  time = 50;
  expect(throttle("one", 0)).toBe(52);
  time = 1000;
  expect(throttle("one", 65_536)).toBe(0);
});

const megabytes = (count: number) => new Uint8Array(count * 1_000_000);
const seconds = async (work: () => Promise<unknown>): Promise<number> => {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
};

it("throttles the bodies of one address, and still answers other requests", async () => {
  const { ask } = await serve(async ({ path, readBody }) =>
    jsonAnswer(path === "/api/health" ? {} : { bytes: (await readBody(50_000_000)).length }),
  );
  let waited = 0;
  const sending = seconds(() => Promise.all([1, 2, 3].map(() => ask("/", { method: "POST", body: megabytes(10) }))));
  for (let at = 0; at < 20; at += 1) waited = Math.max(waited, await seconds(() => ask("/api/health")));
  expect(await sending).toBeGreaterThan(0.7);
  expect(waited).toBeLessThan(0.5);
});

it("drains refused bodies at the same pace, and every client gets the refusal", async () => {
  const { ask } = await serve(async () => jsonAnswer({ refused: true }));
  const sending = seconds(async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => ask("/", { method: "POST", body: megabytes(4) })),
    );
    for (const { bytes } of answers) expect(bytes.toString()).toBe('{"refused":true}');
  });
  expect(await sending).toBeGreaterThan(0.6);
});

it("continues after clients left while their bodies were drained", async () => {
  const { server, ask } = await serve(async () => jsonAnswer({ refused: true }));
  const head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4000000\r\n\r\n";
  for (let at = 0; at < 20; at += 1) {
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1", () =>
      socket.write(head, () => socket.destroy()),
    );
  }
  const answer = await ask("/", { method: "POST", body: megabytes(1) });
  expect(answer.bytes.toString()).toBe('{"refused":true}');
});
