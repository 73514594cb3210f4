import { afterAll, expect, it } from "vitest";
import { startNpmRegistry } from "../support/npm-registry.ts";
import { manyPages, startServers } from "./setup.ts";

const registry = await startNpmRegistry();
const { server, git } = await startServers(({ host }) => ({
  NPM_CONFIG_REGISTRY: registry.url,
  NPM_CONFIG_USERCONFIG: "/dev/null",
  GITEA_HOSTS: host,
}));
afterAll(() => registry.close());

/** Answers of the host, by its published API description. */
const hostAnswers: Readonly<Record<string, object>> = {
  "repos/acme/polisher": {
    id: 1,
    stars_count: 20_000,
    forks_count: 1500,
    fork: false,
    archived: false,
    created_at: "2014-01-01T00:00:00Z",
    updated_at: new Date().toISOString(),
    website: "https://polisher.example/",
  },
  "users/acme": { login: "acme", full_name: "Acme", followers_count: 9000, created: "2012-01-01T00:00:00Z" },
};
for (const [path, answer] of Object.entries(hostAnswers))
  git.answer(`api/v1/${path}`, (_request, response) => {
    response.setHeader("content-type", "application/json").end(JSON.stringify(answer));
  });

const pages = manyPages(8, "polish");
const repository = await git.repository("acme/polisher.git", {
  "package.json": JSON.stringify({ name: "polisher", version: "1.0.0" }),
  ...pages,
});
await repository.tag("v1.0.0");

async function trustOf(name: string) {
  const manifest = { repository: { type: "git", url: `git+${repository.url}` } };
  registry.publish(name, { "1.0.0": { files: { "README.md": "# Polisher\n\nPolish it.\n", ...pages }, manifest } });
  await server.call("POST", "/v2/add/package", { name });
  return (await server.settled(`/npm/${name}`))["trust"];
}
const reasonOf = `It is made from ${repository.url}, whose score is 9 (20,000 stars).`;

it("is that of the repository whose manifest names the package, with facts of the registry", async () => {
  expect(await trustOf("polisher")).toMatchObject({
    score: 8,
    stars: 20_000,
    caps: [],
    problem: null,
    factors: [
      { name: "repository", weight: 40, value: 0.9, reason: reasonOf },
      { name: "versions", reason: "It has 1 version." },
    ],
  });
});

it("does not come from a repository that a typo-squat names", async () => {
  expect(await trustOf("pollisher")).toMatchObject({ score: null, stars: null, factors: [{ name: "versions" }] });
});

it("does not treat a repository as a copy of its package, even if that is trusted more", async () => {
  await server.call("PATCH", "/v2/libs", { libraryName: "/npm/polisher", trustScore: 10 });
  await server.call("POST", "/v2/add/repo/git", { docsRepoUrl: repository.url });
  expect((await server.settled("/acme/polisher"))["trust"]).toMatchObject({ score: 9, caps: [] });
});
