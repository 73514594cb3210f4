import { expect, it } from "vitest";
import { manyPages, startServers } from "./setup.ts";

const servers = await startServers((git) => ({ GITEA_HOSTS: git.host }));
const { git, server, refresh } = servers;

/** Sets an answer of the host below `/api/v1`, by its published API description; a number is a status. */
function setAnswer(path: string, answer: object | number): void {
  git.answer(`api/v1${path}`, (_request, response) => {
    if (typeof answer === "number") response.writeHead(answer).end();
    else response.setHeader("content-type", "application/json").end(JSON.stringify(answer));
  });
}
const apiRequests = (): readonly string[] =>
  git.requests.map(({ path }) => path).filter((path) => path.startsWith("/api/"));

const today = new Date().toISOString();
const owner = {
  login: "acme",
  full_name: "Acme",
  website: "https://acme.example",
  description: "Widgets.",
  followers_count: 9000,
  created: "2012-01-01T00:00:00Z",
};
const repository = {
  id: 1,
  stars_count: 20_000,
  forks_count: 1500,
  fork: false,
  archived: false,
  updated_at: today,
  website: "",
};
setAnswer("/users/acme", owner);

interface Trust {
  readonly score: number | null;
  readonly caps: readonly string[];
  readonly problem: string | null;
  readonly stars: number | null;
  readonly verified: boolean | null;
  readonly factors: readonly { readonly reason: string }[];
}

async function trustOf(libraryId: string): Promise<Trust> {
  return (await server.settled(libraryId))["trust"] as Trust;
}

async function add(name: string, answer: object | number, files: Record<string, string>): Promise<Trust> {
  setAnswer(`/repos/${name}`, answer);
  const { url } = await git.repository(`${name}.git`, files);
  expect(await server.call("POST", "/v2/add/repo/git", { docsRepoUrl: url })).toMatchObject({ status: 200 });
  return trustOf(`/${name}`);
}

it("comes from the host's answer, in the status with its reasons and in search", async () => {
  const trust = await add("acme/famous", repository, manyPages(8, "famous"));
  expect(trust).toMatchObject({ score: 9, caps: [], problem: null, stars: 20_000, verified: true });
  expect(trust.factors.map(({ reason }) => reason)).toContain("The repository has 20,000 stars.");
  const { body } = await server.call("GET", "/v2/libs/search?libraryName=famous&query=famous");
  expect(body).toMatchObject({ results: [{ id: "/acme/famous", trustScore: 9, stars: 20_000 }] });
});

it("is low for forks, copies of a more trusted library, and archived repositories", async () => {
  expect(await add("acme/forked", { ...repository, fork: true }, manyPages(8, "forked"))).toMatchObject({ score: 3 });
  expect(await add("acme/archived", { ...repository, archived: true }, manyPages(8, "old"))).toMatchObject({
    score: 6,
  });
  setAnswer("/users/mallory", { ...owner, login: "mallory", followers_count: 1, created: today });
  const copy = await add("mallory/famous", { ...repository, stars_count: 40_000 }, manyPages(8, "famous"));
  expect(copy).toMatchObject({ score: 3, caps: ["Most of its pages are those of /acme/famous: 3 at most."] });
});

it("is unknown if the host's answer is missing or invalid", async () => {
  expect(await add("acme/unknown", 404, manyPages(8, "unknown"))).toMatchObject({
    score: null,
    verified: null,
    problem: expect.stringContaining("answered 404") as string,
  });
  expect(await add("acme/lying", ["no", "object"], manyPages(8, "lying"))).toMatchObject({ score: null });
  const lying = { stars_count: "many", forks_count: -1, fork: "no", updated_at: "yesterday", website: 7 };
  expect(await add("acme/odd", lying, manyPages(8, "odd"))).toMatchObject({ stars: null, problem: null });
});

it("is the administrator's if set, and policies use it", async () => {
  const change = (body: object) => server.call("PATCH", "/v2/libs", { libraryName: "/acme/archived", ...body });
  await change({ trustScore: 10, verified: false });
  expect(await trustOf("/acme/archived")).toMatchObject({ score: 10, verified: false, isSet: true });
  await change({ trustScore: null, verified: null });
  expect(await trustOf("/acme/archived")).toMatchObject({ score: 6, verified: false, isSet: false });
  const policy = { libraryFilters: { mode: "quality", quality: { minTrustScore: 7, repoFilters: { minStars: 100 } } } };
  expect(await server.call("PATCH", "/v2/policies", policy)).toMatchObject({ status: 200 });
  const statusOf = async (id: string) => (await server.call("GET", `/v2/context?libraryId=${id}&query=page`)).status;
  expect([await statusOf("/acme/famous"), await statusOf("/acme/archived"), await statusOf("/acme/unknown")]).toEqual([
    200, 403, 403,
  ]);
});

it("asks no host about private libraries, and none twice within a week", async () => {
  const before = apiRequests().length;
  const { url } = await git.repository("acme/private.git", manyPages(8, "private"));
  await server.call("POST", "/v2/add/repo/git", { docsRepoUrl: url, private: true });
  expect(await trustOf("/acme/private")).toMatchObject({ score: null });
  await refresh("/acme/famous");
  await server.settled("/acme/famous");
  expect(before).toBeGreaterThan(5);
  expect(apiRequests()).toHaveLength(before);
});
