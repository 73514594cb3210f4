import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { attackedSettings } from "../../tools/bench/attack/attack.ts";
import { attacks } from "../../tools/bench/attack/index.ts";
import { treeMegabytes } from "../../tools/bench/measure.ts";
import { endurance } from "../support/endurance.ts";
import { startGitServer } from "../support/git-server.ts";
import { startLectern, temporaryFolder } from "../support/lectern-process.ts";
import { startNpmRegistry } from "../support/npm-registry.ts";

const watch = pathToFileURL(join(import.meta.dirname, "../support/loop-watch.mjs")).href;

/** Limits of the longest turn of the event loop (milliseconds of CPU time) and of the memory of the server with its children (MB). */
const maxTurn = 1000;
const maxMemory = 1000;

describe.runIf(endurance)("a server under attack", () => {
  it.each(attacks.map((attack) => [attack.name, attack] as const))(
    "keeps working under %s",
    async (_, { begin, ending }) => {
      const folder = await temporaryFolder();
      const git = await startGitServer();
      const registry = await startNpmRegistry();
      const file = join(folder.path, "loop");
      const server = await startLectern(join(folder.path, "data"), {
        ...attackedSettings(registry),
        LOOP_WATCH: file,
        NODE_OPTIONS: `--import ${watch}`,
      });
      onTestFinished(async () => {
        await server.kill("SIGTERM");
        await git.close();
        await registry.close();
        await folder[Symbol.asyncDispose]();
      });
      // Resets the measurement, as the start does not count.
      process.kill(server.pid, "SIGUSR2");
      const { libraryIds, end } = await begin({
        git,
        registry,
        url: server.url,
        async submit(path, body) {
          const answer = await server.call("POST", path, body);
          expect(answer.status, JSON.stringify(answer.body)).toBe(200);
          return body.libraryName;
        },
      });
      let over = false;
      let memory = 0;
      const watching = (async () => {
        while (!over) {
          memory = Math.max(memory, await treeMegabytes(server.pid));
          await new Promise((resolve) => setTimeout(resolve, 200));
        }
      })();
      const endings: string[] = [];
      for (const libraryId of libraryIds) {
        const { runs } = (await server.settled(libraryId)) as {
          runs: { outcome: string; failure: { error: string; message: string } | null }[];
        };
        const [run] = runs;
        // A slow machine takes more than the processor time that the text of a stranger may take, and says so.
        if (run?.failure?.message.endsWith(" is too slow to read.")) continue;
        endings.push(run?.failure?.error ?? run?.outcome ?? "open");
      }
      if (libraryIds.length === 0) await new Promise((resolve) => setTimeout(resolve, 5000));
      over = true;
      await watching;
      await end?.();
      const turn = Number(readFileSync(file, "utf8"));
      expect(endings.filter((one) => !ending.includes(one))).toEqual([]);
      expect(turn).toBeLessThan(maxTurn);
      expect(memory).toBeLessThan(maxMemory);
    },
  );
});
