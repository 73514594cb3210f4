import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { buildImages, startContainer } from "../../tools/dev/image.ts";
import { freePort } from "../../tools/dev/program.ts";
import { connectAgent, connectOverHttp, textOf } from "../support/agent.ts";
import { compose } from "../support/compose.ts";
import { blocksOfDocuments, textOf as fileText } from "../support/documents.ts";
import { startGitServer, type GitServer } from "../support/git-server.ts";
import { temporaryFolder } from "../support/lectern-process.ts";
import { pack } from "../support/packed.ts";
import { startStandInHosts, type StandInHosts } from "../support/stand-in-hosts.ts";

/**
 * From an empty folder to the first answer in a connected agent, by what README.md says and nothing else. github.com is a Git server of this
 * test, which has this project as it was committed last; packages come from the registry.
 */
const root = join(import.meta.dirname, "..", "..");
const [, blocks = []] = blocksOfDocuments().find(([document]) => document === "README.md") ?? [];
const [installing = "", connecting = ""] = blocks.map(({ text }) => text);
const withoutComment = (line: string): string => line.replace(/\s+#.*/, "");
const [cloning = "", running = ""] = installing.split("\n").map(withoutComment);
const [exporting = "", ...steps] = connecting.trim().split("\n").map(withoutComment);
const tabled = [...fileText("README.md").matchAll(/`((?:docker compose|npm install|npx lectern serve)[^`]*)`/g)].map(
  ([, command = ""]) => command,
);
const question = { libraryId: "/vitejs/vite", query: "How do I configure a proxy?" };
/** Lines that are typed after the two that start the server. */
const typed = 1 + steps.length;
const run = promisify(execFile);

interface Place {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

const inShell = async (command: string, place: Place): Promise<string> =>
  (await run("sh", ["-euc", command], { ...place, maxBuffer: 1e8 })).stdout;

/** Starts a server by a command, until the test ends. Returns what its log says: its address, and the key of the first start. */
async function serve(command: string, { cwd, env }: Place): Promise<{ readonly url: string; readonly key: string }> {
  const server = spawn("sh", ["-c", command], { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(async () => {
    process.kill(-(server.pid ?? 0), "SIGTERM");
    await once(server, "close");
  });
  let log = "";
  for (const stream of [server.stdout, server.stderr]) stream.setEncoding("utf8").on("data", (text) => (log += text));
  const started = /admin key (lct_\w+)[^]*running at (http:\/\/[\w.:]+)/;
  await expect.poll(() => log, { timeout: 120_000 }).toMatch(started);
  const [, key = "", url = ""] = started.exec(log) ?? [];
  return { key, url };
}

type Configured =
  | { readonly url: string; readonly headers: Record<string, string> }
  | { readonly command: string; readonly args: string[]; readonly env: Record<string, string> };

/** The official client, connected as Claude Code is by its configuration. */
function connectConfigured(configuration: string, env: NodeJS.ProcessEnv): Promise<Client> {
  const text = configuration.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => env[name] ?? "");
  const { mcpServers } = JSON.parse(text) as { mcpServers: { lectern: Configured } };
  const { lectern: server } = mcpServers;
  if ("url" in server) return connectOverHttp(server.url, "2025-06-18", server.headers);
  const given = { PATH: env["PATH"] ?? "", ...server.env };
  return connectAgent(new StdioClientTransport({ ...server, env: given, stderr: "ignore" }), "2025-06-18");
}

const answerOf = async (agent: Client): Promise<string> =>
  textOf(await agent.callTool({ name: "query-docs", arguments: question }));

/** What README says after the start, up to the answer. */
async function connect({ cwd, env }: Place, { url, key }: { readonly url: string; readonly key: string }) {
  expect(exporting).toContain("LECTERN_ADMIN_KEY=");
  const asUser = { cwd, env: { ...env, PUBLIC_URL: url, LECTERN_ADMIN_KEY: key, LECTERN_API_KEY: key } };
  const [, answer] = [await inShell(steps[0] ?? "", asUser), await inShell(steps[1] ?? "", asUser)];
  expect(answer).toContain("proxy(1);");
  await inShell(steps[2] ?? "", asUser);
  const configuration = await readFile(join(env["HOME"] ?? "", ".claude.json"), "utf8");
  expect(await answerOf(await connectConfigured(configuration, asUser.env))).toContain("proxy(1);");
  return asUser;
}

const report = (way: string, commands: number, since: number): void =>
  void process.stdout.write(
    `${way}: from an empty folder to an answer in an agent: ${commands} commands, ${((performance.now() - since) / 60_000).toFixed(1)} minutes\n`,
  );

describe.skipIf(inject("registry") === null)("a newcomer gets an answer in an agent", () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let git: GitServer;
  let hosts: StandInHosts;
  beforeAll(async () => {
    folder = await temporaryFolder();
    git = await startGitServer();
    await git.repository("vitejs/vite", {
      "docs/guide.md": "# Guide\n\nConfigure the proxy so:\n\n```js\nproxy(1);\n```\n",
    });
    hosts = await startStandInHosts(folder.path, { "github.com": git.url });
  });
  afterAll(async () => {
    await Promise.all([hosts.close(), git.close()]);
    await folder[Symbol.asyncDispose]();
  });

  /** An empty folder that is also the home, and the environment of the commands there. */
  async function emptyFolder(name: string): Promise<Place> {
    const cwd = join(folder.path, name);
    await mkdir(cwd);
    // npm finds the registry as the user of this machine does.
    const npm = { npm_config_userconfig: join(process.env["HOME"] ?? "", ".npmrc"), npm_config_prefer_offline: "true" };
    return { cwd, env: { ...process.env, ...npm, HOME: cwd, PORT: "0", FETCH_ALLOW: "127.0.0.1" } };
  }
  const serving = ({ cwd, env }: Place): Place => ({ cwd, env: { ...env, ...hosts.env } });

  it("from a clone, of which at most 350 MB are installed", async () => {
    const { cwd, env } = await emptyFolder("clone");
    const since = performance.now();
    const ours = { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: `url.file://${root}.insteadOf` };
    const cloned = { ...env, ...ours, GIT_CONFIG_VALUE_0: "https://github.com/lectern-docs/lectern" };
    await inShell(cloning, { cwd, env: cloned });
    const inside = { cwd: join(cwd, "lectern"), env };
    const [install = "", start = ""] = running.split(" && ");
    const { stderr } = await run("sh", ["-euc", install], inside);
    expect(stderr).not.toContain("EBADENGINE");
    const { stdout: size } = await run("du", ["-sm", "node_modules"], inside);
    expect(Number.parseInt(size, 10)).toBeLessThanOrEqual(350);
    await connect(inside, await serve(start, serving(inside)));
    report(`clone (${size.split("\t")[0]} MB of packages)`, 2 + typed, since);
  }, 900_000);

  it("from the package, over HTTP and as a program that the agent starts", async () => {
    const place = await emptyFolder("package");
    await copyFile(pack(folder.path), join(place.cwd, "lectern-0.2.0.tgz"));
    const since = performance.now();
    const [install = "", start = ""] = tabled.filter((command) => !command.startsWith("docker"));
    await inShell(install, place);
    const asUser = await connect(place, await serve(start, serving(place)));
    report("package", 2 + typed, since);
    await inShell(`${steps[2]} --stdio`, asUser);
    const configuration = await readFile(join(place.cwd, ".claude.json"), "utf8");
    expect(await answerOf(await connectConfigured(configuration, asUser.env))).toContain("proxy(1);");
  }, 900_000);

  it.skipIf(inject("image") === null)(
    "from the container, whose image is built as Compose does",
    async () => {
      const since = performance.now();
      const [start, logs, execute = ""] = tabled.filter((command) => command.startsWith("docker"));
      expect([start, logs]).toEqual(["docker compose up --detach --wait", "docker compose logs lectern"]);
      const port = String(await freePort());
      const service = compose("compose.yaml", { PUBLIC_URL: `http://127.0.0.1:${port}` }).services["lectern"];
      await mkdir(join(folder.path, "image"));
      const image = (await buildImages(join(folder.path, "image")))(service?.build?.target ?? "");
      const authority = hosts.env["NODE_EXTRA_CA_CERTS"] ?? "";
      await writeFile(join(image.root, "etc", "authority.pem"), await readFile(authority));
      const reaching = { ...hosts.env, NODE_EXTRA_CA_CERTS: "/etc/authority.pem", FETCH_ALLOW: "127.0.0.1" };
      const container = startContainer(image, { ...service?.environment, ...reaching, PORT: port }, service?.command);
      onTestFinished(async () => void (await container.stop().catch(() => undefined)));
      await expect.poll(() => container.output(), { timeout: 60_000 }).toContain("Lectern is running at");
      const key = /admin key (lct_\w+)/.exec(container.output())?.[1] ?? "";
      const inside = (command: string): Promise<string> => {
        const words = [...command.replace("npx", "").matchAll(/"([^"]*)"|(\S+)/g)].map(
          ([, quoted, word]) => quoted ?? word ?? "",
        );
        const env = `exec env LECTERN_ADMIN_KEY=${key} LECTERN_API_KEY=${key} "$@"`;
        return container.exec(["sh", "-c", env, "sh", ...words]);
      };
      expect(execute).toBe("docker compose exec lectern lectern");
      await inside(steps[0] ?? "");
      expect(await inside(steps[1] ?? "")).toContain("proxy(1);");
      const printed = await inside(`${steps[2]} --dry-run`);
      const configuration = printed.slice(printed.indexOf("{"), printed.lastIndexOf("\n}") + 2);
      expect(await answerOf(await connectConfigured(configuration, { LECTERN_API_KEY: key }))).toContain("proxy(1);");
      report("container, with the image built", 2 + typed, since);
    },
    1_200_000,
  );
});
