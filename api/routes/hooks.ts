import { createHash, randomBytes } from "node:crypto";
import * as z from "zod";
import { repositoryAddress } from "../../domain/addresses.ts";
import { Failure } from "../../domain/failures.ts";
import { hookSenders } from "../../domain/catalog-hooks.ts";
import {
  hostOf,
  listHooks,
  makeHook,
  managedHook,
  receiveDelivery,
  secretBytes,
  type HookView,
} from "../../domain/hooks.ts";
import type { HookRecord } from "../../domain/ports.ts";
import { jsonAnswer } from "../answers.ts";
import { announces, jsonBody, type BodyKind } from "../body.ts";
import { senders, verificationToken } from "../hooks/senders.ts";
import type { ApiOptions } from "../options.ts";
import { oneOf, text } from "../parameters.ts";
import { libraryFailures, route, success, type Route } from "../route.ts";
import { iso, time } from "../schemas/answers.ts";
import { ownTeamspace, teamspaceField } from "./teamspaces.ts";

/** Maximum size of a delivery, in bytes: that of GitHub. */
const maxDelivery = 25_000_000;

const hookBody = z
  .object({
    sender: oneOf(hookSenders).describe("What calls the hook. GitHub Enterprise is `github`, Forgejo is `gitea`."),
    libraryId: text(2, 500).optional().describe("The only library that it refreshes."),
    repositories: text(1, 1000)
      .optional()
      .describe(
        "In place of `libraryId`: an owner on a host, such as https://github.com/acme, all of whose repositories it is for.",
      ),
    secret: z
      .string()
      .regex(/^[\x21-\x7e]{16,200}$/, { error: "must be 16 to 200 characters of ASCII without spaces" })
      .optional()
      .describe(
        "The secret that deliveries are signed with; default: a random one. GitLab's signing token begins with `whsec_`.",
      )
      .meta({ writeOnly: true }),
    teamspace: teamspaceField("With `repositories`: the teamspace whose libraries it refreshes"),
  })
  .meta({ id: "NewHook" });

const hookFields = {
  id: z.string().describe("Hook ID."),
  sender: z.enum(hookSenders).describe("What calls it."),
  url: z.string().describe("The address to enter at the host."),
  teamspace: z.string().describe("Whose libraries it refreshes; empty: a public library."),
  libraryId: z.string().nullable().describe("The only library that it refreshes; null: those of `repositories`."),
  repositories: z.string().nullable().describe("Beginning of the addresses of the repositories; null: one library."),
  createdAt: time("When it was made."),
  deliveredAt: time("When the last valid delivery arrived; null: none yet.").nullable(),
  result: z.string().nullable().describe("What the last valid delivery did."),
  verificationToken: z
    .string()
    .optional()
    .describe("The token that Notion has sent, to be entered there, until the first valid delivery."),
};

/** A hook, without its secret. */
export const hookSchema = z.object(hookFields).meta({ id: "Hook" });

const madeSchema = z
  .object({ ...hookFields, secret: z.string().optional().describe("Shown only now. Notion makes its own.") })
  .meta({ id: "MadeHook" });

const idParameter = z.object({ id: text(1, 100).describe("Hook ID.") });

/** A delivery of any type, which is read once the hook is known. */
const delivery: BodyKind<() => Promise<Uint8Array>> = {
  missing: "Send the event.",
  content: { "application/json": z.record(z.string(), z.unknown()).describe("The event, as the host sends it.") },
  announced: ({ headers }) => announces(headers, true, ""),
  read: async (request) => () => request.readBody(maxDelivery),
};

const path = "/api/v2/hooks";
const common = { scope: "admin", limit: "read" } as const;

/** Hooks: addresses that hosts call when a source has changed. */
export const hookRoutes: readonly Route[] = [
  route({
    ...common,
    path,
    method: "GET",
    about: {
      operationId: "listHooks",
      tag: "Hooks",
      summary: "List the hooks of the teamspace",
      description: "Those of `default` include the hooks of public libraries.",
    },
    parameters: z.object({ teamspace: teamspaceField("Whose hooks") }),
    answers: success(z.object({ hooks: z.array(hookSchema) })),
    async handler({ caller, parameters: { teamspace = ownTeamspace(caller) }, options }) {
      const hooks = await listHooks(options.ports, caller, teamspace);
      return jsonAnswer({ hooks: hooks.map((hook) => toHook(hook, options)) });
    },
  }),
  route({
    ...common,
    path,
    method: "POST",
    audit: "hook.create",
    about: {
      operationId: "createHook",
      tag: "Hooks",
      summary: "Make a hook that a host calls when a source has changed",
      description: "The library, or those of an owner's repositories, are then refreshed within seconds.",
    },
    body: jsonBody(hookBody),
    answers: success(madeSchema),
    failures: libraryFailures,
    async handler({ caller, body, options }) {
      const { sender, libraryId, repositories, teamspace = ownTeamspace(caller) } = body;
      if ((libraryId === undefined) === (repositories === undefined))
        throw new Failure("validation_error", "Give one of libraryId and repositories.");
      if (sender === "notion" && (libraryId === undefined || body.secret !== undefined))
        throw new Failure(
          "validation_error",
          "A hook of Notion is for one library, and Notion makes its secret. Give libraryId alone.",
        );
      // Notion sends its own secret to the hook.
      const secret = sender === "notion" ? "" : (body.secret ?? randomBytes(secretBytes).toString("base64url"));
      const of = libraryId === undefined ? { teamspace, prefix: toPrefix(repositories ?? "") } : { library: libraryId };
      const made = await makeHook(options.ports, caller, { sender, secret, of });
      const view = toHook({ ...made, library: libraryId ?? null }, options);
      return jsonAnswer({ ...view, ...(secret !== "" && { secret }) });
    },
  }),
  route({
    ...common,
    path: `${path}/{id}`,
    method: "DELETE",
    audit: "hook.delete",
    about: { operationId: "deleteHook", tag: "Hooks", summary: "Delete a hook" },
    parameters: idParameter,
    answers: success(z.object({ id: idParameter.shape.id, message: z.string().describe("What was done.") })),
    failures: ["hook_not_found"],
    async handler({ caller, parameters: { id }, options }) {
      await managedHook(options.ports, caller, id);
      await options.ports.catalog.hooks.remove(id);
      return jsonAnswer({ id, message: "The hook was deleted. Remove it at the host too." });
    },
  }),
  route({
    method: "POST",
    path: `${path}/{id}`,
    scope: "open",
    // A refused delivery would be lost, as most hosts do not repeat it.
    limit: null,
    about: {
      operationId: "deliver",
      tag: "Hooks",
      summary: "Receive a delivery of a host",
      description:
        "The host calls it. The signature is that of the host: GitHub, Gitea, Forgejo, Bitbucket and Notion sign the body; GitLab sends its secret token, or signs by Standard Webhooks; Azure DevOps sends the secret as the password of HTTP Basic. Removed branches and tags change nothing. Several deliveries in a row make one run; one during a run makes one more.",
    },
    parameters: idParameter,
    body: delivery,
    answers: success(z.object({ message: z.string().describe("What it did.") }), "Received."),
    failures: ["hook_not_found", "hook_refused"],
    async handler({ request: { headers }, parameters: { id }, body: read, options }) {
      const { catalog, secrets, now } = options.ports;
      const hook = await catalog.hooks.get(id);
      if (!hook) throw new Failure("hook_not_found", `There is no hook ${id}. Make one with POST /api/v2/hooks.`);
      const bytes = await read();
      const secret = secrets.open(hook.sealed);
      if (secret === "") return jsonAnswer({ message: await keepToken(options, hook, bytes) });
      const sender = senders[hook.sender];
      if (!sender.isSigned(headers, bytes, secret, now()))
        throw new Failure(
          "hook_refused",
          `The delivery is not signed with the hook's secret, as ${sender.label} does. Enter the secret there again.`,
        );
      const event = eventIn(headers["content-type"] ?? "", bytes);
      const changes = sender.changesIn(headers, event, await hostOf(catalog, hook));
      const message = await receiveDelivery(
        options.ports,
        hook,
        sender.idOf(headers, event) ?? createHash("sha256").update(bytes).digest("hex"),
        changes,
      );
      options.onPushed?.();
      const { watched } = options;
      if (changes.some(({ repository }) => repository !== null && watched?.isAt(repository) === true))
        watched?.requested?.();
      return jsonAnswer({ message });
    },
  }),
];

/** Keeps the secret that Notion sends once, unsigned, to a new hook. @throws Failure hook_refused for any other body */
async function keepToken({ ports }: ApiOptions, { id }: HookRecord, bytes: Uint8Array): Promise<string> {
  const token = verificationToken(eventIn("", bytes));
  if (token === undefined) throw new Failure("hook_refused", "Notion has sent no verification token to this hook yet.");
  await ports.catalog.hooks.reseal(id, ports.secrets.seal(token));
  return "The verification token was kept. GET /api/v2/hooks shows it: enter it in Notion.";
}

/** The event of a body: JSON, or a form with the JSON in the field `payload`. @throws Failure validation_error */
function eventIn(type: string, bytes: Uint8Array): unknown {
  const body = Buffer.from(bytes).toString("utf8");
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(type);
  try {
    return JSON.parse(isForm ? (new URLSearchParams(body).get("payload") ?? "") : body);
  } catch (cause) {
    throw new Failure("validation_error", "The delivery is not JSON. Choose application/json at the host.", { cause });
  }
}

function toHook(hook: HookView, { ports, settings }: ApiOptions): z.infer<typeof hookSchema> {
  const { id, sender, teamspace, library, prefix, createdAt, deliveredAt, result } = hook;
  const isNew = sender === "notion" && deliveredAt === null;
  const token = isNew ? ports.secrets.open(hook.sealed) : "";
  return {
    id,
    sender,
    url: `${settings.publicUrl ?? ""}${path}/${id}`,
    teamspace,
    libraryId: library,
    repositories: prefix,
    createdAt: iso(createdAt),
    deliveredAt: deliveredAt === null ? null : iso(deliveredAt),
    result,
    ...(token !== "" && { verificationToken: token }),
  };
}

/** The beginning of the addresses of an owner's repositories. @throws Failure validation_error */
function toPrefix(given: string): string {
  const prefix = repositoryAddress(given);
  if (prefix !== undefined) return prefix;
  throw new Failure("validation_error", "repositories must be an owner on a host, such as https://github.com/acme.");
}
