import { afterEach, describe, expect, it } from "vitest";
import { parseOnThread, parsePage, type ParsedPage, type ParseInput } from "../../activities/parse-page.ts";
import {
  createThreadPool,
  TaskTimeout,
  type ThreadPool,
  type ThreadPoolOptions,
} from "../../sources/lib/threads/thread-pool.ts";
import type { IncludedFile } from "../../domain/ports.ts";
import { codesOf, type Passage } from "../../domain/passage.ts";
import { toLine } from "../../extract/passage-lines.ts";
import { analysis, toRows } from "../../search/sqlite/passage-rows.ts";
import { codePassage } from "../contracts/passage-samples.ts";

const pools: ThreadPool[] = [];
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

function open(options: ThreadPoolOptions) {
  const pool = createThreadPool(options);
  pools.push(pool);
  const parse = (input: ParseInput, signal?: AbortSignal): Promise<ParsedPage> => parseOnThread(pool, input, signal);
  return { ...pool, parse };
}

const module = new URL("thread-tasks.ts", import.meta.url);
const whichThread = { module, name: "whichThread" };
const forEver = { module, name: "forEver" };
const dieIn = { module, name: "dieIn" };
const hang = { module, name: "hang" };
const work = { module, name: "work" };
const wait = { module, name: "wait" };
const fill = { module, name: "fill" };

const place = {
  mediaType: "text/markdown",
  url: "https://git.example.com/a/b",
  spec: { kind: "folder", path: "/docs", selection: { folders: [], excludeFolders: null, excludeFiles: null } },
  revision: "abc",
} as const;

const page = (index: number, length = 1): ParseInput => ({
  ...place,
  path: `docs/${index}.md`,
  bytes: new TextEncoder().encode(
    `# Page ${index}\n\n${"Words of it that make prose.\n\n".repeat(length)}\`\`\`js\ncode(${index});\n\`\`\`\n`,
  ),
});
const pages = Array.from({ length: 80 }, (_, index) => page(index, (index % 7) * 40));

describe("the thread pool", () => {
  it.each([1, 2])("returns with %i thread(s) what extraction returns of each page", async (maxThreads) => {
    const { parse } = open({ maxThreads });
    expect(await Promise.all(pages.map((input) => parse(input)))).toEqual(await Promise.all(pages.map(parsePage)));
  });

  it("replaces a thread whose task left a large heap", async () => {
    const { run } = open({ maxThreads: 1 });
    const first = await run<undefined, number>(whichThread, undefined);
    await run(fill, 10);
    expect(await run(whichThread, undefined)).toBe(first);
    await run(fill, 400);
    expect(await run(whichThread, undefined)).not.toBe(first);
  });

  it("passes the included files of pages to the threads", async () => {
    const { parse } = open({ maxThreads: 2 });
    const file = (path: string, content: string | null, reason?: string): IncludedFile => ({
      path,
      url: `https://git.example.com/a/b/${path}`,
      fingerprint: path,
      bytes: content === null ? null : new TextEncoder().encode(content),
      ...(reason !== undefined && { reason }),
    });
    const inputs = Array.from({ length: 40 }, (_, index): ParseInput => ({
      ...page(index),
      bytes: new TextEncoder().encode(`# Page ${index}\n\nRun it:\n\n<<< ./a.ts\n\n<<< ./b.ts\n\n<<< ./c.ts\n`),
      includes: [
        file("docs/a.ts", `a(${index});\n`),
        file("docs/b.ts", null, "is a symbolic link"),
        file("docs/c.ts", `c(${index});\n`),
      ],
    }));
    const parsed = await Promise.all(inputs.map((input) => parse(input)));
    expect(parsed).toEqual(await Promise.all(inputs.map(parsePage)));
    const [first] = parsed;
    expect(first).toMatchObject({ notes: ["Line 7 includes ./b.ts, which is a symbolic link."] });
    const lines = first?.outcome === "indexed" ? new TextDecoder().decode(first.lines).trim().split("\n") : [];
    expect(lines.flatMap((line) => codesOf(JSON.parse(line) as Passage))).toMatchObject([
      {
        code: "a(0);",
        sources: [{ path: "docs/a.ts", url: "https://git.example.com/a/b/docs/a.ts#L1-L1", lines: [1, 1] }],
      },
      { code: "c(0);", sources: [{ path: "docs/c.ts" }] },
    ]);
  });

  it("leaves the caller's bytes as they are", async () => {
    const { parse } = open({ maxThreads: 1 });
    const shared = new Uint8Array(1000).fill(10);
    const { bytes } = page(1);
    shared.set(bytes, 100);
    const view = shared.subarray(100, 100 + bytes.length);
    const before = shared.slice();
    const parsing = parse({ ...place, path: "a.md", bytes: view });
    expect(await parsing).toMatchObject({ outcome: "indexed", summary: { title: "Page 1" } });
    expect(shared).toEqual(before);
  });

  it("fails only the page that its thread dies of", async () => {
    const { parse } = open({ maxThreads: 1, threadMemory: 24 });
    const heavy = { ...place, path: "heavy.md", bytes: new TextEncoder().encode("- a\n- b\n\n".repeat(12_000)) };
    const [first, dead, last] = await Promise.allSettled([parse(page(1)), parse(heavy), parse(page(2))]);
    expect(first).toMatchObject({ status: "fulfilled", value: { summary: { title: "Page 1" } } });
    expect(dead).toMatchObject({ status: "rejected", reason: { code: "page_too_costly" } });
    expect(last).toMatchObject({ status: "fulfilled", value: { summary: { title: "Page 2" } } });
  });

  it("rejects a page that its caller aborts, and no other", async () => {
    const { parse } = open({ maxThreads: 1 });
    const controller = new AbortController();
    const parsing = parse(page(1), controller.signal);
    const other = parse(page(2));
    controller.abort(new Error("enough"));
    await expect(parsing).rejects.toThrow("enough");
    await expect(parse(page(3), controller.signal)).rejects.toThrow("enough");
    expect(await other).toMatchObject({ summary: { title: "Page 2" } });
  });

  it("ends the thread of a task that is aborted, and runs the next one on a fresh thread", async () => {
    const { run } = open({ maxThreads: 1 });
    const before = await run(whichThread, undefined);
    const stop = new AbortController();
    const [running, waiting] = [new Int32Array(new SharedArrayBuffer(4)), new Int32Array(new SharedArrayBuffer(4))];
    const endless = run(forEver, running, { signal: stop.signal });
    const queued = run(forEver, waiting, { signal: stop.signal });
    const next = run(whichThread, undefined);
    await expect.poll(() => Atomics.load(running, 0)).toBeGreaterThan(0);
    stop.abort(new Error("enough"));
    await expect(queued).rejects.toThrow("enough");
    await expect(endless).rejects.toThrow("enough");
    expect(await next).not.toBe(before);
    const count = Atomics.load(running, 0);
    expect(await run(whichThread, undefined)).toBe(await next);
    expect([Atomics.load(running, 0), Atomics.load(waiting, 0)]).toEqual([count, 0]);
  });

  it("ends the thread of a task that takes too much processor time", async () => {
    const { run } = open({ maxThreads: 1 });
    const before = await run(whichThread, undefined);
    const counter = new Int32Array(new SharedArrayBuffer(4));
    const endless = run(forEver, counter, { maxCpu: 300 });
    const queued = run(whichThread, undefined, { maxCpu: 300 });
    await expect(endless).rejects.toBeInstanceOf(TaskTimeout);
    expect(await queued).not.toBe(before);
  });

  it("ends a task over its limit even if its thread has not started yet", async () => {
    const { run } = open({ maxThreads: 1 });
    const counter = new Int32Array(new SharedArrayBuffer(4));
    await expect(run(forEver, counter, { maxCpu: 1 })).rejects.toBeInstanceOf(TaskTimeout);
  });

  it("ends the thread of a task that hangs in a regular expression or in native code", async () => {
    const { run } = open({ maxThreads: 2 });
    await expect(run(hang, "expression", { maxCpu: 300 })).rejects.toBeInstanceOf(TaskTimeout);
    await expect(run(hang, "sort", { maxCpu: 300 })).rejects.toBeInstanceOf(TaskTimeout);
    expect(await run(whichThread, undefined)).toBeGreaterThan(0);
  });

  it("lets a task wait as long as it likes: only processor time counts, and only its own", async () => {
    const { run } = open({ maxThreads: 1 });
    const thread = await run(whichThread, undefined);
    await run(work, 200, { maxCpu: 1000 });
    // Five times as long as it may work, on a thread that has worked before.
    await run(wait, 1000, { maxCpu: 200 });
    await Promise.all([1, 2, 3].map(() => run(work, 120, { maxCpu: 1000 })));
    expect(await run(whichThread, undefined, { maxCpu: 200 })).toBe(thread);
  });

  it("runs the tasks of a cheap group before those of an expensive one", async () => {
    const { run } = open({ maxThreads: 1 });
    const order: string[] = [];
    const costly = Array.from({ length: 4 }, async (_, index) => {
      await run(work, 60, { group: "costly" });
      order.push(`costly ${index}`);
    });
    await costly[0];
    const cheap = Array.from({ length: 4 }, async (_, index) => {
      await run(whichThread, undefined, { group: "cheap" });
      order.push(`cheap ${index}`);
    });
    await Promise.all([...costly, ...cheap]);
    expect(order.slice(0, 6)).toEqual(["costly 0", "costly 1", "cheap 0", "cheap 1", "cheap 2", "cheap 3"]);
  });

  it("has stopped an aborted task when its promise rejects", async () => {
    const { run } = open({ maxThreads: 1 });
    const counter = new Int32Array(new SharedArrayBuffer(4));
    const stop = new AbortController();
    const endless = run(forEver, counter, { signal: stop.signal });
    await expect.poll(() => Atomics.load(counter, 0)).toBeGreaterThan(0);
    stop.abort(new Error("enough"));
    await expect(endless).rejects.toThrow("enough");
    const at = Atomics.load(counter, 0);
    await run(whichThread, undefined);
    expect(Atomics.load(counter, 0)).toBe(at);
  });

  it("leaves a thread to other groups once a task of a group has exceeded its limit", async () => {
    const { run } = open({ maxThreads: 2 });
    const stop = new AbortController();
    const counters = Array.from({ length: 4 }, () => new Int32Array(new SharedArrayBuffer(4)));
    const options = { group: "bad", signal: stop.signal };
    const [tooMuch, ...others] = counters.map((counter, index) =>
      run(forEver, counter, index === 0 ? { ...options, maxCpu: 100 } : options),
    );
    const ended = Promise.allSettled(others);
    await expect(tooMuch).rejects.toBeInstanceOf(TaskTimeout);
    for (let index = 0; index < 3; index++) await run(work, 100, { group: "good" });
    expect(counters.map((counter) => Atomics.load(counter, 0) > 0)).toEqual([true, true, false, false]);
    stop.abort(new Error("enough"));
    expect((await ended).map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  });

  it("gives up a page that takes too long to read, and goes on with the others", async () => {
    const pool = open({ maxThreads: 1 });
    await pool.parse(page(1));
    const html = `<html><body><p>words ${"<a href=x>y</a> ".repeat(60_000)}</body></html>`;
    const slow = { ...place, path: "slow", mediaType: "text/html", bytes: new TextEncoder().encode(html) };
    await expect(parseOnThread(pool, slow, undefined, 5)).rejects.toMatchObject({
      code: "page_too_costly",
      message: "slow is too slow to read. Split the page, or exclude it.",
    });
    expect(await pool.parse(page(2))).toMatchObject({ summary: { title: "Page 2" } });
  });

  it("settles every task while threads die", async () => {
    const { run } = open({ maxThreads: 2 });
    const tasks = Array.from({ length: 60 }, (_, index) =>
      index % 6 === 0 ? run(dieIn, index) : run(whichThread, undefined),
    );
    const settled = await Promise.allSettled(tasks);
    for (const [index, { status }] of settled.entries())
      expect(status).toBe(index % 6 === 0 ? "rejected" : "fulfilled");
    expect(settled[0]).toMatchObject({ reason: new Error("The thread ended with code 3.") });
    expect(settled[6]).toMatchObject({ reason: new Error("thrown outside of the task") });
  });

  it("keeps a thread for the next task, and ends it after the idle timeout", async () => {
    const { run } = open({ maxThreads: 1, idleTimeout: 200 });
    const first = await run(whichThread, undefined);
    expect(await run(whichThread, undefined)).toBe(first);
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(await run(whichThread, undefined)).not.toBe(first);
  });

  it("fails a task whose input or result cannot be copied, or that does not exist", async () => {
    const { run } = open({ maxThreads: 1 });
    await expect(run(whichThread, () => 1)).rejects.toThrow("could not be cloned");
    await expect(run({ module, name: "answersAFunction" }, undefined)).rejects.toThrow("could not be cloned");
    await expect(run({ module, name: "nothing" }, undefined)).rejects.toThrow("exports no nothing");
    expect(await run(whichThread, undefined)).toBeGreaterThan(0);
  });

  it("runs other functions besides pages, and passes on what they return and throw", async () => {
    const pool = open({ maxThreads: 1 });
    const line = new TextEncoder().encode(toLine(codePassage("a", { title: "Cache" })).line);
    const lines = Array.from({ length: 20 }, () => ({ lines: line, language: "rust" }));
    const parsing = Promise.all(pages.map((input) => pool.parse(input)));
    expect(await Promise.all(lines.map((one) => pool.run(analysis, one)))).toEqual(lines.map(toRows));
    await expect(pool.run(analysis, { lines: new Uint8Array([123]), language: "" })).rejects.toThrow("JSON");
    expect(await parsing).toEqual(await Promise.all(pages.map(parsePage)));
    const given = { lines: line.slice(), language: "" };
    await pool.run(analysis, given, { transfer: [given.lines.buffer] });
    expect(given.lines).toHaveLength(0);
    await pool.close();
    await expect(pool.run(analysis, lines[0])).rejects.toMatchObject({ code: "service_unavailable" });
  });

  it("refuses pages once it is closed, and rejects those that wait", async () => {
    const pool = open({ maxThreads: 1 });
    const waiting = Promise.allSettled(pages.map((input) => pool.parse(input)));
    await pool.close();
    expect((await waiting).at(-1)).toMatchObject({ status: "rejected", reason: { code: "service_unavailable" } });
    await expect(pool.parse(page(1))).rejects.toMatchObject({ code: "service_unavailable" });
  });
});
