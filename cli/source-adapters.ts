import { createSources, type Sources } from "../sources/index.ts";
import type { SourceTools } from "../sources/source-reader.ts";
import { ownDocsFolder } from "./package-info.ts";
import { createClassifier } from "../sources/classifier/index.ts";
import type { Logger } from "pino";
import { codeOf } from "../stores/blobs/durable-files.ts";
import { createBrowser, type Browser } from "../sources/lib/browser/browser.ts";
import { findChromium } from "../sources/lib/browser/chromium.ts";
import type { Guard } from "../sources/lib/fetch/guard.ts";
import type { Config } from "./config.ts";
import { readFileSync } from "node:fs";
import { gitHostOf, type RegistryAccess } from "../domain/packages.ts";
import { registryAccess } from "../sources/package/configured/index.ts";
import type { ReputationSources } from "../activities/reputation.ts";
import type { ApiSettings } from "../api/options.ts";
import { askHost } from "../sources/reputation/index.ts";
import { askRegistry } from "../sources/reputation/registries.ts";
import type { Embedder, Screen } from "../domain/ports.ts";
import type { Telemetry } from "../domain/telemetry.ts";
import type { FetchClient } from "../sources/lib/fetch/client.ts";
import { createEmbedder } from "../sources/embeddings/index.ts";
import { createUpstream, type OpenUpstream } from "../sources/upstream/index.ts";
import { createThreadPool } from "../sources/lib/threads/thread-pool.ts";

/** The browser of this process, started for the first page that needs it; null without Chromium. */
export function openBrowser(
  config: Config,
  { guard, userAgent, log }: { readonly guard: Guard; readonly userAgent: string; readonly log: Logger },
): Browser | null {
  const chromium = findChromium(config.chromiumPath);
  if (chromium === null) {
    if (config.chromiumPath !== null)
      log.warn(
        { path: config.chromiumPath },
        "CHROMIUM_PATH does not name a program; pages that need a browser are not read",
      );
    return null;
  }
  return createBrowser({
    chromium,
    guard,
    userAgent,
    resolveLocally: config.resolveLocally,
    onUnsandboxed: () =>
      log.warn("Chromium runs without its sandbox. docs/guides/harden.md explains how to enable it, under Chromium."),
  });
}

/** The package registries, by the configuration of npm, pip, cargo and go on this machine. */
export function readRegistries(config: Config): RegistryAccess {
  const configuration = {
    npm: { registry: config.npmRegistry, npmrc: textOf(config.npmUserConfig) },
    pip: {
      indexUrl: config.pipIndexUrl,
      extraIndexUrls: config.pipExtraIndexUrl,
      file: textOf(config.pipConfigFile),
    },
    cargo: { home: config.cargoHome },
    go: {
      proxies: config.goProxy,
      isPrivate: config.goPrivate,
      isKept: config.goNoProxy,
      file: textOf(config.goEnv),
    },
    netrc: textOf(config.netrc),
  };
  return registryAccess(configuration, process.env, textOf);
}

/** The text of a file; "" if it does not exist. */
function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return "";
    throw error;
  }
}

type Tools = Parameters<typeof askRegistry>[0];

/** The Git hosts of the settings, by kind of host. */
export function gitHostsOf(config: Config): ApiSettings["gitHosts"] {
  return {
    github: config.githubHosts,
    gitlab: config.gitlabHosts,
    bitbucket: config.bitbucketHosts,
    gitea: config.giteaHosts,
  };
}

/** Reads reputations from hosts of repositories and registries, as far as the settings permit. */
export function createReputationReader(config: Config, tools: Tools): ReputationSources {
  const tokenOf = (api: string): string | undefined =>
    api === "api.github.com" ? (config.githubApiToken ?? undefined) : undefined;
  const hosts = gitHostsOf(config);
  const kinds = Object.keys(hosts) as (keyof typeof hosts)[];
  return {
    askHost: async (source) => (config.hostMetadata ? askHost({ client: tools.client, tokenOf }, source) : undefined),
    askRegistry: async (source) => (config.hostMetadata ? askRegistry(tools, source) : undefined),
    hostOf: (host) => kinds.find((kind) => hosts[kind].includes(host)) ?? gitHostOf(host),
  };
}

/** Maximum concurrent requests to the upstream: a number, and a share of the concurrent requests of this server. */
const maxAtOnce = 16;
const share = 0.25;

/** The longest timer, so that the thread that parses responses never ends. */
const forever = 2_147_483_647;

/** Interval of the log about questions without embeddings, in milliseconds. */
const loggedEvery = 60_000;

/** The embedder of the settings; undefined: none. Questions that the table answers instead are counted in the log. */
export function openEmbedder(
  { embeddingsUrl: url, embeddingsModel: model, embeddingsApiKey: apiKey }: Config,
  { telemetry, log }: { readonly telemetry: Pick<Telemetry, "embedded">; readonly log: Logger },
): Embedder | undefined {
  if (url === null || model === null) return undefined;
  let [asked, failed, loggedAt] = [0, 0, -Infinity];
  return createEmbedder({
    url,
    model,
    apiKey,
    onQuestion(result, duration, reason) {
      telemetry.embedded(result, duration);
      asked += 1;
      if (reason === undefined) return;
      failed += 1;
      if (performance.now() - loggedAt < loggedEvery) return;
      log.warn({ server: url.host, questions: asked, failed, reason }, "questions are not embedded: the table answers");
      [asked, failed, loggedAt] = [0, 0, performance.now()];
    },
  });
}

/** The source of each kind, by the settings. */
export function openSources(
  { confluenceGateway, notionApi, folderRoots }: Config,
  tools: Omit<SourceTools, "confluenceGateway" | "notionApi" | "folderRoots">,
): Sources {
  return createSources({ ...tools, confluenceGateway, notionApi, folderRoots: [...folderRoots, ownDocsFolder] });
}

/** The classifier of the settings; undefined: none. What it does not judge is logged. */
export function openScreen(
  { screenUrl: url, screenToken: token, screenFails: fails }: Config,
  log: Logger,
): Screen | undefined {
  if (url === null) return undefined;
  const onProblem = (reason: string): void =>
    log.warn({ classifier: url.host, reason }, "the classifier did not judge");
  return createClassifier({ url, token, fails, onProblem });
}

/** The limits of a library in the settings. */
export function limitsOf({ maxPages: pages, maxBytes: bytes, maxPageBytes: pageBytes, maxTokens: tokens }: Config) {
  return { pages, bytes, pageBytes, tokens };
}

interface UpstreamPorts {
  readonly client: Pick<FetchClient, "request">;
  readonly telemetry: Pick<Telemetry, "askedUpstream">;
  readonly log: Logger;
  readonly now: () => number;
}

/** The upstream of the settings; undefined: none. Failed requests are logged, without the question. */
export function openUpstream(
  { upstreamUrl: url, upstreamApiKey: apiKey, requestsAtOnce }: Config,
  { client, telemetry, log, now }: UpstreamPorts,
): (OpenUpstream & { close(): Promise<void> }) | undefined {
  if (url === null) return undefined;
  const pool = createThreadPool({ maxThreads: 1, idleTimeout: forever });
  const upstream = createUpstream({
    url,
    apiKey,
    client,
    pool,
    atOnce: Math.max(1, Math.min(maxAtOnce, Math.floor(requestsAtOnce * share))),
    now,
    onAsked({ operation, result, duration, reason }) {
      telemetry.askedUpstream(operation, result, duration);
      if (reason !== undefined)
        log.warn({ upstream: url.host, operation, result, reason }, "the upstream did not answer");
    },
  });
  return { ...upstream, close: () => pool.close() };
}
