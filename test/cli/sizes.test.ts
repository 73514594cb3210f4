import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createSizes } from "../../cli/disk-space.ts";
import { folderOfTest } from "../support/of-test.ts";

const embedded = { blobUrl: null, databaseUrl: null, meiliUrl: null };
const servers = { databaseUrl: "postgres://db/lectern", meiliUrl: "http://meili:7700" };

/** Sizes of a data folder with a catalog of 30 bytes, an index of 20 and blobs of 7; `passHour` moves the clock. */
async function setup(changes: Partial<Parameters<typeof createSizes>[2]["servers"]> = {}, config: object = {}) {
  const folder = await folderOfTest();
  await mkdir(join(folder, "index"));
  await mkdir(join(folder, "blobs", "generations"), { recursive: true });
  await writeFile(join(folder, "catalog.sqlite"), Buffer.alloc(30));
  await writeFile(join(folder, "index", "one.sqlite"), Buffer.alloc(20));
  await writeFile(join(folder, "blobs", "generations", "part"), Buffer.alloc(7));
  const problems: unknown[] = [];
  let hours = 0;
  const sizes = createSizes({ ...embedded, ...config }, folder, {
    servers: { catalog: undefined, index: undefined, blobs: undefined, ...changes },
    now: () => hours * 3_600_000,
    onProblem: (error) => problems.push(error),
  });
  return { folder, problems, sizes, passHour: () => void (hours += 1) };
}

it("are those of the files in a data folder, and are refreshed after a while", async () => {
  const { folder, sizes, passHour } = await setup();
  expect(await sizes.read()).toEqual({ catalog: 30, index: 20, blobs: 7 });
  await writeFile(join(folder, "blobs", "more"), Buffer.alloc(5));
  expect((await sizes.read())["blobs"]).toBe(7);
  passHour();
  await expect.poll(async () => (await sizes.read())["blobs"]).toBe(12);
});

it("come from the servers, and are missing rather than 0 for a bucket", async () => {
  const config = { ...servers, blobUrl: "s3://bucket/lectern" };
  const { sizes, problems } = await setup({ catalog: async () => 5000, index: async () => 900 }, config);
  expect(await sizes.read()).toEqual({ catalog: 5000, index: 900 });
  expect(problems).toEqual([]);
});

it("are missing for a server that does not answer, and are requested again", async () => {
  const away = new Error("away");
  let answers = false;
  const index = async (): Promise<number> => {
    if (!answers) throw away;
    return 900;
  };
  const { sizes, problems } = await setup({ index }, { meiliUrl: servers.meiliUrl });
  expect(await sizes.read()).toEqual({ catalog: 30, blobs: 7 });
  expect(problems).toEqual([away]);
  answers = true;
  expect(await sizes.read()).toEqual({ catalog: 30, index: 900, blobs: 7 });
});
