import { execFile, execFileSync } from "node:child_process";
import { mkdir, readdir, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { createFolderBlobStore } from "../../stores/blobs/folder.ts";
import { all, describeBlobStore } from "../contracts/blob-store.ts";
import { folderOfTest } from "../support/of-test.ts";

const run = promisify(execFile);

/** Whether this user may mount a file system. */
const mayMount = (() => {
  try {
    execFileSync("unshare", ["-rm", "mount", "-t", "tmpfs", "tmpfs", tmpdir()], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

async function setup() {
  const folder = join(await folderOfTest(), "not", "there", "yet");
  return { folder, temporary: join(folder, "~tmp"), store: createFolderBlobStore({ folder }) };
}

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

  it("reports a write that breaks off, and leaves no half blob", async () => {
    const { folder, temporary, store } = await setup();
    await store.put("a/b", new Uint8Array([1]));
    const program = `
      import { createFolderBlobStore } from ${JSON.stringify(new URL("../../stores/blobs/folder.ts", import.meta.url).href)};
      const store = createFolderBlobStore({ folder: ${JSON.stringify(folder)} });
      for (const key of ["a/b", "a/c"]) {
        await store.put(key, new Uint8Array(1_000_000)).catch(({ code, message }) => console.log(code, message));
      }`;
    // A limit on the size of files acts like a small disk: the write breaks off in the middle.
    const command = `ulimit -f 64 && exec "$0" --input-type=module -e "$1"`;
    const { stdout } = await run("sh", ["-c", command, process.execPath, program]);
    expect(stdout.trim().split("\n")).toEqual([
      `service_unavailable No space left to store a/b. Free disk space for BLOB_URL, or for DATA_DIR if that is not set.`,
      `service_unavailable No space left to store a/c. Free disk space for BLOB_URL, or for DATA_DIR if that is not set.`,
    ]);
    expect(await store.get("a/b")).toEqual(Buffer.from([1]));
    expect(await all(store.list("a/"))).toEqual(["a/b"]);
    expect(await readdir(temporary)).toEqual([]);
  });

  it.skipIf(!mayMount)(
    "reports a full disk, shows nothing half-written, and works again once there is room",
    async () => {
      const { folder } = await setup();
      await mkdir(folder, { recursive: true });
      const program = `
      import { readdir } from "node:fs/promises";
      import { createFolderBlobStore } from ${JSON.stringify(new URL("../../stores/blobs/folder.ts", import.meta.url).href)};
      const folder = ${JSON.stringify(folder)};
      const store = createFolderBlobStore({ folder });
      const keys = async () => { const listed = []; for await (const key of store.list("g/")) listed.push(key); return listed.sort(); };
      const put = (key, size, fill) => store.put(key, new Uint8Array(size).fill(fill)).then(() => "stored", ({ code }) => code);
      const seen = {};
      seen.first = [await put("g/1/a", 1_500_000, 1), await put("g/2/a", 100_000, 2)];
      seen.full = await Promise.all([put("g/3/a", 1_500_000, 3), put("g/2/a", 1_500_000, 4), put("g/3/b", 1_500_000, 5)]);
      seen.message = await store.put("g/3/a", new Uint8Array(1_500_000)).catch(({ message }) => message);
      seen.keys = await keys();
      seen.kept = [(await store.get("g/1/a")).at(-1), (await store.get("g/2/a")).at(-1), await store.get("g/3/a") ?? null];
      seen.leftovers = await readdir(folder + "/~tmp");
      await store.removeAll("g/1/");
      seen.after = [await put("g/3/a", 1_500_000, 6), (await store.get("g/3/a")).at(-1), await keys()];
      console.log(JSON.stringify(seen));`;
      // A file system of its own, in a mount namespace that ends with the process.
      const command = `mount -t tmpfs -o size=2m tmpfs "$2" && exec "$0" --input-type=module -e "$1"`;
      const { stdout } = await run("unshare", ["-rm", "sh", "-c", command, process.execPath, program, folder]);
      expect(JSON.parse(stdout)).toEqual({
        first: ["stored", "stored"],
        full: Array(3).fill("service_unavailable"),
        message: `No space left to store g/3/a. Free disk space for BLOB_URL, or for DATA_DIR if that is not set.`,
        keys: ["g/1/a", "g/2/a"],
        kept: [1, 2, null],
        leftovers: [],
        after: ["stored", 6, ["g/2/a", "g/3/a"]],
      });
    },
  );

  it("refuses a key that is a folder of other keys, and a key below a blob", async () => {
    const { store } = await setup();
    await store.put("a/b", new Uint8Array([1]));
    await expect(store.put("a/b/c", new Uint8Array([1]))).rejects.toMatchObject({ code: "internal_error" });
    await expect(store.put("a", new Uint8Array([1]))).rejects.toMatchObject({ code: "internal_error" });
    expect(await all(store.list("a/"))).toEqual(["a/b"]);
  });

  it("keeps what a put that resolved has stored when the process is killed at once", async () => {
    const { folder, store } = await setup();
    const program = `
      import { createFolderBlobStore } from ${JSON.stringify(new URL("../../stores/blobs/folder.ts", import.meta.url).href)};
      const store = createFolderBlobStore({ folder: ${JSON.stringify(folder)} });
      await Promise.all([1, 2, 3].map((n) => store.put("a/" + n, new Uint8Array(100_000).fill(n))));
      process.kill(process.pid, "SIGKILL");`;
    await expect(run(process.execPath, ["--input-type=module", "-e", program])).rejects.toMatchObject({
      signal: "SIGKILL",
    });
    for (const n of [1, 2, 3]) expect(await store.get(`a/${n}`)).toEqual(Buffer.alloc(100_000, n));
  });
});
