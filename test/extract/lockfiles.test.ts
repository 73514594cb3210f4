import { describe, expect, it } from "vitest";
import { readLockfile } from "../../extract/lockfiles/index.ts";
import { endurance } from "../support/endurance.ts";

const shown = (name: string, text: string): readonly string[] =>
  readLockfile({ name, bytes: new TextEncoder().encode(text) }).dependencies.map(
    (one) =>
      `${one.registry} ${one.name}@${one.version}${one.direct === true ? " direct" : ""}${one.dev === true ? " dev" : ""}`,
  );

describe("lockfiles", () => {
  it.runIf(endurance).each([
    ["requirements.txt", (at: number) => `kit-${at}==1.0.0\n`, ""],
    ["go.sum", (at: number) => `example.com/kit-${at} v1.0.0 h1:x=\n`, ""],
    ["yarn.lock", (at: number) => `kit-${at}@^1.0.0:\n  version "1.0.0"\n\n`, "# yarn lockfile v1\n\n"],
  ])("refuses a %s of more packages than any project has", (name, entry, head) => {
    const text = head + Array.from({ length: 100_001 }, (_, at) => entry(at)).join("");
    expect(() => shown(name, text)).toThrow(
      "The file has more than 100000 packages. Send the lockfile of one project.",
    );
  });

  it("keeps the version of every importer of pnpm", () => {
    const text = `lockfileVersion: '9.0'
importers:
  .:
    dependencies:
      zod:
        specifier: ^3.0.0
        version: 3.22.0
  packages/b:
    devDependencies:
      zod:
        specifier: ^4.0.0
        version: 4.1.0
      local:
        specifier: workspace:*
        version: link:../local
      '@scope/peer':
        specifier: ^1.0.0
        version: 1.0.0(react@18.0.0)
packages:
  zod@3.22.0: {resolution: {integrity: x}}
  zod@4.1.0: {resolution: {integrity: x}}
  '@scope/peer@1.0.0': {resolution: {integrity: x}}
  react@18.0.0: {resolution: {integrity: x}}
`;
    expect(shown("pnpm-lock.yaml", text)).toEqual([
      "npm @scope/peer@1.0.0 direct dev",
      "npm zod@3.22.0 direct",
      "npm zod@4.1.0 direct dev",
      "npm react@18.0.0",
    ]);
  });

  it("reads older files of pnpm", () => {
    const text =
      "lockfileVersion: 5.4\nspecifiers:\n  zod: ^3\ndependencies:\n  zod: 3.20.0\npackages:\n  /zod/3.20.0:\n    dev: false\n  /@a/b/1.0.0_react@18.0.0:\n    dev: true\n";
    expect(shown("pnpm-lock.yaml", text)).toEqual(["npm zod@3.20.0 direct", "npm @a/b@1.0.0 dev"]);
  });

  it("reads both forms of yarn.lock", () => {
    const first =
      '# yarn lockfile v1\n\n\n"@types/node@*", "@types/node@^20":\n  version "20.1.0"\n  resolved "https://registry.example.com/@types/node/-/node-20.1.0.tgz#x"\n\nkit@^1.0.0:\n  version "1.2.3"\n\nforked@owner/forked:\n  version "1.0.0"\n  resolved "https://codeload.github.com/owner/forked/tar.gz/abc"\n';
    expect(shown("yarn.lock", first)).toEqual(["npm @types/node@20.1.0", "npm kit@1.2.3"]);
    const berry =
      '__metadata:\n  version: 8\n\n"app@workspace:.":\n  version: 0.0.0-use.local\n  resolution: "app@workspace:."\n  dependencies:\n    kit: "npm:^1.0.0"\n  languageName: unknown\n\n"kit@npm:^1.0.0":\n  version: 1.2.3\n  resolution: "kit@npm:1.2.3"\n\n"deep@npm:^2.0.0":\n  version: 2.0.0\n  resolution: "deep@npm:2.0.0"\n';
    expect(shown("yarn.lock", berry)).toEqual(["npm kit@1.2.3 direct", "npm deep@2.0.0"]);
  });

  it("reads package-lock.json with workspaces and nested versions", () => {
    const text = JSON.stringify({
      lockfileVersion: 3,
      packages: {
        "": { dependencies: { a: "1" }, workspaces: ["w"] },
        w: { name: "w", dependencies: { a: "2", real: "1" } },
        "node_modules/w": { link: true, resolved: "w" },
        "node_modules/a": { version: "1.0.0" },
        "w/node_modules/a": { version: "2.0.0" },
        "node_modules/real": { version: "1.0.0", name: "other" },
        "node_modules/git": { version: "1.0.0", resolved: "git+ssh://git@github.com/o/git.git#abc" },
      },
    });
    expect(shown("package-lock.json", text)).toEqual([
      "npm a@1.0.0 direct",
      "npm a@2.0.0 direct",
      "npm other@1.0.0 direct",
    ]);
  });

  it("says what to do with a package-lock.json of npm 6", () => {
    expect(() => shown("package-lock.json", '{"lockfileVersion": 1, "dependencies": {}}')).toThrow("newer npm first");
  });

  it("reads bun.lock, which has commas too many", () => {
    const text =
      '{ "lockfileVersion": 1, "workspaces": { "": { "name": "x", "dependencies": { "kit": "^1", }, }, }, "packages": { "kit": ["kit@1.2.3", "", {}, "sha512-x"], "deep": ["deep@0.1.0", "", {}, "sha512-x"], } }';
    expect(shown("bun.lock", text)).toEqual(["npm kit@1.2.3 direct", "npm deep@0.1.0"]);
  });

  it("reads what Python's programs write", () => {
    const requirements =
      "# pinned\nDjango==4.2.1 \\\n    --hash=sha256:abc\nrequests[socks]>=2.0,<3 ; python_version > '3.8'\n-r other.txt\ngit+https://example.com/x.git\n";
    expect(shown("requirements.txt", requirements)).toEqual(["pypi django@4.2.1", "pypi requests@>=2.0,<3"]);
    const uv =
      'version = 1\n[[package]]\nname = "app"\nversion = "0.1.0"\nsource = { virtual = "." }\ndependencies = [{ name = "httpx" }]\n[package.dev-dependencies]\ndev = [{ name = "pytest" }]\n[[package]]\nname = "httpx"\nversion = "0.28.1"\nsource = { registry = "https://pypi.org/simple" }\n[[package]]\nname = "pytest"\nversion = "8.0.0"\nsource = { registry = "https://pypi.org/simple" }\n[[package]]\nname = "idna"\nversion = "3.7"\nsource = { registry = "https://pypi.org/simple" }\n';
    expect(shown("uv.lock", uv)).toEqual(["pypi httpx@0.28.1 direct", "pypi pytest@8.0.0 direct dev", "pypi idna@3.7"]);
    const poetry =
      '[[package]]\nname = "httpx"\nversion = "0.28.1"\ngroups = ["main"]\n[[package]]\nname = "pytest"\nversion = "8.0.0"\ngroups = ["dev"]\n';
    expect(shown("poetry.lock", poetry)).toEqual(["pypi httpx@0.28.1", "pypi pytest@8.0.0 dev"]);
  });

  it("reads Cargo.lock and go.sum", () => {
    const cargo =
      'version = 4\n[[package]]\nname = "app"\nversion = "0.1.0"\ndependencies = ["serde", "rand 0.8.5"]\n[[package]]\nname = "serde"\nversion = "1.0.0"\nsource = "registry+https://github.com/rust-lang/crates.io-index"\n[[package]]\nname = "rand"\nversion = "0.8.5"\nsource = "registry+https://github.com/rust-lang/crates.io-index"\n[[package]]\nname = "rand"\nversion = "0.9.0"\nsource = "registry+https://github.com/rust-lang/crates.io-index"\n[[package]]\nname = "mine"\nversion = "1.0.0"\nsource = "git+https://example.com/x"\n';
    expect(shown("Cargo.lock", cargo)).toEqual([
      "crates rand@0.8.5 direct",
      "crates serde@1.0.0 direct",
      "crates rand@0.9.0",
    ]);
    const go =
      "github.com/spf13/cobra v1.7.0/go.mod h1:x=\ngithub.com/spf13/cobra v1.8.0 h1:x=\ngithub.com/spf13/cobra v1.8.0/go.mod h1:y=\n";
    expect(shown("go.sum", go)).toEqual(["go github.com/spf13/cobra@v1.8.0"]);
  });
});
