import { expect, it } from "vitest";
import { sweep } from "../../activities/sweep.ts";
import { sampleGeneration, sampleRoom, sampleRun } from "../contracts/catalog-samples.ts";
import { figures, setup } from "./sweep-setup.ts";

const thorough = { thorough: true };
const day = 86_400_000;

it("removes versions of packages that nobody reads, but neither the latest nor the pinned one", async () => {
  const { ports, catalog, published, store, load, libraries } = await setup();
  await published("kit");
  const spec = { kind: "package", registry: "npm", url: "https://registry.example.com/", restricted: false } as const;
  await catalog.libraries.update("kit", { source: { ...spec, name: "kit", version: "1.0.0" } });
  const long = ports.now() - 70 * day;
  for (const version of ["1.0.0", "2.0.0", "main"]) {
    const id = `kit-${version.replaceAll(".", "-")}`;
    await catalog.libraries.addVersion("kit", version, version, sampleRoom(20, long));
    await catalog.runs.open("kit", version, sampleRun(id), long);
    await store(id);
    await catalog.generations.stage(sampleGeneration(id, "kit", 1, { version, ref: version, counts: figures }));
    await load(id);
    await catalog.generations.publish({ runId: id, generation: id, live: null }, long);
    await catalog.runs.close(id, { outcome: "published", revision: "rev-1" }, long);
  }
  await ports.announce("kit");
  const shown = async () => (await libraries.entries(["kit"]))[0]?.versions;
  expect(await shown()).toEqual(["2.0.0", "1.0.0", "main"]);
  expect(await sweep({ ...ports, unusedVersionDays: 0 }, thorough)).toMatchObject({ versions: 0, problems: [] });
  expect(await sweep({ ...ports, unusedVersionDays: 71 }, thorough)).toMatchObject({ versions: 0 });
  // Sweeps of several processes at once.
  const swept = await Promise.all([sweep(ports, thorough), sweep(ports, thorough)]);
  expect(swept.reduce((sum, { versions }) => sum + versions, 0)).toBe(1);
  // The default version is served from the branch main.
  expect(await shown()).toEqual(["1.0.0", "main"]);
});
