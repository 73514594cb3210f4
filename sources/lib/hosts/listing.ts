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
  /** Field with the items of an answer; absent: it is a list. */
  readonly items?: string;
  /** Address of the next page; absent: in the header Link. */
  next?(body: Json, page: URL): unknown;
  /** The field of an item for each fact, with dots between those of objects; absent: the API does not say. */
  readonly fields: Partial<Record<keyof HostRepository, string>>;
  /** The unit of sizes; absent: bytes. */
  readonly unit?: number;
}

const perPage = "per_page=100";

/** https://docs.github.com/rest/repos/repos and https://docs.github.com/rest/apps/installations */
const github: Lister = {
  starts(owner, how) {
    const base = githubBase(owner);
    const [, name] = owner.pathname.split("/");
    if (how === "app") return [`${base}/installation/repositories?${perPage}`];
    // Public repositories only are listed for another user.
    const own = how === "token" ? [`${base}/user/repos?${perPage}&sort=pushed&affiliation=owner`] : [];
    const of = (kind: string): string => `${base}/${kind}/${name}/repos?${perPage}&sort=pushed`;
    return [of("orgs"), ...own, of("users")];
  },
  items: "repositories",
  fields: {
    address: "html_url",
    description: "description",
    defaultBranch: "default_branch",
    bytes: "size",
    licence: "license.spdx_id",
    archived: "archived",
    fork: "fork",
    private: "private",
    pushedAt: "pushed_at",
  },
  unit: 1024,
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
  fields: {
    address: "web_url",
    description: "description",
    defaultBranch: "default_branch",
    bytes: "statistics.repository_size",
    archived: "archived",
    fork: "forked_from_project",
    private: "visibility",
    pushedAt: "last_activity_at",
  },
};

/** https://developer.atlassian.com/cloud/bitbucket/rest/api-group-repositories */
const bitbucketCloud: Lister = {
  starts: ({ host, pathname }) => [
    `https://api.${host}/2.0/repositories/${pathname.split("/")[1]}?pagelen=100&sort=-updated_on`,
  ],
  items: "values",
  next: (body) => body["next"],
  fields: {
    address: "links.html.href",
    description: "description",
    defaultBranch: "mainbranch.name",
    bytes: "size",
    fork: "parent",
    private: "is_private",
    pushedAt: "updated_on",
  },
};

/** https://developer.atlassian.com/server/bitbucket/rest: projects, and users as projects with a tilde. */
const bitbucketDataCenter: Lister = {
  starts({ origin, pathname }) {
    const [kind, name = kind] = pathname.split("/").filter((part) => part !== "");
    return [`${origin}/rest/api/1.0/projects/${kind === "users" ? "~" : ""}${name}/repos?limit=100`];
  },
  folder: (pathname) => pathname.replace(/^\/(?:projects|scm|users)\/~?/, "/"),
  items: "values",
  next(body, page) {
    if (body["isLastPage"] !== false) return undefined;
    const url = new URL(page);
    url.searchParams.set("start", String(countOf(body["nextPageStart"]) ?? 0));
    return url.href;
  },
  fields: {
    address: "links.clone",
    description: "description",
    archived: "archived",
    fork: "origin",
    private: "!public",
  },
};

/** https://docs.gitea.com/api (orgListRepos and userListRepos), also of Forgejo. */
const gitea: Lister = {
  starts: ({ origin, pathname }) =>
    ["orgs", "users"].map((kind) => `${origin}/api/v1/${kind}/${pathname.split("/")[1]}/repos?limit=50`),
  fields: { ...github.fields, licence: "licenses", pushedAt: "updated_at" },
  unit: 1024,
};

/** https://learn.microsoft.com/rest/api/azure/devops/git/repositories/list, of an organization or a project, on one page. */
const azure: Lister = {
  starts: ({ origin, pathname }) => [`${origin}${pathname}/_apis/git/repositories?api-version=7.1`],
  items: "value",
  fields: {
    address: "webUrl",
    defaultBranch: "defaultBranch",
    bytes: "size",
    archived: "isDisabled",
    fork: "isFork",
    private: "project.visibility",
  },
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
    const items = Array.isArray(answer.body) ? answer.body : objectOf(answer.body)[lister.items ?? ""];
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
function toRepository(
  { fields, unit = 1, folder = String }: Lister,
  item: Json,
  owner: URL,
): HostRepository | undefined {
  const value = (fact: keyof HostRepository): unknown => valueAt(item, fields[fact]);
  const address = textOf(value("address"));
  const url = address === null ? null : URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol) || url.host !== owner.host) return undefined;
  if (
    !folder(url.pathname)
      .toLowerCase()
      .startsWith(`${folder(owner.pathname).toLowerCase()}/`)
  )
    return undefined;
  url.username = url.password = url.search = url.hash = "";
  const size = countOf(value("bytes"));
  const licence = textOf(value("licence"));
  // What it was forked from is absent of others; another absent fact is one that the API does not say.
  const truth = (fact: "archived" | "fork" | "private"): boolean | null =>
    fields[fact] === undefined || (value(fact) === undefined && fact !== "fork") ? null : isTrue(value(fact));
  return {
    address: url.href,
    description: textOf(value("description")) ?? "",
    defaultBranch: textOf(value("defaultBranch"))?.replace(/^refs\/heads\//, "") ?? null,
    bytes: size === null ? null : size * unit,
    // GitHub's name for a licence that it does not know.
    licence: licence === "NOASSERTION" ? null : licence,
    archived: truth("archived"),
    fork: truth("fork"),
    private: truth("private"),
    pushedAt: timeOf(value("pushedAt")),
  };
}

/** The value of a field, with dots between those of objects; of one that begins with `!` the opposite. */
function valueAt(item: Json, field = ""): unknown {
  if (field.startsWith("!")) return item[field.slice(1)] !== true;
  return field.split(".").reduce<unknown>((value, name) => objectOf(value)[name], item);
}

/** A flag, what a repository was forked from, or a visibility other than public. */
function isTrue(value: unknown): boolean {
  return typeof value === "string" ? value !== "public" : value === true || isObject(value);
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

/** A text on one line, the first of a list, or of a list of addresses that for http; null for anything else. */
function textOf(value: unknown): string | null {
  if (Array.isArray(value)) {
    const link = value.map(objectOf).find(({ name }) => name === "http");
    return textOf(link ? link["href"] : value[0]);
  }
  return typeof value === "string" && value !== "" ? oneLine(value).slice(0, 1000) : null;
}
