import { isIP } from "node:net";
import { z } from "zod";
import { queues, type Queue } from "../../domain/queues.ts";
import * as format from "./formats.ts";
import { setting } from "./reading.ts";

const isQueue = (name: string): name is Queue => (queues as readonly string[]).includes(name);

/** Concurrent steps of a worker, per task queue. */
export type Slots = Readonly<Record<Queue, number>>;

const defaultSlots = "main=20,git=4,crawl=16,browser=1,load=8";

/** Whether a text is an IP address with a port. */
const isAddress = (text: string): boolean => {
  const [, host = "", port = ""] = /^\[?([^\]]+?)\]?:(\d{1,5})$/.exec(text) ?? [];
  return isIP(host) !== 0 && Number(port) <= 65_535;
};

/** Slots by queue; a queue that is not named keeps its default. */
const slots = z
  .string()
  .refine(
    (text) => text.split(",").every((entry) => /^\s*(?:main|git|crawl|browser|load)=(?:[1-9]\d{0,2})\s*$/.test(entry)),
    format.must("a comma-separated list of queue=number, such as git=8,load=4, numbers from 1 to 999"),
  )
  .transform((text): Slots => {
    const entries = `${defaultSlots},${text}`.split(",").map((entry) => entry.trim().split("="));
    // The names are checked above, and the defaults contain every queue.
    return Object.freeze(Object.fromEntries(entries.map(([name, number]) => [name, Number(number)]))) as Slots;
  });

const urlOf = (schemes: readonly string[], example: string) =>
  z.string().refine((text) => schemes.includes(URL.parse(text)?.protocol.slice(0, -1) ?? ""), {
    // Does not quote the text, which may contain a password.
    error: `must be a URL such as ${example}`,
  });

/** Settings of the parts of a cluster. Parts without an address are embedded. */
export const clusterSettings = {
  databaseUrl: setting({
    meaning:
      "PostgreSQL database of the catalog, such as postgres://user:password@host/lectern. Not set: SQLite in DATA_DIR.",
    schema: format.orNull(urlOf(["postgres", "postgresql"], "postgres://user:password@host:5432/lectern")),
    secret: true,
  }),
  databasePool: setting({
    default: "10",
    meaning: "Maximum number of PostgreSQL connections of one process.",
    schema: format.whole(1, 500),
  }),
  databaseTimeoutSeconds: setting({
    default: "10",
    meaning: "Statement timeout in PostgreSQL, in seconds.",
    schema: format.whole(1, 3600),
  }),
  blobUrl: setting({
    meaning:
      "Where generations are kept: file:///folder, or s3://bucket/prefix with ?endpoint= and ?region=. Not set: a folder in DATA_DIR.",
    schema: format.orNull(format.blobUrl),
  }),
  meiliUrl: setting({
    meaning: "Address of Meilisearch, such as http://meilisearch:7700. Not set: SQLite in DATA_DIR.",
    schema: format.orNull(
      z.string().refine(format.isWebUrl, format.must("an http(s) URL without credentials, query and fragment")),
    ),
  }),
  meiliApiKey: setting({
    meaning: "Meilisearch key that lectern setup made for api or worker; for setup itself the master key.",
    schema: format.orNull(z.string()),
    secret: true,
  }),
  meiliPrefix: setting({
    default: "lectern_",
    meaning: "Prefix of index names in Meilisearch.",
    schema: z.string().regex(/^[\w-]{0,64}$/, format.must("at most 64 of A-Z a-z 0-9 _ -")),
  }),
  temporalAddress: setting({
    meaning: "Temporal's frontend as host:port. Not set: runs execute in the process.",
    schema: format.orNull(z.string().refine(format.isHost, format.must("host:port"))),
  }),
  temporalNamespace: setting({
    default: "lectern",
    meaning: "Temporal namespace of the runs.",
    schema: z.string().regex(/^[\w.-]{2,255}$/, format.must("2 to 255 of A-Z a-z 0-9 . _ -")),
  }),
  temporalRetentionDays: setting({
    default: "7",
    meaning: "Days of workflow histories in a namespace that lectern setup creates.",
    schema: format.whole(1, 365),
  }),
  temporalEncryption: setting({
    default: "on",
    meaning: "Encrypts new payloads in Temporal with ENCRYPTION_KEYS.",
    schema: format.onOff,
  }),
  temporalMetricsAddress: setting({
    meaning:
      "IP address and port, such as 127.0.0.1:9464, where a worker serves Temporal's metrics at /metrics, without authentication.",
    schema: format.orNull(z.string().refine(isAddress, format.must("an IP address and a port"))),
  }),
  temporalUiOrigins: setting({
    meaning: "Origins of Temporal Web UIs that may call the codec endpoint.",
    schema: format.origins,
  }),
  workerQueues: setting({
    default: queues.join(","),
    meaning: `Task queues that a worker polls: ${queues.join(", ")}, comma-separated.`,
    schema: format
      .list(z.string().refine(isQueue, format.mustList(`queues (${queues.join(", ")})`)))
      .refine((names) => names.length > 0, { error: "must name at least one queue" }),
  }),
  workerSlots: setting({
    default: defaultSlots,
    meaning: "Concurrent steps of a worker per task queue; a queue that is not named keeps its default.",
    schema: slots,
  }),
  workerPort: setting({
    default: "0",
    meaning: "Port of a worker's health checks and metrics, at HOST; 0: none.",
    schema: format.whole(0, 65_535),
  }),
  workerLostSeconds: setting({
    default: "300",
    meaning: "Seconds without Temporal after which a worker exits with an error, to be restarted.",
    schema: format.whole(5, 86_400),
  }),
  drainSeconds: setting({
    default: "3",
    meaning:
      "Seconds for which a stopping lectern api still answers while /api/ready is 503; more than a load balancer takes to notice.",
    schema: format.whole(0, 300),
  }),
  shutdownGraceSeconds: setting({
    default: "5",
    meaning: "Seconds that the steps of a stopping worker have to finish; then other workers continue them.",
    schema: format.whole(1, 3600),
  }),
};
