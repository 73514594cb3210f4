import { execFile } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Readable } from "node:stream";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { importGeneration } from "../../activities/transfer.ts";
import { createFolderBlobStore } from "../../stores/blobs/folder.ts";
import { inPipe } from "../support/command-line.ts";
import { startLectern, temporaryFolder, type LecternProcess } from "../support/lectern-process.ts";
import { endurance } from "../support/endurance.ts";

const program = join(import.meta.dirname, "..", "..", "cli", "lectern.mjs");

const lectern = (args: readonly string[], env: Readonly<Record<string, string>>) => inPipe(args, { env });

describe("lectern serve", () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let server: LecternProcess;
  beforeAll(async () => {
    folder = await temporaryFolder();
    server = await startLectern(folder.path, { INDEX_OWN_DOCS: "on" });
  });
  afterAll(async () => {
    await server.kill("SIGTERM");
    await folder[Symbol.asyncDispose]();
  });
  const ask = (question = "How+do+I+add+a+repository"): ReturnType<LecternProcess["call"]> =>
    server.call("GET", `/v2/context?libraryId=/docs/lectern&query=${question}`);

  it("indexes its own documentation at the first start and answers from it", async () => {
    await server.settled("/docs/lectern");
    for (const question of ["How+do+I+add+a+repository", "how+do+I+submit+a+repository"]) {
      const { status, body } = await ask(question);
      expect(status).toBe(200);
      // The first page has the command.
      const [page = ""] = /(?<=^Source: )[^#]+/m.exec(String(body)) ?? [];
      expect(await readFile(new URL(page), "utf8")).toContain(
        "curl -X POST http://127.0.0.1:8080/api/v2/add/repo/github",
      );
    }
  });

  it("refuses a data folder that another process uses, and says which", async () => {
    const second = await lectern(["serve"], { DATA_DIR: folder.path, PORT: "0" });
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(String(server.pid));
    expect(second.stderr).toContain("DATA_DIR");
  });

  it("says so if its port is taken", async () => {
    await using other = await temporaryFolder();
    const { code, stderr } = await lectern(["serve"], { DATA_DIR: other.path, PORT: new URL(server.url).port });
    expect(code).toBe(1);
    expect(stderr).toContain("PORT");
    expect(stderr).not.toContain("    at ");
  });

  it.runIf(endurance)(
    "stops on SIGTERM, and rebuilds a lost index from the generations at the next start",
    async () => {
      await server.settled("/docs/lectern");
      const { body } = await ask();
      expect(await server.kill("SIGTERM")).toEqual({ code: 0, signal: null });
      await rm(join(folder.path, "index"), { recursive: true });
      for (const end of ["", "-wal", "-shm"]) await rm(join(folder.path, `libraries.sqlite${end}`), { force: true });

      server = await startLectern(folder.path);
      await expect.poll(async () => (await ask()).body).toBe(body);
      const search = await server.call("GET", "/v2/libs/search?libraryName=lectern&query=x");
      expect(search.body).toMatchObject({ results: [{ id: "/docs/lectern" }] });
    },
  );

  it.runIf(endurance)("reads a library again whose live generation was damaged, and says so", async () => {
    const before = (await server.settled("/docs/lectern"))["live"] as { id: string };
    await server.kill("SIGTERM");
    await rm(join(folder.path, "blobs", "generations", before.id, "manifest.json.zst"));
    server = await startLectern(folder.path);
    await expect.poll(async () => (await server.settled("/docs/lectern"))["live"]).not.toMatchObject({ id: before.id });
    const { live, runs } = (await server.settled("/docs/lectern")) as { live: object; runs: object[] };
    expect(live).toMatchObject({ damage: null });
    expect(runs[0]).toMatchObject({
      reason: "sweep",
      outcome: "published",
      progress: { pagesDone: expect.any(Number) },
    });
    expect(server.stderr()).toContain("/docs/lectern is damaged: The manifest of the generation");
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

  it("writes one JSON object per line to outputs that are not terminals", async () => {
    await using folder = await temporaryFolder();
    const started = await startLectern(folder.path, { LECTERN_ADMIN_KEY: "" });
    await started.call("GET", "/v2/libs/search?libraryName=x&query=x");
    await started.kill("SIGTERM");
    const written = [started.stdout(), started.stderr()].map((output) =>
      output
        .trimEnd()
        .split("\n")
        .map((line) => (JSON.parse(line) as { msg: string }).msg),
    );
    expect(written).toEqual([
      [expect.stringContaining("lct_"), expect.stringContaining(started.url)],
      expect.arrayContaining(["request", "shutting down"]),
    ]);
  });

  it("names every wrong setting in one message", async () => {
    const { code, stderr } = await lectern(["serve"], { PORT: "seventy", LOG_LEVEL: "loud" });
    expect(code).toBe(1);
    expect(stderr).toContain("PORT");
    expect(stderr).toContain("LOG_LEVEL");
  });
});

describe("the command line", () => {
  let folders: Awaited<ReturnType<typeof temporaryFolder>>[];
  let server: LecternProcess;
  let env: Record<string, string>;
  let added: Awaited<ReturnType<typeof lectern>>;
  let exported: string;
  beforeAll(async () => {
    folders = await Promise.all([temporaryFolder(), temporaryFolder()]);
    const [data = "", docs = ""] = folders.map(({ path }) => path);
    await writeFile(join(docs, "guide.md"), "# Guide\n\nStart the engine:\n\n```sh\nengine --start\n```\n");
    const umask = process.umask(0o022);
    const starting = startLectern(data, { FOLDER_ROOTS: docs });
    process.umask(umask);
    server = await starting;
    env = { PUBLIC_URL: server.url, DATA_DIR: data };
    added = await lectern(["add", docs, "--name", "/docs/engine"], env);
    exported = (await lectern(["export", "/docs/engine"], env)).stdout;
  });
  afterAll(async () => {
    await server.kill("SIGTERM");
    for (const folder of folders) await folder[Symbol.asyncDispose]();
  });
  const ask = async (): Promise<string> =>
    (await lectern(["ask", "/docs/engine", "how", "to", "start", "the", "engine"], env)).stdout;

  it("adds a folder and asks it", async () => {
    expect(added).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"libraryId":"/docs/engine","pages":1,') as string,
    });
    expect(await ask()).toContain("engine --start");
  });

  it("hides the data from other users, whatever the umask of the process is", async () => {
    const data = folders[0]?.path ?? "";
    const names = await readdir(data, { recursive: true });
    expect(names).toEqual(
      expect.arrayContaining(["catalog.sqlite", "libraries.sqlite", "lock.sqlite", "index", "blobs", "encryption.key"]),
    );
    const modes = await Promise.all(names.map(async (name) => ({ name, mode: (await stat(join(data, name))).mode })));
    expect(modes.filter(({ mode }) => (mode & 0o077) !== 0)).toEqual([]);
  });

  it("exports a library as lines, also to a reader that closes early", async () => {
    const [manifest = "", ...lines] = exported.trimEnd().split("\n");
    expect(JSON.parse(manifest)).toMatchObject({
      format: 2,
      library: { id: "/docs/engine" },
      counts: { pages: 1, passages: 1, code: 1 },
    });
    // One passage and the signature.
    expect(lines).toHaveLength(2);
    const command = `"${process.execPath}" "${program}" export /docs/engine | true`;
    const cut = await promisify(execFile)("sh", ["-c", command], { env: { ...env, PATH: process.env["PATH"] ?? "" } });
    expect(cut).toEqual({ stdout: "", stderr: "" });
  });

  it.runIf(endurance)("imports an export elsewhere with the same answers, but refuses a truncated one", async () => {
    await using other = await temporaryFolder();
    const file = join(other.path, "engine.ndjson");
    const elsewhere = { DATA_DIR: join(other.path, "data") };
    await writeFile(file, exported.trimEnd().split("\n").slice(0, -1).join("\n"));
    const refused = await lectern(["import", file], elsewhere);
    expect(refused).toMatchObject({ code: 2, stderr: expect.not.stringContaining("    at ") as string });
    const none = await lectern(["export", "/docs/engine"], elsewhere);
    expect(none).toMatchObject({ code: 1, stdout: "" });

    await writeFile(file, exported);
    const imported = await lectern(["import", file], elsewhere);
    expect(imported).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("/docs/engine was imported") as string,
    });
    const { stdout } = await lectern(["export", "/docs/engine", "--out", join(other.path, "again")], env);
    const key = /^Signed with the key (?<key>[\da-f]{4}( [\da-f]{4}){7})\.$/m.exec(stdout)?.groups?.["key"] ?? "none";
    expect(imported.stdout).toContain(`The export was signed by another instance, whose key is ${key}.`);
    const own = join(other.path, "own");
    expect((await lectern(["export", "/docs/engine", "--out", own], elsewhere)).stdout).not.toContain(key);
    expect((await lectern(["import", own], elsewhere)).stdout).toContain("The export was signed by this instance.");
    const second = await startLectern(elsewhere.DATA_DIR);
    const answer = await second.call("GET", "/v2/context?libraryId=/docs/engine&query=how+to+start+the+engine");
    expect(`${String(answer.body)}\n`).toBe(await ask());
    await second.kill("SIGTERM");
  });

  it.each<[string, (lines: readonly string[]) => readonly string[]]>([
    ["that lacks its last line", (lines) => lines.slice(0, -1)],
    ["whose last line is broken", (lines) => [...lines.slice(0, -1), "{"]],
    ["with a line that is not a passage", ([manifest = ""]) => [manifest, '{"id": 1}']],
    ["without a manifest", () => ["{}"]],
    ["that is empty", () => []],
  ])("keeps nothing of an export %s", async (_, damage) => {
    await using folder = await temporaryFolder();
    const blobs = createFolderBlobStore({ folder: folder.path });
    const importing = importGeneration(blobs, Readable.from(damage(exported.trimEnd().split("\n"))), "damaged");
    await expect(importing).rejects.toMatchObject({ code: "validation_error" });
    expect(await Array.fromAsync(blobs.list("generations/"))).toEqual([]);
  });

  it("is executable in the checkout, so that npx does not change a tracked file", async () => {
    expect((await stat(program)).mode & 0o111).toBe(0o111);
  });

  it("says so if the server is not Lectern", async () => {
    await using other = createServer((_, response) => void response.writeHead(404).end("<!DOCTYPE html>"));
    await once(other.listen(0, "127.0.0.1"), "listening");
    const PUBLIC_URL = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const { code, stderr } = await lectern(["ask", "/docs/lectern", "why"], { PUBLIC_URL });
    expect(code).toBe(5);
    expect(stderr).toMatch(/^The server at \S+ is not Lectern\. .*\n$/);
  });

  it("refuses wrong arguments with a message and exit code 2", async () => {
    for (const args of [
      ["frobnicate"],
      ["add"],
      ["add", "--frob"],
      ["ask", "/x/y"],
      ["export", "nothing"],
      ["import", "/nowhere.ndjson"],
    ]) {
      const { code, stderr } = await lectern(args, { PUBLIC_URL: "http://127.0.0.1:9", DATA_DIR: "/nowhere/at/all" });
      expect(code, args.join(" ")).toBe(2);
      expect(stderr, args.join(" ")).not.toContain("    at ");
    }
  });
});
