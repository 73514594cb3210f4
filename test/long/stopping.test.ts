import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { files } from "../e2e/setup.ts";
import { startGitServer } from "../support/git-server.ts";
import { adminKey, startLectern, temporaryFolder, type LecternProcess } from "../support/lectern-process.ts";

const launcher = join(import.meta.dirname, "..", "..", "cli", "lectern.mjs");
/** Maximum time of a stop, in milliseconds. */
const deadline = 10_000;

/** Makes Node look too old for Lectern, and unable to replace its process. */
const oldNode = `data:text/javascript,${encodeURIComponent(
  'delete process.execve; Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } });',
)}`;

const ways: Readonly<Record<string, readonly [string, ...string[]]>> = {
  npm: ["npm", "start", "--silent"],
  "the launcher on an old Node": [process.execPath, "--import", oldNode, launcher, "serve"],
};

async function start(
  command: readonly [string, ...string[]] = [process.execPath, launcher, "serve"],
  env: Record<string, string> = {},
) {
  const folder = await temporaryFolder();
  const server = await startLectern(folder.path, env, undefined, { command, detached: true });
  onTestFinished(async () => {
    if (isAlive(-server.pid)) process.kill(-server.pid, "SIGKILL");
    await folder[Symbol.asyncDispose]();
  });
  return { server, folder: folder.path };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Pid of the serving process, from its log. */
function answering(server: LecternProcess): number {
  return Number(/"pid":(\d+)/.exec(server.stderr())?.[1]);
}

for (const [way, command] of Object.entries(ways)) {
  it.each([
    ["SIGTERM", "first"],
    ["SIGKILL", "first"],
    ["SIGTERM", "server"],
    ["SIGKILL", "server"],
    ["SIGTERM", "group"],
    ["SIGINT", "group"],
    ["SIGHUP", "group"],
  ] as const)(`${way}: %s to the %s process ends all of them`, async (signal, whom) => {
    const { server } = await start(command);
    const since = performance.now();
    process.kill({ first: server.pid, server: answering(server), group: -server.pid }[whom], signal);
    await expect.poll(() => isAlive(-server.pid), { timeout: deadline, interval: 20 }).toBe(false);
    expect(performance.now() - since).toBeLessThan(deadline);
    // A signal that arrived several times was one stop.
    const { code, signal: by } = await server.ended;
    if (signal !== "SIGKILL") expect(server.stderr()).toContain("shutting down");
    if (signal !== "SIGKILL" && way !== "npm") expect({ code, by }).toEqual({ code: 0, by: null });
  });
}

it("a stop ends within its deadline, whatever connections are open", async () => {
  const git = await startGitServer();
  // Accepts connections but never answers.
  const silent = createServer(() => {}).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const host = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
  onTestFinished(async () => {
    silent.close();
    await git.close();
  });
  const { url } = await git.repository("acme/cut", files, { hangAfter: 300 });
  const { server } = await start(undefined, { FETCH_ALLOW: `${git.host},${host}` });
  expect((await server.call("POST", "/v2/add/repo/git", { docsRepoUrl: url })).status).toBe(200);
  expect((await server.call("POST", "/v2/add/website", { websiteUrl: `http://${host}/docs/` })).status).toBe(200);
  const headers = `Host: x\r\nAuthorization: Bearer ${adminKey}\r\nContent-Type: application/json\r\n`;
  const message = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "preview" } });
  const preview = JSON.stringify({ websiteUrl: `http://${host}/` });
  const open: Readonly<Record<string, string>> = {
    "kept alive": `GET /api/health HTTP/1.1\r\n${headers}\r\n`,
    "half a request": "GET /api/health HTTP/1.1\r\nHost: x\r\n",
    "half an upload": `POST /api/v2/resolve HTTP/1.1\r\n${headers}Content-Length: 1000000\r\n\r\n{"name":`,
    "a stream": `GET /api/v2/libs/status/stream?libraryId=/acme/cut HTTP/1.1\r\n${headers}\r\n`,
    "a preview of what hangs": `POST /api/v2/preview HTTP/1.1\r\n${headers}Content-Length: ${preview.length}\r\n\r\n${preview}`,
    "half a message": `POST /mcp HTTP/1.1\r\n${headers}Content-Length: ${message.length + 1}\r\n\r\n${message}`,
  };
  const { port } = new URL(server.url);
  const sockets = Object.values(open).map((text) => {
    const socket = connect(Number(port), "127.0.0.1").on("error", () => {});
    socket.write(text);
    return socket;
  });
  onTestFinished(() => void sockets.map((socket) => socket.destroy()));
  await sleep(1000);
  const since = performance.now();
  expect(await server.kill("SIGTERM", true)).toEqual({ code: 0, signal: null });
  expect(performance.now() - since).toBeLessThan(deadline);
});

it("a second signal while the process is busy with the first one does not cut the stop short", async () => {
  const stopping = new URL("../../cli/stopping.ts", import.meta.url);
  const program = `import { takeStopSignals } from "${stopping.href}";
    const nothing = () => {};
    const { asked } = takeStopSignals({ log: { info: nothing, warn: nothing, flush: nothing } });
    const open = setInterval(nothing, 1000);
    console.log("open");
    await asked;
    for (const end = performance.now() + 900; performance.now() < end; );
    setTimeout(() => clearInterval(open), 200);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  child.kill("SIGTERM");
  await sleep(100);
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
});

it("a delayed stop is cut short at its deadline, and at once by the next signal", async () => {
  const silent = createServer(() => {}).listen(0, "127.0.0.1");
  await once(silent, "listening");
  onTestFinished(() => void silent.close());
  const collector = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  for (const [second, least, most] of [
    [undefined, 8000, deadline],
    ["SIGINT", 1000, 2500],
  ] as const) {
    // The silent collector delays the stop, which sends the remaining spans.
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector, OTEL_EXPORTER_OTLP_TIMEOUT: "60000" };
    const { server } = await start(undefined, env);
    await server.call("GET", "/health");
    const since = performance.now();
    const ended = server.kill("SIGTERM", true);
    // A copy of the signal, as npm passes it on, does not count as a second one.
    process.kill(server.pid, "SIGTERM");
    await sleep(1000);
    if (second !== undefined) process.kill(server.pid, second);
    expect(await ended).toEqual({ code: null, signal: second ?? "SIGTERM" });
    expect(performance.now() - since).toBeGreaterThan(least);
    expect(performance.now() - since).toBeLessThan(most);
    expect(server.stderr().includes("the stop took too long")).toBe(second === undefined);
  }
});
