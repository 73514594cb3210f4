import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { Pool } from "undici";
import { drive, median, printTable, quantile } from "../measure.ts";
import { size } from "../size.ts";
import { questionPath, startLimitsServer } from "./world.ts";
import type { Place } from "./world.ts";

const rounds = size({ full: 5, small: 1 });
const requests = size({ full: 300, small: 20 });
const noisyClients = 64;

/** The p99 of one key that asks one question after the other, alone and while 64 clients of another key ask without a pause. */
export async function measureNoise(name: string, place: Place, keys: readonly string[]): Promise<void> {
  const rows: string[][] = [];
  const [quiet = "", ...noisy] = keys;
  for (const [situation, limit] of [
    ["within its limit", "1000000"],
    ["beyond its limit", "300"],
  ] as const) {
    await using server = await startLimitsServer(place, { RATE_LIMIT_READS: limit });
    const alone: number[] = [];
    const beside: number[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      const key = limit === "300" ? (keys[round + 1] ?? "") : quiet;
      const first = await p99(server.full, key, round);
      const load = await startLoad(server.full, noisy[100 + round] ?? "");
      const other = limit === "300" ? (keys[round + 50] ?? "") : quiet;
      const second = await p99(server.full, other, round);
      await load.stop();
      if (round === 0) continue;
      alone.push(first);
      beside.push(second);
    }
    rows.push([
      `${name}, noisy key ${situation}`,
      median(alone).toFixed(1),
      median(beside).toFixed(1),
      median(beside.map((time, at) => time / (alone[at] ?? Number.NaN))).toFixed(2),
    ]);
  }
  printTable(["", "quiet p99 ms", "p99 ms beside 64 clients", "ratio, median of five"], rows);
}

async function p99(url: string, key: string, round: number): Promise<number> {
  const pool = new Pool(url, { connections: 1 });
  const headers = { authorization: `Bearer ${key}` };
  const { times } = await drive(1, requests, async (at) => {
    const { statusCode, body } = await pool.request({
      path: questionPath(round * requests + at),
      method: "GET",
      headers,
    });
    await body.dump();
    if (statusCode !== 200) throw new Error(`A question was answered ${statusCode}.`);
  });
  await pool.close();
  return quantile(times, 0.99);
}

async function startLoad(url: string, key: string): Promise<{ stop(): Promise<void> }> {
  const told = JSON.stringify({ url, key, path: questionPath(7), clients: noisyClients });
  const child = spawn(process.execPath, [join(import.meta.dirname, "load.ts"), told], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  await once(child.stdout, "data");
  return {
    async stop() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
