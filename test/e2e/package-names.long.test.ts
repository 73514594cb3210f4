import { expect, it } from "vitest";
import { startServers } from "./setup.ts";

const { git, server, add, refresh } = await startServers();

/** The IDs of a search, each with the claim that matched. */
async function search(name: string): Promise<readonly object[]> {
  const query = new URLSearchParams({ libraryName: name, query: "how to use it" });
  const { body } = await server.call("GET", `/v2/libs/search?${query.toString()}`);
  const { results } = body as { results: { id: string; title: string; package?: object }[] };
  return results.map(({ id, package: claim }) => ({ id, ...(claim && { package: claim }) }));
}

it("finds a library by the names that the manifests of its repository claim", async () => {
  const files = {
    "docs/guide.md": "# Guide\n\nInstall it and build something with it.\n\n```js\nbuild();\n```\n",
    "package.json": '{"name": "monorepo", "private": true, "workspaces": ["packages/*"]}',
    "packages/core/package.json": '{"name": "@acme/gadgets-core"}',
    "packages/server/pyproject.toml": '[project]\nname = "gadgets-server"\n',
    "examples/app/package.json": '{"name": "example-app"}',
  };
  const repository = await git.repository("acme/gizmo.git", files);
  await add(repository.url);
  await server.settled("/acme/gizmo");
  const claim = { name: "@acme/gadgets-core", manifest: "packages/core/package.json" };
  expect(await search("@acme/gadgets-core")).toEqual([{ id: "/acme/gizmo", package: claim }]);
  expect(await search("gadgets-core")).toEqual([{ id: "/acme/gizmo", package: claim }]);
  expect(await search("gadgets-server")).toMatchObject([{ package: { manifest: "packages/server/pyproject.toml" } }]);
  expect(await search("gizmo")).toEqual([{ id: "/acme/gizmo" }]);
  expect(await search("example-app")).toEqual([]);
  expect(await search("monorepo")).toEqual([]);

  await repository.commit({ "packages/core/package.json": '{"name": "@acme/renamed-core"}' });
  await refresh("/acme/gizmo");
  await server.settled("/acme/gizmo");
  expect(await search("@acme/renamed-core")).toMatchObject([{ id: "/acme/gizmo" }]);
  expect(await search("@acme/gadgets-core")).toEqual([{ id: "/acme/gizmo" }]);
});
