import type { Deployment } from "../../api/schemas/deployment.ts";

/** A healthy cluster except for a queue without workers. */
export const deployment: Omit<Deployment, "warnings"> = {
  version: "1.2.3",
  node: "v24.0.0",
  startedAt: "2026-01-02T03:04:05.000Z",
  catalog: "postgresql",
  index: "meilisearch",
  blobs: "bucket",
  engine: {
    kind: "temporal",
    isReachable: true,
    namespace: "lectern",
    webUi: "https://temporal.example.com/namespaces/lectern/workflows",
    queues: [
      { queue: "main", workers: ["1@worker-1"], waiting: 0 },
      { queue: "browser", workers: [], waiting: 3 },
    ],
  },
  libraries: 12,
  troubles: { failed: 1 },
  runs: { queued: 2, running: 1, queuedSince: "2026-01-02T03:00:00.000Z" },
  postponedHosts: 0,
  sweptAt: "2026-01-02T03:03:00.000Z",
  backedUpAt: "2026-01-02T02:00:00.000Z",
  sizes: { blobs: 1_000_000 },
  storageLimit: 100e9,
  freeDisk: { DATA_DIR: 0.42 },
};
