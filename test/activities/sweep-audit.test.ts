import { expect, it } from "vitest";
import { sweep } from "../../activities/sweep.ts";
import { sampleRecord } from "../contracts/catalog-audit.ts";
import { setup } from "./sweep-setup.ts";

it("removes old records of the audit log, when it is thorough", async () => {
  const { ports, catalog } = await setup();
  const day = 86_400_000;
  for (const age of [31, 29]) await catalog.audit.add(sampleRecord(100 - age, { at: ports.now() - age * day }));
  const kept = async () => (await catalog.audit.list({}, { limit: 9 })).items.map(({ id }) => id);
  await sweep(ports, { thorough: false });
  expect(await kept()).toEqual(["r0071", "r0069"]);
  await sweep(ports, { thorough: true });
  expect(await kept()).toEqual(["r0071"]);
});
