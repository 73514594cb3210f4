import fc from "fast-check";
import { expect, it } from "vitest";
import { createApp } from "../../api/app.ts";
import { runs } from "../support/endurance.ts";
import { serve } from "./serving.ts";
import { adminKey, setup } from "./setup.ts";

/** A request and its expected status; null if the connection is closed after any answer. */
interface Sent {
  readonly text: string;
  readonly status: number | null;
}

const auth = `Authorization: Bearer ${adminKey}\r\n`;

/** A request with a head and a body. */
function request(method: string, path: string, status: number | null, { headers = "", body = "" } = {}): Sent {
  const length = body === "" ? "" : `Content-Length: ${body.length}\r\n`;
  return { text: `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}${length}\r\n${body}`, status };
}

const json = `${auth}Content-Type: application/json\r\n`;

const whole: fc.Arbitrary<Sent> = fc.oneof(
  fc.constantFrom(
    request("GET", "/api/health", 200),
    request("HEAD", "/api/health", 200),
    request("GET", "/api/v2/libs", 200, { headers: auth }),
    request("GET", "/api/v2/libs", 401),
    request("GET", "/api/nothing", 404),
    request("PUT", "/api/v2/libs", 405, { headers: auth }),
    request("POST", "/v2", 404, { body: "unasked" }),
    request("POST", "/api/v2/libs/cancel", 404, { headers: json, body: '{"libraryName":"/a/b"}' }),
    request("POST", "/api/v2/libs/cancel", 400, { headers: json, body: "{" }),
  ),
  fc
    .string({ unit: fc.constantFrom("%", "/", ".", "a", "?", "&", "=", "2", "0"), maxLength: 40 })
    .map((tail) => request("GET", `/x${tail}`, 404)),
);

const broken: fc.Arbitrary<Sent> = fc
  .oneof(
    fc.string({ minLength: 1, maxLength: 80, unit: "binary" }),
    fc.constantFrom(
      "GET /api/health HTTP/1.1\r\nHost: a\r\nHost: b\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
      "GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
      `GET /${"a".repeat(20_000)} HTTP/1.1\r\n\r\n`,
      "\r\n\r\n\0\0\0",
    ),
  )
  .map((text) => ({ text, status: null }));

/** The statuses of pipelined answers; those to HEAD have no body. */
function statusesOf(got: string, sent: readonly Sent[]): number[] {
  const statuses: number[] = [];
  for (let at = 0; at < got.length;) {
    const end = got.indexOf("\r\n\r\n", at);
    const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(got.slice(at, end)) ?? [];
    if (status === undefined) throw new Error(`No answer begins at ${at}: ${got.slice(at, at + 80)}`);
    const isHead = sent[statuses.length]?.text.startsWith("HEAD") ?? false;
    statuses.push(Number(status));
    const [, length = "0"] = /\r\ncontent-length: (\d+)/i.exec(got.slice(at, end)) ?? [];
    at = end + 4 + (isHead ? 0 : Number(length));
  }
  return statuses;
}

it("pipelined requests in any pieces are answered in order, and so is the next client", async () => {
  const { options } = await setup({ rateLimitReads: 1e9, rateLimitSubmissions: 1e9, rateLimitAnonymous: 1e9 });
  const { raw, ask } = await serve(createApp(options), { headersTimeout: 1000, bodyTimeout: 1000 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(whole, { maxLength: 20 }),
      fc.option(broken, { nil: undefined }),
      fc.array(fc.nat(4000), { maxLength: 6 }),
      async (good, bad, cuts) => {
        const last = request("GET", "/api/health", 200, { headers: "Connection: close\r\n" });
        const sent = [...good, bad ?? last];
        const all = sent.map(({ text }) => text).join("");
        const places = [0, ...cuts.map((cut) => cut % Math.max(1, all.length)).toSorted((one, other) => one - other)];
        const pieces = places
          .map((place, index) => all.slice(place, places[index + 1]))
          .filter((piece) => piece !== "");
        // An incomplete request ends with the next one, which completes it, or by its timeout.
        const got = await raw(...pieces, ...(bad ? ["\r\n\r\n", last.text, last.text] : []));
        const statuses = statusesOf(got, sent);
        const expected = good.map(({ status }) => status);
        // Invalid bytes end the connection with an error after the answers before them.
        expect(statuses.slice(0, expected.length)).toEqual(expected);
        if (!bad) expect(statuses).toEqual([...expected, 200]);
        expect((await ask("/api/health")).statusCode).toBe(200);
      },
    ),
    { numRuns: runs({ short: 30, long: 300 }) },
  );
});
