import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import * as format from "./formats.ts";
import { setting } from "./reading.ts";

const text = z.string().max(20_000);

/** Settings of package registries: the variables of npm, pip, cargo and go, with their meaning there. */
export const registrySettings = {
  npmRegistry: setting({
    env: "NPM_CONFIG_REGISTRY",
    default: "",
    meaning: "Registry that packages of npm are read from. Not set: what NPM_CONFIG_USERCONFIG says, else npm's own.",
    schema: z.union([z.literal(""), format.webUrl.transform(({ href }) => href)]),
    lowerCaseToo: true,
  }),
  npmUserConfig: setting({
    env: "NPM_CONFIG_USERCONFIG",
    default: join(homedir(), ".npmrc"),
    defaultInDocs: ".npmrc in the home folder",
    meaning:
      "File with npm's configuration: registries of scopes, and credentials. Packages that are read with these are never public.",
    schema: format.path,
    lowerCaseToo: true,
  }),
  pipIndexUrl: setting({
    env: "PIP_INDEX_URL",
    default: "",
    meaning: "Index that packages of Python are read from. Not set: what PIP_CONFIG_FILE says, else PyPI.",
    schema: text,
    secret: true,
  }),
  pipExtraIndexUrl: setting({
    env: "PIP_EXTRA_INDEX_URL",
    default: "",
    meaning: "Further indexes, separated by spaces, for what the first one does not have.",
    schema: text,
    secret: true,
  }),
  pipConfigFile: setting({
    env: "PIP_CONFIG_FILE",
    default: join(homedir(), ".config", "pip", "pip.conf"),
    defaultInDocs: ".config/pip/pip.conf in the home folder",
    meaning: "File with pip's configuration: indexes, proxy, cert.",
    schema: format.path,
  }),
  cargoHome: setting({
    env: "CARGO_HOME",
    default: join(homedir(), ".cargo"),
    defaultInDocs: ".cargo in the home folder",
    meaning:
      "Folder with cargo's config.toml and credentials.toml: registries, replaced sources, tokens, http.proxy, http.cainfo.",
    schema: format.path,
  }),
  goProxy: setting({
    env: "GOPROXY",
    default: "",
    meaning:
      "Proxies that Go modules are read from, separated by commas or bars. Not set: what GOENV says, else the public one. What stands behind direct or off is not asked.",
    schema: text,
    secret: true,
  }),
  goPrivate: setting({
    env: "GOPRIVATE",
    default: "",
    meaning: "Patterns of modules that no proxy is asked for, comma-separated.",
    schema: text,
  }),
  goNoProxy: setting({
    env: "GONOPROXY",
    default: "",
    meaning: "The same, in place of GOPRIVATE; none: every module is asked for.",
    schema: text,
  }),
  goEnv: setting({
    env: "GOENV",
    default: join(homedir(), ".config", "go", "env"),
    defaultInDocs: ".config/go/env in the home folder",
    meaning: "File of go env -w: its GOPROXY, GOPRIVATE and GONOPROXY count where the variables are not set.",
    schema: format.path,
  }),
  netrc: setting({
    env: "NETRC",
    default: join(homedir(), ".netrc"),
    defaultInDocs: ".netrc in the home folder",
    meaning: "File with user names and passwords by host, which indexes of Python and proxies of Go are shown.",
    schema: format.path,
  }),
};
