import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { median, treeMegabytes } from "../../tools/bench/measure.ts";
import { toLine } from "../../sources/git/packets.ts";
import { chainOfDeltas, inPieces, packHead, sendsPack } from "../support/git-pack.ts";
import { maxMedianWait } from "../support/max-wait.ts";
import { startServers } from "../e2e/setup.ts";

const { git, server, add } = await startServers();

const health = () => server.call("GET", "/health");

/**
 * Median wait for `health` in milliseconds and peak memory in MB, until `settled` resolves.
 */
async function watch(settled: Promise<unknown>): Promise<{ wait: number; peak: number }> {
  let over = false;
  void settled.finally(() => (over = true));
  const waits: number[] = [];
  let peak = 0;
  while (!over) {
    const start = performance.now();
    expect(await health()).toMatchObject({ status: 200 });
    waits.push(performance.now() - start);
    peak = Math.max(peak, await treeMegabytes(server.pid));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { wait: median(waits), peak };
}

function* endless(piece: Uint8Array): Generator<Uint8Array> {
  for (;;) yield piece;
}

async function nestedTrees(): Promise<void> {
  const repository = await git.repository("hostile/nested", { "README.md": "# Hi" });
  for (let depth = 0; depth < 6; depth += 1) {
    const tree = await repository.git("rev-parse", "main^{tree}");
    await repository.commitEntries(Array.from({ length: 100 }, (_, at) => ({ name: `d${at}`, tree })));
  }
}

async function longNames(): Promise<void> {
  const repository = await git.repository("hostile/names", { "README.md": "# Hi" });
  await repository.commitEntries([{ name: `${"n".repeat(5_000_000)}.md`, content: "a" }]);
}

const answers = (name: string, listener: Parameters<typeof git.answer>[1]) => async () => git.answer(name, listener);

it.each([
  [
    "endless refs",
    "refs",
    answers("hostile/refs", (request, response) => {
      if (request.method === "GET") return void response.end(`${toLine("version 2")}${toLine("ls-refs")}0000`);
      const refs = Buffer.from(toLine(`${"1".repeat(40)} refs/heads/${"x".repeat(900)}`).repeat(60));
      const write = (): void => void (response.destroyed || response.write(refs, () => setImmediate(write)));
      write();
    }),
    "library_too_large",
  ],
  [
    "endless bytes that are not a pack",
    "bytes",
    answers(
      "hostile/bytes",
      sendsPack(() => endless(randomBytes(60_000))),
    ),
    "source_invalid",
  ],
  [
    "an endless pack",
    "count",
    answers(
      "hostile/count",
      sendsPack(function* () {
        yield packHead(0xffffffff);
        yield* endless(randomBytes(60_000));
      }),
    ),
    "source_invalid",
  ],
  [
    "deltas that double their base",
    "deltas",
    answers(
      "hostile/deltas",
      sendsPack(() => inPieces(chainOfDeltas(Buffer.alloc(1000), 23, 2))),
    ),
    "library_too_large",
  ],
  ["a million entries in nested trees", "nested", nestedTrees, "library_too_large"],
  ["names of megabytes", "names", longNames, "library_too_large"],
])(
  "a host that sends %s ends as a failed run, in bounded memory, while health answers",
  async (_, name, prepare, code) => {
    await prepare();
    const maxWait = await maxMedianWait(health);
    await add(`${git.url}/hostile/${name}`);
    const settled = server.settled(`/hostile/${name}`);
    const { wait, peak } = await watch(settled);
    const status = (await settled) as { runs: { failure: { error: string; message: string } }[] };
    expect(status).toMatchObject({ state: "error" });
    expect(status.runs[0]?.failure).toMatchObject({ error: code });
    expect(wait).toBeLessThan(maxWait);
    // Up to 700 MB for a git process, the rest for the server.
    expect(peak).toBeLessThan(1000);
  },
);

it("a host with 300,000 refs does not slow down readers: the newest are kept, and unknown versions are looked up in these", async () => {
  const commit = "1".repeat(40);
  const names = Array.from({ length: 300_000 }, (_, at) => `refs/tags/v${at % 1000}.${at}.0`);
  const refs = [`HEAD symref-target:refs/heads/main`, "refs/heads/main", ...names].map((ref) =>
    toLine(`${commit} ${ref}`),
  );
  const answer = `${refs.join("")}0000`;
  git.answer("hostile/many-refs", (request, response) => {
    if (request.method === "GET") return void response.end(`${toLine("version 2")}${toLine("ls-refs")}0000`);
    response.end(answer);
  });
  const maxWait = await maxMedianWait(health);
  await add(`${git.url}/hostile/many-refs`);
  const settled = server.settled("/hostile/many-refs");
  const resolving = await watch(settled);
  expect(await settled).toMatchObject({ refsLeftOut: 298_001 });
  const answers = Array.from({ length: 10 }, async (_, at) => {
    const version = `v999.999.${at + 1}`;
    const address = `${server.url}/api/v2/context?libraryId=/hostile/many-refs@${version}&query=a`;
    return (await fetch(address)).text();
  });
  const reading = await watch(Promise.all(answers));
  expect(await answers[0]).toMatch(/v999\.999\.1.*Nearest known versions: v999\..*298001 more/);
  for (const { wait, peak } of [resolving, reading]) {
    expect(wait).toBeLessThan(maxWait);
    expect(peak).toBeLessThan(1000);
  }
});
