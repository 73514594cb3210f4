import { readFile } from "node:fs/promises";
import { expect, it, onTestFinished } from "vitest";
import { startGitServer } from "../support/git-server.ts";
import { startLectern } from "../support/lectern-process.ts";
import { folderOfTest } from "../support/of-test.ts";

it("a policy allows repositories by their licence", async () => {
  const git = await startGitServer();
  onTestFinished(() => git.close());
  const page = "# Widgets\n\nMake one:\n\n```js\nmakeWidget();\n```\n";
  const mit = await readFile(new URL("../../LICENSE", import.meta.url), "utf8");
  const repositories = {
    stated: { "README.md": page, "package.json": '{"name": "stated", "license": "Apache-2.0"}' },
    written: { "README.md": page, LICENSE: mit },
    unknown: { "README.md": page },
  };
  const urls = await Promise.all(
    Object.entries(repositories).map(async ([name, files]) => (await git.repository(`acme/${name}.git`, files)).url),
  );
  const server = await startLectern(await folderOfTest(), {
    FETCH_ALLOW: new URL(urls[0] ?? "").host,
    LOG_LEVEL: "error",
  });
  onTestFinished(async () => {
    await server.kill("SIGTERM");
  });
  for (const docsRepoUrl of urls) await server.call("POST", "/v2/add/repo/git", { docsRepoUrl });
  const names = Object.keys(repositories);
  for (const name of names) await server.settled(`/acme/${name}`);
  const allow = (licence: string) =>
    server.call("PATCH", "/v2/policies", {
      libraryFilters: {
        mode: "quality",
        quality: { repoFilters: { allowedLicenses: licence === "" ? { clear: true } : { add: [licence] } } },
      },
    });
  const readable = async () => {
    const statuses = await Promise.all(
      names.map(async (name) => [
        name,
        (await server.call("GET", `/v2/context?libraryId=/acme/${name}&query=make`)).status,
      ]),
    );
    return statuses.filter(([, status]) => status === 200).map(([name]) => name);
  };
  expect(await readable()).toEqual(names);
  await allow("MIT");
  expect(await readable()).toEqual(["written"]);
  expect((await allow("Apache-2.0")).body).toMatchObject({ accessibleLibraryCount: 2 });
  expect(await readable()).toEqual(["stated", "written"]);
  const { body } = await server.call("GET", "/v2/context?libraryId=/acme/unknown&query=make");
  expect(body).toMatchObject({
    error: "access_denied",
    message: expect.stringContaining("licence is not known") as string,
  });
  await allow("");
  expect(await readable()).toEqual(names);
});
