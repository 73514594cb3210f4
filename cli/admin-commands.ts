import { auditActions, auditOutcomes } from "../domain/audit.ts";
import { hookSenders } from "../domain/catalog-hooks.ts";
import { headersStdin, json, teamspace, tokenStdin, yes, type Command } from "./command.ts";

/** The commands of administrators: keys, access, credentials, hooks, policies and the audit log. */
export const accessCommands: Readonly<Record<string, Command>> = {
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
      { flag: "--user NAME", about: "User that it acts for in access rules." },
      { flag: "--group NAME", about: "Group that it belongs to in access rules.", many: true },
      { flag: "--expires TIME", about: "When it expires, such as 2030-01-31T00:00:00Z; default: never." },
      teamspace,
      json,
    ],
    load: async () => ({ run: (await import("./keys.ts")).create }),
  },
  "keys revoke": {
    takes: "<id>",
    summary: "Revoke an API key at once.",
    example: "lectern keys revoke ID, with an ID from lectern keys",
    options: [yes],
    load: async () => ({ run: (await import("./keys.ts")).revoke }),
  },
  access: {
    summary: "Show the access rules of the teamspace.",
    options: [
      { flag: "--default WHAT", about: "Set the default for libraries without a rule.", choices: ["allow", "deny"] },
      teamspace,
      json,
    ],
    load: async () => ({ run: (await import("./access.ts")).rules }),
  },
  "access set": {
    takes: "<library>",
    summary: "Restrict a library or a namespace to some users and groups.",
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
    summary: "List the rights of the issuer's groups.",
    options: [json],
    load: async () => ({ run: (await import("./access.ts")).groups }),
  },
  "access grant": {
    takes: "<group>",
    summary: "Give a group of the issuer rights in a teamspace; *: everybody who signs in.",
    example: "lectern access grant developers --scope read",
    options: [
      { flag: "--scope SCOPE", about: "What its members may do; default: read.", choices: ["read", "submit", "admin"] },
      { flag: "--teamspace ID", about: "Teamspace; default: default." },
      json,
    ],
    load: async () => ({ run: (await import("./access.ts")).grant }),
  },
  "access withdraw": {
    takes: "<group>",
    summary: "Withdraw a group's rights in a teamspace.",
    example: "lectern access withdraw developers",
    options: [{ flag: "--teamspace ID", about: "Teamspace; default: default." }, json],
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
      { flag: "--tenant NAME", about: "Tenant of the host, if it has several." },
      teamspace,
      json,
    ],
    load: async () => ({ run: (await import("./credentials.ts")).create }),
  },
  "credentials test": {
    takes: "<id> [address]",
    summary: "Test a credential on its host.",
    example: "lectern credentials test ID https://git.example.com/owner/name",
    options: [json],
    load: async () => ({ run: (await import("./credentials.ts")).test }),
  },
  "credentials delete": {
    takes: "<id>",
    summary: "Delete a shared credential that no library uses.",
    example: "lectern credentials delete ID, with an ID from lectern credentials",
    options: [yes],
    load: async () => ({ run: (await import("./credentials.ts")).remove }),
  },
  hooks: {
    summary: "List the hooks that hosts call when a source has changed.",
    options: [teamspace, json],
    load: async () => ({ run: (await import("./hooks.ts")).list }),
  },
  "hooks create": {
    takes: "<sender> <library-or-owner>",
    summary: `Make a hook for a library, or for the repositories of an owner. Senders: ${hookSenders.join(", ")}.`,
    example: "lectern hooks create github https://github.com/acme, or lectern hooks create notion /notion/handbook",
    options: [teamspace, json],
    load: async () => ({ run: (await import("./hooks.ts")).create }),
  },
  "hooks delete": {
    takes: "<id>",
    summary: "Delete a hook.",
    example: "lectern hooks delete ID, with an ID from lectern hooks",
    options: [yes],
    load: async () => ({ run: (await import("./hooks.ts")).remove }),
  },
  policies: {
    summary: "Show the policy of the teamspace.",
    options: [teamspace, json],
    load: async () => ({ run: (await import("./policies.ts")).show }),
  },
  "policies change": {
    takes: "<file>",
    summary: "Change the policy with a JSON file.",
    example: "lectern policies change policy.json, or - for standard input",
    options: [teamspace, json],
    load: async () => ({ run: (await import("./policies.ts")).change }),
  },
  audit: {
    summary: "List the audit records, the latest first.",
    options: [
      { flag: "--since TIME", about: "Only since then: 2030-01-31T00:00:00Z, or a day." },
      { flag: "--until TIME", about: "Only until then." },
      { flag: "--action NAME", about: "Only this action.", choices: Object.keys(auditActions) },
      { flag: "--key ID", about: "Only callers with this key." },
      { flag: "--target ID", about: "Only acts on this library, key, credential or teamspace." },
      { flag: "--outcome OUTCOME", about: "Only acts with this outcome.", choices: auditOutcomes },
      { flag: "--limit N", about: "At most N; default: all." },
      teamspace,
      json,
    ],
    load: () => import("./audit.ts"),
  },
};
