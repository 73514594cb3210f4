import type { ReputationAsking } from "../activities/reputation.ts";
import type { Config } from "../config.ts";
import { gitHostOf } from "../domain/packages.ts";
import { askHost } from "../sources/reputation/index.ts";
import { askRegistry } from "../sources/reputation/registries.ts";

/** The ports that reading reputations needs. */
type Tools = Parameters<typeof askRegistry>[0];

/** Reads reputations from hosts of repositories and registries, as far as the settings permit. */
export function askingOf(
  config: Pick<
    Config,
    "hostMetadata" | "githubApiToken" | "githubHosts" | "gitlabHosts" | "bitbucketHosts" | "giteaHosts"
  >,
  tools: Tools,
): ReputationAsking {
  const tokenOf = (api: string): string | undefined =>
    api === "api.github.com" ? (config.githubApiToken ?? undefined) : undefined;
  const own = {
    github: config.githubHosts,
    gitlab: config.gitlabHosts,
    bitbucket: config.bitbucketHosts,
    gitea: config.giteaHosts,
  } as const;
  const kinds = Object.keys(own) as (keyof typeof own)[];
  return {
    askHost: async (source) => (config.hostMetadata ? askHost({ client: tools.client, tokenOf }, source) : undefined),
    askRegistry: async (source) => (config.hostMetadata ? askRegistry(tools, source) : undefined),
    hostOf: (host) => kinds.find((kind) => own[kind].includes(host)) ?? gitHostOf(host),
  };
}
