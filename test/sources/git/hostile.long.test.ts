import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { randomBytes } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import { gitFailure } from "../../../sources/git/failures.ts";
import { GitExit } from "../../../sources/git/spawning.ts";
import { amount } from "../../support/endurance.ts";
import { chainOfDeltas, sendsPack } from "../../support/git-pack.ts";
import { openGitTestbed, outline, startGitTestbed, stateOf, type GitTestbed } from "./setup.ts";

const bed = await openGitTestbed({ maxDownload: 4_000_000 });
/** With a short timeout for a silent server. */
const hasty = await openGitTestbed({ idleTimeout: 400 });

it("reads only from addresses that the guard lets through", async () => {
  const spec = bed.spec("https://git.example.com/a/b");
  const reading = bed.read(spec, stateOf("http://127.0.0.1:1/a/b"));
  await expect(reading).rejects.toMatchObject({ code: "address_not_allowed" });
  const file = bed.read(spec, stateOf("file:///etc"));
  await expect(file).rejects.toMatchObject({ code: "validation_error" });
});

it("shows the token in no address", async () => {
  const auth = { user: "git", password: "hunter2hunter2" };
  const repository = await bed.server.repository("acme/secret", { "README.md": "# Hi" }, { auth });
  await bed.readAll(bed.spec(repository.url), { secret: auth.password });
  expect(bed.server.requests.filter(({ headers }) => headers.authorization !== undefined)).not.toEqual([]);
  expect(JSON.stringify(bed.server.requests.map(({ path }) => path))).not.toContain("hunter2");
});

it("fetches from a server only what it reads, in two requests", async () => {
  const files = { "docs/a.md": "small", "assets/film.bin": randomBytes(3_000_000) };
  const repository = await bed.server.repository("acme/lean", files);
  const spec = bed.spec(repository.url);
  const state = await bed.resolve(spec);
  bed.server.requests.length = 0;
  await bed.read(spec, state);
  const posts = bed.server.requests.filter(({ method }) => method === "POST");
  expect(posts).toHaveLength(2);
  expect(posts.reduce((sum, { sent }) => sum + sent, 0)).toBeLessThan(5000);
});

describe("many documents", () => {
  const files = Object.fromEntries(
    Array.from({ length: 3300 }, (_value, i): [string, string] => [`d/${String(i).padStart(4, "0")}.md`, `page ${i}`]),
  );

  it("are fetched in a few requests, and come in the order of their paths", async () => {
    const repository = await bed.server.repository("acme/many", files);
    const spec = bed.spec(repository.url);
    const state = await bed.resolve(spec);
    bed.server.requests.length = 0;
    const { items } = await bed.read(spec, state, { limits: { pages: 5000 } });
    expect(outline(items)).toEqual(files);
    expect(items.map(({ page }) => page.key)).toEqual(Object.keys(files).toSorted());
    expect(bed.server.requests.map(({ objects }) => objects).filter((objects) => objects > 0)).toEqual([
      3, 128, 512, 2660,
    ]);
  });

  it("are not fetched any more once nobody reads", async () => {
    const repository = await bed.server.repository("acme/left", files);
    const spec = bed.spec(repository.url);
    const state = await bed.resolve(spec);
    let gate: ReturnType<GitTestbed["server"]["hold"]> | undefined;
    const reading = bed.read(spec, state, {
      limits: { pages: 5000 },
      onItem: () => {
        gate ??= bed.server.hold("acme/left");
        throw new Error("enough");
      },
    });
    await expect(reading).rejects.toThrow("enough");
    gate?.release();
  });

  it("are read from a server that hands out the tips of its refs only", async () => {
    const repository = await bed.server.repository("acme/many-tips", files, { oldProtocol: true });
    const { items } = await bed.readAll(bed.spec(repository.url), { limits: { pages: 5000 } });
    expect(outline(items)).toEqual(files);
  });

  it("are read while later ones are fetched, until those fail", async () => {
    const paths = Object.keys(files).slice(0, 700);
    const large = Object.fromEntries(paths.map((path) => [path, randomBytes(2000)]));
    const repository = await hasty.server.repository("acme/later", large, { hangAfter: 500_000 });
    const seen: string[] = [];
    const reading = hasty.readAll(hasty.spec(repository.url), { onItem: ({ page }) => seen.push(page.key) });
    await expect(reading).rejects.toMatchObject({ code: "source_unreachable" });
    expect(seen).toEqual(paths.slice(0, 128));
  });
});

it("skips a document of 60 MB without holding it in memory", async () => {
  const repository = await bed.server.repository("acme/giant", {
    "a.md": "a",
    "giant.md": Buffer.alloc(60_000_000, "x"),
    "z.md": "z",
  });
  const spec = bed.spec(repository.url);
  const state = await bed.resolve(spec);
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  const most = process.memoryUsage().arrayBuffers + 30_000_000;
  let peak = 0;
  const timer = setInterval(() => {
    // Garbage does not count.
    if (process.memoryUsage().arrayBuffers >= most) {
      collect();
      // A second collection waits for the thread that gives back the buffers of the first.
      collect();
    }
    peak = Math.max(peak, process.memoryUsage().arrayBuffers);
  }, 5);
  const { items } = await bed.read(spec, state);
  clearInterval(timer);
  expect(outline(items)).toEqual({ "a.md": "a", "giant.md": "too_large", "z.md": "z" });
  expect(peak).toBeLessThan(most);
});

it("refuses documents that unpack to many times the limit, however small their pack is", async () => {
  const files = Object.fromEntries(
    Array.from({ length: 8 }, (_value, i) => [`${i}.md`, Buffer.alloc(9_000_000, `${i}`)]),
  );
  const repository = await bed.server.repository("acme/bomb", { ...files, "README.md": "# Hi" });
  const spec = bed.spec(repository.url);
  const enough = await bed.readAll(spec, { limits: { bytes: 8_000_000 } });
  expect(outline(enough.items)).toMatchObject({ "README.md": "# Hi", "7.md": "too_large" });
  await expect(bed.readAll(spec, { limits: { bytes: 7_000_000 } })).rejects.toMatchObject({
    code: "library_too_large",
    message: expect.stringMatching(/unpack.*MAX_BYTES/),
  });
});

it("skips a document a thousand folders deep", async () => {
  const deep = `${"d/".repeat(1000)}a.md`;
  const repository = await bed.server.repository("acme/deep", { "README.md": "# Hi", [deep]: "deep" });
  const { items } = await bed.readAll(bed.spec(repository.url));
  expect(outline(items)).toEqual({ "README.md": "# Hi", [deep.slice(0, 1024)]: "unsafe_path" });
});

it("reports folders that are too deep for git", () => {
  const exit = new GitExit("ls-tree", {
    code: 128,
    signal: null,
    lines: ["error: exceeded maximum allowed tree depth"],
  });
  const failure = gitFailure(exit, new URL("https://git.example.com/a/b"), []);
  expect(failure).toMatchObject({ code: "library_too_large", message: expect.stringContaining("deeper") });
});

it("gives up on a server that sends its pack byte by byte", async () => {
  const slow = await startGitTestbed({ slowest: { bytes: 1000, within: 400 } });
  onTestFinished(() => slow.close());
  slow.server.answer(
    "odd/slow",
    sendsPack(async function* () {
      for (const byte of chainOfDeltas(randomBytes(5000), 0, 1)) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        yield Buffer.from([byte]);
      }
    }),
  );
  await expect(slow.readAll(slow.spec(`${slow.server.url}/odd/slow`))).rejects.toMatchObject({
    code: "source_unreachable",
    message: expect.stringMatching(/too slow.*Try again later/),
  });
});

it("reads the tree of ten thousands of files", async () => {
  const documents = amount({ short: 20, long: 100 });
  const files = Object.fromEntries(
    Array.from({ length: documents * 1000 }, (_value, i) => [
      `d${i % 300}/f${i}.${i % 1000 === 0 ? "md" : "c"}`,
      `${i % 50}`,
    ]),
  );
  const repository = await bed.server.repository("acme/wide", files);
  const { items } = await bed.readAll(bed.spec(repository.url));
  expect(items).toHaveLength(documents);
});

it("says that a repository whose objects are named by SHA-256 cannot be read", async () => {
  const repository = await bed.server.repository("acme/sha256", { "README.md": "# Hi" }, { objectFormat: "sha256" });
  await expect(bed.resolve(bed.spec(repository.url))).rejects.toMatchObject({
    code: "source_invalid",
    message: expect.stringContaining("SHA-256"),
  });
});
