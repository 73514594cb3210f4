import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { pino } from "pino";
import { afterEach, describe, expect, it } from "vitest";
import { bundleWorkflows } from "../../workers/temporal-bundle.ts";
import { createDataConverter } from "../../workers/codec.ts";
import { temporaryFolder } from "../support/lectern-process.ts";

const log = pino({ level: "silent" });
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function folder(): Promise<string> {
  const temporary = await temporaryFolder();
  cleanups.push(async () => temporary[Symbol.asyncDispose]());
  return join(temporary.path, "bundles");
}

describe("the workflows' bundle", () => {
  it("is made once of code that runs in Temporal's sandbox, and used again", async () => {
    const at = await folder();
    const { codePath } = await bundleWorkflows({ folder: at, log });
    // The worker refuses a bundle without it.
    expect(await readFile(codePath, "utf8")).toContain("//# sourceMappingURL=data:application/json");
    const { mtimeMs, ino } = await stat(codePath);
    expect(await bundleWorkflows({ folder: at, log })).toEqual({ codePath });
    expect(await stat(codePath)).toMatchObject({ mtimeMs, ino });
  });

  it("is whole where several workers start at once on an empty folder", async () => {
    const at = await folder();
    const made = await Promise.all([1, 2].map(() => bundleWorkflows({ folder: at, log })));
    expect(new Set(made.map(({ codePath }) => codePath)).size).toBe(1);
    expect(await readdir(at)).toHaveLength(1);
  });

  it("is another one where failures are encrypted", async () => {
    const at = await folder();
    const plain = await bundleWorkflows({ folder: at, log });
    const dataConverter = createDataConverter([{ id: "k1", key: Buffer.alloc(32, 1) }]);
    const encrypting = await bundleWorkflows({ folder: at, log, dataConverter });
    expect(encrypting.codePath).not.toBe(plain.codePath);
  });
});
