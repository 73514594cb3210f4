import { spawn } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { startLectern, temporaryFolder } from "../support/lectern-process.ts";

const program = join(import.meta.dirname, "..", "..", "cli", "lectern.mjs");

/** A start that fails: what it says on standard error, and its exit code. */
async function refusal(dataDir: string): Promise<{ code: number | null; said: string }> {
  const env = { PATH: process.env["PATH"] ?? "", PORT: "0", DATA_DIR: dataDir };
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
      /^The catalog \S+catalog\.sqlite is damaged, or no catalog \([^\n]+\)\. Move it away, [^\n]+\n$/,
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
      "SOURCE_RULE has no effect: it is no setting. If SOURCE_RULES was meant, set that.",
      "The program git is not installed, or not on the PATH. Repositories of up to 100 MB are read without it; install git 2.31 or newer to read larger ones.",
    ]);
    await server.kill("SIGTERM");
  });
});
