import { expect, it } from "vitest";
import { missingPackage } from "../../cli/package-info.ts";

const name = "not-installed-anywhere";
const absent: unknown = await import(name).catch((error: unknown) => error);

it("says how to install what a clone was installed without", () => {
  expect(missingPackage(absent, { peerDependencies: { [name]: "1.0.0" } })).toBe(
    "This needs packages that only a cluster uses. Install them with npm ci, without --omit=peer.",
  );
});

it("names the optional peer dependencies of the packed program", () => {
  const peerDependencies = { [name]: "1.0.0", other: "2.0.0" };
  expect(missingPackage(absent, { peerDependencies, peerDependenciesMeta: {} })).toBe(
    `This needs packages that only a cluster uses. Install them next to Lectern: npm install ${name}@1.0.0 other@2.0.0`,
  );
});

it("ignores other errors", () => {
  expect(missingPackage(absent, { peerDependencies: { other: "1.0.0" } })).toBeUndefined();
  expect(
    missingPackage(new Error(`Cannot find package '${name}'`), { peerDependencies: { [name]: "1.0.0" } }),
  ).toBeUndefined();
});
