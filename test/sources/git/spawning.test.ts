import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { spawnElsewhere } from "../../../sources/git/spawning.ts";
import { isGroupAlive } from "../../support/process-groups.ts";

const env = { PATH: process.env["PATH"] ?? "" };

it("a process gets its whole input and exactly its environment, and its end is reported", async () => {
  const script = "env | grep -c .; cat; echo 'fatal: enough' >&2; echo 'fatal: 10% done' >&2; echo usual >&2; exit 3";
  const command = ["/bin/sh", "-c", script];
  const { stdin, stdout, ended } = await spawnElsewhere({ command, env: { ...env, ONE: "1" } });
  const input = "line of input\n".repeat(100_000);
  stdin.end(input);
  const output = await text(stdout);
  expect(output.slice(output.indexOf("\n") + 1)).toBe(input);
  expect(Number.parseInt(output, 10)).toBeLessThan(5);
  expect(await ended).toMatchObject({ code: 3, signal: null, lines: ["fatal: enough"] });
});

it("a process may print as many errors as it likes, of which the first are kept", async () => {
  const line = `fatal: ${"\u20ac\u0001".repeat(400)}`;
  const script = `i=0; while [ $i -lt 100 ]; do echo "$LINE" >&2; i=$((i + 1)); done; printf '%s' "$LINE" >&2; exit 1`;
  const { stdout, ended } = await spawnElsewhere({ command: ["/bin/sh", "-c", script], env: { ...env, LINE: line } });
  expect(await text(stdout)).toBe("");
  const { code, lines } = await ended;
  expect([code, lines.length, lines.at(-1)]).toEqual([1, 21, expect.stringMatching(/^fatal: \u20ac \u20ac/)]);
});

it("a process whose output nobody reads stops no other, and is killed", async () => {
  const command = ["/bin/sh", "-c", "echo $$; head -c 5000000 /dev/zero; exec sleep 600"];
  const unread = await spawnElsewhere({ command, env });
  const group = Number.parseInt(String(((await once(unread.stdout, "data")) as [Buffer])[0]), 10);
  unread.stdout.pause();
  const other = await spawnElsewhere({ command: ["/bin/sh", "-c", "head -c 5000000 /dev/zero"], env });
  expect(await text(other.stdout)).toHaveLength(5_000_000);
  expect(isGroupAlive(group)).toBe(true);
  unread.kill();
  await expect.poll(() => isGroupAlive(group)).toBe(false);
});

it("a process that reads little of its input does not fail for it", async () => {
  const { stdin, ended } = await spawnElsewhere({ command: ["/bin/sh", "-c", "head -c 9"], env });
  for (let at = 0; at < 100; at += 1) stdin.write(Buffer.alloc(200_000));
  expect(await text(stdin)).toHaveLength(9);
  expect(await ended).toMatchObject({ code: 0 });
});

it("a missing program is reported", async () => {
  // It may fail before or after the connection is made.
  const outcome = spawnElsewhere({ command: ["/nowhere/git"], env }).then(
    async ({ ended }) => (await ended) as object,
    (error: Error) => ({ problem: error.message }),
  );
  expect(await outcome).toMatchObject({ problem: expect.stringContaining("ENOENT") as string });
});

it("a process fails when the spawner dies, and the next process has another spawner", async () => {
  const { stdout, ended } = await spawnElsewhere({ command: ["/bin/sh", "-c", "echo $PPID; exec cat"], env });
  const spawner = Number(String(((await once(stdout, "data")) as [Buffer])[0]));
  process.kill(spawner, "SIGKILL");
  await expect(ended).rejects.toMatchObject({ code: "service_unavailable" });
  stdout.destroy();
  const next = await spawnElsewhere({ command: ["/bin/echo", "here"], env });
  expect(await text(next.stdout)).toBe("here\n");
});

it("a server ends although its spawner died while it was busy", async () => {
  const module = JSON.stringify(new URL("../../../sources/git/spawning.ts", import.meta.url));
  // The started process kills the spawner and keeps both connections before the server notices any of it.
  const script = `
    const { spawnElsewhere } = await import(${module});
    const { stdout } = await spawnElsewhere({ command: ["/bin/true"], env: process.env });
    stdout.resume();
    const command = ["/bin/sh", "-c", "kill -9 $PPID; exec cat"];
    const failing = spawnElsewhere({ command, env: process.env }).then(({ ended }) => ended);
    setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500), 1);
    await failing.catch(({ code }) => console.log(code));`;
  const server = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(server, "exit");
  const clock = setTimeout(() => server.kill("SIGKILL"), 10_000);
  expect(await text(server.stdout)).toBe("service_unavailable\n");
  expect(await ended).toEqual([0, null]);
  clearTimeout(clock);
});

it("nothing is left when the server is killed", async () => {
  const module = JSON.stringify(new URL("../../../sources/git/spawning.ts", import.meta.url));
  const script = `
    const { spawnElsewhere } = await import(${module});
    const { stdout } = await spawnElsewhere({ command: ["/bin/sh", "-c", "echo $$ $PPID; exec sleep 600"], env: process.env });
    stdout.pipe(process.stdout);`;
  const server = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [group = 0, spawner = 0] = String(((await once(server.stdout, "data")) as [Buffer])[0])
    .split(" ")
    .map(Number);
  expect([group, spawner].map(isGroupAlive)).toEqual([true, true]);
  server.kill("SIGKILL");
  await expect.poll(() => isGroupAlive(group)).toBe(false);
  await expect.poll(() => isGroupAlive(spawner)).toBe(false);
});
