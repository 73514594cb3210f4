import { auditActions, auditOutcomes } from "../domain/audit.ts";
import { troubles } from "../domain/catalog.ts";
import { kinds } from "../domain/kinds/index.ts";
import type { Command, Option } from "./command.ts";

const json: Option = { flag: "--json", about: "Print JSON, on a terminal too." };
const noWait: Option = { flag: "--no-wait", about: "Return once the server has accepted it." };
const as: Option = {
  flag: "--as KIND",
  about: "Kind of source, where the address does not say.",
  choices: Object.keys(kinds),
};
const tokenStdin: Option = { flag: "--token-stdin", about: "Read the token of a repository from standard input." };
const headersStdin: Option = {
  flag: "--headers-stdin",
  about: "Read the headers for a website from standard input, a line each: Authorization: Bearer …",
};
const credential: Option = { flag: "--credential ID", about: "Read it with this shared credential." };
const teamspace: Option = { flag: "--teamspace ID", about: "Of another teamspace, for the instance's administrators." };
const yes: Option = { flag: "--yes", about: "Do not ask." };

const kindOptions = async (): Promise<readonly Option[]> => (await import("./kind-options.ts")).kindOptions;

/** Every command of the program by its name; one of two words is below the command of the first word. */
export const commands: Readonly<Record<string, Command>> = {
  serve: { summary: "Run API, engine and index in one process.", load: () => import("./serve.ts") },
  add: {
    takes: "[source]",
    summary:
      "Submit a repository, website, llms.txt, API description, package, folder or file, and wait until it can be asked.",
    example: "lectern add https://git.example.com/owner/name, or lectern add ./docs",
    options: [
      as,
      { flag: "--name ID", about: "The library ID, instead of the derived one." },
      { flag: "--title TEXT", about: "Its display name." },
      { flag: "--description TEXT", about: "Its short description." },
      { flag: "--private", about: "For your teamspace only." },
      tokenStdin,
      { flag: "--token TOKEN", about: "Refused: other users would see it.", hidden: true },
      headersStdin,
      credential,
      { flag: "--lockfile FILE", about: "Submit the packages of a project, each at its version." },
      { flag: "--dev", about: "With --lockfile: those for development too." },
      {
        flag: "--depth WHICH",
        about: "With --lockfile: what the project asks for itself, or all that is installed.",
        choices: ["direct", "all"],
      },
      { flag: "--force", about: "An uploaded file replaces the one that the library has." },
      noWait,
      json,
    ],
    moreOptions: kindOptions,
    load: () => import("./add.ts"),
  },
  preview: {
    takes: "<source>",
    summary: "Show what submitting a source would index.",
    example: "lectern preview https://docs.example.com/guide/",
    options: [as, json],
    moreOptions: kindOptions,
    load: () => import("./preview.ts"),
  },
  list: {
    summary: "List the libraries of the server.",
    options: [
      { flag: "--search TEXT", about: "Only those whose ID or title contains it." },
      { flag: "--state STATE", about: "Only those with which this is the matter.", choices: troubles },
      { flag: "--excluded", about: "Also what policy excludes, of the libraries that you administer." },
      json,
    ],
    load: () => import("./list.ts"),
  },
  status: {
    takes: "<library>",
    summary: "Show how a library is doing.",
    example: "lectern status /docs/lectern",
    options: [
      { flag: "--watch", about: "Follow the open run to its end." },
      { flag: "--failed", about: "List the pages that failed, and why." },
      { flag: "--skipped", about: "List the pages that were left out, and why." },
      { flag: "--held-back", about: "List the passages that are held back, and why." },
      json,
    ],
    load: () => import("./status.ts"),
  },
  ask: {
    takes: "<library> <question...>",
    summary: "Ask a question, and print the answer.",
    example: 'lectern ask /docs/lectern "How do I add a repository?"',
    options: [{ flag: "--tokens N", about: "How long the answer may be." }, json],
    load: () => import("./ask.ts"),
  },
  search: {
    takes: "<name> [question...]",
    summary: "Find libraries by name, the best for the question first.",
    example: "lectern search vite",
    options: [json],
    load: () => import("./search.ts"),
  },
  refresh: {
    takes: "<library>",
    summary: "Read a library's source again, and wait for it.",
    example: "lectern refresh /docs/lectern",
    options: [
      { flag: "--branch NAME", about: "Branch or tag to refresh." },
      tokenStdin,
      headersStdin,
      credential,
      noWait,
      json,
    ],
    load: () => import("./refresh.ts"),
  },
  delete: {
    takes: "<library>",
    summary: "Delete a library.",
    example: "lectern delete /docs/lectern",
    options: [yes],
    load: () => import("./delete.ts"),
  },
  keys: {
    summary: "List the API keys.",
    options: [teamspace, json],
    load: async () => ({ run: (await import("./keys.ts")).list }),
  },
  "keys create": {
    takes: "<name>",
    summary: "Make an API key, and print it once.",
    example: "lectern keys create ci --scope submit",
    options: [
      { flag: "--scope SCOPE", about: "What it may do; default: read.", choices: ["read", "submit", "admin"] },
      { flag: "--library ID", about: "Only libraries with this ID, * standing for anything.", many: true },
      { flag: "--user NAME", about: "The user whom it stands for where access rules name users." },
      { flag: "--group NAME", about: "A group that it is of where access rules name groups.", many: true },
      { flag: "--expires TIME", about: "When it expires, such as 2030-01-31T00:00:00Z; default: never." },
      teamspace,
      json,
    ],
    load: async () => ({ run: (await import("./keys.ts")).create }),
  },
  "keys revoke": {
    takes: "<id>",
    summary: "Revoke an API key at once.",
    example: "lectern keys revoke ID, of those that lectern keys lists",
    options: [yes],
    load: async () => ({ run: (await import("./keys.ts")).revoke }),
  },
  access: {
    summary: "Show who of the teamspace may read which libraries.",
    options: [
      { flag: "--default WHAT", about: "What holds for libraries that no rule names.", choices: ["allow", "deny"] },
      teamspace,
      json,
    ],
    load: async () => ({ run: (await import("./access.ts")).rules }),
  },
  "access set": {
    takes: "<library>",
    summary: "Let only some users and groups read a library, or all below a namespace.",
    example: "lectern access set /acme --group staff",
    options: [
      { flag: "--group NAME", about: "Members of this group may.", many: true },
      { flag: "--user NAME", about: "This user may.", many: true },
      teamspace,
      json,
    ],
    load: async () => ({ run: (await import("./access.ts")).set }),
  },
  "access remove": {
    takes: "<library>",
    summary: "Remove the rule of a library or namespace.",
    example: "lectern access remove /acme",
    options: [teamspace, json],
    load: async () => ({ run: (await import("./access.ts")).remove }),
  },
  "access groups": {
    summary: "List what groups of the issuer of tokens may do.",
    options: [json],
    load: async () => ({ run: (await import("./access.ts")).groups }),
  },
  "access grant": {
    takes: "<group>",
    summary: "Give a group of the issuer rights in a teamspace; * stands for everybody who signs in.",
    example: "lectern access grant developers --scope read",
    options: [
      { flag: "--scope SCOPE", about: "What its members may do; default: read.", choices: ["read", "submit", "admin"] },
      { flag: "--teamspace ID", about: "Where they may do it; default: default." },
      json,
    ],
    load: async () => ({ run: (await import("./access.ts")).grant }),
  },
  "access withdraw": {
    takes: "<group>",
    summary: "Withdraw a group's rights in a teamspace.",
    example: "lectern access withdraw developers",
    options: [{ flag: "--teamspace ID", about: "Where it has them; default: default." }, json],
    load: async () => ({ run: (await import("./access.ts")).withdraw }),
  },
  credentials: {
    summary: "List the credentials that private libraries share.",
    options: [teamspace, json],
    load: async () => ({ run: (await import("./credentials.ts")).list }),
  },
  "credentials create": {
    takes: "<name> <host>",
    summary: "Make a shared credential for a host.",
    example: "lectern credentials create acme git.example.com --token-stdin < token.txt",
    options: [
      tokenStdin,
      headersStdin,
      { flag: "--tenant NAME", about: "Whose part of the host it is for, where one host serves many." },
      teamspace,
      json,
    ],
    load: async () => ({ run: (await import("./credentials.ts")).create }),
  },
  "credentials test": {
    takes: "<id> [address]",
    summary: "Ask the host whether a credential is good.",
    example: "lectern credentials test ID https://git.example.com/owner/name",
    options: [json],
    load: async () => ({ run: (await import("./credentials.ts")).test }),
  },
  "credentials delete": {
    takes: "<id>",
    summary: "Delete a shared credential that no library uses.",
    example: "lectern credentials delete ID, of those that lectern credentials lists",
    options: [yes],
    load: async () => ({ run: (await import("./credentials.ts")).remove }),
  },
  policies: {
    summary: "Show what the callers of the teamspace may read.",
    options: [teamspace, json],
    load: async () => ({ run: (await import("./policies.ts")).show }),
  },
  "policies change": {
    takes: "<file>",
    summary: "Change that, as a JSON file says.",
    example: "lectern policies change policy.json, or - for standard input",
    options: [teamspace, json],
    load: async () => ({ run: (await import("./policies.ts")).change }),
  },
  audit: {
    summary: "List who did what, and what was refused, the latest first.",
    options: [
      { flag: "--since TIME", about: "Only from then on: 2030-01-31T00:00:00Z, or a day." },
      { flag: "--until TIME", about: "Only until then." },
      { flag: "--action NAME", about: "Only this act.", choices: Object.keys(auditActions) },
      { flag: "--key ID", about: "Only callers with this key." },
      { flag: "--target ID", about: "Only what was done to this library, key, credential or teamspace." },
      { flag: "--outcome OUTCOME", about: "Only what ended so.", choices: auditOutcomes },
      { flag: "--limit N", about: "At most so many; default: all." },
      teamspace,
      json,
    ],
    load: () => import("./audit.ts"),
  },
  doctor: {
    summary: "Check this machine, the settings and the servers, and say what to do.",
    options: [json],
    load: () => import("./doctor.ts"),
  },
  export: {
    takes: "<library>",
    summary: "Print the live generation, manifest first.",
    example: "lectern export /docs/lectern --out lectern.ndjson",
    options: [{ flag: "--out FILE", about: "Write it to a file." }],
    load: () => import("./export.ts"),
  },
  import: {
    takes: "<file>",
    summary: "Take an export back in, while no server runs, or into a cluster; - for standard input.",
    example: "lectern import library.ndjson, or - for standard input",
    load: () => import("./import.ts"),
  },
  reindex: { summary: "Load again what the index lost of live generations.", load: () => import("./reindex.ts") },
  setup: {
    summary: "Prepare database, index and Temporal; the keys made for Meilisearch are shown, or written to files.",
    options: [{ flag: "--keys FOLDER", about: "Write the keys to this folder." }],
    load: () => import("./setup.ts"),
  },
  api: { summary: "Run an API process of a cluster.", load: () => import("./api.ts") },
  worker: {
    summary: "Run a worker of a cluster.",
    options: [{ flag: "--bundle", about: "Only make what workers start from, for images." }],
    load: () => import("./worker.ts"),
  },
  "setup-client": {
    takes: "[agent]",
    summary: "Connect an agent to a running server: its configuration, and a rule that makes it ask.",
    example: "lectern setup-client claude",
    options: [
      { flag: "--url URL", about: "Address of the server, instead of that of the settings." },
      { flag: "--project", about: "For the project in the current folder, instead of for you." },
      { flag: "--stdio", about: "The agent starts lectern mcp, instead of asking the server itself." },
      { flag: "--data FOLDER", about: "The same with a data folder, and no server." },
      { flag: "--dry-run", about: "Print what would be written." },
    ],
    load: () => import("./setup-client.ts"),
  },
  mcp: {
    summary: "Serve an agent on standard input and output, from a running server or from a data folder.",
    options: [
      { flag: "--url URL", about: "Address of the server, instead of that of the settings." },
      { flag: "--data FOLDER", about: "A data folder, and no server." },
    ],
    load: () => import("./mcp.ts"),
  },
  completion: {
    takes: "<shell>",
    summary: "Print what makes bash, zsh or fish complete commands, options and libraries.",
    example: "lectern completion bash > ~/.local/share/bash-completion/completions/lectern",
    load: () => import("./completion.ts"),
  },
};
