import type { GitHost } from "../../domain/source.ts";
import type { HostFacts } from "../../domain/trust.ts";
import { countOf, timeOf } from "./json.ts";
import type { Json } from "./json.ts";

/** How the API of a kind of host is asked for a repository. */
export interface HostApi {
  /** Addresses to ask: the repository's, then that of its owner, which may follow from what was said of the repository. */
  repository(url: URL): URL;
  owner(url: URL, repository: Json): URL | null;
  facts(repository: Json, owner: Json): HostFacts;
  /** The header that a token goes in. */
  authorization(token: string): Readonly<Record<string, string>>;
}

const bearer = (token: string): Readonly<Record<string, string>> => ({ authorization: `Bearer ${token}` });

const unsaid: HostFacts = {
  stars: null,
  forks: null,
  isFork: null,
  isArchived: null,
  activeAt: null,
  followers: null,
  ownerSince: null,
  since: null,
  ownerRepositories: null,
  ownerProfile: null,
  homepage: null,
};

/** https://docs.github.com/en/rest/repos/repos#get-a-repository and https://docs.github.com/en/rest/users/users#get-a-user */
const github: HostApi = {
  repository: (url) => new URL(`${githubBase(url)}/repos/${pathOf(url)}`),
  owner: (url) => new URL(`${githubBase(url)}/users/${pathOf(url).split("/")[0]}`),
  facts: (repository, owner) => ({
    stars: countOf(repository["stargazers_count"]),
    forks: countOf(repository["forks_count"]),
    isFork: booleanOf(repository["fork"]),
    isArchived: booleanOf(repository["archived"]),
    since: timeOf(repository["created_at"]),
    activeAt: timeOf(repository["pushed_at"]),
    followers: countOf(owner["followers"]),
    ownerSince: timeOf(owner["created_at"]),
    ownerRepositories: countOf(owner["public_repos"]),
    ownerProfile: Object.hasOwn(owner, "login") ? filledIn(owner, ["name", "blog", "email", "bio"]) : null,
    homepage: siteOf(repository["homepage"]),
  }),
  authorization: bearer,
};

/** https://docs.gitlab.com/api/projects/#get-a-single-project; a namespace says nothing of its owner to strangers. */
const gitlab: HostApi = {
  repository: (url) => new URL(`${url.origin}/api/v4/projects/${encodeURIComponent(decodeURIComponent(pathOf(url)))}`),
  owner: () => null,
  facts: (repository) => ({
    ...unsaid,
    stars: countOf(repository["star_count"]),
    forks: countOf(repository["forks_count"]),
    isFork: Object.hasOwn(repository, "id") ? Object.hasOwn(repository, "forked_from_project") : null,
    isArchived: booleanOf(repository["archived"]),
    since: timeOf(repository["created_at"]),
    activeAt: timeOf(repository["last_activity_at"]),
  }),
  authorization: (token) => ({ "private-token": token }),
};

/** https://developer.atlassian.com/cloud/bitbucket/rest/api-group-repositories: it has no stars. */
const bitbucket: HostApi = {
  repository: (url) => new URL(`https://api.${url.host}/2.0/repositories/${pathOf(url)}`),
  owner: () => null,
  facts: (repository) => ({
    ...unsaid,
    isFork: Object.hasOwn(repository, "uuid") ? Object.hasOwn(repository, "parent") : null,
    since: timeOf(repository["created_on"]),
    activeAt: timeOf(repository["updated_on"]),
    homepage: siteOf(repository["website"]),
  }),
  authorization: bearer,
};

/** https://docs.gitea.com/api (repoGet and userGet), which Forgejo has too. */
const gitea: HostApi = {
  repository: (url) => new URL(`${url.origin}/api/v1/repos/${pathOf(url)}`),
  owner: (url) => new URL(`${url.origin}/api/v1/users/${pathOf(url).split("/")[0]}`),
  facts: (repository, owner) => ({
    ...unsaid,
    stars: countOf(repository["stars_count"]),
    forks: countOf(repository["forks_count"]),
    isFork: booleanOf(repository["fork"]),
    isArchived: booleanOf(repository["archived"]),
    since: timeOf(repository["created_at"]),
    activeAt: timeOf(repository["updated_at"]),
    followers: countOf(owner["followers_count"]),
    ownerSince: timeOf(owner["created"]),
    ownerProfile: Object.hasOwn(owner, "login") ? filledIn(owner, ["full_name", "website", "description"]) : null,
    homepage: siteOf(repository["website"]),
  }),
  authorization: (token) => ({ authorization: `token ${token}` }),
};

/** The API of each kind of host that has one. */
export const hostApis: Readonly<Partial<Record<GitHost, HostApi>>> = { github, gitlab, bitbucket, gitea };

/** github.com has its API on a host of its own; GitHub Enterprise Server below a path. */
function githubBase({ host, origin }: URL): string {
  return host === "github.com" ? "https://api.github.com" : `${origin}/api/v3`;
}

/** Path of a repository on its host, without slashes around it and `.git`. */
function pathOf({ pathname }: URL): string {
  return pathname.replace(/^\/+|\/+$/g, "").replace(/\.git$/i, "");
}

function booleanOf(value: unknown): boolean | null {
  return typeof value === "boolean" ? value : null;
}

function filledIn(owner: Json, fields: readonly string[]): number {
  const filled = fields.filter((field) => typeof owner[field] === "string" && owner[field] !== "");
  return filled.length / fields.length;
}

function siteOf(value: unknown): string | null {
  const url = typeof value === "string" && value.length <= 500 ? URL.parse(value) : null;
  return url && /^https?:$/.test(url.protocol) ? `${url.origin}${url.pathname}` : null;
}
