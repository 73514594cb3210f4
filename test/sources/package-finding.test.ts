import { expect, it } from "vitest";
import { Failure } from "../../domain/failures.ts";
import type { PackageSourceSpec } from "../../domain/kinds/index.ts";
import type { RegistryPlace } from "../../domain/packages.ts";
import { findPackage, refuseAmbiguousPackage, type ListAt } from "../../sources/package/find-package.ts";
import { startRegistry } from "../support/registries.ts";
import { accessTo } from "./package-access.ts";
import { readingPackage } from "./package-setup.ts";

const at = (name: string): string => `https://${name}.example/`;
const place = (name: string, more: Partial<RegistryPlace> = {}): RegistryPlace => ({
  url: at(name),
  restricted: false,
  ...more,
});
const closed = { restricted: true };
const spec = (name: string, more: Partial<PackageSourceSpec> = {}): PackageSourceSpec => ({
  kind: "package",
  registry: "pypi",
  name: "widgets",
  version: null,
  url: at(name),
  restricted: false,
  ...more,
});

/** Stand-ins for registries by name: the checksum that each has for version 1, or the code of its failure. */
function registriesOf(registries: Readonly<Record<string, string>>) {
  const seen: string[] = [];
  const listAt: ListAt = async ({ url, restricted }) => {
    const name = new URL(url).host.replace(".example", "");
    seen.push(name + (restricted ? "*" : ""));
    const answer = registries[name] ?? "source_not_found";
    if (answer.startsWith("source_")) throw new Failure(answer as "source_not_found", `${name} fails.`);
    return { versions: [{ name: "1", revision: answer }], tags: {} };
  };
  return { seen, listAt };
}

const [a, b, c] = [place("a"), place("b"), place("c")];

it.each<
  [string, PackageSourceSpec, readonly RegistryPlace[], Readonly<Record<string, string>>, string, readonly string[]]
>([
  ["the first that has it", spec("a"), [a, b], { a: "x", b: "y" }, "a", ["a"]],
  ["one behind it", spec("a"), [a, b, c], { b: "y", c: "z" }, "b", ["a", "b"]],
  ["none with credentials for everybody", spec("a"), [a, place("b", closed), c], { b: "y", c: "z" }, "c", ["a", "c"]],
  [
    "one behind a failure, where the list says so",
    spec("a"),
    [place("a", { orElse: "failing" }), b],
    { a: "source_unreachable", b: "y" },
    "b",
    ["a", "b"],
  ],
  [
    "with credentials only those that have them",
    spec("a", closed),
    [place("a", closed), b, place("c", closed)],
    { b: "y", c: "z" },
    "c",
    ["a*", "c*"],
  ],
  ["the one that was configured once", spec("old"), [a, b], { old: "x", a: "y" }, "old", ["old"]],
])("finds a package at %s", async (_where, source, places, registries, url, order) => {
  const { seen, listAt } = registriesOf(registries);
  expect((await findPackage(source, places, listAt)).url).toBe(at(url));
  expect(seen).toEqual(order);
});

it.each<[string, PackageSourceSpec, readonly RegistryPlace[], Readonly<Record<string, string>>, string]>([
  ["that no registry has", spec("a"), [a, b], {}, "source_not_found"],
  ["behind a registry that fails", spec("a"), [a, b], { a: "source_unreachable", b: "y" }, "source_unreachable"],
  ["that only one with credentials has", spec("a"), [a, place("b", closed)], { b: "y" }, "source_not_found"],
  ["that another than the named has", spec("a", { named: true }), [a, b], { b: "y" }, "source_not_found"],
])("does not find one %s", async (_what, source, places, registries, code) => {
  await expect(findPackage(source, places, registriesOf(registries).listAt)).rejects.toMatchObject({ code });
});

it.each<[string, PackageSourceSpec, Readonly<Record<string, string>>, string | null]>([
  ["another file", spec("a"), { p: "y" }, "validation_error"],
  ["the same file", spec("a"), { p: "x" }, null],
  ["no such package", spec("a"), {}, null],
  ["an outage", spec("a"), { p: "source_unreachable" }, "source_unreachable"],
  ["another file, and the submission names one", spec("a", { named: true }), { p: "y" }, null],
])("a private registry with %s decides whether a public one is read", async (_what, source, registries, code) => {
  const checked = refuseAmbiguousPackage(
    source,
    [a, place("p", closed)],
    { name: "1", revision: "x" },
    registriesOf(registries).listAt,
  );
  if (code === null) await expect(checked).resolves.toBeUndefined();
  else await expect(checked).rejects.toMatchObject({ code });
});

it("takes no file for the same if the registry publishes no checksum", async () => {
  const { listAt } = registriesOf({ p: "" });
  const checked = refuseAmbiguousPackage(spec("a"), [a, place("p", closed)], { name: "1", revision: "" }, listAt);
  await expect(checked).rejects.toMatchObject({ code: "validation_error" });
});

it("reads a module from the next proxy of the list if the first does not have it, with a note", async () => {
  const site = await startRegistry("go");
  site.publish("example.com/widgets", {
    "v1.0.0": { files: { "README.md": "# Widgets\n\nThey spin.\n\n```go\nwidgets.Spin()\n```\n" } },
  });
  const first = { ...site, url: `${site.url}first/` };
  const access = accessTo({ go: { proxies: `${first.url},${site.url}` } });
  const { index } = await readingPackage("go", first, "example.com/widgets", access);
  const { manifest } = await index();
  expect(manifest.counts.pages).toBe(1);
  expect(JSON.stringify(manifest)).toContain(`Read from ${site.url}, as ${first.url} has no such package.`);
});
