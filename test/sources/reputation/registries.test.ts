import { describe, expect, it, onTestFinished } from "vitest";
import type { PackageFacts } from "../../../domain/package-trust.ts";
import type { RegistryName } from "../../../domain/packages.ts";
import { createFetchClient } from "../../../sources/lib/fetch/client.ts";
import { createGuard } from "../../../sources/lib/fetch/guard.ts";
import { askRegistry } from "../../../sources/reputation/registries.ts";
import { pool } from "../../support/pool.ts";
import { startSite } from "../../support/site.ts";

/** The facts from a registry's answers by path; objects are sent as JSON, numbers are statuses. */
async function ask(
  registry: RegistryName,
  name: string,
  answers: (origin: string) => Readonly<Record<string, object | string | number>>,
): Promise<PackageFacts> {
  const site = await startSite();
  const client = createFetchClient({ guard: createGuard({ allow: [site.host] }), userAgent: "test" });
  onTestFinished(async () => {
    await client.close();
    await site.close();
  });
  for (const [path, answer] of Object.entries(answers(site.origin)))
    site.pages.set(path, {
      status: typeof answer === "number" ? answer : 200,
      headers: { "content-type": "application/json" },
      body: typeof answer === "string" ? answer : JSON.stringify(answer),
    });
  const spec = { kind: "package", registry, url: `${site.origin}/`, name, version: null, restricted: false } as const;
  return askRegistry({ client, pool }, spec);
}

describe("what npm says of a package", () => {
  const packument = {
    "dist-tags": { latest: "2.0.0" },
    maintainers: [{ name: "a" }, { name: "b" }],
    versions: {
      "1.0.0": { deprecated: "Use 2." },
      "2.0.0": { dist: { attestations: { url: "https://registry.example/attestations" } } },
    },
    time: {
      created: "2015-01-01T00:00:00Z",
      modified: "2026-02-01T00:00:00Z",
      "1.0.0": "2015-01-01T00:00:00Z",
      "2.0.0": "2026-01-01T00:00:00Z",
    },
  };

  it("is its age, versions, maintainers and provenance, and whether its newest version is deprecated", async () => {
    expect(await ask("npm", "@acme/widgets", () => ({ "/@acme%2fwidgets": packument }))).toEqual({
      since: Date.parse("2015-01-01"),
      activeAt: Date.parse("2026-01-01"),
      versions: 2,
      maintainers: 2,
      downloads: null,
      isDeprecated: false,
      isWithdrawn: null,
      isAttested: true,
      problem: null,
    });
  });

  it("has no age if a mirror lists when it copied each version", async () => {
    const time = { "1.0.0": "2026-05-01T00:00:00Z", "2.0.0": "2026-05-01T00:00:00Z" };
    const facts = await ask("npm", "widgets", () => ({ "/widgets": { ...packument, time } }));
    expect(facts).toMatchObject({ since: null, activeAt: null, versions: 2 });
  });

  it("is unknown if fields have other types, and a failure if it is no packument", async () => {
    const odd = { versions: { "1.0.0": 7 }, "dist-tags": { latest: "toString" }, time: "now", maintainers: { a: 1 } };
    const facts = await ask("npm", "widgets", () => ({ "/widgets": odd }));
    expect(facts).toMatchObject({ since: null, activeAt: null, versions: 1, maintainers: null, isAttested: null });
    await expect(ask("npm", "widgets", () => ({ "/widgets": "[]" }))).rejects.toMatchObject({ code: "source_invalid" });
    await expect(ask("npm", "widgets", () => ({ "/widgets": 404 }))).rejects.toMatchObject({
      code: "source_not_found",
    });
  });
});

it("reads of PyPI when files were uploaded, and whether they were yanked or the project is archived", async () => {
  const file = (day: string, more: object = {}) => ({ "upload-time": `${day}T00:00:00Z`, yanked: false, ...more });
  const project = {
    versions: ["1.0", "2.0"],
    files: [file("2026-01-01", { provenance: "https://pypi.example/provenance" }), file("2014-01-01")],
  };
  expect(await ask("pypi", "widgets", () => ({ "/widgets/": project }))).toMatchObject({
    since: Date.parse("2014-01-01"),
    activeAt: Date.parse("2026-01-01"),
    versions: 2,
    downloads: null,
    isDeprecated: false,
    isWithdrawn: false,
    isAttested: true,
  });
  const ended = {
    ...project,
    "project-status": { status: "archived" },
    files: [file("2014-01-01", { yanked: "bad" })],
  };
  expect(await ask("pypi", "widgets", () => ({ "/widgets/": ended }))).toMatchObject({
    isDeprecated: true,
    isWithdrawn: true,
  });
});

describe("what crates.io says of a crate", () => {
  const line = (vers: string, pubtime: string, yanked = false): string =>
    JSON.stringify({ name: "widgets", vers, cksum: "0", yanked, pubtime });
  const index = [line("0.1.0", "2016-01-01T00:00:00Z", true), line("1.0.0", "2026-01-01T00:00:00Z")].join("\n");

  it("is when versions were published, and downloads in a week of the last 90 days", async () => {
    const facts = await ask("crates", "widgets", (api) => ({
      "/wi/dg/widgets": index,
      "/config.json": { dl: api, api },
      "/api/v1/crates/widgets": { crate: { downloads: 5_000_000, recent_downloads: 90_000 } },
    }));
    expect(facts).toMatchObject({
      since: Date.parse("2016-01-01"),
      activeAt: Date.parse("2026-01-01"),
      versions: 2,
      downloads: 7000,
      isWithdrawn: false,
      problem: null,
    });
  });

  it("says why downloads are not known, and keeps the rest", async () => {
    const facts = await ask("crates", "widgets", (api) => ({
      "/wi/dg/widgets": line("0.1.0", "2016-01-01T00:00:00Z", true),
      "/config.json": { dl: api, api },
      "/api/v1/crates/widgets": 503,
    }));
    expect(facts).toMatchObject({ versions: 1, downloads: null, isWithdrawn: true });
    expect(facts.problem).toMatch(/^Number of downloads unknown: 127\.0\.0\.1:\d+ answered 503/);
  });
});

describe("what a proxy says of a Go module", () => {
  const module = "git.example.com/acme/widgets";
  const answers = (goMod: string) => () => ({
    [`/${module}/@v/list`]: "v1.1.0\nv0.9.0\nv1.2.0\n",
    [`/${module}/@v/v1.2.0.mod`]: goMod,
    [`/${module}/@v/v0.9.0.info`]: { Version: "v0.9.0", Time: "2018-01-01T00:00:00Z" },
    [`/${module}/@v/v1.2.0.info`]: { Version: "v1.2.0", Time: "2026-01-01T00:00:00Z" },
  });

  it("is its first and its newest version, without what is retracted", async () => {
    const goMod = `module ${module}\n\nretract (\n\tv1.1.0 // Lost data.\n\t[v0.1.0, v0.9.5]\n)\n`;
    expect(await ask("go", module, answers(goMod))).toMatchObject({
      since: Date.parse("2018-01-01"),
      activeAt: Date.parse("2026-01-01"),
      versions: 1,
      isDeprecated: false,
      isWithdrawn: false,
    });
  });

  it("is whether the module is deprecated, or every version retracted", async () => {
    const goMod = `// Deprecated: use ${module}/v2.\nmodule ${module}\n\nretract [v0.0.0, v1.9.0]\n`;
    expect(await ask("go", module, answers(goMod))).toMatchObject({
      versions: 0,
      isDeprecated: true,
      isWithdrawn: true,
    });
    const other = `// Not Deprecated: this is about something else.\n\nmodule ${module} // Deprecated: gone.\n`;
    expect(await ask("go", module, answers(other))).toMatchObject({ versions: 3, isDeprecated: true });
    expect(await ask("go", module, answers(`module ${module}\n`))).toMatchObject({ isDeprecated: false });
  });
});
