import { isIP } from "node:net";
import { z } from "zod";
import * as format from "./formats.ts";
import { setting } from "./reading.ts";

/** Settings of clients: their key and their limits. */
export const clientSettings = {
  apiKey: setting({
    env: "LECTERN_API_KEY",
    default: "",
    meaning:
      "API key that lectern mcp asks a server with, and that the configurations of agents take from the environment. Not set: lectern mcp takes LECTERN_ADMIN_KEY.",
    schema: format.orNull(z.string()),
    secret: true,
  }),
  rateLimitReads: setting({
    env: "RATE_LIMIT_READS",
    default: "600",
    meaning: "Rate limit: reads per minute and API key.",
    schema: format.whole(1, 1e6),
  }),
  rateLimitSubmissions: setting({
    env: "RATE_LIMIT_SUBMISSIONS",
    default: "30",
    meaning: "Rate limit: submissions per minute and API key.",
    schema: format.whole(1, 1e6),
  }),
  rateLimitAnonymous: setting({
    env: "RATE_LIMIT_ANONYMOUS",
    default: "60",
    meaning:
      "Rate limit: reads per minute and IP address (IPv6: /64) of callers without an API key; the same number again of requests to open routes.",
    schema: format.whole(1, 1e6),
  }),
  rateLimitTeamspaceReads: setting({
    env: "RATE_LIMIT_TEAMSPACE_READS",
    default: "0",
    meaning:
      "Rate limit: reads per minute of all API keys of one teamspace together, half of them of one key at most; 0: none.",
    schema: format.whole(0, 1e6),
  }),
  rateLimitTeamspaceSubmissions: setting({
    env: "RATE_LIMIT_TEAMSPACE_SUBMISSIONS",
    default: "0",
    meaning: "The same for submissions.",
    schema: format.whole(0, 1e6),
  }),
  requestsAtOnce: setting({
    env: "REQUESTS_AT_ONCE",
    default: "64",
    meaning:
      "Requests that one process answers concurrently; one client has no more than are free. Four times as many wait for 5 seconds at most; others get 503.",
    schema: format.whole(2, 10_000),
  }),
  readTimeoutSeconds: setting({
    env: "READ_TIMEOUT_SECONDS",
    default: "20",
    meaning: "Seconds that the answer to a read may take; then 503.",
    schema: format.whole(1, 3600),
  }),
  maxConnections: setting({
    env: "MAX_CONNECTIONS",
    default: "1000",
    meaning:
      "Maximum of open connections. At the maximum, the one that has been idle for longest is closed for a new one.",
    schema: format.whole(1, 100_000),
  }),
  maxConnectionsPerAddress: setting({
    env: "MAX_CONNECTIONS_PER_ADDRESS",
    default: "250",
    meaning: "The same for one IP address, or one IPv6 network (/64). Not for TRUSTED_PROXIES.",
    schema: format.whole(1, 100_000),
  }),
  answerTimeoutSeconds: setting({
    env: "ANSWER_TIMEOUT_SECONDS",
    default: "60",
    meaning:
      "Seconds that a client has to take an answer, or the next part of a stream; then its connection is closed.",
    schema: format.whole(1, 3600),
  }),
  streamsPerKey: setting({
    env: "STREAMS_PER_KEY",
    default: "20",
    meaning: "Maximum of open status streams per API key, of 200 in one process.",
    schema: format.whole(1, 200),
  }),
  trustedProxies: setting({
    env: "TRUSTED_PROXIES",
    default: "",
    meaning:
      "IP addresses and networks (CIDR) of reverse proxies whose X-Forwarded-For header is trusted, comma-separated.",
    schema: format.list(
      z
        .string()
        .refine((text) => isIP(text) !== 0 || format.isNetwork(text), format.mustList("addresses and networks (CIDR)")),
    ),
  }),
  countryHeader: setting({
    env: "COUNTRY_HEADER",
    default: "",
    meaning:
      "Header in which TRUSTED_PROXIES name the client's country by its two letters, such as CF-IPCountry, for the metrics of libraries.",
    schema: format.orNull(z.string().regex(/^[A-Za-z][A-Za-z0-9-]{0,63}$/, format.must("the name of a header"))),
  }),
  metricsDays: setting({
    env: "METRICS_RETENTION_DAYS",
    default: "400",
    meaning: "Days that the daily metrics of libraries are kept; totals stay.",
    schema: format.whole(1, 36_500),
  }),
};
