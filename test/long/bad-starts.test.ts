import { spawn } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { startLectern, temporaryFolder } from "../support/lectern-process.ts";

const program = join(import.meta.dirname, "..", "..", "cli", "lectern.mjs");

/** A start that fails: its message on standard error, and its exit code. */
async function refusal(
  dataDir: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<{ code: number | null; message: string }> {
  const env = { PATH: process.env["PATH"] ?? "", PORT: "0", DATA_DIR: dataDir, ...settings };
  const child = spawn(process.execPath, [program, "serve"], { env, stdio: ["ignore", "ignore", "pipe"] });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  const lines = await text(child.stderr);
  // Without the first line of the log, which names the version.
  return { message: lines.replace(/^\{.*\n/, ""), code: await ended };
}

describe("a start that fails", () => {
  it("prints a message without a stack if the catalog is damaged", async () => {
    await using folder = await temporaryFolder();
    await mkdir(join(folder.path, "data"));
    await writeFile(join(folder.path, "data", "catalog.sqlite"), "SQLite format 3\0".padEnd(8192, "damaged "));
    const { code, message } = await refusal(join(folder.path, "data"));
    expect(code).toBe(1);
    expect(message).toMatch(
      /^The catalog \S+catalog\.sqlite is damaged, or is not a catalog \([^\n]+\)\. Move it away, [^\n]+\n$/,
    );
  });

  it("deletes no library if the catalog is missing or empty, and prints a message each time", async () => {
    await using folder = await temporaryFolder();
    const data = join(folder.path, "data");
    const manifest = join(data, "blobs", "generations", "0mwthz8xlf068287cc6e60d54d624", "manifest.json.zst");
    await mkdir(dirname(manifest), { recursive: true });
    await writeFile(manifest, "of a library");
    // The second start finds an empty catalog, which the first one made; so is a copy of catalog.sqlite without its -wal.
    for (let start = 0; start < 2; start += 1) {
      const { code, message } = await refusal(data);
      expect(message).toMatch(
        /^The catalog \S+catalog\.sqlite is missing or empty, [^\n]+ Restore it from a backup[^\n]+\n$/,
      );
      expect(code).toBe(1);
      expect(await readFile(manifest, "utf8")).toBe("of a library");
    }
  });

  it("prints a message if the data folder cannot be made", async () => {
    const { code, message } = await refusal("/proc/nope");
    expect(code).toBe(1);
    expect(message).toMatch(/^\/proc\/nope cannot be used as the data folder \([^\n]+\n$/);
  });
});

describe("a start while a server is unreachable", () => {
  it.each([
    ["DATABASE_URL", "postgres://lectern:secret@127.0.0.1:9/lectern", "The catalog's database cannot be reached."],
    ["MEILI_URL", "http://127.0.0.1:9", "Meilisearch is unreachable."],
  ])("exits with a message, so that its supervisor restarts it: %s", async (name, url, sentence) => {
    await using folder = await temporaryFolder();
    const { code, message } = await refusal(folder.path, { [name]: url });
    expect(code).toBe(1);
    expect(message).toMatch(/^[^{][^\n]+\n$/);
    expect(message).toContain(sentence);
    expect(message).not.toContain("secret");
  });

  it("serves without the bucket and without Temporal if the catalog exists", async () => {
    await using folder = await temporaryFolder();
    const away = {
      BLOB_URL: "s3://docs/lectern?endpoint=http://127.0.0.1:9&region=us-east-1",
      AWS_ACCESS_KEY_ID: "a",
      AWS_SECRET_ACCESS_KEY: "b",
    };
    // A new catalog could orphan generations in the bucket, which cannot be checked.
    expect(await refusal(folder.path, away)).toEqual({
      code: 1,
      message: "The bucket is unreachable (ECONNREFUSED). Check the endpoint in BLOB_URL.\n",
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

describe("a start with warnings", () => {
  it("says that git is missing, and which variable seems misspelt", async () => {
    await using folder = await temporaryFolder();
    const server = await startLectern(folder.path, { PATH: join(folder.path, "none"), SOURCE_RULE: "on", PORTS: "1" });
    const warnings = server
      .stderr()
      .split("\n")
      .filter((line) => line.includes('"level":40'))
      .map((line) => (JSON.parse(line) as { msg: string }).msg);
    expect(warnings).toEqual([
      "SOURCE_RULE is not a setting and has no effect. If you meant SOURCE_RULES, set that.",
      "The program git is not installed, or not on the PATH. Repositories of up to 100 MB are read without it; install git 2.31 or newer to read larger ones.",
    ]);
    await server.kill("SIGTERM");
  });
});
