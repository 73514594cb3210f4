import { parseSyml } from "@yarnpkg/parsers";
import { CORE_SCHEMA, load as parseYaml } from "js-yaml";
import { parse as parseJsonc } from "jsonc-parser";
import type { Dependency } from "../../domain/packages.ts";
import { Failure } from "../../domain/failures.ts";
import { textOf, type Listed } from "./tables.ts";
import { listOf, objectOf } from "../json.ts";

/** Sections of a manifest, and whether they are for development only. */
const sections: readonly (readonly [name: string, dev: boolean])[] = [
  ["dependencies", false],
  ["optionalDependencies", false],
  ["peerDependencies", false],
  ["devDependencies", true],
];

const npm = (name: string, version: string, direct: boolean | null, dev: boolean | null): Dependency => ({
  registry: "npm",
  name,
  version,
  direct,
  dev,
});

/** package-lock.json and npm-shrinkwrap.json of npm 7 and newer: https://docs.npmjs.com/cli/configuring-npm/package-lock-json */
export function readPackageLock(text: string): Listed {
  const lock = objectOf(JSON.parse(text));
  if (lock["lockfileVersion"] === 1)
    throw new Failure("validation_error", "The file is of npm 6 or older. Run npm install with a newer npm first.");
  const packages = Object.entries(objectOf(lock["packages"]));
  // Workspaces are entries outside of node_modules.
  const projects = packages.filter(([path]) => !/(?:^|\/)node_modules\//.test(path));
  const paths = new Set(packages.map(([path]) => path));
  const direct = new Map<string, boolean>();
  for (const [project, manifest] of projects)
    for (const [section, dev] of sections)
      for (const name of Object.keys(objectOf(objectOf(manifest)[section]))) {
        const own = `${project}/node_modules/${name}`;
        const place = paths.has(own) ? own : `node_modules/${name}`;
        direct.set(place, (direct.get(place) ?? true) && dev);
      }
  const dependencies: Dependency[] = [];
  let others = 0;
  for (const [path, value] of packages) {
    if (!/(?:^|\/)node_modules\//.test(path)) continue;
    const one = objectOf(value);
    const version = textOf(one["version"]);
    if (one["link"] === true || version === "" || isElsewhere(textOf(one["resolved"]))) {
      others += 1;
      continue;
    }
    // The entry of a package installed under an alias has its real name.
    const name = textOf(one["name"]) || path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
    const dev = direct.get(path) ?? (one["dev"] === true || one["devOptional"] === true);
    dependencies.push(npm(name, version, direct.has(path), dev));
  }
  return { dependencies, others };
}

/** pnpm-lock.yaml of pnpm 6 to 10. If importers use different versions of a package, all are kept. */
export function readPnpmLock(text: string): Listed {
  const lock = objectOf(parseYaml(text, { schema: CORE_SCHEMA, maxAliases: 100 }));
  const dependencies: Dependency[] = [];
  let others = 0;
  const importers = lock["importers"] === undefined ? [lock] : Object.values(objectOf(lock["importers"]));
  for (const importer of importers)
    for (const [section, dev] of sections)
      for (const [alias, value] of Object.entries(objectOf(objectOf(importer)[section]))) {
        const written = textOf(value) || textOf(objectOf(value)["version"]);
        const read = pnpmVersion(alias, written);
        if (read === undefined) others += 1;
        else dependencies.push(npm(read.name, read.version, true, dev));
      }
  for (const [key, value] of Object.entries(objectOf(lock["packages"]))) {
    const read = pnpmKey(key);
    const { dev } = objectOf(value);
    if (read === undefined) others += 1;
    else dependencies.push(npm(read.name, read.version, false, typeof dev === "boolean" ? dev : null));
  }
  return { dependencies, others };
}

/** `1.2.3(react@18.0.0)`, `1.2.3_react@18.0.0`, `/other/1.2.3`, `other@1.2.3`; undefined for links, files and repositories. */
function pnpmVersion(alias: string, text: string): { name: string; version: string } | undefined {
  const bare = text.split(/[(_]/, 1)[0] ?? "";
  if (/^\d[\w.+-]*$/.test(bare)) return { name: alias, version: bare };
  return /^(?:link|file|workspace|https?|git[+:]|git@)/.test(text) ? undefined : pnpmKey(text);
}

/** `/zod@3.0.0`, `zod@3.0.0(peer@1)`, `/zod/3.0.0` of older files. */
function pnpmKey(key: string): { name: string; version: string } | undefined {
  const bare = key.replace(/^\//, "").split("(", 1)[0] ?? "";
  const [, name, version] =
    /^((?:@[^/@]+\/)?[^/@]+)@(\d[\w.+-]*)$/.exec(bare) ??
    /^((?:@[^/]+\/)?[^/]+)\/(\d[^/_]*)(?:_.*)?$/s.exec(bare) ??
    [];
  return name === undefined || version === undefined ? undefined : { name, version };
}

/** yarn.lock of all versions. Version 1 does not list direct dependencies. */
export function readYarnLock(text: string): Listed {
  const entries = Object.entries(objectOf(parseSyml(text) as unknown));
  const isBerry = entries.some(([key]) => key === "__metadata");
  const direct = new Set<string>();
  const read: { readonly keys: readonly string[]; readonly name: string; readonly version: string }[] = [];
  let others = 0;
  for (const [key, value] of entries) {
    if (key === "__metadata") continue;
    const one = objectOf(value);
    const keys = key.split(/,\s*/);
    const version = textOf(one["version"]);
    const resolution = textOf(one["resolution"]);
    if (/@workspace:/.test(resolution)) {
      for (const [name, range] of Object.entries(objectOf(one["dependencies"]))) direct.add(`${name}@${textOf(range)}`);
      continue;
    }
    const isOfRegistry = isBerry ? /@npm:/.test(resolution) : !isElsewhere(textOf(one["resolved"]));
    const [, alias] = /^(?:@[^/@]+\/)?[^/@]+@npm:((?:@[^/@]+\/)?[^/@]+)@/.exec(keys[0] ?? "") ?? [];
    const name = isBerry
      ? resolution.replace(/(?<=.)@npm:.*$/s, "")
      : (alias ?? /^(@?[^@]+)@/.exec(keys[0] ?? "")?.[1]);
    if (!isOfRegistry || name === undefined || version === "") others += 1;
    else read.push({ keys, name, version });
  }
  const isDirect = (keys: readonly string[]): boolean | null =>
    isBerry ? keys.some((key) => direct.has(key) || direct.has(key.replace("@npm:", "@"))) : null;
  return { dependencies: read.map(({ keys, name, version }) => npm(name, version, isDirect(keys), null)), others };
}

/** bun.lock: https://bun.com/docs/install/lockfile */
export function readBunLock(text: string): Listed {
  const lock = objectOf(parseJsonc(text, [], { allowTrailingComma: true }));
  const direct = new Map<string, boolean>();
  for (const workspace of Object.values(objectOf(lock["workspaces"])))
    for (const [section, dev] of sections)
      for (const name of Object.keys(objectOf(objectOf(workspace)[section])))
        direct.set(name, (direct.get(name) ?? true) && dev);
  const dependencies: Dependency[] = [];
  let others = 0;
  for (const [key, value] of Object.entries(objectOf(lock["packages"]))) {
    const [, name, version] = /^((?:@[^/@]+\/)?[^/@]+)@(\d[\w.+-]*)$/.exec(textOf(listOf(value)[0])) ?? [];
    if (name === undefined || version === undefined) others += 1;
    else dependencies.push(npm(name, version, direct.has(key), direct.get(key) ?? null));
  }
  return { dependencies, others };
}

/** Whether a package is not from a registry. */
function isElsewhere(resolved: string): boolean {
  return /^(?:git[+:]|git@|file:|link:|github:)|\.git(?:#|$)|^https?:\/\/(?:codeload\.)?github\.com\//.test(resolved);
}
