import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { adminKey, startLectern, temporaryFolder } from "../support/lectern-process.ts";
import type { LecternProcess } from "../support/lectern-process.ts";

const program = join(import.meta.dirname, "..", "..", "cli", "lectern.mjs");

/** Runs a command of the program to its end. */
async function lectern(
  args: readonly string[],
  env: Record<string, string>,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env["PATH"] ?? "", LECTERN_ADMIN_KEY: adminKey, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, stdout, stderr };
}

describe("lectern serve", () => {
  it("indexes its own documentation at the first start and answers from it", async () => {
    await using folder = await temporaryFolder();
    const server = await startLectern(folder.path, { INDEX_OWN_DOCS: "on" });
    await server.settled("/docs/lectern");
    for (const question of ["How+do+I+add+a+repository", "how+do+I+submit+a+repository"]) {
      const { status, body } = await server.call("GET", `/v2/context?libraryId=/docs/lectern&query=${question}`);
      expect(status).toBe(200);
      // The page that comes first shows the call.
      const [page = ""] = /(?<=^Source: )[^#]+/m.exec(String(body)) ?? [];
      expect(await readFile(new URL(page), "utf8")).toContain(
        "curl -X POST http://127.0.0.1:8080/api/v2/add/repo/github",
      );
    }
    expect(await server.kill("SIGTERM")).toEqual({ code: 0, signal: null });
  });

  it("rebuilds an index that was lost from the generations", async () => {
    await using folder = await temporaryFolder();
    const first = await startLectern(folder.path, { INDEX_OWN_DOCS: "on" });
    await first.settled("/docs/lectern");
    const ask = (server: LecternProcess): ReturnType<LecternProcess["call"]> =>
      server.call("GET", "/v2/context?libraryId=/docs/lectern&query=How+do+I+add+a+repository");
    const { body } = await ask(first);
    await first.kill("SIGTERM");
    await rm(join(folder.path, "index"), { recursive: true });
    for (const end of ["", "-wal", "-shm"]) await rm(join(folder.path, `libraries.sqlite${end}`), { force: true });

    const second = await startLectern(folder.path);
    await expect.poll(async () => (await ask(second)).body).toBe(body);
    const found = await second.call("GET", "/v2/libs/search?libraryName=lectern&query=x");
    expect(found.body).toMatchObject({ results: [{ id: "/docs/lectern" }] });
    await second.kill("SIGTERM");
  });

  it("makes and prints an admin key at the first start only, and the key works", async () => {
    await using folder = await temporaryFolder();
    const first = await startLectern(folder.path, { LECTERN_ADMIN_KEY: "" });
    const key = /admin key\s+(lct_\S+)/.exec(first.stdout())?.[1] ?? "";
    expect(first.stdout()).toContain(folder.path);
    const list = await first.call("GET", "/v2/libs", undefined, { Authorization: `Bearer ${key}` });
    expect(list.status).toBe(200);
    await first.kill("SIGINT");

    const second = await startLectern(folder.path, { LECTERN_ADMIN_KEY: "" });
    expect(second.stdout()).not.toContain("lct_");
    expect((await second.call("GET", "/v2/libs", undefined, { Authorization: `Bearer ${key}` })).status).toBe(200);
    expect(second.stdout() + second.stderr()).not.toContain(key);
    await second.kill("SIGTERM");
    expect(await readFile(join(folder.path, "catalog.sqlite"), "latin1")).not.toContain(key);
  });

  it("refuses a data folder that another process has, and says which", async () => {
    await using folder = await temporaryFolder();
    const server = await startLectern(folder.path);
    const second = await lectern(["serve"], { DATA_DIR: folder.path, PORT: "0" });
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(String(server.pid));
    expect(second.stderr).toContain("DATA_DIR");
    await server.kill("SIGTERM");
  });

  it("names every wrong setting in one message", async () => {
    const { code, stderr } = await lectern(["serve"], { PORT: "seventy", LOG_LEVEL: "loud" });
    expect(code).toBe(1);
    expect(stderr).toContain("PORT");
    expect(stderr).toContain("LOG_LEVEL");
  });

  it("says so where its port is taken", async () => {
    await using one = await temporaryFolder();
    await using two = await temporaryFolder();
    const server = await startLectern(one.path);
    const { code, stderr } = await lectern(["serve"], { DATA_DIR: two.path, PORT: new URL(server.url).port });
    expect(code).toBe(1);
    expect(stderr).toContain("PORT");
    expect(stderr).not.toContain("    at ");
    await server.kill("SIGTERM");
  });
});

describe("the command line", () => {
  it(
    "adds a folder, asks it, exports it, and imports it elsewhere with the same answers",
    { timeout: 120_000 },
    async () => {
      await using folder = await temporaryFolder();
      await using docs = await temporaryFolder();
      await using other = await temporaryFolder();
      await writeFile(join(docs.path, "guide.md"), "# Guide\n\nStart the engine:\n\n```sh\nengine --start\n```\n");
      const server = await startLectern(folder.path, { FOLDER_ROOTS: docs.path });
      const env = { PUBLIC_URL: server.url, DATA_DIR: folder.path };

      const added = await lectern(["add", docs.path, "--name", "/docs/engine"], env);
      expect(added).toMatchObject({ code: 0, stdout: expect.stringContaining("/docs/engine is ready.") as string });
      const asked = await lectern(["ask", "/docs/engine", "how", "to", "start", "the", "engine"], env);
      expect(asked.stdout).toContain("engine --start");

      const exported = await lectern(["export", "/docs/engine"], env);
      const [manifest = "", ...snippets] = exported.stdout.trimEnd().split("\n");
      expect(JSON.parse(manifest)).toMatchObject({
        format: 1,
        library: { id: "/docs/engine" },
        counts: { pages: 1, code: 1 },
      });
      expect(snippets.length).toBeGreaterThan(0);
      const command = `"${process.execPath}" "${program}" export /docs/engine | true`;
      const cut = await promisify(execFile)("sh", ["-c", command], {
        env: { ...env, PATH: process.env["PATH"] ?? "" },
      });
      expect(cut, "a reader that has enough is no failure").toEqual({ stdout: "", stderr: "" });
      await server.kill("SIGTERM");

      const file = join(docs.path, "engine.ndjson");
      await writeFile(file, exported.stdout);
      expect(await lectern(["import", file], { DATA_DIR: other.path })).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("/docs/engine was imported") as string,
      });
      const second = await startLectern(other.path);
      const answer = await second.call("GET", "/v2/context?libraryId=/docs/engine&query=how+to+start+the+engine");
      expect(`${String(answer.body)}\n`).toBe(asked.stdout);
      await second.kill("SIGTERM");
    },
  );

  it("imports nothing of a damaged export", async () => {
    await using folder = await temporaryFolder();
    const server = await startLectern(folder.path, { INDEX_OWN_DOCS: "on" });
    await server.settled("/docs/lectern");
    const { stdout } = await lectern(["export", "/docs/lectern"], { DATA_DIR: folder.path });
    await server.kill("SIGTERM");

    await using other = await temporaryFolder();
    const file = join(other.path, "damaged.ndjson");
    const lines = stdout.trimEnd().split("\n");
    const damages = [lines.slice(0, -1), [...lines.slice(0, -1), "{"], ["{}"], [], [lines[0] ?? "", '{"id": 1}']];
    for (const damaged of damages) {
      await writeFile(file, damaged.join("\n"));
      const { code, stderr } = await lectern(["import", file], { DATA_DIR: join(other.path, "data") });
      expect(code).toBe(1);
      expect(stderr).not.toContain("    at ");
    }
    await rm(file);
    const empty = await startLectern(join(other.path, "data"));
    expect((await empty.call("GET", "/v2/libs")).body).toMatchObject({ total: 0 });
    await empty.kill("SIGTERM");
  });

  it("may be executed as it is checked out, so that npx need not change a tracked file", async () => {
    expect((await stat(program)).mode & 0o111).toBe(0o111);
  });

  it("says so where something else than Lectern answers", async () => {
    await using other = createServer((_, response) => void response.writeHead(404).end("<!DOCTYPE html>"));
    await once(other.listen(0, "127.0.0.1"), "listening");
    const PUBLIC_URL = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const { code, stderr } = await lectern(["ask", "/docs/lectern", "why"], { PUBLIC_URL });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^What answers at \S+ is no Lectern server\. .*\n$/);
  });

  it("ends wrong arguments with a sentence and exit code 1", async () => {
    for (const args of [
      ["frobnicate"],
      ["add"],
      ["add", "--frob"],
      ["ask", "/x/y"],
      ["export", "nothing"],
      ["import", "/nowhere.ndjson"],
    ]) {
      const { code, stderr } = await lectern(args, { PUBLIC_URL: "http://127.0.0.1:9", DATA_DIR: "/nowhere/at/all" });
      expect(code, args.join(" ")).toBe(1);
      expect(stderr, args.join(" ")).not.toContain("    at ");
    }
  });
});
