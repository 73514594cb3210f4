import { expect, it } from "vitest";
import { cachedFromManifest } from "../../api/manifest-cache.ts";
import type { ApiPorts } from "../../api/options.ts";

/** Slow manifests, and the reads of them. */
function setup() {
  const reads: string[] = [];
  let problem: Error | undefined;
  const known = new Set<string>();
  const manifest = async (generation: string) => {
    reads.push(generation);
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (problem) throw problem;
    return known.has(generation) ? { notes: [generation] } : undefined;
  };
  const ports = { manifest } as unknown as Pick<ApiPorts, "manifest">;
  const read = cachedFromManifest(ports, ({ notes = [] }) => notes, []);
  return { read, reads, known, fail: (error?: Error) => (problem = error) };
}

it("reads a generation once for all that ask at the same time, and again where it had none", async () => {
  const { read, reads, known, fail } = setup();
  expect(await read("g1")).toEqual([]);
  known.add("g1");
  expect(await Promise.all(Array.from({ length: 50 }, () => read("g1")))).toEqual(
    Array.from({ length: 50 }, () => ["g1"]),
  );
  expect(await read("g1")).toEqual(["g1"]);
  expect(reads).toEqual(["g1", "g1"]);
  fail(new Error("Out of reach."));
  await expect(Promise.all([read("g2"), read("g2")])).rejects.toThrow("Out of reach.");
  fail();
  known.add("g2");
  expect(await read("g2")).toEqual(["g2"]);
  expect(reads).toEqual(["g1", "g1", "g2", "g2"]);
});

it("remembers a thousand of them", async () => {
  const { read, reads, known } = setup();
  const all = Array.from({ length: 1001 }, (_, number) => `g${number}`);
  for (const generation of all) known.add(generation);
  await Promise.all(all.map(read));
  await read("g1000");
  expect(reads).toHaveLength(1001);
  await read("g0");
  expect(reads).toHaveLength(1002);
});
