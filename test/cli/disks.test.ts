import { statfs } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { pino } from "pino";
import { describe, expect, it, onTestFinished } from "vitest";
import { watchDisks, writtenFolders, type WrittenFolder } from "../../cli/disk-space.ts";
import { folderOfTest } from "../support/of-test.ts";

describe("the disks that a process writes to", () => {
  async function setup(minimumFree: number, more: readonly WrittenFolder[] = []) {
    const path = await folderOfTest();
    const lines: string[] = [];
    const log = pino({ level: "warn" }, { write: (line: string) => void lines.push(line) });
    const disks = watchDisks([{ setting: "DATA_DIR", path }, ...more], minimumFree, log);
    onTestFinished(() => disks.close());
    return { path, disks, lines };
  }

  it("cause a warning below the free share, logged once, with the path in the log only", async () => {
    const { path, disks, lines } = await setup(1);
    const warnings = await disks.warnings();
    expect(warnings).toEqual([
      "Less than 100 % of the disk of DATA_DIR is free. Free some: when it is full, nothing can be indexed or submitted.",
    ]);
    await expect.poll(() => lines.length).toBe(1);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ level: 40, path, msg: warnings[0] });
  });

  it("cause no warning with enough free space, with a share of 0, or without a folder", async () => {
    const path = await folderOfTest();
    const { bavail, blocks } = await statfs(path);
    const missing = { setting: "BLOB_URL", path: join(path, "gone") } as const;
    for (const minimumFree of [0, (bavail / blocks) * 0.5]) {
      const { disks, lines } = await setup(minimumFree, [missing]);
      expect(await disks.warnings()).toEqual([]);
      expect(lines).toEqual([]);
    }
  });

  it("are those of the data folder and of a separate blob folder", () => {
    const blobs = pathToFileURL("/srv/blobs").href;
    expect(writtenFolders({ blobUrl: blobs }, "/data")).toEqual([
      { setting: "DATA_DIR", path: "/data" },
      { setting: "BLOB_URL", path: "/srv/blobs" },
    ]);
    for (const blobUrl of [null, "s3://bucket/prefix"])
      expect(writtenFolders({ blobUrl }, "/data")).toEqual([{ setting: "DATA_DIR", path: "/data" }]);
  });
});
