/**
 * What counting and tracing of answers cost, and whether the sums are right. Run it with `npm run bench:metrics`; `-- --quick` is a short
 * run, and `-- --only cost,processes,http` some of it, `-- --rounds 25` the pairs.
 *
 * - Pairs of answers with and without, in one process without a socket, so that the share is the largest that it can be. Counts are
 *   written, and spans sent, behind every 512 answers: far more often than a server does.
 * - A million answers by four processes on PostgreSQL, two of which are killed.
 * - 100,000 requests by HTTP to four servers on one PostgreSQL, two of which are killed.
 */
import { availableParallelism, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { hasPostgres } from "../../dev/postgres.ts";
import { size } from "../size.ts";
import { measureCost } from "./cost.ts";
import { countByHttp } from "./http.ts";
import { countByProcesses } from "./processes.ts";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string", default: "cost,processes,http" },
    rounds: { type: "string" },
  },
});
const { quick } = values;
const only = new Set(values.only.split(","));
const load = (): string => `load ${(loadavg()[0] ?? 0).toFixed(1)} on ${availableParallelism()} cores`;

console.log(`at the start ${load()}`);
if (only.has("cost")) await measureCost(Number(values.rounds ?? (quick ? 3 : size({ full: 25, small: 1 }))));
if (only.has("processes") && hasPostgres())
  await countByProcesses(quick ? 25_000 : size({ full: 250_000, small: 10_000 }));
if (only.has("http") && hasPostgres()) await countByHttp(quick ? 4000 : size({ full: 100_000, small: 400 }));
console.log(`\nat the end ${load()}`);
