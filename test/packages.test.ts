import { readFileSync } from "node:fs";
import { join } from "node:path";
import { minVersion } from "semver";
import { expect, it } from "vitest";
import about from "../package.json" with { type: "json" };

interface Locked {
  readonly engines?: object;
  readonly peer?: boolean;
}

const { packages } = JSON.parse(readFileSync(join(import.meta.dirname, "..", "package-lock.json"), "utf8")) as {
  packages: Record<string, Locked>;
};

// With `engines`, npm warns about each package that its own Node is too old for, and leaves optional ones out without a word.
it("are installed by the oldest Node that Lectern can be installed with, without a warning", () => {
  expect(minVersion(about.engines.node)?.major).toBe(20);
  const warned = Object.entries(packages).filter(([name, { engines }]) => name !== "" && engines !== undefined);
  expect(warned, "npm run lockfile").toEqual([]);
});

it("of a cluster are installed by nothing else, so that --omit=peer leaves them out", () => {
  const names = Object.keys(about.peerDependencies);
  expect(names.filter((name) => packages[`node_modules/${name}`]?.peer !== true)).toEqual([]);
});
