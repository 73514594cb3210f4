import { describe, expect, it, onTestFinished } from "vitest";

import type { RequestedBy } from "../../api/options.ts";
import { createApp } from "../../api/app.ts";
import { serve } from "./serving.ts";
import { adminKey, setup } from "./setup.ts";

type Answered = { error?: string; message?: string; packages: { name: string }[]; leftOut: number };

/** A server, and what sends it a lockfile; `asked` are the requests of which one was parsed. */
async function server(settings = {}, parse?: (by: RequestedBy) => Promise<never>) {
  const asked: RequestedBy[] = [];
  const world = await setup(settings);
  const { readLockfile } = world.options;
  const { server: listening } = await serve(
    createApp({
      ...world.options,
      readLockfile: (name, bytes, by) => {
        asked.push(by);
        return parse?.(by) ?? readLockfile(name, bytes, by);
      },
    }),
  );
  const send = async (text: string, { key, signal }: { key?: string; signal?: AbortSignal } = {}) => {
    const body = new FormData();
    body.set("lockfile", new Blob([text]), "requirements.txt");
    const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const given = { method: "POST", body, headers, ...(signal && { signal }) };
    const response = await fetch(`${listening.url}/api/v2/resolve`, given);
    return { status: response.status, ...((await response.json()) as Answered) };
  };
  return { send, asked };
}

/** Never ends by itself, as the work of a long file. */
const endless = ({ signal }: RequestedBy): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error));
  });

describe("a lockfile", () => {
  it("may be smaller without a key, which the refusal says, with what to do", async () => {
    const { send, asked } = await server();
    const large = "# a comment\n".repeat(350_000);
    expect(await send(large)).toMatchObject({
      status: 413,
      error: "payload_too_large",
      message:
        "lockfile exceeds the limit of 4000000 bytes for callers without a key. Send a key, which allows 20000000 bytes, or the packages as JSON.",
    });
    // Its size is known before it is read.
    expect(await send(large.repeat(2))).toMatchObject({ status: 413, error: "payload_too_large" });
    expect(asked).toEqual([]);
    expect(await send(large, { key: adminKey })).toMatchObject({ status: 200, packages: [] });
    expect(await send("kit==1.0.0\n")).toMatchObject({ status: 200, packages: [{ name: "kit" }] });
  });

  it("of more packages than are answered for gives the first of them, and the number of the others", async () => {
    const { send } = await server();
    const text = Array.from({ length: 7000 }, (_, at) => `kit-${at}==1.0.0\n`).join("");
    const { status, packages, leftOut } = await send(text);
    expect([status, packages.length, leftOut]).toEqual([200, 5000, 2000]);
  });

  it("is parsed as the work of its client: its key, or its address without one", async () => {
    const { send, asked } = await server();
    await send("kit==1.0.0\n");
    await send("kit==1.0.0\n", { key: adminKey });
    expect(asked.map(({ client, hasKey }) => [client, hasKey])).toEqual([
      ["127.0.0.1", false],
      [expect.any(String), true],
    ]);
    expect(asked.map(({ signal }) => signal.aborted)).toEqual([false, false]);
  });

  it("is given up when the time of the request is over", async () => {
    const { send, asked } = await server({ readTimeoutSeconds: 1 }, endless);
    expect(await send("kit==1.0.0\n")).toMatchObject({ status: 503, error: "service_unavailable" });
    expect(asked[0]?.signal.aborted).toBe(true);
  });

  it("is given up when its client has left", async () => {
    const { send, asked } = await server({}, endless);
    const leaving = new AbortController();
    onTestFinished(() => leaving.abort());
    const sent = send("kit==1.0.0\n", { signal: leaving.signal });
    await expect.poll(() => asked.length).toBe(1);
    leaving.abort();
    await expect(sent).rejects.toThrow("aborted");
    await expect.poll(() => asked[0]?.signal.aborted).toBe(true);
  });
});
