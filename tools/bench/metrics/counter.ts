/** Counts answers of a library of its own into PostgreSQL until it is done or killed, and prints how many it has counted and written. */
import { writeSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { pino } from "pino";
import { createMetrics } from "../../../api/metrics.ts";
import { openPostgresCatalog } from "../../../stores/catalog/postgres.ts";
import { newId } from "../../../cli/ids.ts";
import { surfaces } from "../../../domain/metrics.ts";

const [, , url = "", libraryUid = "", answers = "", every = ""] = process.argv;
const catalog = await openPostgresCatalog({ url, poolSize: 2, migrate: false });
let counted = 0;
let written = 0;
const tell = (): void => void writeSync(1, `${JSON.stringify({ counted, written })}\n`);
const metrics = createMetrics({
  async record(batch) {
    await catalog.metrics.add(batch);
    written += batch.answers.reduce((sum, { count }) => sum + count, 0);
    tell();
  },
  every: Number(every),
  now: Date.now,
  newId,
  log: pino({ level: "error" }, pino.destination(2)),
});
while (counted < Number(answers)) {
  for (let more = 0; more < 500; more += 1, counted += 1)
    metrics.count({
      libraryUid,
      surface: surfaces[counted % 4] ?? "mcp",
      user: `key:${counted % 1000}`,
      client: counted % 3 === 0 ? "cursor" : "vscode",
      topic: `Heading ${counted % 700}`,
    });
  tell();
  await pause(10);
}
await metrics.close();
tell();
await catalog.close();
