import { afterAll, expect, it } from "vitest";
import { describePackages } from "../contracts/packages.ts";
import { startConfiguredRegistries } from "../support/configured-registries.ts";
import { temporaryFolder } from "../support/lectern-process.ts";
import { startServers } from "../e2e/setup.ts";

const folder = await temporaryFolder();
const registries = await startConfiguredRegistries(folder.path);
const { server } = await startServers(() => ({ ...registries.env }));
afterAll(async () => {
  await registries.close();
  await folder[Symbol.asyncDispose]();
});

describePackages("the engine of one process", async () => ({ server, ...registries }));

it.each(["git.corp.example/tools", "git.example.com/secret/tool"])(
  "asks no proxy for %s, which GOPRIVATE excludes",
  async (name) => {
    expect(await server.call("POST", "/v2/add/package", { registry: "go", name })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining("Submit its repository") as string },
    });
    expect(registries.open.go.requests.filter(({ path }) => path.includes(name))).toEqual([]);
  },
);
