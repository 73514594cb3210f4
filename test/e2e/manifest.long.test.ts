import { createHmac } from "node:crypto";
import { expect, it, vi } from "vitest";
import { startLectern, temporaryFolder } from "../support/lectern-process.ts";
import { startGitServer } from "../support/git-server.ts";

const entry = (url: string, more = "") => `  - docsRepoUrl: ${url}\n    generateDocs: false\n${more}`;
const page = (text: string) => ({
  "README.md": `# ${text}\n\nHow to make it.\n\n\`\`\`js\nmake("${text}");\n\`\`\`\n`,
});

it("applies the watched manifest at start, after a push and on request, and holds the removal of many libraries", async () => {
  await using folder = await temporaryFolder();
  const git = await startGitServer();
  const auth = { user: "bot", password: "t0ken" };
  const one = await git.repository("acme/one.git", page("one"));
  const two = await git.repository("acme/two.git", page("two"));
  const manifest = await git.repository(
    "acme/platform.git",
    {
      "config/libraries.yaml": `name: platform\nlibraries:\n${entry(one.url, "    versions: [v1]\n")}${entry(two.url)}`,
    },
    { auth },
  );
  await one.git("tag", "v1");
  const env = {
    FETCH_ALLOW: "127.0.0.1",
    MANIFEST_URL: manifest.url,
    MANIFEST_PATH: "config/libraries.yaml",
    MANIFEST_TOKEN: "bot:t0ken",
    MANIFEST_PRUNE: "on",
    MANIFEST_SECONDS: "3600",
    SWEEP_SECONDS: "1",
  };
  const server = await startLectern(folder.path, env);
  try {
    const manifests = async () =>
      (await server.call("GET", "/v2/manifests")).body as {
        readonly watched: string;
        readonly manifests: readonly {
          readonly message: string;
          readonly problems: readonly string[];
          readonly libraries: number;
        }[];
      };
    const applied = (message: string) =>
      vi.waitFor(async () => expect((await manifests()).manifests[0]?.message).toContain(message), {
        timeout: 30_000,
        interval: 200,
      });
    await applied("2 libraries added");
    expect((await manifests()).watched).toBe(manifest.url);
    await server.settled("/acme/one");
    await vi.waitFor(
      async () => expect((await server.call("GET", "/v2/libs/status?libraryId=/acme/one@v1")).status).toBe(200),
      {
        timeout: 30_000,
        interval: 200,
      },
    );
    await server.settled("/acme/one@v1");

    const hook = (await server.call("POST", "/v2/hooks", { sender: "gitea", repositories: `${git.url}/acme` }))
      .body as {
      readonly id: string;
      readonly secret: string;
    };
    await manifest.commit({
      "config/libraries.yaml": `name: platform\nlibraries:\n${entry(two.url, "    schedule: 3\n")}`,
    });
    const body = JSON.stringify({
      ref: "refs/heads/main",
      after: await manifest.git("rev-parse", "main"),
      repository: { html_url: manifest.url.replace(/\.git$/, ""), full_name: "acme/platform", default_branch: "main" },
    });
    const signature = createHmac("sha256", hook.secret).update(body).digest("hex");
    await fetch(`${server.url}/api/v2/hooks/${hook.id}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-gitea-signature": signature,
        "x-gitea-event": "push",
        "x-gitea-delivery": "1",
      },
      body,
    });
    await applied("1 changed");
    const [record] = (await manifests()).manifests;
    expect(record?.problems).toEqual([expect.stringContaining("1 library of 2 would be removed") as string]);
    expect((await server.call("GET", "/v2/libs/status?libraryId=/acme/one")).status).toBe(200);
    const confirmed = await server.call("POST", "/v2/manifests/reconcile", { confirm: true });
    expect(confirmed.body).toMatchObject({ message: expect.stringContaining("1 removed") as string, problems: [] });
    expect((await server.call("GET", "/v2/libs/status?libraryId=/acme/one")).status).toBe(404);

    await manifest.commit({ "config/libraries.yaml": "name: platform\nlibraries:\n  - docsRepoUrl: nothing\n" });
    expect((await server.call("POST", "/v2/manifests/reconcile", {})).status).toBe(400);
    const [failed] = (await manifests()).manifests;
    expect(failed).toMatchObject({ message: "It could not be applied.", libraries: 1 });
    expect(failed?.problems[0]).toContain("line 3: libraries[0].docsRepoUrl must be an absolute URL");
    expect(server.stderr()).not.toContain("t0ken");
  } finally {
    await server.kill("SIGTERM");
    await git.close();
  }
});
