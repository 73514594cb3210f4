import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, mkdir, readFile, readdir, stat, symlink, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openDataFolder, openWorkFolder } from "../../cli/data-folder.ts";
import { folderOfTest } from "../support/of-test.ts";
import { mountSmallDisk } from "../support/small-disk.ts";

const program = `
  import { openDataFolder } from ${JSON.stringify(new URL("../../cli/data-folder.ts", import.meta.url).href)};
  try {
    const { announce, exposed } = await openDataFolder(process.argv[1]);
    await announce("http://127.0.0.1:8080");
    globalThis.gc();
    console.log(["open", ...exposed].join(" "));
    setInterval(() => {}, 1000);
  } catch (error) {
    console.log(error.name, error.code, error.message);
  }`;

describe("a data folder", () => {
  async function setup() {
    const parent = await folderOfTest();
    return { parent, folder: join(parent, "some", "data") };
  }

  /** Starts a process that opens the folder and keeps it open, or prints why it cannot. */
  function start(folder: string, user?: { uid: number }): { child: ChildProcess; output: () => Promise<string> } {
    const child = spawn(process.execPath, ["--expose-gc", "--input-type=module", "-e", program, folder], {
      stdio: ["ignore", "pipe", "inherit"],
      ...user,
    });
    onTestFinished(() => kill(child));
    const { stdout } = child;
    return { child, output: async () => String((await once(stdout, "data"))[0]).trim() };
  }

  async function kill(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }

  it("is created for its owner only", async () => {
    const { folder } = await setup();
    const data = await openDataFolder(folder);
    expect(data.path).toBe(folder);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    await data.close();
  });

  it.each(["no database ".repeat(1000), "\0".repeat(8192), "SQLite format 3\0".padEnd(4096, "damaged ")])(
    "opens with a damaged lock.sqlite (%#), unless another process has it open",
    async (content) => {
      const { parent } = await setup();
      await writeFile(join(parent, "lock.sqlite"), content);
      await (await openDataFolder(parent)).close();
      const { child, output } = start(parent);
      expect(await output()).toBe("open");
      await writeFile(join(parent, "lock.sqlite"), content);
      await expect(openDataFolder(parent)).rejects.toMatchObject({ message: expect.stringContaining("is in use by") });
      await kill(child);
      await (await openDataFolder(parent)).close();
    },
  );

  it("keeps the mode and content of an existing folder", async () => {
    const { parent } = await setup();
    await chmod(parent, 0o750);
    await writeFile(join(parent, "kept"), "kept");
    await (await openDataFolder(parent)).close();
    expect((await stat(parent)).mode & 0o777).toBe(0o750);
    expect(await readFile(join(parent, "kept"), "utf8")).toBe("kept");
  });

  it("restricts the modes of Lectern's files, but not of other files or of symlink targets", async () => {
    const { parent } = await setup();
    const modeOf = async (name: string) => (await stat(join(parent, name))).mode & 0o777;
    const before: [string, number][] = [
      ["catalog.sqlite", 0o644],
      ["libraries.sqlite-wal", 0o664],
      ["encryption.key", 0o644],
      ["notes.txt", 0o644],
    ];
    for (const [name, mode] of before) {
      await writeFile(join(parent, name), "");
      await chmod(join(parent, name), mode);
    }
    for (const name of ["blobs", "elsewhere"]) {
      await mkdir(join(parent, name));
      await chmod(join(parent, name), 0o755);
    }
    await symlink(join(parent, "elsewhere"), join(parent, "index"));
    const data = await openDataFolder(parent);
    expect(data.exposed).toEqual([]);
    await data.close();
    expect([await modeOf("catalog.sqlite"), await modeOf("libraries.sqlite-wal")]).toEqual([0o600, 0o600]);
    expect([await modeOf("blobs"), await modeOf("lock.sqlite")]).toEqual([0o700, 0o600]);
    expect([await modeOf("encryption.key"), await modeOf("notes.txt")]).toEqual([0o644, 0o644]);
    expect(await modeOf("elsewhere")).toBe(0o755);
  });

  it.runIf(process.geteuid?.() === 0)("names files that belong to another user and cannot be restricted", async () => {
    const { parent } = await setup();
    await chmod(parent, 0o777);
    await writeFile(join(parent, "catalog.sqlite"), "");
    await chmod(join(parent, "catalog.sqlite"), 0o644);
    await chown(join(parent, "catalog.sqlite"), 1000, 1000);
    const first = start(parent, { uid: 65_534 });
    expect(await first.output()).toBe("open catalog.sqlite");
  });

  it("tells a second process which process has it open, since when and at what address", async () => {
    const { folder } = await setup();
    const first = start(folder);
    expect(await first.output()).toBe("open");
    const output = await start(folder).output();
    const { startedAt } = JSON.parse(await readFile(join(folder, "lock.json"), "utf8")) as { startedAt: string };
    expect(output).toBe(
      `Failure service_unavailable ${folder} is in use by process ${first.child.pid} on ${hostname()} since ${startedAt}, at http://127.0.0.1:8080. Stop it, or set DATA_DIR to another folder.`,
    );
    expect(Math.abs(Date.now() - Date.parse(startedAt))).toBeLessThan(60_000);
  });

  it("can be opened immediately after its process was killed", async () => {
    const { folder } = await setup();
    const first = start(folder);
    expect(await first.output()).toBe("open");
    await expect(openDataFolder(folder)).rejects.toThrow(`process ${first.child.pid}`);
    await kill(first.child);
    const data = await openDataFolder(folder);
    expect(JSON.parse(await readFile(join(folder, "lock.json"), "utf8"))).toMatchObject({ pid: process.pid });
    await data.close();
  });

  it("is opened by only one of several processes that start together", async () => {
    const { folder } = await setup();
    const outputs = await Promise.all([1, 2, 3, 4].map(() => start(folder).output()));
    expect(outputs.filter((text) => text === "open")).toHaveLength(1);
    expect(outputs.filter((text) => text.includes("is in use by"))).toHaveLength(3);
  });

  it("cannot be opened twice in one process until it is closed", async () => {
    const { folder } = await setup();
    const data = await openDataFolder(folder);
    await expect(openDataFolder(folder)).rejects.toThrow("is in use by");
    await expect(openDataFolder(folder)).rejects.toThrow(`process ${process.pid}`);
    await data.close();
    const again = await openDataFolder(folder);
    await data.close();
    await expect(openDataFolder(folder)).rejects.toThrow("is in use by");
    await again.close();
    expect(await readdir(folder)).toEqual(["lock.sqlite"]);
  });

  it("is still locked if lock.json cannot be read", async () => {
    const { folder } = await setup();
    const data = await openDataFolder(folder);
    await writeFile(join(folder, "lock.json"), "{");
    await expect(openDataFolder(folder)).rejects.toThrow(`${folder} is in use by another process. Stop it`);
    await data.close();
  });

  it("cannot be a file or below one", async () => {
    const { parent } = await setup();
    const file = join(parent, "file");
    await writeFile(file, "");
    const refused = {
      code: "service_unavailable",
      message: expect.stringMatching(/is a file, or is below one\. Set DATA_DIR/),
    };
    await expect(openDataFolder(file)).rejects.toMatchObject(refused);
    await expect(openDataFolder(join(file, "data"))).rejects.toMatchObject(refused);
  });

  it("cannot be where folders cannot be created", async () => {
    for (const [folder, open] of [
      ["/proc/nope", openDataFolder],
      ["/proc/nope/deeper", openDataFolder],
      ["/proc/nope/work", openWorkFolder],
    ] as const) {
      await expect(open(folder)).rejects.toMatchObject({
        code: "service_unavailable",
        message: expect.stringMatching(
          /^\/proc\S+ cannot be used as the data folder \(ENOENT.+\)\. Make it /,
        ) as string,
      });
    }
  });

  it("needs disk space for its lock", async () => {
    const disk = await mountSmallDisk(1);
    if (disk === undefined) return;
    await using _ = disk;
    await disk.fill();
    await expect(openDataFolder(disk.path)).rejects.toMatchObject({
      code: "service_unavailable",
      message: expect.stringMatching(/ cannot be used as the data folder \(.+\)\. Free space on its disk/) as string,
    });
  });

  it("must be writable", async () => {
    const { parent } = await setup();
    await chmod(parent, 0o555);
    // Root may write everywhere, so another user has to try.
    const nobody = process.getuid?.() === 0 ? { uid: 65_534 } : undefined;
    for (const folder of [parent, join(parent, "data")]) {
      const output = await start(folder, nobody).output();
      expect(output).toMatch(
        /^Failure service_unavailable .* cannot be used as the data folder \(.+\)\. Make it writable/,
      );
    }
  });
});
