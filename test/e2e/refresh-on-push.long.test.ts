import { createHmac } from "node:crypto";
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

it.each(["GitHub Action", "GitLab template"])(
  "ends the job of the %s with the reason if it is refused",
  async (kind) => {
    const script = kind === "GitHub Action" ? (action.runs.steps[0]?.run ?? "") : (job?.script.join("\n") ?? "");
    const attempt = async (changes: object): Promise<{ code: unknown; printed: string }> => {
      const env = { ...common, ...job?.variables, LECTERN_LIBRARY: "/acme/unknown", ...changes };
      const shell = kind === "GitHub Action" ? ["bash", "-c"] : ["sh", "-euc"];
      const failed = (await run(shell[0] ?? "", [shell[1] ?? "", script], { env }).catch(
        (error: unknown) => error,
      )) as {
        readonly code: number;
        readonly stdout: string;
        readonly stderr: string;
      };
      return { code: failed.code, printed: failed.stdout + failed.stderr };
    };
    const unknown = await attempt({});
    expect(unknown.code).toBe(22);
    expect(unknown.printed).toContain('Library \\"/acme/unknown\\" was not found.');
    const wrongKey = await attempt({ LECTERN_KEY: "lct_wrong-key" });
    expect(wrongKey.code).toBe(22);
    expect(wrongKey.printed).toContain("invalid_api_key");
    expect(wrongKey.printed).not.toContain("lct_wrong-key");
    const down = await attempt({ LECTERN_URL: "http://127.0.0.1:1" });
    expect(down.code).toBe(7);
    expect(down.printed).toMatch(/connect/i);
  },
);

it("refreshes within seconds of a push whose delivery is signed", async () => {
  const repository = await git.repository("acme/hooked.git", files);
  await add(repository.url);
  await outcomes("/acme/hooked");
  const made = await server.call("POST", "/v2/hooks", { sender: "gitea", libraryId: "/acme/hooked" });
  const { id, url, secret } = made.body as { id: string; url: string; secret: string };
  expect(url).toContain(`/api/v2/hooks/${id}`);
  await repository.commit({ "README.md": "# Hooked\n\nA wheel that was pushed.\n\n```js\npushed();\n```\n" });
  const deliver = async (delivery: string) => {
    const body = JSON.stringify({
      ref: "refs/heads/main",
      after: await repository.git("rev-parse", "main"),
      repository: { html_url: repository.url.replace(/\.git$/, ""), full_name: "acme/hooked", default_branch: "main" },
    });
    const signature = createHmac("sha256", secret).update(body).digest("hex");
    return fetch(`${server.url}/api/v2/hooks/${id}`, {
      method: "POST",
      body,
      headers: {
        "content-type": "application/json",
        "x-gitea-event": "push",
        "x-gitea-delivery": delivery,
        "x-gitea-signature": signature,
      },
    });
  };
  for (const delivery of ["1", "2", "3"]) expect((await deliver(delivery)).status).toBe(200);
  const since = Date.now();
  await expect.poll(() => outcomes("/acme/hooked"), { timeout: 30_000 }).toEqual(["published", "published"]);
  expect(Date.now() - since).toBeLessThan(30_000);
  const { body } = await server.call("GET", "/v2/libs/status?libraryId=/acme/hooked");
  expect(body).toMatchObject({ runs: [{ reason: "push" }, { reason: "submit" }] });
});
