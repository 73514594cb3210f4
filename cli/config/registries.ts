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
    meaning: "Registry of npm packages. Not set: that of NPM_CONFIG_USERCONFIG, else npm's own.",
    schema: z.union([z.literal(""), format.webUrl.transform(({ href }) => href)]),
    lowerCaseToo: true,
  }),
  npmUserConfig: setting({
    env: "NPM_CONFIG_USERCONFIG",
    default: join(homedir(), ".npmrc"),
    defaultInDocs: ".npmrc in the home folder",
    meaning: "npm's configuration: registries of scopes, credentials. Packages read with credentials are never public.",
    schema: format.path,
    lowerCaseToo: true,
  }),
  pipIndexUrl: setting({
    env: "PIP_INDEX_URL",
    default: "",
    meaning: "Index of Python packages. Not set: that of PIP_CONFIG_FILE, else PyPI.",
    schema: text,
    secret: true,
  }),
  pipExtraIndexUrl: setting({
    env: "PIP_EXTRA_INDEX_URL",
    default: "",
    meaning: "Further indexes, separated by spaces, for packages that the first lacks.",
    schema: text,
    secret: true,
  }),
  pipConfigFile: setting({
    env: "PIP_CONFIG_FILE",
    default: join(homedir(), ".config", "pip", "pip.conf"),
    defaultInDocs: ".config/pip/pip.conf in the home folder",
    meaning: "pip's configuration: indexes, proxy, cert.",
    schema: format.path,
  }),
  cargoHome: setting({
    env: "CARGO_HOME",
    default: join(homedir(), ".cargo"),
    defaultInDocs: ".cargo in the home folder",
    meaning:
      "Folder of cargo's config.toml and credentials.toml: registries, replaced sources, tokens, http.proxy, http.cainfo.",
    schema: format.path,
  }),
  goProxy: setting({
    env: "GOPROXY",
    default: "",
    meaning:
      "Proxies of Go modules, separated by commas or bars. Not set: those of GOENV, else the public one. Entries after direct or off are ignored.",
    schema: text,
    secret: true,
  }),
  goPrivate: setting({
    env: "GOPRIVATE",
    default: "",
    meaning: "Patterns of modules for which no proxy is asked.",
    schema: text,
  }),
  goNoProxy: setting({
    env: "GONOPROXY",
    default: "",
    meaning: "The same, in place of GOPRIVATE; none: proxies are asked for every module.",
    schema: text,
  }),
  goEnv: setting({
    env: "GOENV",
    default: join(homedir(), ".config", "go", "env"),
    defaultInDocs: ".config/go/env in the home folder",
    meaning: "File of go env -w, for GOPROXY, GOPRIVATE and GONOPROXY if they are not set.",
    schema: format.path,
  }),
  netrc: setting({
    env: "NETRC",
    default: join(homedir(), ".netrc"),
    defaultInDocs: ".netrc in the home folder",
    meaning: "User names and passwords by host, for Python indexes and Go proxies.",
    schema: format.path,
  }),
};
