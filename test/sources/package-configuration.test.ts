import { describe, expect, it } from "vitest";
import { registries, type RegistryAccess, type RegistryName } from "../../domain/packages.ts";
import { accessTo, placesOf, type Configured } from "./package-access.ts";

/** The credentials of a request to the first place of a package. */
function shownAt(access: RegistryAccess, registry: RegistryName, name = "widgets"): string | null {
  const [place] = access.placesOf(registry, name) as readonly { url: string }[];
  const url = place?.url ?? "";
  const shown = access.authorizationFor(registry, url, new URL(`${url}some/file`));
  return shown?.startsWith("Basic ") ? Buffer.from(shown.slice(6), "base64").toString() : (shown ?? null);
}

it.each(Object.entries(registries))("is the public registry of %s without a configuration", (registry, { url }) => {
  const access = accessTo({});
  expect(placesOf(access, registry as RegistryName)).toEqual([url]);
  expect(access.authorizationFor(registry as RegistryName, url, new URL(url))).toBeNull();
  expect(access.routeOf(registry as RegistryName)).toEqual({});
});

describe("npm's configuration", () => {
  it.each<[string, Configured, string, readonly string[], string | null]>([
    [
      "a registry",
      { npmrc: "registry = https://npm.corp.example/all" },
      "zod",
      ["https://npm.corp.example/all/"],
      null,
    ],
    [
      "a variable before it",
      { npmrc: "registry=https://a.example/", npmRegistry: "https://b.example/" },
      "zod",
      ["https://b.example/"],
      null,
    ],
    ["a scope", { npmrc: "@corp:registry=https://npm.corp.example/" }, "@corp/x", ["https://npm.corp.example/"], null],
    [
      "a token",
      { npmrc: "registry=https://n.example/a/\n//n.example/a/:_authToken=abc" },
      "zod",
      ["https://n.example/a/*"],
      "Bearer abc",
    ],
    [
      "a token of the host",
      { npmrc: "registry=https://n.example/a/b/\n//n.example/:_authToken=abc" },
      "zod",
      ["https://n.example/a/b/*"],
      "Bearer abc",
    ],
    [
      "a token of the environment",
      { npmrc: "registry=https://n.example/\n//n.example/:_authToken=${TOKEN}", env: { TOKEN: "xyz" } },
      "zod",
      ["https://n.example/*"],
      "Bearer xyz",
    ],
    [
      "a token as a variable",
      { npmrc: "registry=https://n.example/", env: { "npm_config_//n.example/:_authToken": "Var" } },
      "zod",
      ["https://n.example/*"],
      "Bearer Var",
    ],
    [
      "a token of an optional variable",
      { npmrc: "registry=https://n.example/\n//n.example/:_authToken=${NONE?}" },
      "zod",
      ["https://n.example/"],
      null,
    ],
    [
      "a user and a password",
      { npmrc: `registry=https://n.example/\n//n.example/:_auth=${Buffer.from("u:p").toString("base64")}` },
      "zod",
      ["https://n.example/*"],
      "u:p",
    ],
    [
      "the same in two lines",
      {
        npmrc: `registry=https://n.example/\n//n.example/:username=u\n//n.example/:_password=${Buffer.from("p").toString("base64")}`,
      },
      "zod",
      ["https://n.example/*"],
      "u:p",
    ],
    [
      "a token for another folder",
      { npmrc: "registry=https://n.example/a/\n//n.example/b/:_authToken=abc" },
      "zod",
      ["https://n.example/a/"],
      null,
    ],
    [
      "comments and quotes",
      { npmrc: '; a\n# b\nregistry="https://n.example/"\n' },
      "zod",
      ["https://n.example/"],
      null,
    ],
  ])("has %s", (_what, configured, name, places, shown) => {
    const access = accessTo(configured);
    expect(placesOf(access, "npm", name)).toEqual(places);
    expect(shownAt(access, "npm", name)).toBe(shown);
  });

  it("shows a token to no other host", () => {
    const access = accessTo({ npmrc: "registry=https://n.example/\n//n.example/:_authToken=abc" });
    expect(access.authorizationFor("npm", "https://n.example/", new URL("https://files.example/x.tgz"))).toBeNull();
  });
});

describe("pip's configuration", () => {
  const file =
    "[global]\nindex-url: https://u:p%40ss@py.corp.example/simple\nextra-index-url =\n\thttps://one.example/\n\thttps://two.example/s\n# a\n[install]\n";

  it.each<[string, Configured, readonly string[], string | null]>([
    [
      "indexes with a user, in lines of their own",
      { pip: { file } },
      ["https://py.corp.example/simple/*", "https://one.example/", "https://two.example/s/"],
      "u:p@ss",
    ],
    [
      "indented settings, and a password with signs of comments",
      {
        pip: {
          file: "[global]\n  # a\n  index-url = https://u:a;b@py.corp.example/simple\n  extra-index-url = https://e.example\n",
        },
      },
      ["https://py.corp.example/simple/*", "https://e.example/"],
      "u:a;b",
    ],
    [
      "a user with a percent sign of its own",
      { pip: { file: "[global]\nindex-url: https://u:50%@py.corp.example/simple" } },
      ["https://py.corp.example/simple/*"],
      "u:50%",
    ],
    [
      "variables before it",
      { pip: { file, indexUrl: "https://b.example/", extraIndexUrls: "https://c.example/ https://b.example/" } },
      ["https://b.example/", "https://c.example/"],
      null,
    ],
    [
      "a section of the command before that for all",
      { pip: { file: `${file}index_url = https://i.example/` } },
      ["https://i.example/", "https://one.example/", "https://two.example/s/"],
      null,
    ],
    [
      "a .netrc",
      { pip: { indexUrl: "https://py.example/" }, netrc: 'machine py.example login u password "a b"' },
      ["https://py.example/*"],
      "u:a b",
    ],
    [
      "a .netrc for others",
      { netrc: "machine other.example login u password p\ndefault login u password p" },
      [registries.pypi.url],
      null,
    ],
  ])("has %s", (_what, configured, places, shown) => {
    const access = accessTo(configured);
    expect(placesOf(access, "pypi")).toEqual(places);
    expect(shownAt(access, "pypi")).toBe(shown);
  });
});

describe("cargo's configuration", () => {
  const at = (config: string, credentials = ""): Configured => ({
    files: { "/home/user/.cargo/config.toml": config, "/home/user/.cargo/credentials.toml": credentials },
  });
  const corp = '[registries.corp]\nindex = "sparse+https://c.example/i/"\n';

  it.each<[string, Configured, string | readonly string[], string | null]>([
    ["a registry behind crates.io", at(corp), [registries.crates.url, "https://c.example/i/"], null],
    [
      "a token of it",
      at(corp, '[registries.corp]\ntoken = "t"'),
      [registries.crates.url, "https://c.example/i/*"],
      null,
    ],
    [
      "crates.io replaced with it",
      at(`${corp}[source.crates-io]\nreplace-with = "corp"`, '[registries.corp]\ntoken = "t"'),
      ["https://c.example/i/*"],
      "t",
    ],
    [
      "a chain of replacements",
      at(
        '[source.crates-io]\nreplace-with = "a"\n[source.a]\nreplace-with = "b"\n[source.b]\nregistry = "sparse+https://b.example/"',
      ),
      ["https://b.example/"],
      null,
    ],
    [
      "a token for publishing, which no reader shows",
      at("", '[registry]\ntoken = "t"\n[registries.crates-io]\ntoken = "t"'),
      [registries.crates.url],
      null,
    ],
    [
      "a registry by variables",
      { env: { CARGO_REGISTRIES_MY_CORP_INDEX: "sparse+https://v.example/", CARGO_REGISTRIES_MY_CORP_TOKEN: "t" } },
      [registries.crates.url, "https://v.example/*"],
      null,
    ],
    [
      "a registry in Git, which is not read",
      at('[registries.corp]\nindex = "https://c.example/index.git"'),
      [registries.crates.url],
      null,
    ],
  ])("has %s", (_what, configured, places, shown) => {
    const access = accessTo(configured);
    expect(placesOf(access, "crates")).toEqual(places);
    expect(shownAt(access, "crates")).toBe(shown);
  });

  it.each([
    [
      "a folder in place of crates.io",
      '[source.crates-io]\nreplace-with = "v"\n[source.v]\ndirectory = "vendor"',
      "only sparse indexes",
    ],
    ["a circle", '[source.crates-io]\nreplace-with = "a"\n[source.a]\nreplace-with = "crates-io"', "circle"],
    ["no TOML", "[[[secret", "not a valid configuration of cargo"],
  ])("reports %s", (_what, config, problem) => {
    const places = placesOf(accessTo(at(config)), "crates");
    expect(places).toContain(problem);
    expect(places).not.toContain("secret");
  });
});

describe("Go's configuration", () => {
  const proxies = "https://a.example|https://u:p@b.example/go,https://c.example,direct,https://never.example";

  it.each<[string, Configured, string, string | readonly string[]]>([
    [
      "proxies and what lies between them",
      { go: { proxies } },
      "example.com/x",
      ["https://a.example/failing", "https://b.example/go/*", "https://c.example/"],
    ],
    [
      "a file of go env",
      { go: { file: "GOPROXY=https://f.example\nGOPRIVATE=*.corp.example\n" } },
      "example.com/x",
      ["https://f.example/"],
    ],
    [
      "variables before it",
      { go: { proxies: "https://v.example", file: "GOPROXY=https://f.example" } },
      "example.com/x",
      ["https://v.example/"],
    ],
    [
      "a .netrc",
      { go: { proxies: "https://v.example" }, netrc: "machine v.example\nlogin u\npassword p" },
      "example.com/x",
      ["https://v.example/*"],
    ],
    [
      "private modules",
      { go: { isPrivate: "*.corp.example,git.example/a/*" } },
      "git.example/a/b/c",
      "git.example/a/b/c",
    ],
    [
      "private modules by a pattern of the host",
      { go: { isPrivate: "*.corp.example" } },
      "git.corp.example/x",
      "git.corp.example/x",
    ],
    [
      "private modules that a proxy has all the same",
      { go: { isPrivate: "*.corp.example", isKept: "none" } },
      "git.corp.example/x",
      [registries.go.url],
    ],
    [
      "a pattern that is longer than the name",
      { go: { isPrivate: "example.com/x/y" } },
      "example.com/x",
      [registries.go.url],
    ],
    ["direct alone", { go: { proxies: "direct" } }, "example.com/x", "Submit the repository"],
    ["off", { go: { proxies: "off" } }, "example.com/x", "Submit the repository"],
  ])("has %s", (_what, configured, name, places) => {
    const configuredPlaces = placesOf(accessTo(configured), "go", name);
    if (typeof places === "string") expect(configuredPlaces).toContain(places);
    else expect(configuredPlaces).toEqual(places);
  });
});
