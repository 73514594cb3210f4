import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { Failure } from "../../domain/failures.ts";
import type { RegistryName } from "../../domain/packages.ts";
import { endurance } from "../support/endurance.ts";
import { startRegistry } from "../support/registries.ts";
import { startSite, type SitePage } from "../support/site.ts";
import { readingPackage } from "./package-setup.ts";

const json = (body: string): SitePage => ({ headers: { "content-type": "application/json" }, body });

/** The paths of a package's metadata in each registry, and how it points to the archive. */
const registries: readonly {
  readonly registry: RegistryName;
  readonly name: string;
  readonly version: string;
  readonly places: readonly string[];
  /** Makes the registry say that the archive is at another address. */
  readonly pointing?: (address: string) => readonly [path: string, page: SitePage];
}[] = [
  {
    registry: "npm",
    name: "widgets",
    version: "1.0.0",
    places: ["/widgets", "/widgets/1.0.0"],
    pointing: (tarball) => [
      "/widgets/1.0.0",
      json(JSON.stringify({ name: "widgets", version: "1.0.0", dist: { tarball } })),
    ],
  },
  {
    registry: "pypi",
    name: "widgets",
    version: "1.0.0",
    places: ["/simple/widgets/"],
    pointing: (url) => [
      "/simple/widgets/",
      json(JSON.stringify({ files: [{ filename: "widgets-1.0.0.tar.gz", url, hashes: {} }] })),
    ],
  },
  {
    registry: "crates",
    name: "widgets",
    version: "1.0.0",
    places: ["/index/wi/dg/widgets", "/index/config.json"],
    pointing: (dl) => ["/index/config.json", json(JSON.stringify({ dl }))],
  },
  {
    registry: "go",
    name: "example.com/widgets",
    version: "v1.0.0",
    places: ["/example.com/widgets/@v/list", "/example.com/widgets/@latest", "/example.com/widgets/@v/v1.0.0.mod"],
  },
];

const rows = registries.flatMap((one) => one.places.map((place) => ({ ...one, place })));

/** More than the limit of any registry. */
const bomb = gzipSync(Buffer.alloc(201_000_000, " "), { level: 1 });

/** Bodies that are no metadata of any registry. */
const bodies: readonly (readonly [what: string, body: string])[] = [
  ["nothing", ""],
  ["a page", "<html><a href='%zz/widgets-1.0.0.tar.gz'>no</a></html>"],
  ["null", "null"],
  ["a number", "7"],
  ["a list", "[]"],
  ["a text", '"versions"'],
  ["an empty object", "{}"],
  ["lists in place of tables", '{"versions":[],"dist-tags":[],"files":{},"dl":[]}'],
  ["nothing in its tables", '{"versions":{"1.0.0":null},"dist-tags":null,"files":[null],"dl":null,"Version":null}'],
  [
    "numbers in its tables",
    '{"versions":{"1.0.0":5},"dist-tags":{"latest":5},"files":[5,{"filename":5}],"dl":5,"Version":5}',
  ],
  [
    "names of another kind",
    '{"__proto__":{"versions":{}},"constructor":1,"versions":{"__proto__":{},"constructor":{}},"files":[]}',
  ],
  [
    "paths for versions",
    '{"versions":{"../../x":{},"1.0.0\\u0000":{}},"files":[{"filename":"widgets-../..tar.gz","url":"x"}],"Version":"../../x"}',
  ],
  ["broken off", '{"versions":{"1.0.0":{"dist"'],
  ["nested without end", "[".repeat(200_000)],
  ["no text", "\u0000\ufffd\u0000"],
];

async function widgets({
  registry,
  name,
  version,
}: Pick<(typeof registries)[number], "registry" | "name" | "version">) {
  const site = await startRegistry(registry);
  site.publish(name, { [version]: { files: { "README.md": "# Widgets\n\nThey spin.\n\n```js\nspin();\n```\n" } } });
  return readingPackage(registry, site, name);
}

describe.each(rows)("what $registry says at $place", (row) => {
  // In the short form each body is at two places or three.
  const some = bodies.filter((_, at) => endurance || at % 3 === rows.indexOf(row) % 3);

  it.each(some)("may be %s: the package is refused, or read without it", async (_what, body) => {
    const { registry, index } = await widgets(row);
    registry.pages.set(row.place, json(body));
    const ended = await index().then(
      ({ manifest }) => manifest.counts.pages,
      (error: unknown) => error,
    );
    if (ended instanceof Failure)
      expect(["source_invalid", "source_not_found", "no_snippets_found", "branch_not_found"]).toContain(ended.code);
    else expect(ended).toBe(1);
  });

  // Each takes a second: in the short form one of each registry.
  it.runIf(endurance || row.places[0] === row.place)("may have no end: it is cut off", async () => {
    const { registry, index } = await widgets(row);
    registry.pages.set(row.place, {
      headers: { "content-type": "application/json", "content-encoding": "gzip" },
      body: bomb,
    });
    await expect(index()).rejects.toMatchObject({ code: "library_too_large" });
  });

  it.each([
    ["inward", 302, "address_not_allowed"],
    ["in a loop", 307, "source_invalid"],
  ])("may lead %s: it is not followed there", async (_where, status, code) => {
    const { registry, index } = await widgets(row);
    const other = await startSite();
    onTestFinished(() => other.close());
    const location = status === 302 ? `${other.origin}/` : row.place;
    registry.pages.set(row.place, { status, headers: { location } });
    await expect(index()).rejects.toMatchObject({ code });
    expect(other.requests).toEqual([]);
  });
});

/** Lists of too many versions, in the form of each registry. */
const long: Readonly<Record<RegistryName, (name: string, version: string) => string>> = {
  npm: (_, version) => `{"versions":{${many((at) => `"${version}-${at}":{}`, ",")}}}`,
  pypi: (name, version) =>
    `{"files":[${many((at) => `{"filename":"${name}-${version}.${at}.tar.gz","url":"x"}`, ",", 110_000)}]}`,
  crates: (name, version) => many((at) => `{"name":"${name}","vers":"${version}-${at}","cksum":""}`, "\n"),
  go: (_, version) => many((at) => `${version}-${at}`, "\n"),
};

function many(make: (at: number) => string, between: string, count = 60_000): string {
  return Array.from({ length: count }, (_, at) => make(at)).join(between);
}

it.each(registries)("a package of $registry with too many versions is refused", async (row) => {
  const { registry, index } = await widgets(row);
  registry.pages.set(row.places[0] ?? "", json(long[row.registry](row.name, row.version)));
  await expect(index()).rejects.toMatchObject({
    code: "library_too_large",
    message: expect.stringMatching(/more than the \d+ (?:versions|files) that are read/) as string,
  });
});

it("a module that retracts as many versions as it has is read in no more time than others", async () => {
  const row = { registry: "go", name: "example.com/widgets", version: "v1.0.0" } as const;
  const { registry, index } = await widgets(row);
  const versions = many((at) => `v0.${at}.1`, "\n", 20_000);
  const retracted = many((at) => `\t[v0.${at}.0, v0.${at}.2]`, "\n", 20_000);
  registry.pages.set("/example.com/widgets/@v/list", { body: `${versions}\nv1.0.0\n` });
  registry.pages.set("/example.com/widgets/@v/v1.0.0.mod", { body: `module m\n\nretract (\n${retracted}\n)\n` });
  const started = process.threadCpuUsage();
  expect((await index()).manifest.counts.pages).toBe(1);
  expect(process.threadCpuUsage(started).user).toBeLessThan(4_000_000);
});

describe.each(registries.filter(({ pointing }) => pointing !== undefined))("an archive of $registry", (row) => {
  it.each([
    ["inward", "http://127.0.0.1:9/x.tar.gz", "address_not_allowed"],
    ["at a metadata server", "http://169.254.169.254/latest/x.tar.gz", "address_not_allowed"],
    ["on the disk", "file:///etc/passwd", "source_invalid"],
    ["in the address itself", "data:text/plain,x", "source_invalid"],
    ["at an address with a password", "http://user:pass@example.com/x.tar.gz", "source_invalid"],
  ])("that is said to be %s is not fetched", async (_where, address, code) => {
    const { registry, index } = await widgets(row);
    const [path, page] = row.pointing?.(address) ?? ["", ""];
    registry.pages.set(path, page);
    await expect(index()).rejects.toMatchObject({ code });
  });
});

describe.each(registries)("an archive of $registry", (row) => {
  const archive = /\.zip$|\.tgz$|\.tar\.gz$|\/download$/;

  it.each<[string, SitePage, string]>([
    ["leads inward", { status: 302, headers: { location: "http://127.0.0.1:9/x" } }, "address_not_allowed"],
    ["is a page", { body: "<html>Log in</html>" }, "source_invalid"],
    ["is gone", { status: 410 }, "source_not_found"],
    ["wants a password", { status: 401 }, "source_refused"],
  ])("that %s is refused", async (_what, page, code) => {
    const { registry, index } = await widgets(row);
    for (const path of registry.pages.keys()) if (archive.test(path)) registry.pages.set(path, page);
    await expect(index()).rejects.toMatchObject({ code });
  });

  it("that breaks off is refused", async () => {
    const { registry, index } = await widgets(row);
    for (const path of registry.pages.keys())
      if (archive.test(path))
        registry.pages.set(path, (response) => {
          response.writeHead(200, { "content-length": "5000" });
          response.write("x".repeat(10), () => response.destroy());
        });
    await expect(index()).rejects.toMatchObject({ code: "source_unreachable" });
  });
});
