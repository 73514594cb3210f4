import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { endLeftOverPrograms } from "../../tools/dev/left-over.ts";
import { startProgram } from "../../tools/dev/program.ts";
import { temporaryFolder } from "../support/lectern-process.ts";

/** A zombie still has a pid, but no command line. */
const isRunning = async (pid: number): Promise<boolean> =>
  (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")) !== "";

describe.skipIf(process.platform !== "linux")("programs that a killed process left running", () => {
  it("are ended and returned by name, and their records are removed", async () => {
    await using folder = await temporaryFolder();
    const starter = spawn(process.execPath, [join(import.meta.dirname, "start-and-wait.ts"), folder.path]);
    const [output] = (await once(starter.stdout, "data")) as [Buffer];
    const pid = Number(output.toString());
    starter.kill("SIGKILL");
    await once(starter, "exit");
    expect(await isRunning(pid)).toBe(true);
    expect(await endLeftOverPrograms(folder.path)).toEqual(["patient"]);
    expect(await isRunning(pid)).toBe(false);
    expect(await readdir(folder.path)).toEqual(["patient.log"]);
    expect(await endLeftOverPrograms(folder.path)).toEqual([]);
  });

  it("are not confused with another process of the same number", async () => {
    await using folder = await temporaryFolder();
    await writeFile(join(folder.path, "me.log.pid"), JSON.stringify({ pid: process.pid, started: "1" }));
    expect(await endLeftOverPrograms(folder.path)).toEqual([]);
    expect(await readdir(folder.path)).toEqual([]);
  });

  it("leave no record after an orderly stop", async () => {
    await using folder = await temporaryFolder();
    const program = await startProgram({
      command: process.execPath,
      args: ["-e", "setInterval(() => {}, 1000)"],
      log: join(folder.path, "orderly.log"),
      ready: () => Promise.resolve(true),
    });
    expect(await readdir(folder.path)).toEqual(["orderly.log", "orderly.log.pid"]);
    await program.stop();
    expect(await readdir(folder.path)).toEqual(["orderly.log"]);
  });
});
