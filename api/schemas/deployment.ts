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
    catalog: z.enum(["sqlite", "postgresql"]).describe("What the catalog is kept in."),
    index: z.enum(["sqlite", "meilisearch"]).describe("What the index is kept in."),
    blobs: z.enum(["folder", "bucket"]).describe("Where the blobs are kept."),
    engine: z
      .object({
        kind: z.enum(["process", "temporal"]).describe("What executes runs."),
        isReachable: z.boolean().describe("It answered just now."),
        namespace: z.string().optional().describe("Temporal's namespace."),
        webUi: z
          .string()
          .optional()
          .describe("Address of the namespace in Temporal's Web UI, where TEMPORAL_UI_ORIGINS names one."),
        queues: z
          .array(
            z.object({
              queue: z.enum(queues).describe("Name of the task queue."),
              workers: z
                .array(z.string())
                .describe("Workers that asked it for a step within five minutes, by host and process."),
            }),
          )
          .optional()
          .describe("Temporal's task queues; absent: runs are executed in this process, or Temporal is away."),
      })
      .describe("What executes runs."),
    libraries: z.int().describe("Libraries of all teamspaces."),
    troubles: z.record(z.string(), z.int()).describe("How many of them have what trouble."),
    runs: z.object({
      queued: z.int().describe("Runs that wait."),
      running: z.int().describe("Runs that are being executed."),
      queuedSince: timeOrNull("When the oldest of those that wait was opened."),
    }),
    postponedHosts: z.int().describe("Hosts that asked to be left alone for now, or that refused."),
    sweptAt: timeOrNull(
      "When the last sweep of this process ended; with Temporal, when the last one began. Null: none is known.",
    ),
    sizes: z
      .record(z.string(), z.int())
      .describe(
        "Bytes of what this process keeps on disk, at most ten minutes old; servers and buckets know their own.",
      ),
    freeDisk: z.record(z.string(), share).describe("Free share of the disk that a setting names, 0 to 1."),
    warnings: z.array(z.string()).describe("A sentence for each disk that is nearly full."),
  })
  .meta({ id: "Deployment" });

/** The parts of a deployment and their state. */
export type Deployment = z.infer<typeof deploymentSchema>;
