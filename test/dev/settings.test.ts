import { describe, expect, it } from "vitest";
import { sharedSettings } from "../../tools/dev/settings.ts";
import { temporaryFolder } from "../support/lectern-process.ts";

describe("the settings of a local cluster", () => {
  it("have the admin key of the environment", async () => {
    await using folder = await temporaryFolder();
    const { env, adminKey } = await sharedSettings(folder.path, { LECTERN_ADMIN_KEY: "key-of-the-environment" });
    expect([env["LECTERN_ADMIN_KEY"], adminKey]).toEqual(["key-of-the-environment", "key-of-the-environment"]);
  });

  it("have an admin key of the folder if the environment has none, the same at every start", async () => {
    await using folder = await temporaryFolder();
    const { env, adminKey } = await sharedSettings(folder.path, {});
    expect(env["LECTERN_ADMIN_KEY"]).toBe(adminKey);
    expect((await sharedSettings(folder.path, {})).adminKey).toBe(adminKey);
  });
});
