import { describe, expect, it } from "vitest";
import { setup } from "./setup.ts";

async function world() {
  const all = await setup();
  const libraryOf = async (runId: string) => {
    const run = await all.catalog.runs.get(runId);
    return all.catalog.libraries.get(run?.libraryUid ?? "");
  };
  return { ...all, libraryOf };
}

describe("adding an llms.txt", () => {
  it.each([
    ["https://vite.dev/llms.txt", "/llmstxt/vite_dev"],
    ["https://www.docs.example.com/docs/sdk/v2/llms-full.txt?x=1#a", "/llmstxt/example_com_sdk_v2"],
    ["https://docs.dev/llms-small.txt", "/llmstxt/docs_dev"],
  ])("derives the ID of %s", async (llmstxtUrl, libraryName) => {
    const { send, libraryOf } = await world();
    const { status, body } = await send("POST", "/v2/add/llmstxt", { body: { llmstxtUrl, otherHosts: true } });
    expect({ status, body }).toMatchObject({ status: 200, body: { libraryName } });
    const library = await libraryOf((body as { runId: string }).runId);
    expect(library?.source).toEqual({ kind: "llmstxt", url: llmstxtUrl.replace("#a", ""), otherHosts: true });
  });

  it("accepts only an ID of its shape, and has no file selection", async () => {
    const { send } = await world();
    const add = (libraryName: string) =>
      send("POST", "/v2/add/llmstxt", { body: { llmstxtUrl: "https://vite.dev/llms.txt", libraryName } });
    expect(await add("/acme/vite")).toMatchObject({
      status: 400,
      body: { message: "libraryName of this source has the shape /llmstxt/name." },
    });
    expect(await add("/llmstxt/vite")).toMatchObject({ status: 200 });
    const changed = await send("PATCH", "/v2/libs", { body: { libraryName: "/llmstxt/vite", folders: ["docs"] } });
    expect(changed).toMatchObject({ status: 400, body: { error: "validation_error" } });
  });
});
