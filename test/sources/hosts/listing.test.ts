import { expect, it, onTestFinished } from "vitest";
import type { OwnerListing, RepositoryOwner } from "../../../domain/owner-repositories.ts";
import { createGitHubApps } from "../../../sources/lib/hosts/github-app.ts";
import { listOwner } from "../../../sources/lib/hosts/listing.ts";
import { pageOf, startHostApi, type HostAnswer, type HostApi, type HostRequest } from "../../support/host-api.ts";

async function start(answer: (request: HostRequest) => HostAnswer): Promise<HostApi> {
  const api = await startHostApi(answer);
  onTestFinished(() => api.close());
  return api;
}

function list({ client }: HostApi, host: RepositoryOwner["host"], url: string, token?: string): Promise<OwnerListing> {
  const credential = token === undefined ? null : { token };
  return listOwner({ client, apps: createGitHubApps(client) }, { host, url }, credential, AbortSignal.timeout(10_000));
}

const notFound: HostAnswer = { status: 404, body: { message: "Not Found" } };

/** https://docs.github.com/rest/repos/repos#list-organization-repositories */
const widgets = {
  html_url: "https://github.com/acme/widgets",
  full_name: "acme/widgets",
  description: "Widgets\nfor all",
  default_branch: "main",
  size: 108,
  license: { key: "mit", spdx_id: "MIT" },
  archived: false,
  fork: false,
  private: true,
  pushed_at: "2026-01-26T19:06:43Z",
};

const listedWidgets = {
  address: "https://github.com/acme/widgets",
  description: "Widgets for all",
  defaultBranch: "main",
  bytes: 110_592,
  licence: "MIT",
  archived: false,
  fork: false,
  private: true,
  pushedAt: Date.parse("2026-01-26T19:06:43Z"),
};

it("lists an organization of GitHub over several pages", async () => {
  const all = Array.from({ length: 250 }, (_, at) => ({ ...widgets, html_url: `https://github.com/acme/w${at}` }));
  const api = await start((request) => {
    if (request.headers.authorization !== "Bearer ghp_1") return { status: 401, body: { message: "Bad credentials" } };
    return request.url.pathname === "/orgs/acme/repos" ? pageOf(all, request, 100) : notFound;
  });
  const { repositories, isComplete } = await list(api, "github", "https://github.com/acme", "ghp_1");
  expect(isComplete).toBe(true);
  expect(repositories).toHaveLength(250);
  expect(repositories[0]).toEqual({ ...listedWidgets, address: "https://github.com/acme/w0" });
  expect(api.requests.map(({ url }) => url.host)).toEqual(["api.github.com", "api.github.com", "api.github.com"]);
  await expect(list(api, "github", "https://github.com/acme", "ghp_2")).rejects.toMatchObject({
    code: "source_refused",
    message: expect.not.stringContaining("ghp_2"),
  });
});

it("lists at most a thousand repositories, and says that there are more", async () => {
  const all = Array.from({ length: 1200 }, (_, at) => ({ ...widgets, html_url: `https://github.com/acme/w${at}` }));
  const api = await start((request) => pageOf(all, request, 100));
  const { repositories, isComplete } = await list(api, "github", "https://github.com/acme");
  expect([repositories.length, isComplete, api.requests.length]).toEqual([1000, false, 10]);
});

it("lists the private repositories of the token's own user, else the public ones", async () => {
  const api = await start((request) => {
    const { pathname } = request.url;
    if (pathname === "/user/repos") return { body: [widgets, { ...widgets, html_url: "https://github.com/other/x" }] };
    return pathname === "/users/acme/repos" ? { body: [{ ...widgets, private: false }] } : notFound;
  });
  expect((await list(api, "github", "https://github.com/acme", "ghp_1")).repositories).toEqual([listedWidgets]);
  expect((await list(api, "github", "https://github.com/acme")).repositories[0]?.private).toBe(false);
  await expect(list(api, "github", "https://github.com/nobody")).rejects.toMatchObject({ code: "source_not_found" });
});

it("asks GitHub Enterprise Server at its own path", async () => {
  const api = await start(() => ({ body: [{ ...widgets, html_url: "https://ghe.acme.example/acme/widgets" }] }));
  expect((await list(api, "github", "https://ghe.acme.example/acme")).repositories).toHaveLength(1);
  expect(api.requests[0]?.url.href).toMatch(/^https:\/\/ghe\.acme\.example\/api\/v3\/orgs\/acme\/repos/);
});

it("lists a group of GitLab with its subgroups", async () => {
  // https://docs.gitlab.com/api/groups/#list-projects
  const project = {
    web_url: "https://gitlab.com/acme/docs/handbook",
    path_with_namespace: "acme/docs/handbook",
    description: null,
    default_branch: "main",
    archived: true,
    visibility: "internal",
    last_activity_at: "2026-01-26T19:06:43.000Z",
    forked_from_project: { id: 1 },
    statistics: { repository_size: 2048 },
  };
  const api = await start((request) => {
    const { pathname, searchParams } = request.url;
    if (request.headers["private-token"] !== "glpat-1") return { status: 401 };
    const isAsked = searchParams.get("include_subgroups") === "true" && searchParams.get("statistics") === "true";
    return pathname === "/api/v4/groups/acme%2Fdocs/projects" && isAsked ? pageOf([project], request, 100) : notFound;
  });
  expect((await list(api, "gitlab", "https://gitlab.com/acme/docs", "glpat-1")).repositories).toEqual([
    {
      address: "https://gitlab.com/acme/docs/handbook",
      description: "",
      defaultBranch: "main",
      bytes: 2048,
      licence: null,
      archived: true,
      fork: true,
      private: true,
      pushedAt: Date.parse("2026-01-26T19:06:43Z"),
    },
  ]);
});

it.each([
  ["a workspace's access token", "ATCTT1", "Bearer ATCTT1"],
  ["an app password", "user:app-password", `Basic ${btoa("user:app-password")}`],
  ["an API token", "me@acme.example:ATATT1", `Basic ${btoa("me@acme.example:ATATT1")}`],
])("lists a workspace of Bitbucket with %s", async (_title, token, authorization) => {
  // https://developer.atlassian.com/cloud/bitbucket/rest/api-group-repositories
  const one = (name: string): object => ({
    full_name: `acme/${name}`,
    links: { html: { href: `https://bitbucket.org/acme/${name}` } },
    description: "Text",
    mainbranch: { type: "branch", name: "master" },
    size: 4096,
    is_private: true,
    updated_on: "2026-01-26T19:06:43Z",
    parent: null,
  });
  const api = await start(({ url, headers }) => {
    if (headers.authorization !== authorization) return { status: 401 };
    if (url.searchParams.has("page")) return { body: { values: [one("b")] } };
    return { body: { values: [one("a")], next: `${url.href}&page=2` } };
  });
  const { repositories } = await list(api, "bitbucket", "https://bitbucket.org/acme", token);
  expect(repositories.map(({ address }) => address)).toEqual([
    "https://bitbucket.org/acme/a",
    "https://bitbucket.org/acme/b",
  ]);
  expect(repositories[0]).toMatchObject({ defaultBranch: "master", bytes: 4096, fork: false, private: true });
  expect(api.requests[0]?.url.href).toMatch(/^https:\/\/api\.bitbucket\.org\/2\.0\/repositories\/acme\?/);
});

it("sends its token to no other host that a page names as the next one", async () => {
  const api = await start(() => ({ body: { values: [], next: "https://evil.example/2.0/repositories/acme?page=2" } }));
  await list(api, "bitbucket", "https://bitbucket.org/acme", "ATCTT1");
  expect(api.requests.map(({ url }) => url.host)).toEqual(["api.bitbucket.org"]);
});

it.each([
  ["https://git.acme.example/projects/DOCS", "DOCS", "https://git.acme.example/scm/docs/handbook.git"],
  ["https://git.acme.example/users/jane", "~jane", "https://git.acme.example/scm/~jane/handbook.git"],
])("lists %s of Bitbucket Data Center", async (owner, key, address) => {
  // https://developer.atlassian.com/server/bitbucket/rest
  const handbook = {
    slug: "handbook",
    archived: false,
    public: false,
    links: {
      clone: [
        { href: "ssh://x", name: "ssh" },
        { href: address, name: "http" },
      ],
    },
  };
  const api = await start(({ url, headers }) => {
    if (headers.authorization !== "Bearer BBDC-1" || url.pathname !== `/rest/api/1.0/projects/${key}/repos`)
      return notFound;
    const isLastPage = url.searchParams.get("start") === "100";
    return { body: { values: isLastPage ? [handbook] : [], isLastPage, nextPageStart: isLastPage ? null : 100 } };
  });
  const { repositories } = await list(api, "bitbucket", owner, "BBDC-1");
  expect(repositories).toMatchObject([{ address, private: true, archived: false, bytes: null }]);
});

it("lists an organization of Gitea or Forgejo, else a user", async () => {
  // https://docs.gitea.com/api (userListRepos)
  const repository = {
    ...widgets,
    html_url: "https://git.acme.example/jane/widgets",
    license: undefined,
    licenses: ["MIT"],
    updated_at: widgets.pushed_at,
  };
  const api = await start((request) => {
    if (request.headers.authorization !== "token gta_1") return { status: 401 };
    return request.url.pathname === "/api/v1/users/jane/repos" ? pageOf([repository], request, 50) : notFound;
  });
  const { repositories } = await list(api, "gitea", "https://git.acme.example/jane", "gta_1");
  expect(repositories).toEqual([{ ...listedWidgets, address: repository.html_url }]);
});

it("lists an organization and a project of Azure DevOps", async () => {
  // https://learn.microsoft.com/rest/api/azure/devops/git/repositories/list
  const one = (project: string, name: string): object => ({
    name,
    project: { name: project, visibility: "private" },
    defaultBranch: "refs/heads/main",
    size: 728,
    webUrl: `https://dev.azure.com/fabrikam/${project}/_git/${name}`,
    isDisabled: false,
  });
  const api = await start(({ url, headers }) => {
    if (headers.authorization !== `Basic ${btoa(":pat")}`) return { status: 203, body: "sign in" };
    const all = [one("Fiber%20Git", "A"), one("Other", "B")];
    if (url.pathname === "/fabrikam/_apis/git/repositories") return { body: { count: 2, value: all } };
    return url.pathname === "/fabrikam/Other/_apis/git/repositories"
      ? { body: { count: 1, value: all.slice(1) } }
      : notFound;
  });
  const { repositories } = await list(api, "azure", "https://dev.azure.com/fabrikam", "pat");
  expect(repositories.map(({ address }) => address)).toEqual([
    "https://dev.azure.com/fabrikam/Fiber%20Git/_git/A",
    "https://dev.azure.com/fabrikam/Other/_git/B",
  ]);
  expect(repositories[0]).toMatchObject({ defaultBranch: "main", bytes: 728, archived: false, private: true });
  expect((await list(api, "azure", "https://dev.azure.com/fabrikam/Other", "pat")).repositories).toHaveLength(1);
  await expect(list(api, "azure", "https://dev.azure.com/fabrikam", "wrong")).rejects.toMatchObject({
    code: "source_refused",
  });
});

it.each([
  ["GitHub", 403, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(Math.ceil(Date.now() / 1000) + 600) }],
  ["GitHub's second limit", 403, { "retry-after": "600" }],
  ["GitLab", 429, { "ratelimit-remaining": "0", "ratelimit-reset": String(Math.ceil(Date.now() / 1000) + 600) }],
  ["Azure DevOps", 429, { "retry-after": "600", "x-ratelimit-remaining": "0" }],
])("says when the limit of %s ends", async (_title, status, headers) => {
  const api = await start(() => ({ status, headers }));
  const failure: unknown = await list(api, "github", "https://github.com/acme").catch((error: unknown) => error);
  expect(failure).toMatchObject({
    code: "source_unreachable",
    message: expect.stringMatching(/limit is reached. Try again in \d+ s/),
  });
  const { retryAfter } = (failure as { details: { retryAfter: number } }).details;
  expect(retryAfter).toBeGreaterThan(500);
  expect(retryAfter).toBeLessThan(700);
});

it("takes 403 without a limit as a refusal, and lists nothing of other owners and hosts", async () => {
  const refusing = await start(() => ({ status: 403, headers: { "x-ratelimit-remaining": "4999" } }));
  await expect(list(refusing, "github", "https://github.com/acme")).rejects.toMatchObject({ code: "source_refused" });
  const addresses = ["https://github.com/acme-2/x", "https://evil.example/acme/x", "javascript:alert(1)", 42, null];
  const lying = await start(() => ({ body: addresses.map((address) => ({ ...widgets, html_url: address })) }));
  expect(await list(lying, "github", "https://github.com/acme")).toEqual({ repositories: [], isComplete: true });
});
