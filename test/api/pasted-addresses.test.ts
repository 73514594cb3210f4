import { expect, it } from "vitest";
import type { GitSourceSpec } from "../../domain/kinds/index.ts";
import { setup } from "./setup.ts";

async function world() {
  const all = await setup();
  const add = (host: string, body: object) => all.send("POST", `/v2/add/repo/${host}`, { body });
  const sourceOf = async (body: unknown): Promise<GitSourceSpec> => {
    const run = await all.catalog.runs.get(String((body as Record<string, unknown>)["runId"]));
    return (await all.catalog.libraries.get(run?.libraryUid ?? ""))?.source as GitSourceSpec;
  };
  return { add, sourceOf };
}

it.each([
  ["github", "https://github.com/acme/widgets/tree/main/docs/guide/", "/acme/widgets", "main", "docs/guide"],
  [
    "github",
    "https://github.com/acme/widgets/blob/main/docs/a%20b/use.md?plain=1#L3",
    "/acme/widgets",
    "main",
    "docs/a b",
  ],
  ["git", "https://github.com/acme/widgets/tree/v1.2.0", "/acme/widgets", "v1.2.0", undefined],
  ["git", `https://github.com/acme/widgets/blob/${"a".repeat(40)}/docs/use.md`, "/acme/widgets", null, "./docs"],
  [
    "gitlab",
    "https://gitlab.com/acme/sub/widgets/-/tree/main/docs?ref_type=heads",
    "/acme/sub/widgets",
    "main",
    "./docs",
  ],
  ["bitbucket", "https://bitbucket.org/acme/widgets/src/main/docs/", "/acme/widgets", "main", "./docs"],
  ["git", "https://codeberg.org/acme/widgets/src/branch/next/docs/use.md", "/acme/widgets", "next", "./docs"],
  ["git", "https://git.corp.example/acme/widgets/src/tag/v1", "/acme/widgets", "v1", undefined],
  [
    "git",
    "https://dev.azure.com/acme/web/_git/widgets?path=/docs/guide&version=GBnext/one",
    "/acme/web/_git/widgets",
    "next/one",
    "docs/guide",
  ],
  [
    "git",
    "https://bb.corp.example/projects/WEB/repos/widgets/browse/docs?at=refs%2Fheads%2Fmain",
    "/scm/WEB/widgets",
    "main",
    "./docs",
  ],
])(
  "reads repository, branch and folder of the page of a host: %s %s",
  async (host, docsRepoUrl, path, branch, folder) => {
    const { add, sourceOf } = await world();
    const { status, body } = await add(host, { docsRepoUrl });
    expect(status).toBe(200);
    const source = await sourceOf(body);
    expect(new URL(source.url).pathname).toBe(path);
    expect(source).toMatchObject({ branch, selection: { folders: folder === undefined ? [] : [folder] } });
  },
);

it("prefers the given branch and folders to those of a page's address", async () => {
  const { add, sourceOf } = await world();
  const given = { branch: "other", folders: ["manual"] };
  const { body } = await add("github", { docsRepoUrl: "https://github.com/acme/widgets/tree/main/docs", ...given });
  const source = await sourceOf(body);
  expect(source).toMatchObject({ branch: "other", selection: { folders: ["manual"] } });
});
