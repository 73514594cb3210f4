import { monitorEventLoopDelay } from "node:perf_hooks";
import { expect, it, onTestFinished } from "vitest";
import { openApiReader } from "../../sources/openapi/index.ts";
import { createThreadPool } from "../../sources/lib/threads/thread-pool.ts";
import { amount } from "../support/endurance.ts";
import { noCheckpoint, nothingEarlier } from "../support/nothing-earlier.ts";

/** Longest time that the event loop may be blocked, in milliseconds. */
const longest = 1000;

/** The short form takes a tenth of the attack and of the limits. */
const part = amount({ short: 0.1, long: 1 });
const limits = { pages: 50_000 * part, bytes: 500e6 * part, pageBytes: 40e6 };

const many = <Value>(count: number, make: (at: number) => Value): Value[] =>
  Array.from({ length: count }, (_, at) => make(at));
const operation = { get: { summary: "Read", responses: { 200: { description: "OK" } } } };
const describing = (paths: object, schemas: object = {}, others: object = {}): string =>
  JSON.stringify({ openapi: "3.0.3", info: { title: "A", version: "1" }, paths, components: { schemas, ...others } });
const sameCallbacks = (count: number) =>
  Object.fromEntries(many(count, (at) => [`c${at}`, { $ref: "#/components/callbacks/C" }]));

it.each<[string, () => string, string]>([
  [
    "100,000 operations",
    () => describing(Object.fromEntries(many(100_000 * part, (at) => [`/p${at}`, operation]))),
    `library_too_large: api.json has more than the ${limits.pages} parts`,
  ],
  [
    "a title of a megabyte that is in all of 40,000 operations",
    () =>
      describing(Object.fromEntries(many(40_000 * part, (at) => [`/p${at}`, operation]))).replace(
        '"A"',
        `"${"t".repeat(1e6)}"`,
      ),
    `${40_000 * part + 1} pages`,
  ],
  [
    "a schema of a megabyte that is in all of 40,000 operations",
    () => {
      const content = { "application/json": { schema: { $ref: "#/components/schemas/A" } } };
      const one = { post: { requestBody: { content }, responses: {} } };
      const properties = Object.fromEntries(
        many(60, (at) => [`field${at}`, { type: "string", description: "word ".repeat(3000) }]),
      );
      return describing(Object.fromEntries(many(40_000 * part, (at) => [`/p${at}`, one])), {
        A: { type: "object", properties },
      });
    },
    `${40_000 * part + 2} pages`,
  ],
  [
    "a sentence of a megabyte that is in all of 40,000 operations",
    () => {
      const responses = { 200: { $ref: "#/components/responses/A" } };
      return describing(
        Object.fromEntries(many(40_000 * part, (at) => [`/p${at}`, { get: { responses } }])),
        {},
        { responses: { A: { description: "word ".repeat(200_000) } } },
      );
    },
    `library_too_large: The parts of api.json have more than the ${Math.min(limits.bytes, 200e6)} bytes`,
  ],
  [
    "a million references to other files",
    () => describing({ "/a": operation }, { A: { allOf: many(1_000_000 * part, (at) => ({ $ref: `x${at}.json` })) } }),
    "2 pages",
  ],
  [
    "a reference, and a path, of 20 megabytes",
    () => describing({ "/a": operation, [`/${"k".repeat(2e7 * part)}`]: { $ref: "x".repeat(2e7 * part) } }),
    "2 pages",
  ],
  [
    "callbacks that come to a million operations",
    () =>
      describing(
        { "/a": { post: { callbacks: sameCallbacks(100), responses: {} } } },
        {},
        {
          callbacks: {
            C: Object.fromEntries(
              many(100, (at) => [`u${at}`, { post: { callbacks: sameCallbacks(100), responses: {} } }]),
            ),
          },
        },
      ),
    `library_too_large: api.json has more than the ${limits.pages} parts`,
  ],
])("a description with %s does not block, and has pages or an error of a bounded size", async (_, make, ending) => {
  const pool = createThreadPool({ maxThreads: 1 });
  onTestFinished(() => pool.close());
  const source = openApiReader.create({ politeClient: () => ({}) as never, guard: { checkUrl() {} } as never, pool });
  const bytes = new TextEncoder().encode(make());
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const ended = await read(source, bytes);
  delay.disable();
  expect(ended.slice(0, ending.length)).toBe(ending);
  expect(ended.length).toBeLessThan(1000);
  expect(delay.max / 1e6).toBeLessThan(longest);
});

/** How reading an uploaded description ends: in a number of pages, or with a failure. */
async function read(source: ReturnType<typeof openApiReader.create>, bytes: Uint8Array): Promise<string> {
  let pages = 0;
  try {
    const items = source.read({ kind: "openapi", url: null, fileName: "api.json" }, undefined, {
      signal: new AbortController().signal,
      checkpoint: noCheckpoint,
      known: () => undefined,
      earlier: nothingEarlier,
      pages: () => {},
      upload: async () => bytes,
      credential: null,
      scratch: "",
      limits,
    });
    for await (const { page } of items) {
      pages += 1;
      // A turn of the event loop, as when pages are written.
      if (pages % 48 === 0) await new Promise(setImmediate);
      if (page.key.length > 10_000) throw new Error("The key is too long.");
    }
    return `${pages} pages`;
  } catch (error) {
    const { code, message } = error as { readonly code?: string; readonly message: string };
    return `${code}: ${message}`;
  }
}
