/**
 * Time from POST to the first 200, compared with `git clone --depth 1` of the same repository and with the bare work (the same blobs fetched,
 * parsed once, inserted into FTS5 once), all in one run. Both sides get faster in their first runs, as Node compiles hot code: the first run
 * of a fresh server is printed separately, and the other warm-ups are not counted. Run it with `npm run bench:ingest`.
 */
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { exportGeneration } from "../../activities/transfer.ts";
import { createFolderBlobStore } from "../../stores/blobs/folder.ts";
import { readPassage, codesOf } from "../../domain/passage.ts";
import { startGitServer } from "../../test/support/git-server.ts";
import { startLectern, temporaryFolder, type LecternProcess } from "../../test/support/lectern-process.ts";
import { bareIngest, shallowClone, type BareRow } from "./bare.ts";
import { repositoryFiles } from "./corpus.ts";
import { median, printTable, residentMegabytes, timed, watchMemory } from "./measure.ts";
import { size } from "./size.ts";

interface Shape {
  readonly name: string;
  readonly documents: number;
  readonly sources: number;
  /** Runs that are not counted: 3,000 documents, so that all servers are equally warm. */
  readonly warmUps: number;
  readonly runs: number;
}

const shapes: readonly Shape[] = size({
  full: [
    { name: "small", documents: 100, sources: 0, warmUps: 30, runs: 9 },
    { name: "documentation only", documents: 1000, sources: 0, warmUps: 3, runs: 5 },
    { name: "mostly code", documents: 300, sources: 6000, warmUps: 10, runs: 5 },
  ],
  small: [{ name: "small", documents: 5, sources: 5, warmUps: 1, runs: 1 }],
});

/**
 * Interval of polls for the first answer, in milliseconds. A poll takes 1 ms of a core that indexing needs, so polls begin after this share
 * of the shortest run so far.
 */
const pollInterval = 10;
const quietShare = 0.8;

const git = await startGitServer();
try {
  const rows: string[][] = [];
  for (const [index, shape] of shapes.entries()) rows.push(await measure(shape, index));
  printTable(
    [
      "repository",
      "documents",
      "files",
      "snippets",
      "Lectern s",
      "bare work s (fetch + parse + insert)",
      "clone s",
      "Lectern / bare",
      "Lectern / clone",
      "first run s (/ bare)",
      "ms a document",
      "peak MB",
    ],
    rows,
  );
} finally {
  await git.close();
}

async function measure(shape: Shape, seed: number): Promise<string[]> {
  const name = shape.name.replaceAll(" ", "-");
  const repository = await git.repository(`bench/${name}.git`, repositoryFiles(seed + 1, shape));
  await using folder = await temporaryFolder();
  const host = new URL(repository.url).host;
  const server = await startLectern(folder.path, {
    FETCH_ALLOW: host,
    LOG_LEVEL: "error",
    MAX_TOKENS: "100000000",
    PARSE_THREADS: "0",
  });
  const peak = watchMemory(server.pid);
  try {
    const all: number[] = [];
    const lectern: number[] = [];
    const clone: number[] = [];
    const bare: { fetch: number; parse: number; insert: number }[] = [];
    let generation: readonly BareRow[] = [];
    let first = "";
    await timed(shape.warmUps + shape.runs - 1, async (run) => {
      const id = `/bench/${name}-${run}`;
      const quiet = run === 0 ? 0 : quietShare * Math.min(...all);
      const seconds = await submitAndWait(server, repository.url, id, quiet);
      all.push(seconds);
      if (run === 0) generation = await rowsOf(server, folder.path, id);
      const work = await bareIngest(repository.url, generation);
      if (run === 0)
        first = `${seconds.toFixed(2)} (${(seconds / (work.fetch + work.parse + work.insert)).toFixed(2)})`;
      if (run < shape.warmUps) return;
      lectern.push(seconds);
      clone.push(await shallowClone(repository.url));
      bare.push(work);
    });
    const whole = bare.map(({ fetch, parse, insert }) => fetch + parse + insert);
    const parts = (["fetch", "parse", "insert"] as const).map((part) =>
      median(bare.map((work) => work[part])).toFixed(2),
    );
    const ratios = lectern.map((seconds, run) => seconds / (whole[run] ?? Number.NaN));
    const toClone = lectern.map((seconds, run) => seconds / (clone[run] ?? Number.NaN));
    return [
      shape.name,
      String(shape.documents),
      String(shape.documents + shape.sources),
      String(generation.length),
      median(lectern).toFixed(2),
      `${median(whole).toFixed(2)} (${parts.join(" + ")})`,
      median(clone).toFixed(2),
      median(ratios).toFixed(2),
      median(toClone).toFixed(2),
      first,
      ((median(lectern) / shape.documents) * 1000).toFixed(2),
      Math.max(await peak(), await residentMegabytes(server.pid, "peak")).toFixed(0),
    ];
  } finally {
    await peak();
    await server.kill("SIGTERM");
  }
}

/** Seconds from POST to the first 200, with the first poll after `quiet` seconds. */
async function submitAndWait(server: LecternProcess, url: string, libraryName: string, quiet: number): Promise<number> {
  const start = performance.now();
  const submitted = await server.call("POST", "/v2/add/repo/git", { docsRepoUrl: url, libraryName });
  if (submitted.status !== 200)
    throw new Error(`The submission was answered ${submitted.status}: ${JSON.stringify(submitted.body)}`);
  await pause(quiet * 1000);
  for (;;) {
    const { status, body } = await server.call("GET", `/v2/context?libraryId=${libraryName}&query=configure`);
    if (status === 200) return (performance.now() - start) / 1000;
    if (status !== 202) throw new Error(`${libraryName} answered ${status}: ${JSON.stringify(body)}`);
    await pause(pollInterval);
  }
}

/** The text that Lectern indexed, for the bare work to insert. */
async function rowsOf(server: LecternProcess, folder: string, libraryName: string): Promise<readonly BareRow[]> {
  const status = await server.settled(libraryName);
  const live = status["live"] as { id: string };
  const rows: BareRow[] = [];
  for await (const line of exportGeneration(createFolderBlobStore({ folder: join(folder, "blobs") }), live.id)) {
    if (!line.includes('"breadcrumb":')) continue;
    const passage = readPassage(line);
    const prose = passage.blocks.flatMap((block) => (block.type === "prose" ? [block.markdown] : []));
    const body = [...prose, ...codesOf(passage).map(({ code }) => code)].join("\n");
    rows.push({ title: [...passage.breadcrumb, passage.title].join(" "), body });
  }
  return rows;
}
