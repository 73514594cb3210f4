import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleWorkflows } from "../../workers/temporal-bundle.ts";
import { createDataConverter } from "../../workers/codec.ts";
import { temporaryFolder } from "../support/lectern-process.ts";

const log = pino({ level: "silent" });

describe("the workflows' bundle", () => {
  let kept: Awaited<ReturnType<typeof temporaryFolder>>;
  beforeAll(async () => {
    kept = await temporaryFolder();
  });
  afterAll(() => kept[Symbol.asyncDispose]());

  it("is made once of code that runs in Temporal's sandbox, and used again", async () => {
    const at = kept.path;
    const { codePath } = await bundleWorkflows({ folder: at, log });
    // The worker refuses a bundle without it.
    expect(await readFile(codePath, "utf8")).toContain("//# sourceMappingURL=data:application/json");
    const { mtimeMs, ino } = await stat(codePath);
    expect(await bundleWorkflows({ folder: at, log })).toEqual({ codePath });
    expect(await stat(codePath)).toMatchObject({ mtimeMs, ino });
  });

  it("is whole where several workers start at once on an empty folder", async () => {
    await using temporary = await temporaryFolder();
    const at = join(temporary.path, "bundles");
    const made = await Promise.all([1, 2].map(() => bundleWorkflows({ folder: at, log })));
    expect(new Set(made.map(({ codePath }) => codePath)).size).toBe(1);
    expect(await readdir(at)).toHaveLength(1);
  });

  it("is another one where failures are encrypted", async () => {
    const at = kept.path;
    const plain = await bundleWorkflows({ folder: at, log });
    const dataConverter = createDataConverter([{ id: "k1", key: Buffer.alloc(32, 1) }]);
    const encrypting = await bundleWorkflows({ folder: at, log, dataConverter });
    expect(encrypting.codePath).not.toBe(plain.codePath);
  });
});
