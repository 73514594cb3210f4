import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { createFolderBlobStore } from "../../blobs/folder.ts";
import { all, describeBlobStore } from "../contracts/blob-store.ts";

const folders: string[] = [];
const run = promisify(execFile);

async function setup() {
  const parent = await mkdtemp(join(tmpdir(), "lectern-blobs-"));
  folders.push(parent);
  const folder = join(parent, "not", "there", "yet");
  return { folder, temporary: join(folder, "~tmp"), store: createFolderBlobStore({ folder }) };
}

afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

describeBlobStore("A folder", async () => (await setup()).store);

describe("A folder of blobs", () => {
  it("is readable by its owner only", async () => {
    const { folder, store } = await setup();
    await store.put("a/b", new Uint8Array([1]));
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect((await stat(join(folder, "a/b"))).mode & 0o777).toBe(0o600);
  });

  it("leaves no temporary file and no empty folder behind", async () => {
    const { folder, temporary, store } = await setup();
    await store.put("a/b/c/d", new Uint8Array([1]));
    expect(await readdir(temporary)).toEqual([]);
    await store.removeAll("a/b/c/");
    expect(await readdir(temporary)).toEqual([]);
    expect(await readdir(folder)).toEqual(["~tmp"]);
  });

  it("does not show what a killed process left half-written, and sweeps it once it is old", async () => {
    const { temporary, store } = await setup();
    await store.put("a/b", new Uint8Array([1]));
    await writeFile(join(temporary, "old"), "half");
    await mkdir(join(temporary, "removed", "deep"), { recursive: true });
    await writeFile(join(temporary, "removed", "deep", "blob"), "half");
    await utimes(join(temporary, "old"), 1000, 1000);
    await utimes(join(temporary, "removed"), 1000, 1000);
    await writeFile(join(temporary, "young"), "under way");
    expect(await all(store.list("a/"))).toEqual(["a/b"]);
    await store.sweepTemporary(Date.now() - 60_000);
    expect(await readdir(temporary)).toEqual(["young"]);
    expect(await store.get("a/b")).toHaveLength(1);
  });

  it("sweeps a folder that was never written to", async () => {
    const { store } = await setup();
    await expect(store.sweepTemporary(Date.now())).resolves.toBeUndefined();
  });

  it("says so where there is no room, and leaves no half blob", async () => {
    const { folder, temporary, store } = await setup();
    await store.put("a/b", new Uint8Array([1]));
    const program = `
      import { createFolderBlobStore } from ${JSON.stringify(new URL("../../blobs/folder.ts", import.meta.url).href)};
      const store = createFolderBlobStore({ folder: ${JSON.stringify(folder)} });
      for (const key of ["a/b", "a/c"]) {
        await store.put(key, new Uint8Array(1_000_000)).catch(({ code, message }) => console.log(code, message));
      }`;
    // A limit on the size of files stands in for a small disk: the write breaks off in the middle just the same.
    const command = `ulimit -f 64 && exec "$0" --input-type=module -e "$1"`;
    const { stdout } = await run("sh", ["-c", command, process.execPath, program]);
    expect(stdout.trim().split("\n")).toEqual([
      `service_unavailable There is no room left to store a/b in ${folder}. Free some space on its disk, or set DATA_DIR to another one.`,
      `service_unavailable There is no room left to store a/c in ${folder}. Free some space on its disk, or set DATA_DIR to another one.`,
    ]);
    expect(await store.get("a/b")).toEqual(Buffer.from([1]));
    expect(await all(store.list("a/"))).toEqual(["a/b"]);
    expect(await readdir(temporary)).toEqual([]);
  });

  it("names a key that is in the way of another", async () => {
    const { store } = await setup();
    await store.put("a/b", new Uint8Array([1]));
    await expect(store.put("a/b/c", new Uint8Array([1]))).rejects.toMatchObject({ code: "internal_error" });
    await expect(store.put("a", new Uint8Array([1]))).rejects.toMatchObject({ code: "internal_error" });
    expect(await all(store.list("a/"))).toEqual(["a/b"]);
  });

  it("keeps what a put that resolved has stored when the process is killed at once", async () => {
    const { folder, store } = await setup();
    const program = `
      import { createFolderBlobStore } from ${JSON.stringify(new URL("../../blobs/folder.ts", import.meta.url).href)};
      const store = createFolderBlobStore({ folder: ${JSON.stringify(folder)} });
      await Promise.all([1, 2, 3].map((n) => store.put("a/" + n, new Uint8Array(100_000).fill(n))));
      process.kill(process.pid, "SIGKILL");`;
    await expect(run(process.execPath, ["--input-type=module", "-e", program])).rejects.toMatchObject({
      signal: "SIGKILL",
    });
    for (const n of [1, 2, 3]) expect(await store.get(`a/${n}`)).toEqual(Buffer.alloc(100_000, n));
  });
});
