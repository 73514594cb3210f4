import { join } from "node:path";
import { Pool } from "undici";
import { drive, printTable } from "../measure.ts";
import { size } from "../size.ts";
import { startLimitsServer } from "./world.ts";
import type { Place } from "./world.ts";

const limit = size({ full: 500, small: 20 });
const asked = size({ full: 800, small: 40 });

/** How many answers each of four keys gets of two processes, which are asked at the same time. */
export async function measureExactness(place: Place, keys: readonly string[]): Promise<void> {
  const env = { RATE_LIMIT_READS: String(limit) };
  await using first = await startLimitsServer(place, env);
  await using second = await startLimitsServer({ ...place, folder: join(place.folder, "second") }, env);
  const urls = [first.full, second.full];
  const pools = urls.map((url) => new Pool(url, { connections: 8 }));
  const path = "/api/v2/libs/search?libraryName=limits&query=limits";
  const rows = await Promise.all(
    keys.slice(-4).map(async (key, at) => {
      const statuses = new Map<number, number>();
      const { seconds } = await drive(4, asked, async (number) => {
        const pool = pools[number % pools.length];
        if (!pool) throw new Error("There are two pools.");
        const { statusCode, body } = await pool.request({
          path,
          method: "GET",
          headers: { authorization: `Bearer ${key}` },
        });
        await body.dump();
        statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1);
      });
      return [`key ${at + 1}`, String(limit), String(statuses.get(200)), String(statuses.get(429)), seconds.toFixed(1)];
    }),
  );
  await Promise.all(pools.map((pool) => pool.close()));
  printTable(["two processes on PostgreSQL", "limit", "answered", "429", "seconds"], rows);
}
