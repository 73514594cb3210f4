import type * as z from "zod";
import type { Credential } from "../api/dashboard/admin/credentials.ts";
import type { Key } from "../api/dashboard/admin/keys.ts";
import { withQuery } from "../api/request.ts";
import type { auditRecordSchema } from "../api/routes/audit.ts";
import type { AccessRule } from "../domain/access.ts";
import { auditActions, auditOutcomes } from "../domain/audit.ts";
import { Failure } from "../domain/failures.ts";
import type { GroupGrant } from "../domain/ports.ts";
import { quantity } from "../domain/quantity.ts";
import { headersStdin, json, teamspace, tokenStdin, yes, type Command, type Given } from "./command.ts";
import { jsonOfFile, numberOf, tableOf } from "./output.ts";
import { programName } from "./program-name.ts";
import { deletes, lists, removes, sends, type Answer, type Sent } from "./requests.ts";

type Grant = Pick<GroupGrant, "group" | "teamspace" | "scope">;

const grantColumns = ({ group, scope, teamspace: of }: Grant): readonly string[] => [group, scope, of];

const accessRules = ({ text }: Given): Sent => ["GET", withQuery("/v2/access", { teamspace: text("teamspace") })];
const accessChange = ({ text }: Given, change: object): Sent => [
  "PATCH",
  "/v2/access",
  { ...change, teamspace: text("teamspace") },
];
const policyPath = ({ text }: Given): string => withQuery("/v2/policies", { teamspace: text("teamspace") });

/** The commands of administrators: keys, access, credentials, policies and the audit log. */
export const accessCommands: Readonly<Record<string, Command>> = {
  keys: {
    summary: "List the API keys.",
    options: [teamspace, json],
    load: lists<Key>({
      path: "/v2/keys",
      member: "keys",
      none: "There is no key.",
      columns({ id, name, hint, scopes, libraries, expiresAt, revokedAt }) {
        const ends = expiresAt === null ? "" : `until ${expiresAt.slice(0, 10)}`;
        return [id, name, `${hint}…`, scopes.join(", "), libraries.join(", "), revokedAt === null ? ends : "revoked"];
      },
    }),
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
    load: sends(
      ({ words: [name], text, texts }) => [
        "POST",
        "/v2/keys",
        {
          name,
          scopes: [text("scope") ?? "read"],
          libraries: texts("library"),
          groups: texts("group"),
          user: text("user"),
          teamspace: text("teamspace"),
          expiresAt: text("expires"),
        },
      ],
      ({ key }) => `${String(key)}   (shown this once: keep it)`,
    ),
  },
  "keys revoke": {
    takes: "<id>",
    summary: "Revoke an API key at once.",
    example: "lectern keys revoke ID, with an ID from lectern keys",
    options: [yes],
    load: removes(({ words: [id = ""] }) => ({
      question: `Revoke the key ${id}? Requests with it are refused from then on.`,
      path: withQuery("/v2/keys", { id }),
    })),
  },
  access: {
    summary: "Show the access rules of the teamspace.",
    options: [
      { flag: "--default WHAT", about: "Set the default for libraries without a rule.", choices: ["allow", "deny"] },
      teamspace,
      json,
    ],
    load: sends((given) => {
      const byDefault = given.text("default");
      return byDefault === undefined ? accessRules(given) : accessChange(given, { default: byDefault });
    }, accessText),
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
    load: sends((given) => {
      const [users, groups] = [given.texts("user"), given.texts("group")];
      if (users.length + groups.length === 0)
        throw new Failure("validation_error", "Name who may read it with --user or --group; both may be repeated.");
      return accessChange(given, { set: [{ library: given.words[0], users, groups }] });
    }, accessText),
  },
  "access remove": {
    takes: "<library>",
    summary: "Remove the rule of a library or namespace.",
    example: "lectern access remove /acme",
    options: [teamspace, json],
    load: sends((given) => accessChange(given, { remove: given.words }), accessText),
  },
  "access groups": {
    summary: "List the rights of the issuer's groups.",
    options: [json],
    load: lists<Grant>({
      path: "/v2/access/groups",
      member: "groups",
      none: "No group of the issuer has rights.",
      columns: grantColumns,
    }),
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
    load: sends(
      ({ words: [group], text }) => [
        "POST",
        "/v2/access/groups",
        { group, scope: text("scope") ?? "read", teamspace: text("teamspace") },
      ],
      (grant) => tableOf([grantColumns(grant as unknown as Grant)]),
    ),
  },
  "access withdraw": {
    takes: "<group>",
    summary: "Withdraw a group's rights in a teamspace.",
    example: "lectern access withdraw developers",
    options: [{ flag: "--teamspace ID", about: "Teamspace; default: default." }, json],
    load: sends(({ words: [group], text }) => [
      "DELETE",
      withQuery("/v2/access/groups", { group, teamspace: text("teamspace") }),
    ]),
  },
  credentials: {
    summary: "List the credentials that private libraries share.",
    options: [teamspace, json],
    load: lists<Credential>({
      path: "/v2/credentials",
      member: "credentials",
      none: "There is no shared credential.",
      columns({ id, name, kind, host, tenant, uses }) {
        const audience = tenant === undefined ? host : `${host}, ${tenant}`;
        return [id, name, kind, audience, `used by ${quantity(uses, "library")}`];
      },
    }),
  },
  "credentials create": {
    takes: "<name> <host>",
    summary: "Make a shared credential for a host.",
    example: "lectern credentials create acme git.example.com --token-stdin < token.txt",
    options: [
      tokenStdin,
      headersStdin,
      { flag: "--key FILE", about: "Private key of a GitHub App, or for SSH; - for standard input." },
      { flag: "--app ID", about: "With --key: ID or client ID of the GitHub App." },
      { flag: "--installation ID", about: "With --app: its installation; default: that of the repository's owner." },
      { flag: "--known-hosts FILE", about: "With --key: keys of the host, as ssh-keyscan prints them." },
      { flag: "--ssh-user NAME", about: "With --known-hosts: account on the host; default: git." },
      { flag: "--tenant NAME", about: "Tenant of the host, if it has several." },
      { flag: "--expires TIME", about: "When it expires, such as 2030-01-31T00:00:00Z; default: unknown." },
      teamspace,
      json,
    ],
    load: sends(
      async (given) => [
        "POST",
        "/v2/credentials",
        {
          ...(await (await import("./secret-input.ts")).credentialFields(given)),
          name: given.words[0],
          host: given.words[1],
          tenant: given.text("tenant"),
          expiresAt: given.text("expires"),
          teamspace: given.text("teamspace"),
        },
      ],
      ({ id }) =>
        `Credential ${String(id)} was created. Use it as in: ${programName()} add … --credential ${String(id)}`,
    ),
  },
  "credentials test": {
    takes: "<id> [address]",
    summary: "Test a credential on its host.",
    example: "lectern credentials test ID https://git.example.com/owner/name",
    options: [json],
    load: sends(({ words: [id = "", address] }) => [
      "POST",
      `/v2/credentials/${encodeURIComponent(id)}/test`,
      { address },
    ]),
  },
  "credentials delete": deletes("credential", "Delete a shared credential that no library uses."),
  policies: {
    summary: "Show the policy of the teamspace.",
    options: [teamspace, json],
    load: sends((given) => ["GET", policyPath(given)], policyText),
  },
  "policies change": {
    takes: "<file>",
    summary: "Change the policy with a JSON file.",
    example: "lectern policies change policy.json, or - for standard input",
    options: [teamspace, json],
    load: sends(async (given) => ["PATCH", policyPath(given), await jsonOfFile(given.words[0])], policyText),
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
    load: lists<z.infer<typeof auditRecordSchema>>({
      path: "/v2/audit",
      member: "records",
      none: "No matching records.",
      query: (given) => ({
        ...Object.fromEntries(
          ["since", "until", "action", "key", "target", "outcome"].map((name) => [name, given.text(name)]),
        ),
        limit: Math.min(numberOf(given, "limit") ?? 100, 100),
      }),
      columns({ time, action, target, outcome, error, key, subject, teamspace: of, address }) {
        const who = [key ?? "no key", subject === null ? "" : `(${subject})`, of === null ? "" : `of ${of}`];
        return [
          time.slice(0, 19).replace("T", " "),
          outcome,
          action,
          target ?? "",
          who.filter((part) => part !== "").join(" "),
          address,
          error ?? "",
        ];
      },
    }),
  },
};

function accessText({ default: byDefault, rules }: Answer): string {
  const labelled = (what: string, names: readonly string[]): readonly string[] =>
    names.length === 0 ? [] : [`${what}: ${names.join(", ")}`];
  const rows = (rules as readonly AccessRule[]).map(({ library, users, groups }) => [
    library,
    ...labelled("users", users),
    ...labelled("groups", groups),
  ]);
  return [`Libraries without a rule: ${String(byDefault)}.`, ...(rows.length > 0 ? [tableOf(rows)] : [])].join("\n");
}

function policyText({ accessibleLibraryCount, ...policy }: Answer): string {
  return `${JSON.stringify(policy, null, 2)}\nReadable public libraries: ${String(accessibleLibraryCount)}.`;
}
