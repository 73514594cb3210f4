import { spawn } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { startLectern, temporaryFolder } from "../support/lectern-process.ts";

const program = join(import.meta.dirname, "..", "..", "cli", "lectern.mjs");

/** A start that fails: what it says on standard error, and its exit code. */
async function refusal(
  dataDir: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<{ code: number | null; said: string }> {
  const env = { PATH: process.env["PATH"] ?? "", PORT: "0", DATA_DIR: dataDir, ...settings };
  const child = spawn(process.execPath, [program, "serve"], { env, stdio: ["ignore", "ignore", "pipe"] });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  const lines = await text(child.stderr);
  // The first line of the log names the version.
  return { said: lines.replace(/^\{.*\n/, ""), code: await ended };
}

describe("a start that cannot be", () => {
  it("is one sentence where the catalog is damaged, and no stack", async () => {
    await using folder = await temporaryFolder();
    await mkdir(join(folder.path, "data"));
    await writeFile(join(folder.path, "data", "catalog.sqlite"), "SQLite format 3\0".padEnd(8192, "damaged "));
    const { code, said } = await refusal(join(folder.path, "data"));
    expect(code).toBe(1);
    expect(said).toMatch(
      /^The catalog \S+catalog\.sqlite is damaged, or is not a catalog \([^\n]+\)\. Move it away, [^\n]+\n$/,
    );
  });

  it("deletes no library where the catalog is missing or empty, and is one sentence each time", async () => {
    await using folder = await temporaryFolder();
    const data = join(folder.path, "data");
    const manifest = join(data, "blobs", "generations", "0mwthz8xlf068287cc6e60d54d624", "manifest.json.zst");
    await mkdir(dirname(manifest), { recursive: true });
    await writeFile(manifest, "of a library");
    // A copy of catalog.sqlite alone, without its -wal, is such an empty one: the refused start leaves one too.
    for (let start = 0; start < 2; start += 1) {
      const { code, said } = await refusal(data);
      expect(said).toMatch(
        /^The catalog \S+catalog\.sqlite is missing or empty, [^\n]+ Restore it from a backup[^\n]+\n$/,
      );
      expect(code).toBe(1);
      expect(await readFile(manifest, "utf8")).toBe("of a library");
    }
  });

  it("is one sentence where the data folder can never be made", async () => {
    const { code, said } = await refusal("/proc/nope");
    expect(code).toBe(1);
    expect(said).toMatch(/^\/proc\/nope cannot be used as the data folder \([^\n]+\n$/);
  });
});

describe("a start while a server is away", () => {
  it.each([
    ["DATABASE_URL", "postgres://lectern:secret@127.0.0.1:9/lectern", "The catalog's database cannot be reached."],
    ["MEILI_URL", "http://127.0.0.1:9", "Meilisearch is unreachable."],
  ])("ends with a sentence, for its supervisor to start it again: %s", async (name, url, sentence) => {
    await using folder = await temporaryFolder();
    const { code, said } = await refusal(folder.path, { [name]: url });
    expect(code).toBe(1);
    expect(said).toMatch(/^[^{][^\n]+\n$/);
    expect(said).toContain(sentence);
    expect(said).not.toContain("secret");
  });

  it("answers without the bucket and without Temporal, on a catalog that is there", async () => {
    await using folder = await temporaryFolder();
    const away = {
      BLOB_URL: "s3://docs/lectern?endpoint=http://127.0.0.1:9&region=us-east-1",
      AWS_ACCESS_KEY_ID: "a",
      AWS_SECRET_ACCESS_KEY: "b",
    };
    // Nobody knows whether a new catalog would orphan generations.
    expect(await refusal(folder.path, away)).toEqual({
      code: 1,
      said: "The bucket is unreachable (ECONNREFUSED). Check the endpoint in BLOB_URL.\n",
    });
    await (await startLectern(folder.path)).kill("SIGTERM");
    for (const [settings, engine] of [
      [away, "ok"],
      [{ ...away, TEMPORAL_ADDRESS: "127.0.0.1:9" }, "unreachable"],
    ] as const) {
      const server = await startLectern(folder.path, settings);
      expect(await server.call("GET", "/ready")).toMatchObject({ status: 200, body: { checks: { engine } } });
      expect((await server.call("GET", "/v2/libs")).status).toBe(200);
      await server.kill("SIGTERM");
    }
  });
});

describe("a start that can do less than it should", () => {
  it("says that git is missing, and which variable seems misspelt", async () => {
    await using folder = await temporaryFolder();
    const server = await startLectern(folder.path, { PATH: join(folder.path, "none"), SOURCE_RULE: "on", PORTS: "1" });
    const said = server
      .stderr()
      .split("\n")
      .filter((line) => line.includes('"level":40'))
      .map((line) => (JSON.parse(line) as { msg: string }).msg);
    expect(said).toEqual([
      "SOURCE_RULE is not a setting and has no effect. If you meant SOURCE_RULES, set that.",
      "The program git is not installed, or not on the PATH. Repositories of up to 100 MB are read without it; install git 2.31 or newer to read larger ones.",
    ]);
    await server.kill("SIGTERM");
  });
});
