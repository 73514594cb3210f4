import { readdir, readFile, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleWorkflows } from "../../workers/temporal-bundle.ts";
import { createDataConverter } from "../../workers/codec.ts";
import { temporaryFolder } from "../support/lectern-process.ts";

const log = pino({ level: "silent" });

describe("the workflows' bundle", () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let bundles: readonly { readonly codePath: string }[];
  beforeAll(async () => {
    folder = await temporaryFolder();
    bundles = await Promise.all([1, 2].map(() => bundleWorkflows({ folder: join(folder.path, "bundles"), log })));
  });
  afterAll(() => folder[Symbol.asyncDispose]());
  const codePath = (): string => bundles[0]?.codePath ?? "";

  it("is whole where several workers start at once on an empty folder", async () => {
    expect(bundles).toEqual([{ codePath: codePath() }, { codePath: codePath() }]);
    expect(await readdir(dirname(codePath()))).toEqual([basename(codePath())]);
    // The worker refuses a bundle without it.
    expect(await readFile(codePath(), "utf8")).toContain("//# sourceMappingURL=data:application/json");
  });

  it("is built once, and used again", async () => {
    const { mtimeMs, ino } = await stat(codePath());
    expect(await bundleWorkflows({ folder: dirname(codePath()), log })).toEqual({ codePath: codePath() });
    expect(await stat(codePath())).toMatchObject({ mtimeMs, ino });
  });

  it("is another one for encrypted failures", async () => {
    const dataConverter = createDataConverter([{ id: "k1", key: Buffer.alloc(32, 1) }]);
    const encrypting = await bundleWorkflows({ folder: dirname(codePath()), log, dataConverter });
    expect(encrypting.codePath).not.toBe(codePath());
  });
});
