import * as z from "zod";
import { queues } from "../../domain/queues.ts";
import { timeOrNull } from "./answers.ts";

const share = z.number().min(0).max(1);

/** The parts of a deployment and their state. */
export const deploymentSchema = z
  .object({
    version: z.string().describe("Version of the program."),
    node: z.string().describe("Version of Node."),
    startedAt: z.iso.datetime().describe("When this process started."),
    catalog: z.enum(["sqlite", "postgresql"]).describe("Database of the catalog."),
    index: z.enum(["sqlite", "meilisearch"]).describe("Kind of index."),
    blobs: z.enum(["folder", "bucket"]).describe("Kind of blob store."),
    engine: z
      .object({
        kind: z.enum(["process", "temporal"]).describe("The engine, which executes runs."),
        isReachable: z.boolean().describe("Whether it answers."),
        namespace: z.string().optional().describe("Temporal's namespace."),
        webUi: z
          .string()
          .optional()
          .describe("Address of the namespace in Temporal's Web UI, if TEMPORAL_UI_ORIGINS has one."),
        queues: z
          .array(
            z.object({
              queue: z.enum(queues).describe("Name of the task queue."),
              workers: z
                .array(z.string())
                .describe("Workers that polled it in the last five minutes, by host and process."),
              waiting: z.int().describe("Approximate number of tasks that wait in it."),
            }),
          )
          .optional()
          .describe("Temporal's task queues; absent if runs execute in this process, or Temporal is unreachable."),
      })
      .describe("The engine, which executes runs."),
    libraries: z.int().describe("Libraries of all teamspaces."),
    troubles: z.record(z.string(), z.int()).describe("Number of libraries by trouble."),
    runs: z.object({
      queued: z.int().describe("Waiting runs."),
      running: z.int().describe("Executing runs."),
      queuedSince: timeOrNull("When the oldest waiting run was opened."),
    }),
    postponedHosts: z.int().describe("Hosts whose requests are postponed, as they asked for it or refused."),
    sweptAt: timeOrNull(
      "When the last sweep of this process ended; with Temporal, when the last one began. Null: unknown.",
    ),
    backedUpAt: timeOrNull("When `lectern backup` last made a backup; null: never, or not in the audit log any more."),
    sizes: z
      .record(z.string(), z.int())
      .describe(
        "Bytes of catalog, index and blobs, at most ten minutes old; a bucket is only measured for STORAGE_LIMIT.",
      ),
    storageLimit: z.int().nullable().describe("STORAGE_LIMIT in bytes; null: none."),
    freeDisk: z.record(z.string(), share).describe("Free share of the disk of a setting, 0 to 1."),
    warnings: z.array(z.string()).describe("A sentence for each disk that is nearly full, and for STORAGE_LIMIT."),
  })
  .meta({ id: "Deployment" });

/** The parts of a deployment and their state. */
export type Deployment = z.infer<typeof deploymentSchema>;
