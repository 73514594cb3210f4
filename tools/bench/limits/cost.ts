import { Pool } from "undici";
import { drive, median, printTable, processorSeconds, quantile } from "../measure.ts";
import { size } from "../size.ts";
import { questionPath, startLimitsServer } from "./world.ts";
import type { Place } from "./world.ts";

/** Many short rounds: what else the machine does weighs on neighbouring ones alike. */
const rounds = size({ full: 40, small: 1 });
const requests = size({ full: 50, small: 20 });

/** How reads are asked. Another part of access that costs something is another way. */
interface Way {
  readonly name: string;
  readonly server: "bare" | "full";
  /** Of the request with this number; absent: no key. */
  readonly key?: (at: number) => string;
}

/** What access costs a read, beside reads without it, in turns. */
export async function measureCost(name: string, place: Place, keys: readonly string[]): Promise<void> {
  const ways: readonly Way[] = [
    { name: "no key, nothing counted", server: "bare" },
    { name: "one key, counted", server: "full", key: () => keys[0] ?? "" },
    { name: `${keys.length} keys, counted`, server: "full", key: (at) => keys[(at * 7919) % keys.length] ?? "" },
  ];
  const rows: string[][] = [];
  await using server = await startLimitsServer(place);
  for (const clients of [1, 8]) {
    const timings = ways.map(() => ({ times: [] as number[], medians: [] as number[], seconds: 0, processor: 0 }));
    for (let round = -1; round < rounds; round += 1) {
      for (const [at, way] of ways.entries()) {
        const pool = new Pool(server[way.server], { connections: clients });
        const before = await processorSeconds(server.pid);
        const { times, seconds } = await drive(clients, requests, async (number) => {
          const asked = round * requests + number + requests;
          const headers = way.key ? { authorization: `Bearer ${way.key(asked)}` } : {};
          const { statusCode, body } = await pool.request({ path: questionPath(asked), method: "GET", headers });
          await body.dump();
          if (statusCode !== 200) throw new Error(`A question was answered ${statusCode}.`);
        });
        await pool.close();
        const timing = timings[at];
        // The first round is for caches and the compiler.
        if (!timing || round < 0) continue;
        timing.times.push(...times);
        timing.medians.push(median(times));
        timing.seconds += seconds;
        timing.processor += (await processorSeconds(server.pid)) - before;
      }
    }
    const [bare] = timings;
    for (const [at, { times, medians, seconds, processor }] of timings.entries()) {
      // Each round beside the bare one next to it: what else the machine does weighs on both.
      const ratios = medians.map((time, round) => time / (bare?.medians[round] ?? Number.NaN));
      rows.push([
        `${name}, ${clients} client${clients === 1 ? "" : "s"}, ${ways[at]?.name ?? ""}`,
        median(times).toFixed(2),
        quantile(times, 0.99).toFixed(2),
        (times.length / seconds).toFixed(0),
        median(ratios).toFixed(3),
        ((1000 * processor) / times.length).toFixed(2),
      ]);
    }
  }
  printTable(["", "p50 ms", "p99 ms", "answers a second", "p50 / bare", "server CPU ms an answer"], rows);
}
