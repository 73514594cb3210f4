import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { registryNames, type RegistryName } from "../../domain/packages.ts";
import { startRegistry, type TestRegistry } from "./registries.ts";

/** Two registries of each kind: an open one, and one that needs the credentials of the package managers' configurations. */
export interface ConfiguredRegistries {
  readonly open: Readonly<Record<RegistryName, TestRegistry>>;
  readonly closed: Readonly<Record<RegistryName, TestRegistry>>;
  /** Settings of a server that is configured for both. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** Must not occur in any answer or log. */
export const secret = "s3cret-of-corp";
const basic = `Basic ${Buffer.from(`reader:${secret}`).toString("base64")}`;
const authorizations: Readonly<Record<RegistryName, string>> = {
  npm: `Bearer ${secret}`,
  pypi: basic,
  crates: secret,
  go: basic,
};

/** Starts the registries, and writes the configurations into a folder. */
export async function startConfiguredRegistries(folder: string): Promise<ConfiguredRegistries> {
  const start = async (isOpen: boolean) => {
    const started = registryNames.map(async (name) => [
      name,
      await startRegistry(name, isOpen ? undefined : authorizations[name]),
    ]);
    return Object.fromEntries(await Promise.all(started)) as Record<RegistryName, TestRegistry>;
  };
  const [open, closed] = await Promise.all([start(true), start(false)]);
  const withUser = (url: string): string => url.replace("://", `://reader:${secret}@`);
  const cargo = join(folder, "cargo");
  await mkdir(cargo, { recursive: true });
  const files = {
    npmrc: `registry=${open.npm.url}\n@corp:registry=${closed.npm.url}\n//${closed.npm.host}/:_authToken=${secret}\n`,
    "cargo/config.toml": `[source.crates-io]\nreplace-with = "near"\n[source.near]\nregistry = "sparse+${open.crates.url}"\n[registries.corp]\nindex = "sparse+${closed.crates.url}"\n`,
    "cargo/credentials.toml": `[registries.corp]\ntoken = "${secret}"\n`,
    "pip.conf": `[global]\nindex-url = ${open.pypi.url}\nextra-index-url =\n    ${withUser(closed.pypi.url)}\n`,
    goenv: `GOPROXY=${open.go.url},${withUser(closed.go.url)},direct\nGOPRIVATE=*.corp.example,git.example.com/secret\n`,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return {
    open,
    closed,
    env: {
      NPM_CONFIG_USERCONFIG: join(folder, "npmrc"),
      PIP_CONFIG_FILE: join(folder, "pip.conf"),
      CARGO_HOME: cargo,
      GOENV: join(folder, "goenv"),
      NETRC: join(folder, "none"),
    },
    async close() {
      await Promise.all([...Object.values(open), ...Object.values(closed)].map((one) => one.close()));
    },
  };
}
