import { statfs } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { pino } from "pino";
import { describe, expect, it, onTestFinished } from "vitest";
import { watchDisks, writtenFolders, type WrittenFolder } from "../../cli/disk-space.ts";
import { folderOfTest } from "../support/of-test.ts";

describe("The disks that a process writes to", () => {
  async function setup(least: number, more: readonly WrittenFolder[] = []) {
    const path = await folderOfTest();
    const lines: string[] = [];
    const log = pino({ level: "warn" }, { write: (line: string) => void lines.push(line) });
    const disks = watchDisks([{ setting: "DATA_DIR", path }, ...more], least, log);
    onTestFinished(() => disks.close());
    return { path, disks, lines };
  }

  it("are warned of below the share that should be free, once in the log, with the path there only", async () => {
    const { path, disks, lines } = await setup(1);
    const warnings = await disks.warnings();
    expect(warnings).toEqual([
      "Less than 100 % of the disk of DATA_DIR is free. Free some: when it is full, nothing can be indexed or submitted.",
    ]);
    await expect.poll(() => lines.length).toBe(1);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ level: 40, path, msg: warnings[0] });
  });

  it("are not warned of where there is enough, where nobody wants to know, or where there is no folder yet", async () => {
    const path = await folderOfTest();
    const { bavail, blocks } = await statfs(path);
    const gone = { setting: "BLOB_URL", path: join(path, "gone") } as const;
    for (const least of [0, (bavail / blocks) * 0.5]) {
      const { disks, lines } = await setup(least, [gone]);
      expect(await disks.warnings()).toEqual([]);
      expect(lines).toEqual([]);
    }
  });

  it("are those of the data folder, and of blobs where these are in a folder of their own", () => {
    const blobs = pathToFileURL("/srv/blobs").href;
    expect(writtenFolders({ blobUrl: blobs }, "/data")).toEqual([
      { setting: "DATA_DIR", path: "/data" },
      { setting: "BLOB_URL", path: "/srv/blobs" },
    ]);
    for (const blobUrl of [null, "s3://bucket/prefix"])
      expect(writtenFolders({ blobUrl }, "/data")).toEqual([{ setting: "DATA_DIR", path: "/data" }]);
  });
});
