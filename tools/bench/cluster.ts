/**
 * The cluster on this machine, with all that a power cut needs: what Temporal adds to a run, reads beside the bare
 * multi-search, and a thousand libraries at once. Run it with `npm run bench:cluster`; `-- --quick` is a short run.
 *
 *   --only overhead,reads,many   some of the measurements
 *   --rounds 15                  small repositories indexed with each engine
 *   --documents 1680             pages of the library that is read, about 12 passages each
 *   --requests 2000              questions a row
 *   --libraries 100,1000         libraries submitted at once, one measurement each
 */
import { availableParallelism, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { startLocalCluster } from "../dev/local-cluster.ts";
import { startGitServer } from "../../test/support/git-server.ts";
import { temporaryFolder } from "../../test/support/lectern-process.ts";
import { measureMany } from "./cluster-many.ts";
import { measureOverhead } from "./cluster-overhead.ts";
import { measureReads } from "./cluster-reads.ts";
import { size } from "./size.ts";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string", default: "overhead,reads,many" },
    rounds: { type: "string" },
    documents: { type: "string" },
    requests: { type: "string" },
    libraries: { type: "string" },
  },
});
const { quick } = values;
const only = new Set(values.only.split(","));
const rounds = Number(values.rounds ?? (quick ? 3 : size({ full: 15, small: 1 })));
const documents = Number(values.documents ?? (quick ? 120 : size({ full: 1680, small: 20 })));
const requests = Number(values.requests ?? (quick ? 400 : size({ full: 2000, small: 64 })));
const libraries = (values.libraries ?? (quick ? "20,40" : size({ full: "100,1000", small: "4" })))
  .split(",")
  .map(Number);

await using folder = await temporaryFolder();
await using own = await temporaryFolder();
const git = await startGitServer();
await using closing = new AsyncDisposableStack();
closing.defer(() => git.close());
const cluster = await startLocalCluster({
  folder: folder.path,
  env: {
    FETCH_ALLOW: git.host,
    LOG_LEVEL: "warn",
    RATE_LIMIT_READS: "1000000",
    RATE_LIMIT_SUBMISSIONS: "1000000",
  },
  apiPorts: [0, 0],
  workers: [{ WORKER_QUEUES: "main,git,crawl,load" }, { WORKER_QUEUES: "main,git,crawl,load" }],
  ui: false,
  durable: true,
});
closing.defer(() => cluster.stop());
const bench = { cluster, git, folder: own.path };
console.log(
  `${availableParallelism()} cores, which servers, two API processes, two workers and the clients share; load at the start ${(loadavg()[0] ?? 0).toFixed(1)}`,
);
if (only.has("overhead")) await measureOverhead(bench, rounds);
if (only.has("reads")) await measureReads(bench, documents, requests);
if (only.has("many")) await measureMany(bench, libraries);
