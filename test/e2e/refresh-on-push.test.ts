import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { adminKey } from "../support/lectern-process.ts";
import { files, startServers } from "./setup.ts";

const { git, server, add, outcomes } = await startServers();
const run = promisify(execFile);
const read = (name: string): unknown =>
  parse(readFileSync(join(import.meta.dirname, "..", "..", "deploy", name), "utf8"));

/** The GitHub Action. */
const action = read("github-action/action.yml") as {
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly default?: string }>>;
  readonly runs: {
    readonly steps: readonly { readonly env: Readonly<Record<string, string>>; readonly run: string }[];
  };
};
const job = (
  read("gitlab-refresh.yml") as Record<
    string,
    { readonly variables: Record<string, string>; readonly script: readonly string[] }
  >
)["lectern-refresh"];

const common = {
  PATH: process.env["PATH"] ?? "",
  LECTERN_URL: `${server.url}/`,
  LECTERN_KEY: adminKey,
  LECTERN_BRANCH: "",
};

it("refreshes by the GitHub Action, which inserts no input into its script", async () => {
  const [step] = action.runs.steps;
  expect(step?.run).not.toContain("${{");
  const inputs = Object.values(step?.env ?? {}).map((value) => /inputs\.(\w+)/.exec(value)?.[1]);
  expect(inputs).toEqual(Object.keys(action.inputs));
  const { url } = await git.repository("acme/pushed.git", files);
  await add(url);
  await outcomes("/acme/pushed");
  const env = { ...common, LECTERN_LIBRARY: "/acme/pushed" };
  const { stdout } = await run("bash", ["-c", step?.run ?? ""], { env });
  expect(JSON.parse(stdout)).toMatchObject({ libraryName: "/acme/pushed" });
  expect(await outcomes("/acme/pushed")).toEqual(["unchanged", "published"]);
  const hostile = { ...env, LECTERN_LIBRARY: '/acme/x"; $(touch /tmp/pwned) \\' };
  await expect(run("bash", ["-c", step?.run ?? ""], { env: hostile })).rejects.toMatchObject({
    stdout: expect.stringContaining("invalid_library_id") as string,
  });
});

it("refreshes by the GitLab template, of a project in nested groups too", async () => {
  const { url } = await git.repository("acme/docs/pushed.git", files);
  await add(url);
  await outcomes("/acme-docs/pushed");
  const project = { CI_PROJECT_NAMESPACE: "acme/docs", CI_PROJECT_NAME: "pushed" };
  const env = { ...common, ...job?.variables, ...project };
  const { stdout } = await run("sh", ["-euc", job?.script.join("\n") ?? ""], { env });
  expect(JSON.parse(stdout)).toMatchObject({ libraryName: "/acme-docs/pushed" });
  expect(await outcomes("/acme-docs/pushed")).toEqual(["unchanged", "published"]);
});
