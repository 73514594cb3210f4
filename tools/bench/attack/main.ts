/**
 * What others notice of an attack: how long `health` takes at the median and at most, the most memory of the server and what it starts, and how
 * long another library takes to be indexed meanwhile, beside its quiet time on the same server. Each attack has a server of its own. Run it with `npm run bench:attack`, which ends with an
 * error where a bounded attack was noticed by others: `npm run bench:attack -- lockfile` runs those that have the word in their name.
 */
import { setTimeout as pause } from "node:timers/promises";
import { startGitServer } from "../../../test/support/git-server.ts";
import { startLectern, temporaryFolder } from "../../../test/support/lectern-process.ts";
import type { LecternProcess } from "../../../test/support/lectern-process.ts";
import { startNpmRegistry } from "../../../test/support/npm-registry.ts";
import { repositoryFiles } from "../corpus.ts";
import { median, printTable, watchMemory } from "../measure.ts";
import { size } from "../size.ts";
import { attackedSettings } from "./attack.ts";
import type { AttackContext } from "./attack.ts";
import { attacks } from "./index.ts";

/** Measurements of the other library, quiet and under each attack. */
const runs = size({ full: 3, small: 1 });
const documents = size({ full: 500, small: 5 });

const git = await startGitServer();
const registry = await startNpmRegistry();
let libraries = 0;
/** One of each kind. */
const quickest = new Set([
  "a robots.txt with a long wildcard rule and a long sitemap",
  "20 connections that pipeline and never read",
  "an archive of a package that is compressed twice",
  "30 posters of a lockfile of 17 MB without a key",
  "a requirements.txt of 2,000,000 lines, and 20 connections whose bodies come in chunks of a byte",
]);
const [word = ""] = process.argv.slice(2);
const wanted = attacks.filter(({ name }) => name.includes(word));

/** What others may notice of a bounded attack: milliseconds of `health`, megabytes, and the quiet time of the other library. */
const bounds = {
  longest: size({ full: 1000, small: Infinity }),
  memory: 1000,
  times: size({ full: 2, small: Infinity }),
};

function contextOf(server: LecternProcess): AttackContext {
  return {
    git,
    registry,
    url: server.url,
    async submit(path, body) {
      const { status, body: answer } = await server.call("POST", path, body);
      if (status !== 200) throw new Error(`The submission was answered ${status}: ${JSON.stringify(answer)}`);
      return body.libraryName;
    },
  };
}

/** Seconds from the submission of another library to its first answer. */
async function indexOther(server: LecternProcess): Promise<number> {
  libraries += 1;
  const { url } = await git.repository(
    `other/library-${libraries}`,
    repositoryFiles(libraries, { documents, sources: 0 }),
  );
  const start = performance.now();
  const libraryName = await contextOf(server).submit("/v2/add/repo/git", {
    docsRepoUrl: url,
    libraryName: `/other/library-${libraries}`,
  });
  for (;;) {
    const { status } = await server.call("GET", `/v2/context?libraryId=${libraryName}&query=configure`);
    if (status === 200) return (performance.now() - start) / 1000;
    await pause(20);
  }
}

async function measured(
  server: LecternProcess,
): Promise<{ seconds: number; health: number; longest: number; memory: number }> {
  const peak = watchMemory(server.pid);
  const waits: number[] = [];
  let over = false;
  const watching = (async () => {
    while (!over) {
      const asked = performance.now();
      await server.call("GET", "/health");
      waits.push(performance.now() - asked);
      await pause(50);
    }
  })();
  const seconds: number[] = [];
  for (let run = 0; run < runs; run += 1) seconds.push(await indexOther(server));
  over = true;
  await watching;
  return { seconds: median(seconds), health: median(waits), longest: Math.max(...waits), memory: await peak() };
}

/** How the attacked runs ended, once they have. */
async function endingsOf(server: LecternProcess, libraryIds: readonly string[]): Promise<string> {
  const endings = new Set<string>();
  for (const libraryId of libraryIds) endings.add(await endingOf(server, libraryId));
  return [...endings].join(", ");
}

async function endingOf(server: LecternProcess, libraryId: string): Promise<string> {
  for (;;) {
    const { body } = await server.call("GET", `/v2/libs/status?libraryId=${libraryId}`);
    const { openRun, runs: past } = body as {
      openRun: object | null;
      runs: { outcome: string; failure: { error: string } | null }[];
    };
    if (openRun === null) return past[0]?.failure?.error ?? past[0]?.outcome ?? "";
    await pause(200);
  }
}

try {
  const shown = (row: { seconds: number; health: number; longest: number; memory: number }) =>
    [row.health, row.longest, row.memory].map((value) => value.toFixed(0)).concat(row.seconds.toFixed(2));
  const rows: string[][] = [];
  const noticed: string[] = [];
  for (const { name, isBounded, begin } of size({
    full: wanted,
    small: wanted.filter(({ name }) => quickest.has(name)),
  })) {
    await using folder = await temporaryFolder();
    const server = await startLectern(folder.path, attackedSettings(registry));
    try {
      for (let run = 0; run < runs; run += 1) await indexOther(server);
      const quiet = await measured(server);
      if (rows.length === 0) rows.push(["none", ...shown(quiet), "1.00", ""]);
      const { libraryIds, end } = await begin(contextOf(server));
      const row = await measured(server);
      const times = row.seconds / quiet.seconds;
      rows.push([name, ...shown(row), times.toFixed(2), await endingsOf(server, libraryIds)]);
      await end?.();
      const { longest, memory } = row;
      if (isBounded && (longest > bounds.longest || memory > bounds.memory || times > bounds.times)) noticed.push(name);
    } finally {
      await server.kill("SIGTERM");
    }
  }
  printTable(["attack", "health ms", "longest ms", "memory MB", "other library s", "/ quiet", "attacked run"], rows);
  if (noticed.length > 0) throw new Error(`Others noticed too much of: ${noticed.join("; ")}.`);
} finally {
  await git.close();
  await registry.close();
}
