import { expect, it } from "vitest";
import { sweep } from "../../activities/sweep.ts";
import { addLibrary } from "../contracts/catalog-samples.ts";
import { setup } from "./sweep-setup.ts";

const day = 86_400_000;

it("removes a library whose first run failed once it is not retried any more, and never one that was served or has an open run", async () => {
  const { ports, catalog, published } = await setup();
  const past = ports.now() - 8 * day;
  const failed = async (uid: string, code: "source_not_found" | "source_unreachable", at = past) => {
    await addLibrary(catalog, uid, { id: `/a/${uid}`, createdAt: at });
    await catalog.runs.close(`${uid}-1`, { outcome: "failed", failure: { code, message: "It failed." } }, at);
  };
  await failed("gone", "source_not_found");
  await failed("tried", "source_unreachable");
  await failed("fresh", "source_not_found", ports.now() - 6 * day);
  await addLibrary(catalog, "open", { id: "/a/open", createdAt: past });
  await published("served");
  const kept = async () => {
    const { items } = await catalog.libraries.list({ teamspaces: [""], limit: 10 });
    return items.map(({ library }) => library.uid).toSorted();
  };
  // An engine that does nothing.
  const idle = { ...ports, indexing: { start: async () => {}, cancel: async () => {}, ready: async () => {} } };
  expect(await sweep({ ...idle, unservedDays: 0 }, { thorough: true })).toMatchObject({ unserved: 0 });
  expect(await sweep(idle, { thorough: false })).toMatchObject({ unserved: 0, retries: 0 });
  expect(await sweep(idle, { thorough: true })).toMatchObject({ unserved: 1 });
  expect(await kept()).toEqual(["fresh", "open", "served", "tried"]);
  const [{ openRun } = { openRun: null }] = await catalog.libraries.versionsOf("tried");
  const failure = { code: "source_not_found", message: "It is gone." } as const;
  await catalog.runs.close(openRun?.runId ?? "", { outcome: "failed", failure }, past);
  expect(await sweep(idle, { thorough: true })).toMatchObject({ unserved: 1 });
  expect(await kept()).toEqual(["fresh", "open", "served"]);
});
