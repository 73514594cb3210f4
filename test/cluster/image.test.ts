import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { buildImages, startContainer, type Container, type Image } from "../../tools/dev/image.ts";
import { exitCodes } from "../../cli/output.ts";
import { freePort } from "../../tools/dev/program.ts";
import { startGitServer } from "../support/git-server.ts";
import { temporaryFolder } from "../support/lectern-process.ts";
import { startSite } from "../support/site.ts";

/** Without a container engine: each step of the Dockerfile in a Debian of its own (tools/dev/image.ts). Packages come from registries. */
const isPossible = inject("image") !== null && inject("registry") !== null;

describe.skipIf(!isPossible)("the images of the Dockerfile", () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let images: (stage: string) => Image;
  beforeAll(async () => {
    folder = await temporaryFolder();
    images = await buildImages(folder.path);
    // A new machine fetches a Debian, the packages and Chromium: some 350 MB.
  }, 1_200_000);
  afterAll(() => folder[Symbol.asyncDispose]());

  /** A container that serves, and how it is asked with the key that it has printed. */
  async function serve(image: Image) {
    const env = { PORT: String(await freePort()), FETCH_ALLOW: "127.0.0.1" };
    const container = startContainer(image, env, ["serve"]);
    onTestFinished(async () => void (await container.stop().catch(() => undefined)));
    const found = () => /admin key (lct_\w+)/.exec(container.output())?.[1];
    await expect.poll(() => container.output(), { timeout: 60_000 }).toContain("Lectern is running at http://0.0.0.0:");
    const ask = async (method: string, path: string, body?: object): Promise<string> => {
      const answer = await fetch(`http://127.0.0.1:${env.PORT}/api${path}`, {
        method,
        headers: { Authorization: `Bearer ${found()}`, "Content-Type": "application/json" },
        ...(body && { body: JSON.stringify(body) }),
      });
      return `${answer.status} ${await answer.text()}`;
    };
    const indexed = async (id: string): Promise<void> => {
      const status = () => ask("GET", `/v2/libs/status?libraryId=${id}`);
      await expect.poll(status, { timeout: 60_000 }).toContain('"finalized"');
    };
    return { container, ask, indexed };
  }

  const health = ({ exec }: Container, { healthcheck }: Image): Promise<string> => exec(healthcheck);

  it("serve, index and answer with nothing that can be written but the volume, and end when they are told to", async () => {
    const image = images("lectern");
    expect({ entrypoint: image.entrypoint[0], command: image.command }).toEqual({
      entrypoint: "tini",
      command: ["serve"],
    });
    const git = await startGitServer();
    onTestFinished(() => git.close());
    const repository = await git.repository("acme/widgets.git", {
      "README.md": "# Widgets\n\nHow to make widgets:\n\n```js\nmakeWidget();\n```\n",
    });
    const { container, ask, indexed } = await serve(image);
    await health(container, image);
    await indexed("/docs/lectern");
    expect(await ask("GET", "/v2/context?libraryId=/docs/lectern&query=How+do+I+add+a+repository")).toMatch(
      /^200 ### /,
    );
    await ask("POST", "/v2/add/repo/git", { docsRepoUrl: repository.url, libraryName: "/acme/widgets" });
    await indexed("/acme/widgets");
    expect(await ask("GET", "/v2/context?libraryId=/acme/widgets&query=make+widgets")).toContain("makeWidget();");
    expect(container.output()).not.toMatch(/"level":[56]0/);
    expect(existsSync(join(image.root, "data", "catalog.sqlite"))).toBe(true);
    expect(await container.stop()).toBe(0);
    await expect(health(container, image)).rejects.toThrow("ENOENT");
  });

  it("have the bundle that workers start from, and say what a worker of no cluster needs", async () => {
    const image = images("lectern");
    expect(globSync("app/node_modules/.cache/lectern/workflows-*.js", { cwd: image.root })).toHaveLength(1);
    const container = startContainer(images("browser"), {});
    expect(await container.ended).toBe(exitCodes.wrongUse);
    for (const setting of ["DATABASE_URL", "BLOB_URL", "MEILI_URL", "TEMPORAL_ADDRESS", "ENCRYPTION_KEYS"])
      expect(container.output()).toContain(setting);
  });

  it("read pages in the Chromium of the one for browsers", async () => {
    const main = `<main><h1>Gadgets</h1><p>${"How to turn a gadget on, in words enough. ".repeat(10)}</p><pre><code>turnOn();</code></pre></main>`;
    const site = await startSite({
      "/": `<!doctype html><title>Gadgets</title><div id="root"></div><script>document.getElementById("root").innerHTML = ${JSON.stringify(main).replaceAll("<", "\\u003c")};</script>`,
    });
    onTestFinished(() => site.close());
    const { ask, indexed } = await serve(images("browser"));
    await ask("POST", "/v2/add/website", { websiteUrl: `${site.origin}/`, libraryName: "/websites/gadgets" });
    await indexed("/websites/gadgets");
    expect(await ask("GET", "/v2/context?libraryId=/websites/gadgets&query=turn+gadget+on")).toContain("turnOn();");
  });
});
