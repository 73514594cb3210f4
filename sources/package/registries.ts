import type { RegistryName } from "../../domain/packages.ts";
import { apiTypes } from "../../extract/formats.ts";
import { cratesRegistry } from "./crates.ts";
import { goRegistry } from "./go.ts";
import { npmRegistry } from "./npm.ts";
import { pypiRegistry } from "./pypi.ts";
import type { ThreadTask } from "../lib/threads/thread-pool.ts";
import type { Registry } from "./registry.ts";

/** Which files of an archive declare the API of a package. */
export interface ApiFiles {
  readonly mediaType: (typeof apiTypes)[keyof typeof apiTypes];
  /** The function that chooses them from an `UnpackedPackage`, on a thread. */
  readonly choosing: ThreadTask;
  /** Matches the paths of files that may be among them. */
  readonly named: RegExp;
}

/** A registry, and the API files of its archives. */
export interface RegistryReader extends Registry {
  readonly api: ApiFiles;
}

const declarations = new URL("./declaration-files.ts", import.meta.url);
const modules = new URL("./module-files.ts", import.meta.url);
const { typescript, python, rust, go } = apiTypes;

const typeScriptApi = {
  mediaType: typescript,
  choosing: { module: declarations, name: "declarationFiles" },
  named: /\.d\.[cm]?ts$/,
};
const pythonApi = { mediaType: python, choosing: { module: modules, name: "pythonFiles" }, named: /\.pyi?$/ };
const rustApi = { mediaType: rust, choosing: { module: modules, name: "rustFiles" }, named: /\.rs$/ };
const goApi = { mediaType: go, choosing: { module: modules, name: "goFiles" }, named: /\.go$/ };

/** How each registry is read, one line each. */
export const registryReaders: Readonly<Record<RegistryName, RegistryReader>> = {
  npm: { ...npmRegistry, api: typeScriptApi },
  pypi: { ...pypiRegistry, api: pythonApi },
  crates: { ...cratesRegistry, api: rustApi },
  go: { ...goRegistry, api: goApi },
};
