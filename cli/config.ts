import { availableParallelism } from "node:os";
import { z } from "zod";
import { auditSettings, clientSettings } from "./config/clients.ts";
import { clusterSettings } from "./config/cluster.ts";
import * as format from "./config/formats.ts";
import { ConfigError, defaults, named, nearNames, readSettings, setting, type Environment } from "./config/reading.ts";
import { oauthProblems, oauthSettings } from "./config/oauth.ts";
import { embeddingProblems, embeddingSettings, screeningSettings, upstreamSettings } from "./config/other-servers.ts";
import { manifestSettings, sourceSettings } from "./config/sources.ts";
import { ownDocsFolder } from "./package-info.ts";

export { ConfigError } from "./config/reading.ts";

const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;

/** All settings. A test checks that docs/reference/settings.md lists the same ones. */
export const settings = named({
  host: setting({
    default: defaults.host,
    meaning: "Address to listen on; 0.0.0.0 or :: opens the server to other machines.",
    schema: z.string().refine(format.isListenHost, format.must("a host name or an IP address")),
  }),
  port: setting({
    default: defaults.port,
    meaning: "Port to listen on; 0 takes any free one.",
    schema: format.whole(0, 65_535),
  }),
  publicUrl: setting({
    meaning:
      "Address by which clients reach the server, such as https://docs.example.com. Requests for other hosts are refused.",
    schema: format.orNull(format.webUrl.transform(({ href }) => href.replace(/(?<!\/)\/+$/, ""))),
  }),
  dataDir: setting({
    default: "./data",
    meaning: "Data folder, used by one process at a time.",
    schema: format.path,
  }),
  adminKey: setting({
    env: "LECTERN_ADMIN_KEY",
    meaning:
      "API key with all rights: 20 to 200 of A-Z a-z 0-9 . _ ~ + / = -. Not set: the first start generates one and prints it once.",
    schema: format.orNull(
      z.string().regex(/^[\w.~+/=-]{20,200}$/, "must be 20 to 200 characters of A-Z a-z 0-9 . _ ~ + / = -"),
    ),
    secret: true,
  }),
  encryptionKeys: setting({
    meaning:
      "Keys that encrypt credentials: key or id:key, 32 bytes in base64 or hex. The first encrypts, all decrypt. Not set: generated in DATA_DIR.",
    schema: format.keyRing,
    secret: true,
  }),
  anonymous: setting({
    env: "AUTH_ANONYMOUS",
    default: "search",
    meaning: "What callers without an API key may do: search (and read public libraries) or off (nothing).",
    schema: z.enum(["search", "off"], format.must('"search" or "off"')),
  }),
  ...oauthSettings,
  ...clientSettings,
  ...auditSettings,
  allowedOrigins: setting({
    env: "CORS_ORIGINS",
    meaning: "Origins whose web pages may call the API, such as https://app.example.com.",
    schema: format.origins,
  }),
  sendLocation: setting({
    env: "REDIRECT_LOCATION",
    default: "on",
    meaning: "Sends a Location header with the 301 of a moved library.",
    schema: format.onOff,
  }),
  sourceRules: setting({
    default: "off",
    meaning: "Puts the unreviewed rules of a library's own context7.json into answers.",
    schema: format.onOff,
  }),
  maxAgeSeconds: setting({
    env: "CACHE_MAX_AGE",
    default: "300",
    meaning: "Cache-Control max-age of answers, in seconds.",
    schema: format.whole(0, 31_536_000),
  }),
  dashboard: setting({
    default: "on",
    meaning: "Serves web pages for people, at / and below /-/.",
    schema: format.onOff,
  }),
  logLevel: setting({
    default: "info",
    meaning: `Log level: ${logLevels.join(", ")}.`,
    schema: z.enum(logLevels, format.must(`one of ${logLevels.join(", ")}`)),
  }),
  minFreeDisk: setting({
    default: "0.05",
    meaning: "Free share of a disk, 0 to 1, below which the log and /api/ready warn. 0: never.",
    schema: format.share,
  }),
  ...sourceSettings,
  ...manifestSettings,
  fetchAllow: setting({
    meaning: "Private hosts that sources may be on: host, host:port or network (CIDR), IPv6 in brackets.",
    schema: format.list(
      z
        .string()
        .refine(
          (text) => format.isHost(text) || format.isNetwork(text),
          format.mustList("host, host:port and CIDR entries, IPv6 hosts in brackets"),
        )
        .toLowerCase(),
    ),
  }),
  folderRoots: setting({
    default: ownDocsFolder,
    defaultInDocs: "the project's own docs folder",
    meaning: "Folders of this machine that libraries may be read from. Set but empty: none.",
    schema: format.list(format.path),
    emptyCounts: true,
  }),
  gitToken: setting({
    env: "LECTERN_GIT_TOKEN",
    meaning: "Token that lectern add submits with repositories; it makes their libraries private.",
    schema: format.orNull(z.string()),
    secret: true,
  }),
  httpsProxy: setting({
    meaning: "Proxy for https; https_proxy takes precedence.",
    schema: format.orNull(format.proxy),
    lowerCaseToo: true,
  }),
  httpProxy: setting({
    meaning: "Proxy for http; http_proxy takes precedence.",
    schema: format.orNull(format.proxy),
    lowerCaseToo: true,
  }),
  noProxy: setting({
    meaning: "Hosts without a proxy, comma-separated; no_proxy takes precedence.",
    schema: format.orNull(z.string()),
    lowerCaseToo: true,
  }),
  resolveLocally: setting({
    env: "FETCH_RESOLVE_LOCALLY",
    default: "off",
    meaning: "With a proxy: resolves host names here too, and refuses private addresses.",
    schema: format.onOff,
  }),
  chromiumPath: setting({
    meaning:
      "Path of Chromium, for pages that are empty without a browser. Not set: chromium, chromium-browser or google-chrome on the PATH, else such pages are not read.",
    schema: format.orNull(format.path),
  }),
  indexOwnDocs: setting({
    default: "on",
    meaning: "The first start indexes Lectern's own documentation.",
    schema: format.onOff,
  }),
  runsAtOnce: setting({
    default: "4",
    meaning: "Libraries indexed concurrently. If all are from one host or one key, one more from another.",
    schema: format.whole(1, 64),
  }),
  parseThreads: setting({
    default: "0",
    meaning: "Threads that parse pages; 0: one per core, at most 4.",
    schema: format.whole(0, 64).transform((threads) => threads || Math.min(availableParallelism(), 4)),
  }),
  hostInterval: setting({
    default: "100",
    meaning: "Milliseconds between two page requests to one host, over all workers; not for Git.",
    schema: format.whole(0, 60_000),
  }),
  maxPages: setting({
    default: "50000",
    meaning: "Maximum pages of one library version.",
    schema: format.whole(1, 1e7),
  }),
  maxBytes: setting({
    default: "500MB",
    meaning: "Maximum total size of the documents of one library version.",
    schema: format.size("1000GB"),
  }),
  maxPageBytes: setting({
    default: "40MB",
    meaning: "Maximum size of one page; larger ones are skipped.",
    schema: format.size("100MB"),
  }),
  maxPageSeconds: setting({
    default: "5",
    meaning:
      "Maximum processor time of one page, in seconds; six times for HTML, three times for Markdown of 10 MB. Beyond it the page keeps its last passages.",
    schema: format.whole(1, 600),
  }),
  maxTokens: setting({
    default: "5000000",
    meaning: "Maximum total tokens of the passages of one library version.",
    schema: format.whole(1, 1e9),
  }),
  shrinkLimit: setting({
    default: "0.5",
    meaning: "Share of its passages, 0 to 1, that a refresh may lose; beyond it the new generation is held.",
    schema: format.share,
  }),
  keepFailedPages: setting({
    default: "5",
    meaning: "Refreshes for which an unreadable page keeps its last passages.",
    schema: format.whole(0, 1000),
  }),
  graceSeconds: setting({
    default: "600",
    meaning: "Seconds before a retired generation is deleted.",
    schema: format.whole(0, 604_800),
  }),
  keepGenerations: setting({
    default: "1",
    meaning: "Previous generations kept per library version for a rollback.",
    schema: format.whole(0, 100),
  }),
  storageLimit: setting({
    meaning:
      "Maximum size of catalog, index and generations together, such as 100GB, measured every minute. From 90 % on no previous generations are kept; at 100 % runs fail with storage_full. A bucket is listed for it.",
    schema: format.orNull(format.size("1000000GB")),
  }),
  sweepSeconds: setting({
    default: "60",
    meaning: "Interval of the sweep, in seconds.",
    schema: format.whole(1, 86_400),
  }),
  ...screeningSettings,
  ...embeddingSettings,
  ...upstreamSettings,
  ...clusterSettings,
});

/** The settings, read and checked. */
export type Config = { readonly [Name in keyof typeof settings]: z.output<(typeof settings)[Name]["schema"]> };

/** Reads all settings from the environment. @throws ConfigError with all problems */
export function loadConfig(env: Environment): Config {
  // The value of each name has the type of its schema, which the compiler cannot infer from the loop.
  const config = Object.freeze(readSettings(settings, env)) as Config;
  const problems = [...oauthProblems(config), ...embeddingProblems(config)];
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

/** Warnings for variables that are spelt almost like a setting. */
export function likelyTypos(env: Environment): readonly string[] {
  return nearNames(settings, env);
}
