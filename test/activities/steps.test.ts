import { describe, expect, it } from "vitest";
import { addLibrary, sampleCredential, sampleGeneration } from "../contracts/catalog-samples.ts";
import { figures, firstRequest as request, setup } from "./sweep-setup.ts";

describe("a library with a credential", () => {
  it.each([
    [{}, { message: "No source is read here." }],
    [{ host: "git.example.com:8443" }, { code: "source_refused", message: /is for git\.example\.com:8443 only/ }],
    [{ kind: "llmstxt" }, { code: "source_refused", message: /is for git\.example\.com only/ }],
  ] as const)("is read only if the credential is for its host and kind: %j", async (changes, expected) => {
    const { catalog, steps } = await setup();
    await catalog.credentials.add(sampleCredential("c1", { sealed: '{"token":"t"}', ...changes }));
    await addLibrary(catalog, "a", { id: "/a/a", credential: "c1" });
    const message = expect.stringMatching(expected.message) as string;
    await expect(steps.resolve({ request })).rejects.toMatchObject({ ...expected, message });
  });
});

describe("publishing", () => {
  it("registers a generation again that the catalog has lost, for example by failing over to a lagging replica", async () => {
    const { catalog, steps, store } = await setup();
    await addLibrary(catalog, "a", { id: "/a/a" });
    await store("a-1");
    expect(await steps.publish({ request, generation: "a-1", live: null })).toEqual({ published: true });
    expect(await catalog.generations.get("a-1")).toMatchObject({ state: "live", counts: figures });
  });

  it("does not publish the generation of a closed run, or one without data", async () => {
    const { catalog, steps, store } = await setup();
    await addLibrary(catalog, "a", { id: "/a/a" });
    expect(await steps.publish({ request, generation: "a-1", live: null })).toEqual({ published: false });
    await store("a-1");
    await catalog.runs.close("a-1", { outcome: "cancelled" }, 1);
    expect(await steps.publish({ request, generation: "a-1", live: null })).toEqual({ published: false });
    expect(await catalog.generations.get("a-1")).toBeUndefined();
  });

  it("registers nothing twice", async () => {
    const { catalog, steps, published } = await setup();
    const id = await published("a");
    const before = await catalog.generations.get(id);
    expect(await steps.publish({ request, generation: id, live: null })).toEqual({ published: true });
    expect(await catalog.generations.get(id)).toEqual(before);
    expect(before).toMatchObject(sampleGeneration(id, "a", 1, { counts: figures }));
  });
});
