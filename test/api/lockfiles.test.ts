import { describe, expect, it, onTestFinished } from "vitest";

import type { RequestedBy } from "../../api/options.ts";
import { createApp } from "../../api/app.ts";
import { serve } from "./serving.ts";
import { adminKey, setup } from "./setup.ts";

type Answer = { error?: string; message?: string; packages: { name: string }[]; leftOut: number };

/** A server, a function that sends it a lockfile, the requests for which one was parsed, and the number of bodies that were read. */
async function server(settings = {}, parse?: (by: RequestedBy) => Promise<never>) {
  const parsedFor: RequestedBy[] = [];
  const world = await setup(settings);
  const { readLockfile } = world.options;
  const app = createApp({
    ...world.options,
    readLockfile: (name, bytes, by) => {
      parsedFor.push(by);
      return parse?.(by) ?? readLockfile(name, bytes, by);
    },
  });
  let bodies = 0;
  const { server: http } = await serve((request) => {
    const readBody = async (limit: number) => {
      bodies += 1;
      return request.readBody(limit);
    };
    return app({ ...request, readBody });
  });
  const send = async (text: string, { key, signal }: { key?: string; signal?: AbortSignal } = {}) => {
    const body = new FormData();
    body.set("lockfile", new Blob([text]), "requirements.txt");
    const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const init = { method: "POST", body, headers, ...(signal && { signal }) };
    const response = await fetch(`${http.url}/api/v2/resolve`, init);
    return { status: response.status, ...((await response.json()) as Answer) };
  };
  return { send, parsedFor, bodies: () => bodies };
}

/** Parsing that ends only when aborted. */
const endless = ({ signal }: RequestedBy): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error));
  });

describe("a lockfile", () => {
  it("has a lower size limit without a key, and the refusal says what to do", async () => {
    const { send, parsedFor } = await server();
    const large = "# a comment\n".repeat(350_000);
    expect(await send(large)).toMatchObject({
      status: 413,
      error: "payload_too_large",
      message:
        "lockfile exceeds the limit of 4000000 bytes for callers without a key. Send a key, which allows 20000000 bytes, or the packages as JSON.",
    });
    // By Content-Length, before it is read.
    expect(await send(large.repeat(2))).toMatchObject({ status: 413, error: "payload_too_large" });
    expect(parsedFor).toEqual([]);
    expect(await send(large, { key: adminKey })).toMatchObject({ status: 200, packages: [] });
    expect(await send("kit==1.0.0\n")).toMatchObject({ status: 200, packages: [{ name: "kit" }] });
  });

  it("with too many packages gives the first of them, and the number of the others", async () => {
    const { send } = await server();
    const text = Array.from({ length: 7000 }, (_, at) => `kit-${at}==1.0.0\n`).join("");
    const { status, packages, leftOut } = await send(text);
    expect([status, packages.length, leftOut]).toEqual([200, 5000, 2000]);
  });

  it("is parsed for its client: its key, or its address without one", async () => {
    const { send, parsedFor } = await server();
    await send("kit==1.0.0\n");
    await send("kit==1.0.0\n", { key: adminKey });
    expect(parsedFor.map(({ client, hasKey }) => [client, hasKey])).toEqual([
      ["127.0.0.1", false],
      [expect.any(String), true],
    ]);
    expect(parsedFor.map(({ signal }) => signal.aborted)).toEqual([false, false]);
  });

  it("waits unread while two of its client are parsed", async () => {
    const parses: (() => void)[] = [];
    const parse = () => new Promise<never>((_, reject) => void parses.push(() => reject(new Error("over"))));
    const { send, parsedFor, bodies } = await server({}, parse);
    const sent = [1, 2, 3].map(() => send("kit==1.0.0\n"));
    await expect.poll(() => parses.length).toBe(2);
    // With a key it is of another client.
    sent.push(send("kit==1.0.0\n", { key: adminKey }));
    await expect.poll(() => parsedFor.map(({ hasKey }) => hasKey)).toEqual([false, false, true]);
    expect(bodies()).toBe(3);
    parses[0]?.();
    await expect.poll(() => parses.length).toBe(4);
    expect(bodies()).toBe(4);
    for (const end of parses) end();
    await Promise.all(sent);
  });

  it("is aborted when the request times out", async () => {
    const { send, parsedFor } = await server({ readTimeoutSeconds: 1 }, endless);
    expect(await send("kit==1.0.0\n")).toMatchObject({ status: 503, error: "service_unavailable" });
    expect(parsedFor[0]?.signal.aborted).toBe(true);
  });

  it("is aborted when its client leaves", async () => {
    const { send, parsedFor } = await server({}, endless);
    const client = new AbortController();
    onTestFinished(() => client.abort());
    const sent = send("kit==1.0.0\n", { signal: client.signal });
    await expect.poll(() => parsedFor.length).toBe(1);
    client.abort();
    await expect(sent).rejects.toThrow("aborted");
    await expect.poll(() => parsedFor[0]?.signal.aborted).toBe(true);
  });
});
