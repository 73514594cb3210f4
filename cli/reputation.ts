import type { ReputationAsking } from "../activities/reputation.ts";
import type { ApiSettings } from "../api/options.ts";
import type { Config } from "./config.ts";
import { gitHostOf } from "../domain/packages.ts";
import { askHost } from "../sources/reputation/index.ts";
import { askRegistry } from "../sources/reputation/registries.ts";

/** The ports that reading reputations needs. */
type Tools = Parameters<typeof askRegistry>[0];

/** The hosts of the settings, by the kind of host. */
export function gitHostsOf(config: Config): ApiSettings["gitHosts"] {
  return {
    github: config.githubHosts,
    gitlab: config.gitlabHosts,
    bitbucket: config.bitbucketHosts,
    gitea: config.giteaHosts,
  };
}

/** Reads reputations from hosts of repositories and registries, as far as the settings permit. */
export function askingOf(config: Config, tools: Tools): ReputationAsking {
  const tokenOf = (api: string): string | undefined =>
    api === "api.github.com" ? (config.githubApiToken ?? undefined) : undefined;
  const own = gitHostsOf(config);
  const kinds = Object.keys(own) as (keyof typeof own)[];
  return {
    askHost: async (source) => (config.hostMetadata ? askHost({ client: tools.client, tokenOf }, source) : undefined),
    askRegistry: async (source) => (config.hostMetadata ? askRegistry(tools, source) : undefined),
    hostOf: (host) => kinds.find((kind) => own[kind].includes(host)) ?? gitHostOf(host),
  };
}
