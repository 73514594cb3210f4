import { Failure } from "../../../domain/failures.ts";
import type { GitCredential } from "../../../domain/kinds/git.ts";
import { oneLine } from "../../../domain/one-line.ts";
import type { HostRepository, OwnerListing, RepositoryOwner } from "../../../domain/owner-repositories.ts";
import { isObject, listOf, objectOf, type Json } from "../../../extract/json.ts";
import type { FetchClient } from "../fetch/client.ts";
import { countOf, timeOf } from "../fetch/json.ts";
import { askApi, type ApiAnswer } from "./api.ts";
import { githubBase, githubHeaders, type GitHubApps } from "./github-app.ts";
import { apiHeaders } from "./tokens.ts";

/** Maximum number of repositories of an owner, and of requests for them. */
const maxRepositories = 1000;
const maxPages = 20;

/** How the API of a kind of host lists repositories. */
interface Lister {
  /** Addresses of first pages: of an organization, a user, or what the credential reads. The first that has some is taken. */
  starts(owner: URL, how: "token" | "app" | "none"): readonly string[];
  /** The path that those of its repositories begin with, of an owner or a repository; absent: its own path. */
  folder?(pathname: string): string;
  /** The items of an answer; absent: it is a list. */
  items?(body: Json): unknown;
  /** Address of the next page; absent: in the header Link. */
  next?(body: Json, page: URL): unknown;
  read(item: Json): Listed;
}

type Listed = Omit<HostRepository, "address" | "description"> & {
  readonly address: unknown;
  readonly description: unknown;
};

const perPage = "per_page=100";

/** https://docs.github.com/rest/repos/repos and https://docs.github.com/rest/apps/installations */
const github: Lister = {
  starts(owner, how) {
    const base = githubBase(owner);
    const [, name] = owner.pathname.split("/");
    if (how === "app") return [`${base}/installation/repositories?${perPage}`];
    return [
      `${base}/orgs/${name}/repos?${perPage}&sort=pushed`,
      // Public repositories only are listed for another user.
      ...(how === "token" ? [`${base}/user/repos?${perPage}&sort=pushed&affiliation=owner`] : []),
      `${base}/users/${name}/repos?${perPage}&sort=pushed`,
    ];
  },
  items: (body) => body["repositories"],
  read: (item) => ({
    address: item["html_url"],
    description: item["description"],
    defaultBranch: textOf(item["default_branch"]),
    bytes: kilobytes(item["size"]),
    licence: licenceOf(objectOf(item["license"])["spdx_id"]),
    isArchived: booleanOf(item["archived"]),
    isFork: booleanOf(item["fork"]),
    isPrivate: booleanOf(item["private"]),
    pushedAt: timeOf(item["pushed_at"]),
  }),
};

/** https://docs.gitlab.com/api/groups/#list-projects; its lists have no licences. */
const gitlab: Lister = {
  starts({ origin, pathname }, how) {
    const name = encodeURIComponent(decodeURIComponent(pathname.slice(1)));
    const query = `${perPage}&order_by=last_activity_at${how === "none" ? "" : "&statistics=true"}`;
    return [
      `${origin}/api/v4/groups/${name}/projects?include_subgroups=true&with_shared=false&${query}`,
      `${origin}/api/v4/users/${name}/projects?${query}`,
    ];
  },
  read: (item) => ({
    address: item["web_url"],
    description: item["description"],
    defaultBranch: textOf(item["default_branch"]),
    bytes: countOf(objectOf(item["statistics"])["repository_size"]),
    licence: null,
    isArchived: booleanOf(item["archived"]),
    isFork: isObject(item["forked_from_project"]),
    isPrivate: item["visibility"] !== "public",
    pushedAt: timeOf(item["last_activity_at"]),
  }),
};

/** https://developer.atlassian.com/cloud/bitbucket/rest/api-group-repositories */
const bitbucketCloud: Lister = {
  starts: ({ host, pathname }) => [
    `https://api.${host}/2.0/repositories/${pathname.split("/")[1]}?pagelen=100&sort=-updated_on`,
  ],
  items: (body) => body["values"],
  next: (body) => body["next"],
  read: (item) => ({
    address: objectOf(objectOf(item["links"])["html"])["href"],
    description: item["description"],
    defaultBranch: textOf(objectOf(item["mainbranch"])["name"]),
    bytes: countOf(item["size"]),
    licence: null,
    isArchived: null,
    isFork: isObject(item["parent"]),
    isPrivate: booleanOf(item["is_private"]),
    pushedAt: timeOf(item["updated_on"]),
  }),
};

/** https://developer.atlassian.com/server/bitbucket/rest: projects, and users as projects with a tilde. */
const bitbucketDataCenter: Lister = {
  starts({ origin, pathname }) {
    const [kind, name = kind] = pathname.split("/").filter((part) => part !== "");
    return [`${origin}/rest/api/1.0/projects/${kind === "users" ? "~" : ""}${name}/repos?limit=100`];
  },
  folder: (pathname) => pathname.replace(/^\/(?:projects|scm|users)\/~?/, "/"),
  items: (body) => body["values"],
  next(body, page) {
    if (body["isLastPage"] !== false) return undefined;
    const url = new URL(page);
    url.searchParams.set("start", String(countOf(body["nextPageStart"]) ?? 0));
    return url.href;
  },
  read(item) {
    const clones = listOf(objectOf(item["links"])["clone"]).map(objectOf);
    return {
      address: clones.find(({ name }) => name === "http")?.["href"],
      description: item["description"],
      defaultBranch: textOf(item["defaultBranch"]),
      bytes: null,
      licence: null,
      isArchived: booleanOf(item["archived"]),
      isFork: isObject(item["origin"]),
      isPrivate: item["public"] !== true,
      pushedAt: null,
    };
  },
};

/** https://docs.gitea.com/api (orgListRepos and userListRepos), also of Forgejo. */
const gitea: Lister = {
  starts: ({ origin, pathname }) =>
    ["orgs", "users"].map((kind) => `${origin}/api/v1/${kind}/${pathname.split("/")[1]}/repos?limit=50`),
  read: (item) => ({
    address: item["html_url"],
    description: item["description"],
    defaultBranch: textOf(item["default_branch"]),
    bytes: kilobytes(item["size"]),
    licence: licenceOf(listOf(item["licenses"])[0]),
    isArchived: booleanOf(item["archived"]),
    isFork: booleanOf(item["fork"]),
    isPrivate: booleanOf(item["private"]),
    pushedAt: timeOf(item["updated_at"]),
  }),
};

/** https://learn.microsoft.com/rest/api/azure/devops/git/repositories/list, of an organization or a project, on one page. */
const azure: Lister = {
  starts: ({ origin, pathname }) => [`${origin}${pathname}/_apis/git/repositories?api-version=7.1`],
  items: (body) => body["value"],
  read: (item) => ({
    address: item["webUrl"],
    description: objectOf(item["project"])["description"],
    defaultBranch: textOf(item["defaultBranch"])?.replace(/^refs\/heads\//, "") ?? null,
    bytes: countOf(item["size"]),
    licence: null,
    isArchived: booleanOf(item["isDisabled"]),
    isFork: item["isFork"] === true,
    isPrivate: objectOf(item["project"])["visibility"] !== "public",
    pushedAt: null,
  }),
};

const listers = { github, gitlab, gitea, azure };

function listerOf({ host, url }: RepositoryOwner): Lister {
  if (host !== "bitbucket") return listers[host];
  return new URL(url).host === "bitbucket.org" ? bitbucketCloud : bitbucketDataCenter;
}

/** Dependencies of `listOwner`. */
export interface ListingTools {
  readonly client: Pick<FetchClient, "request">;
  readonly apps: GitHubApps;
}

/** The repositories of an owner, by the API of its host, 1,000 at most. @throws Failure source_not_found, and what `askApi` throws */
export async function listOwner(
  { client, apps }: ListingTools,
  owner: RepositoryOwner,
  credential: GitCredential | null,
  signal: AbortSignal,
): Promise<OwnerListing> {
  const lister = listerOf(owner);
  const url = new URL(owner.url);
  const isApp = credential !== null && "appId" in credential;
  const token = isApp
    ? await apps.tokenFor(credential, url, signal)
    : credential && "token" in credential
      ? credential.token
      : null;
  const headers = {
    ...(owner.host === "github" && githubHeaders),
    ...(token !== null && apiHeaders(owner.host, token)),
  };
  const ask = (page: URL): Promise<ApiAnswer | undefined> => askApi({ client, url: page, headers, signal });
  let found: OwnerListing | undefined;
  for (const start of lister.starts(url, isApp ? "app" : token === null ? "none" : "token")) {
    found = (await readPages(lister, url, new URL(start), ask)) ?? found;
    if (found !== undefined && found.repositories.length > 0) return found;
  }
  if (found) return found;
  const message = `${url.host} has no ${url.pathname.slice(1)}, or does not show it without a credential. Check the address.`;
  throw new Failure("source_not_found", message);
}

async function readPages(
  lister: Lister,
  owner: URL,
  first: URL,
  ask: (page: URL) => Promise<ApiAnswer | undefined>,
): Promise<OwnerListing | undefined> {
  const repositories = new Map<string, HostRepository>();
  let page: URL | undefined = first;
  for (let count = 0; page !== undefined; count += 1) {
    if (count === maxPages || repositories.size >= maxRepositories) break;
    const answer = await ask(page);
    if (answer === undefined) return undefined;
    const items = Array.isArray(answer.body) ? answer.body : lister.items?.(objectOf(answer.body));
    for (const item of listOf(items)) {
      const repository = toRepository(lister, objectOf(item), owner);
      if (repository && repositories.size < maxRepositories) repositories.set(repository.address, repository);
    }
    const next: unknown = lister.next ? lister.next(objectOf(answer.body), page) : linkedNext(answer.headers["link"]);
    const url: URL | null = typeof next === "string" ? URL.parse(next) : null;
    // The credential goes to no other host than the one that was asked.
    page = url?.origin === first.origin ? url : undefined;
  }
  return { repositories: [...repositories.values()], isComplete: page === undefined };
}

/** A repository of the owner; undefined for one of another owner or host, or without an address. */
function toRepository({ read, folder = String }: Lister, item: Json, owner: URL): HostRepository | undefined {
  const listed = read(item);
  const url = typeof listed.address === "string" && listed.address.length <= 1000 ? URL.parse(listed.address) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.host !== owner.host) return undefined;
  if (
    !folder(url.pathname)
      .toLowerCase()
      .startsWith(`${folder(owner.pathname).toLowerCase()}/`)
  )
    return undefined;
  url.username = url.password = url.search = url.hash = "";
  const description = typeof listed.description === "string" ? oneLine(listed.description).slice(0, 500) : "";
  return { ...listed, address: url.href, description };
}

/** The address of the next page in a header Link (RFC 8288). */
function linkedNext(link = ""): string | undefined {
  return link
    .split(",")
    .find((one) => /;\s*rel="?next"?/.test(one))
    ?.split(";")[0]
    ?.trim()
    .slice(1, -1);
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? oneLine(value).slice(0, 250) : null;
}

/** GitHub says NOASSERTION for a licence that it does not know. */
function licenceOf(value: unknown): string | null {
  return value === "NOASSERTION" ? null : textOf(value);
}

function kilobytes(value: unknown): number | null {
  const count = countOf(value);
  return count === null ? null : count * 1024;
}

function booleanOf(value: unknown): boolean | null {
  return typeof value === "boolean" ? value : null;
}
