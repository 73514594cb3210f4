/**
 * Effects of an attack on others: the longest response time of `health`, the peak memory of the server and its children, and the time to index
 * another library, compared with its quiet time on the same server. Each attack has its own server. Run it with `npm run bench:attack`, which
 * ends with an error if a bounded attack exceeds its bounds; `npm run bench:attack -- lockfile` runs the attacks with that word in their name.
 */
import { setTimeout as pause } from "node:timers/promises";
import { startGitServer } from "../../../test/support/git-server.ts";
import { startLectern, temporaryFolder, type LecternProcess } from "../../../test/support/lectern-process.ts";
import { startNpmRegistry } from "../../../test/support/npm-registry.ts";
import { repositoryFiles } from "../corpus.ts";
import { median, printTable, watchMemory } from "../measure.ts";
import { size } from "../size.ts";
import { attackedSettings, type AttackContext } from "./attack.ts";
import { attacks } from "./index.ts";

/** Measurements of the other library, quiet and under each attack. */
const runs = size({ full: 3, small: 1 });
const documents = size({ full: 500, small: 5 });

const git = await startGitServer();
const registry = await startNpmRegistry();
let libraries = 0;
/** The attacks of the small form, one of each kind. */
const quickest = new Set([
  "a robots.txt with a long wildcard rule and a long sitemap",
  "20 connections that pipeline and never read",
  "an archive of a package that is compressed twice",
  "30 posters of a lockfile of 17 MB without a key",
  "a requirements.txt of 2,000,000 lines, and 20 connections whose bodies come in chunks of a byte",
]);
const [word = ""] = process.argv.slice(2);
const wanted = attacks.filter(({ name }) => name.includes(word));

/** Bounds of the effects: milliseconds of `health`, megabytes, and multiples of the quiet time of the other library. */
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

/** Seconds to index another library, the longest response time of `health` in milliseconds, and peak memory in MB. */
interface Effects {
  readonly seconds: number;
  readonly longest: number;
  readonly memory: number;
}

async function measure(server: LecternProcess): Promise<Effects> {
  const peak = watchMemory(server.pid);
  let longest = 0;
  let over = false;
  const watching = (async () => {
    while (!over) {
      const start = performance.now();
      await server.call("GET", "/health");
      longest = Math.max(longest, performance.now() - start);
      await pause(50);
    }
  })();
  const seconds: number[] = [];
  for (let run = 0; run < runs; run += 1) seconds.push(await indexOther(server));
  over = true;
  await watching;
  return { seconds: median(seconds), longest, memory: await peak() };
}

try {
  const rows: string[][] = [];
  const exceeding: string[] = [];
  const toRow = (name: string, { longest, memory }: Effects, times: number): string[] => [
    name,
    longest.toFixed(0),
    memory.toFixed(0),
    times.toFixed(2),
  ];
  for (const { name, isBounded, begin } of size({
    full: wanted,
    small: wanted.filter(({ name }) => quickest.has(name)),
  })) {
    await using folder = await temporaryFolder();
    const server = await startLectern(folder.path, attackedSettings(registry));
    try {
      for (let run = 0; run < runs; run += 1) await indexOther(server);
      const quiet = await measure(server);
      if (rows.length === 0) rows.push(toRow("none", quiet, 1));
      const { end } = await begin(contextOf(server));
      const attacked = await measure(server);
      const times = attacked.seconds / quiet.seconds;
      rows.push(toRow(name, attacked, times));
      await end?.();
      const { longest, memory } = attacked;
      if (isBounded && (longest > bounds.longest || memory > bounds.memory || times > bounds.times))
        exceeding.push(name);
    } finally {
      await server.kill("SIGTERM");
    }
  }
  printTable(["attack", "longest health ms", "MB", "other library / quiet"], rows);
  if (exceeding.length > 0) throw new Error(`Out of bounds: ${exceeding.join("; ")}.`);
} finally {
  await git.close();
  await registry.close();
}
