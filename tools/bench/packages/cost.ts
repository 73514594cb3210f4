import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { registries } from "../../../domain/packages.ts";
import { temporaryFolder } from "../../../test/support/lectern-process.ts";
import type { LecternProcess } from "../../../test/support/lectern-process.ts";
import { median, printTable, processorSeconds, residentMegabytes } from "../measure.ts";
import { size } from "../size.ts";
import { measured } from "./list.ts";
import { index, pinned, startServer } from "./server.ts";

const run = promisify(execFile);

/** Number of packages that are indexed before measuring, as a server gets faster during its first runs. */
const warmUps = size({ full: 12, small: 0 });

/** The cost of indexing a package, or of the bare work. */
interface Cost {
  readonly seconds: number;
  /** Processor seconds of the process and its children, which other processes do not affect. */
  readonly processor: number;
  /** Peak memory of the process. */
  readonly megabytes: number;
}

interface Row {
  readonly name: string;
  readonly passages: number;
  readonly lectern: Cost;
  readonly bare: Cost;
}

/**
 * Prints the cost of each package, from its submission until it can be read, beside that of downloading and unpacking the same archive in
 * the same run.
 */
export async function printCost(runs: number): Promise<void> {
  await using folder = await temporaryFolder();
  const server = await startServer(folder.path);
  try {
    for (let time = 0; time < warmUps; time += 1) {
      const one = pinned(measured[time % measured.length] ?? "");
      await index(server, one, `/${registries[one.registry].prefix}/warm.up_${time}`);
    }
    const rows: Row[] = [];
    for (const name of measured) rows.push(await measure(server, name, rows.length, runs));
    printTable(
      [
        "package",
        "passages",
        "s",
        "bare s",
        "times",
        "processor s",
        "bare processor s",
        "times",
        "peak MB",
        "bare peak MB",
      ],
      rows.map(({ name, passages, lectern, bare }) => [
        name,
        String(passages),
        ...[lectern.seconds, bare.seconds].map((seconds) => seconds.toFixed(2)),
        (lectern.seconds / bare.seconds).toFixed(1),
        ...[lectern.processor, bare.processor].map((seconds) => seconds.toFixed(2)),
        (lectern.processor / bare.processor).toFixed(1),
        ...[lectern.megabytes, bare.megabytes].map((megabytes) => megabytes.toFixed(0)),
      ]),
    );
    const of = (key: keyof Cost): string =>
      `${median(rows.map(({ lectern }) => lectern[key])).toFixed(2)}, ${median(rows.map(({ lectern, bare }) => lectern[key] / bare[key])).toFixed(1)} times bare`;
    console.log(
      `\nMedian of ${rows.length} packages: seconds ${of("seconds")}; processor seconds ${of("processor")}; peak MB ${of("megabytes")}.`,
    );
  } finally {
    await server.kill("SIGTERM");
  }
}

async function measure(server: LecternProcess, name: string, number: number, runs: number): Promise<Row> {
  const one = pinned(name);
  const all: Cost[] = [];
  let [passages, archive] = [0, ""];
  for (let time = 0; time < runs; time += 1) {
    const libraryName = `/${registries[one.registry].prefix}/bench.example_${number}-${time}`;
    await forgetPeak(server.pid);
    const start = performance.now();
    const before = await processorSeconds(server.pid, { living: true });
    const { state, live, notes } = await index(server, one, libraryName);
    all.push({
      seconds: (performance.now() - start) / 1000,
      processor: (await processorSeconds(server.pid, { living: true })) - before,
      megabytes: await residentMegabytes(server.pid, "peak"),
    });
    if (state !== "finalized") throw new Error(`${name} is ${state}: ${notes?.join(" ")}`);
    passages = live?.counts.passages ?? 0;
    archive = await archiveOf(server, libraryName);
  }
  const bare = await bareWork(archive, one.registry === "go" ? "zip" : "tar", runs);
  const typical = (key: keyof Cost): number => median(all.map((cost) => cost[key]));
  const lectern = { seconds: typical("seconds"), processor: typical("processor"), megabytes: typical("megabytes") };
  return { name, passages, lectern, bare };
}

/** Resets the peak memory of a process. Linux only. */
async function forgetPeak(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, "5");
}

/** Address of the archive that a library was read from, as its pages have it. */
async function archiveOf(server: LecternProcess, libraryId: string): Promise<string> {
  const { body } = await server.call("GET", `/v2/libs/status/pages?libraryId=${encodeURIComponent(libraryId)}`);
  const [archive = ""] = /https?:\/\/[^"#]+(?=#)/.exec(JSON.stringify(body)) ?? [];
  if (archive === "") throw new Error(`No page of ${libraryId} says which archive it is from.`);
  return archive;
}

async function bareWork(url: string, format: string, times: number): Promise<Cost> {
  const { stdout } = await run(process.execPath, [join(import.meta.dirname, "bare.ts"), url, format, String(times)]);
  const { seconds, processor, megabytes } = JSON.parse(stdout) as {
    [Key in keyof Cost]: Key extends "megabytes" ? number : number[];
  };
  return { seconds: median(seconds), processor: median(processor), megabytes };
}
