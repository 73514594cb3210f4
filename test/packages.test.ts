import { readFileSync } from "node:fs";
import { join } from "node:path";
import { minVersion, satisfies } from "semver";
import { expect, it } from "vitest";
import about from "../package.json" with { type: "json" };

const { packages } = JSON.parse(readFileSync(join(import.meta.dirname, "..", "package-lock.json"), "utf8")) as {
  packages: Record<string, { engines?: { node?: string } }>;
};

// npm leaves an optional package out, without a word, where its engines refuse the Node that npm itself runs in.
it("are installed by the oldest Node that Lectern can be installed with, also optional ones", () => {
  expect(minVersion(about.engines.node)?.major).toBe(20);
  for (const name of Object.keys(about.optionalDependencies)) {
    const range = packages[`node_modules/${name}`]?.engines?.node ?? "*";
    expect(satisfies("20.20.2", range), `${name} needs Node ${range}`).toBe(true);
  }
});
