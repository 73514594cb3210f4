import { Failure } from "../../domain/failures.ts";
import type { GitSourceSpec } from "../../domain/kinds/git.ts";
import type { HostFacts } from "../../domain/trust.ts";
import type { FetchClient } from "../lib/fetch/client.ts";
import { jsonOf, type Json } from "../../extract/json.ts";
import { countOf, timeOf } from "../lib/fetch/json.ts";
import type { GitHost } from "../../domain/source.ts";
import { githubBase } from "../lib/hosts/github-app.ts";

/** Cap on an answer of a host's API, in bytes. */
const maxAnswer = 1_000_000;

/** Time for all requests to a host, in milliseconds. */
const deadline = 10_000;

/** Dependencies of `askHost`. */
export interface ReputationPorts {
  readonly client: Pick<FetchClient, "request">;
  /** Token for the API of a host, sent only to that API. With a token, hosts permit more requests. */
  readonly tokenOf: (api: string) => string | undefined;
}

/**
 * The facts about a repository from its host; undefined if that kind of host has no API.
 * @throws Failure if the host does not answer, or does not show the repository
 */
export async function askHost(
  { client, tokenOf }: ReputationPorts,
  { host, url }: Pick<GitSourceSpec, "host" | "url">,
): Promise<HostFacts | undefined> {
  const api = hostApis[host];
  if (!api) return undefined;
  const repository = new URL(url);
  return withDeadline(repository.host, deadline, async (signal) => {
    const get = (address: URL): Promise<Json> => getJson(client, api, address, tokenOf(address.host), signal);
    const answer = await get(api.repository(repository));
    return readFacts(api, answer, api.owner ? await get(api.owner(repository)) : {});
  });
}

async function getJson(
  client: ReputationPorts["client"],
  api: HostApi,
  address: URL,
  token: string | undefined,
  signal: AbortSignal,
): Promise<Json> {
  const headers = { accept: "application/json", ...(token !== undefined && api.authorization(token)) };
  const response = await client.request(address, { headers, signal, maxBytes: maxAnswer, maxRedirects: 2 });
  if (response.status !== 200) {
    response.discard();
    throw new Failure("source_refused", `${address.host} answered ${response.status}.`);
  }
  const answer = jsonOf(await response.text());
  if (typeof answer !== "object" || answer === null || Array.isArray(answer))
    throw new Failure("source_invalid", `${address.host} answered without a JSON object.`);
  return answer as Json;
}

/** The API of a kind of host: the addresses of a repository and its owner, and the names of fields with facts. */
interface HostApi {
  repository(url: URL): URL;
  /** Absent if owners are not public. */
  owner?(url: URL): URL;
  isFork(repository: Json): boolean | null;
  readonly fields: Partial<Record<"stars" | "forks" | "isArchived" | "since" | "activeAt" | "homepage", string>>;
  readonly ownerFields?: Partial<Record<"followers" | "since" | "repositories", string>> & {
    readonly profile: readonly string[];
  };
  /** The header with a token. */
  authorization(token: string): Readonly<Record<string, string>>;
}

const bearer = (token: string): Readonly<Record<string, string>> => ({ authorization: `Bearer ${token}` });

/** https://docs.github.com/en/rest/repos/repos#get-a-repository and https://docs.github.com/en/rest/users/users#get-a-user */
const github: HostApi = {
  repository: (url) => new URL(`${githubBase(url)}/repos/${pathOf(url)}`),
  owner: (url) => new URL(`${githubBase(url)}/users/${pathOf(url).split("/")[0]}`),
  isFork: ({ fork }) => booleanOf(fork),
  fields: {
    stars: "stargazers_count",
    forks: "forks_count",
    isArchived: "archived",
    since: "created_at",
    activeAt: "pushed_at",
    homepage: "homepage",
  },
  ownerFields: {
    followers: "followers",
    since: "created_at",
    repositories: "public_repos",
    profile: ["name", "blog", "email", "bio"],
  },
  authorization: bearer,
};

/** https://docs.gitlab.com/api/projects/#get-a-single-project; a namespace has no public facts about its owner. */
const gitlab: HostApi = {
  repository: (url) => new URL(`${url.origin}/api/v4/projects/${encodeURIComponent(decodeURIComponent(pathOf(url)))}`),
  isFork: (project) => (Object.hasOwn(project, "id") ? Object.hasOwn(project, "forked_from_project") : null),
  fields: {
    stars: "star_count",
    forks: "forks_count",
    isArchived: "archived",
    since: "created_at",
    activeAt: "last_activity_at",
  },
  authorization: (token) => ({ "private-token": token }),
};

/** https://developer.atlassian.com/cloud/bitbucket/rest/api-group-repositories: it has no stars. */
const bitbucket: HostApi = {
  repository: (url) => new URL(`https://api.${url.host}/2.0/repositories/${pathOf(url)}`),
  isFork: (repository) => (Object.hasOwn(repository, "uuid") ? Object.hasOwn(repository, "parent") : null),
  fields: { since: "created_on", activeAt: "updated_on", homepage: "website" },
  authorization: bearer,
};

/** https://docs.gitea.com/api (repoGet and userGet), also of Forgejo. */
const gitea: HostApi = {
  repository: (url) => new URL(`${url.origin}/api/v1/repos/${pathOf(url)}`),
  owner: (url) => new URL(`${url.origin}/api/v1/users/${pathOf(url).split("/")[0]}`),
  isFork: ({ fork }) => booleanOf(fork),
  fields: {
    stars: "stars_count",
    forks: "forks_count",
    isArchived: "archived",
    since: "created_at",
    activeAt: "updated_at",
    homepage: "website",
  },
  ownerFields: { followers: "followers_count", since: "created", profile: ["full_name", "website", "description"] },
  authorization: (token) => ({ authorization: `token ${token}` }),
};

/** The API of each kind of host that has one. */
const hostApis: Readonly<Partial<Record<GitHost, HostApi>>> = { github, gitlab, bitbucket, gitea };

/** The facts in the responses of an API; `owner` is empty if it was not requested. */
function readFacts({ isFork, fields, ownerFields }: HostApi, repository: Json, owner: Json): HostFacts {
  const value = (name: keyof typeof fields): unknown => repository[fields[name] ?? ""];
  const ofOwner = (name: "followers" | "since" | "repositories"): unknown => owner[ownerFields?.[name] ?? ""];
  return {
    stars: countOf(value("stars")),
    forks: countOf(value("forks")),
    isFork: isFork(repository),
    isArchived: booleanOf(value("isArchived")),
    since: timeOf(value("since")),
    activeAt: timeOf(value("activeAt")),
    homepage: siteOf(value("homepage")),
    followers: countOf(ofOwner("followers")),
    ownerSince: timeOf(ofOwner("since")),
    ownerRepositories: countOf(ofOwner("repositories")),
    ownerProfile: ownerFields && Object.hasOwn(owner, "login") ? filledIn(owner, ownerFields.profile) : null,
  };
}

/** Path of a repository on its host, without outer slashes and `.git`. */
function pathOf({ pathname }: URL): string {
  return pathname
    .split("/")
    .filter(Boolean)
    .join("/")
    .replace(/\.git$/i, "");
}

function booleanOf(value: unknown): boolean | null {
  return typeof value === "boolean" ? value : null;
}

/** The share of non-empty fields, 0 to 1. */
function filledIn(owner: Json, fields: readonly string[]): number {
  const filled = fields.filter((field) => typeof owner[field] === "string" && owner[field] !== "");
  return filled.length / fields.length;
}

function siteOf(value: unknown): string | null {
  const url = typeof value === "string" && value.length <= 500 ? URL.parse(value) : null;
  return url && /^https?:$/.test(url.protocol) ? `${url.origin}${url.pathname}` : null;
}

/** Calls `ask` with a signal that aborts after `deadline` milliseconds. @throws Failure timeout after that; errors of `ask` */
export async function withDeadline<Answer>(
  host: string,
  deadline: number,
  ask: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const signal = AbortSignal.timeout(deadline);
  try {
    return await ask(signal);
  } catch (error) {
    if (!signal.aborted || error instanceof Failure) throw error;
    throw new Failure("timeout", `${host} did not answer within ${deadline / 1000} s.`, { cause: error });
  }
}
