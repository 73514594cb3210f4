import { isIP } from "node:net";
import { availableParallelism } from "node:os";
import { z } from "zod";
import * as format from "./formats.ts";
import { setting } from "./reading.ts";
import { resolve } from "node:path";

/** Settings of clients: their key and their limits. */
export const clientSettings = {
  apiKey: setting({
    env: "LECTERN_API_KEY",
    meaning: "API key for lectern mcp and the configurations of agents. Not set: lectern mcp uses LECTERN_ADMIN_KEY.",
    schema: format.orNull(z.string()),
    secret: true,
  }),
  rateLimitReads: setting({
    default: "600",
    meaning: "Reads per minute and API key.",
    schema: format.whole(1, 1e6),
  }),
  rateLimitSubmissions: setting({
    default: "30",
    meaning: "Submissions per minute and API key.",
    schema: format.whole(1, 1e6),
  }),
  rateLimitAnonymous: setting({
    default: "60",
    meaning: "Reads per minute and IP address (IPv6: /64) without an API key; as many requests to open routes.",
    schema: format.whole(1, 1e6),
  }),
  rateLimitTeamspaceReads: setting({
    default: "0",
    meaning: "Reads per minute and teamspace, at most half of them by one key. 0: no limit.",
    schema: format.whole(0, 1e6),
  }),
  rateLimitTeamspaceSubmissions: setting({
    default: "0",
    meaning: "Submissions per minute and teamspace, likewise.",
    schema: format.whole(0, 1e6),
  }),
  requestsAtOnce: setting({
    default: "64",
    meaning: "Requests that a process answers concurrently. Four times as many wait up to 5 seconds; others get 503.",
    schema: format.whole(2, 10_000),
  }),
  readThreads: setting({
    meaning:
      "Threads that compute answers, each with about 100 MB; 0: the main thread does. Not set: one per core, at most 8; 0 with one core.",
    schema: format
      .orNull(format.whole(0, 64))
      .transform((threads) => threads ?? (availableParallelism() === 1 ? 0 : Math.min(availableParallelism(), 8))),
  }),
  readTimeoutSeconds: setting({
    default: "20",
    meaning: "Maximum time of a read, in seconds; then 503.",
    schema: format.whole(1, 3600),
  }),
  maxConnections: setting({
    default: "1000",
    meaning: "Maximum number of open connections; a new one closes the longest idle one.",
    schema: format.whole(1, 100_000),
  }),
  maxConnectionsPerAddress: setting({
    default: "250",
    meaning: "The same per IP address (IPv6: /64), except for TRUSTED_PROXIES.",
    schema: format.whole(1, 100_000),
  }),
  answerTimeoutSeconds: setting({
    default: "60",
    meaning:
      "Seconds in which a client has to take an answer, or the next part of a stream; then its connection is closed.",
    schema: format.whole(1, 3600),
  }),
  streamsPerKey: setting({
    default: "20",
    meaning: "Maximum number of status streams per API key, of 200 per process.",
    schema: format.whole(1, 200),
  }),
  trustedProxies: setting({
    meaning: "Reverse proxies whose X-Forwarded-For is trusted: IP addresses and networks (CIDR).",
    schema: format.list(
      z
        .string()
        .refine((text) => isIP(text) !== 0 || format.isNetwork(text), format.mustList("addresses and networks (CIDR)")),
    ),
  }),
  countryHeader: setting({
    meaning: "Header in which TRUSTED_PROXIES name the client's country, such as CF-IPCountry, for metrics.",
    schema: format.orNull(z.string().regex(/^[A-Za-z][A-Za-z0-9-]{0,63}$/, format.must("the name of a header"))),
  }),
  metricsDays: setting({
    env: "METRICS_RETENTION_DAYS",
    default: "400",
    meaning: "Days for which daily metrics of libraries are kept.",
    schema: format.whole(1, 36_500),
  }),
  feedbackDays: setting({
    env: "FEEDBACK_RETENTION_DAYS",
    default: "90",
    meaning: "Days for which feedback on answers, and questions that found nothing, are kept. 0: none is.",
    schema: format.whole(0, 36_500),
  }),
};

/** Settings of the audit log. */
export const auditSettings = {
  auditDays: setting({
    env: "AUDIT_RETENTION_DAYS",
    default: "365",
    meaning: "Days for which audit records are kept in the catalog.",
    schema: format.whole(1, 36_500),
  }),
  auditLog: setting({
    meaning: "Where audit records are also written, as JSON lines: stdout, or a file.",
    schema: format.orNull(z.string().transform((text) => (text === "stdout" ? text : resolve(text)))),
  }),
};
