import { NativeConnection } from "@temporalio/worker";
import { pino } from "pino";
import { openSqliteCatalog } from "../../../stores/catalog/sqlite.ts";
import { queues } from "../../../domain/queues.ts";
import { stepPolicies, type StepName } from "../../../domain/steps.ts";
import { installRuntime, createTemporalWorker } from "../../../workers/temporal-worker.ts";
import { scriptedActivities, untilStopped, type Script } from "../../contracts/indexing-scripts.ts";

/**
 * A worker in a process of its own, to be killed: every step of a library /lost/<step> is done but that one, which goes
 * on for ever. It prints each step that it begins. Arguments: address, namespace, catalog file, workflow bundle.
 */
const [address = "", namespace = "", file = "", codePath = ""] = process.argv.slice(2);
const log = pino({ level: "silent" });
installRuntime(log);
const catalog = await openSqliteCatalog({ file });
const names = Object.keys(stepPolicies) as StepName[];
const plain = scriptedActivities(catalog, {});
const script = Object.fromEntries(
  names.map((name) => [
    name,
    (context: Parameters<typeof untilStopped>[0], input: never) => {
      const { libraryId } = (input as { request: { libraryId: string } }).request;
      context.report({ pagesDone: 7 });
      if (libraryId === `/lost/${name}`) return untilStopped(context);
      return (plain(() => context)[name] as (given: unknown) => Promise<unknown>)(input);
    },
  ]),
) as Script;
const worker = await createTemporalWorker({
  connection: await NativeConnection.connect({ address }),
  namespace,
  queues,
  slots: { main: 50, git: 50, crawl: 50, browser: 1, load: 50 },
  identity: "lectern-worker-lost",
  catalog,
  activities: scriptedActivities(catalog, script, (name, libraryId) => process.stdout.write(`${libraryId} ${name}\n`)),
  sweep: async () => ({}),
  workflowBundle: { codePath },
  shutdownGrace: 1000,
  log,
  now: Date.now,
});
await worker.run();
