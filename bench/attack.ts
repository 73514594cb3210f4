/**
 * What others notice of an attack: how long `health` takes at the median, the most memory of the server and what it starts, and how
 * long another library takes to be indexed meanwhile, beside its quiet time in the same run. Run it with `npm run bench:attack`.
 */
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { toLine } from "../activities/sources/git/packets.ts";
import { chainOfDeltas, inPieces, sendsPack } from "../test/support/git-pack.ts";
import { startGitServer } from "../test/support/git-server.ts";
import { startLectern, temporaryFolder } from "../test/support/lectern-process.ts";
import { repositoryFiles } from "./corpus.ts";
import { median, printTable, watchMemory } from "./measure.ts";

/** Measurements of the other library, quiet and under each attack. */
const runs = 3;
const documents = 500;

const git = await startGitServer();
await using folder = await temporaryFolder();
const server = await startLectern(folder.path, { FETCH_ALLOW: "127.0.0.1", LOG_LEVEL: "error" });
let libraries = 0;

/** What is attacked with: the ID of a library whose run it is, or null, and a way to end it. */
interface Attack {
  readonly name: string;
  begin(): Promise<{ readonly libraryIds: readonly string[]; end?: () => void }>;
}

const submit = async (url: string, libraryName: string): Promise<string> => {
  const { status, body } = await server.call("POST", "/v2/add/repo/git", { docsRepoUrl: url, libraryName });
  if (status !== 200) throw new Error(`The submission was answered ${status}: ${JSON.stringify(body)}`);
  return libraryName;
};
const hanging = `# Hanging\n\nText.\n\n<Callout title=${"\u00A0".repeat(30_000)}\n\nText.\n`;

const attacks: readonly Attack[] = [
  {
    name: "eight pages that hang their parser",
    async begin() {
      const pages = Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`docs/${at}.md`, `${hanging}${at}\n`]));
      const { url } = await git.repository("attack/hanging", pages);
      return { libraryIds: [await submit(url, "/attack/hanging")] };
    },
  },
  {
    name: "a pack of deltas that double",
    async begin() {
      git.answer(
        "attack/deltas",
        sendsPack(() => inPieces(chainOfDeltas(Buffer.alloc(1000), 23, 2))),
      );
      return { libraryIds: [await submit(`${git.url}/attack/deltas`, "/attack/deltas")] };
    },
  },
  {
    name: "300,000 refs",
    async begin() {
      const commit = "1".repeat(40);
      const names = Array.from({ length: 300_000 }, (_, at) => `refs/tags/v${at % 1000}.${at}.0`);
      const told = `${[`HEAD symref-target:refs/heads/main`, "refs/heads/main", ...names].map((ref) => toLine(`${commit} ${ref}`)).join("")}0000`;
      git.answer("attack/refs", (request, response) => {
        if (request.method === "GET") return void response.end(`${toLine("version 2")}${toLine("ls-refs")}0000`);
        response.end(told);
      });
      return { libraryIds: [await submit(`${git.url}/attack/refs`, "/attack/refs")] };
    },
  },
  {
    name: "four repositories of a host that never ends its answer",
    async begin() {
      const silent = await startGitServer();
      const ids: string[] = [];
      for (const name of ["a", "b", "c", "d"]) {
        silent.answer(`slow/${name}`, () => {});
        ids.push(await submit(`${silent.url}/slow/${name}`, `/attack/slow-${name}`));
      }
      return { libraryIds: ids, end: () => void silent.close() };
    },
  },
  {
    name: "20 connections that pipeline and never read",
    async begin() {
      const { hostname, port } = new URL(server.url);
      const flood = "GET /api/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(2000);
      let over = false;
      const attackers = new Set<ReturnType<typeof connect>>();
      const attack = (): void => {
        if (over) return;
        const socket = connect(Number(port), hostname).pause();
        attackers.add(socket);
        const write = (): void => void (socket.destroyed || socket.write(flood, () => setTimeout(write, 10)));
        socket.on("connect", write).on("error", () => socket.destroy());
        socket.on("close", () => setTimeout(attack, 10));
      };
      for (let at = 0; at < 20; at += 1) attack();
      const end = (): void => {
        over = true;
        for (const socket of attackers) socket.destroy();
      };
      return { libraryIds: [], end };
    },
  },
];

/** Seconds from the submission of another library to its first answer. */
async function indexOther(): Promise<number> {
  libraries += 1;
  const { url } = await git.repository(
    `other/library-${libraries}`,
    repositoryFiles(libraries, { documents, sources: 0 }),
  );
  const start = performance.now();
  const libraryName = await submit(url, `/other/library-${libraries}`);
  for (;;) {
    const { status } = await server.call("GET", `/v2/context?libraryId=${libraryName}&query=configure`);
    if (status === 200) return (performance.now() - start) / 1000;
    await pause(20);
  }
}

async function measured(): Promise<{ seconds: number; health: number; memory: number }> {
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
  for (let run = 0; run < runs; run += 1) seconds.push(await indexOther());
  over = true;
  await watching;
  return { seconds: median(seconds), health: median(waits), memory: await peak() };
}

/** How the attacked runs ended, once they have. */
async function endingsOf(libraryIds: readonly string[]): Promise<string> {
  const endings = new Set<string>();
  for (const libraryId of libraryIds) endings.add(await endingOf(libraryId));
  return [...endings].join(", ");
}

async function endingOf(libraryId: string): Promise<string> {
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
  for (let run = 0; run < runs; run += 1) await indexOther();
  const quiet = await measured();
  const shown = (row: { seconds: number; health: number; memory: number }) =>
    [row.health.toFixed(0), row.memory.toFixed(0), row.seconds.toFixed(2)] as const;
  const rows = [["none", ...shown(quiet), "1.00", ""]];
  for (const { name, begin } of attacks) {
    const { libraryIds, end } = await begin();
    const row = await measured();
    rows.push([name, ...shown(row), (row.seconds / quiet.seconds).toFixed(2), await endingsOf(libraryIds)]);
    end?.();
  }
  printTable(["attack", "health ms", "memory MB", "other library s", "/ quiet", "attacked run"], rows);
} finally {
  await server.kill("SIGTERM");
  await git.close();
}
