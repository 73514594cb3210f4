import { randomBytes } from "node:crypto";
import * as z from "zod";
import { notificationEvents } from "../../domain/catalog-receivers.ts";
import { addReceiver, listReceivers, managedReceiver, testReceiver } from "../../domain/notifying.ts";
import type { ReceiverRecord } from "../../domain/ports.ts";
import { jsonAnswer } from "../answers.ts";
import { jsonBody } from "../body.ts";
import { oneOf, text } from "../parameters.ts";
import { route, success, type Route } from "../route.ts";
import { iso, isoOrNull, time, timeOrNull } from "../schemas/answers.ts";
import { ownTeamspace, teamspaceField } from "./teamspaces.ts";

/** Bytes of a made secret, and of a given one as Standard Webhooks wants them. */
const secretBytes = { made: 32, least: 24, most: 64 } as const;

const receiverBody = z
  .object({
    url: text(1, 2000)
      .refine((url) => URL.canParse(url), { error: "must be an address such as https://chat.example.com/lectern" })
      .describe("Address that notifications are posted to. FETCH_ALLOW permits private and http ones."),
    events: z
      .array(oneOf(notificationEvents))
      .min(1)
      .max(notificationEvents.length)
      .optional()
      .describe("The events; default: all."),
    secret: z
      .string()
      .regex(/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/, { error: "must be whsec_ and 24 to 64 bytes in base64" })
      .refine((secret) => isLongEnough(secret), { error: "must be whsec_ and 24 to 64 bytes in base64" })
      .optional()
      .describe("The secret that notifications are signed with; default: a random one.")
      .meta({ writeOnly: true }),
    teamspace: teamspaceField("Whose events"),
  })
  .meta({ id: "NewReceiver" });

const receiverFields = {
  id: z.string().describe("Receiver ID."),
  url: z.string().describe("Address that notifications are posted to."),
  teamspace: z.string().describe("Whose events; those of `default` include public libraries."),
  events: z.array(z.enum(notificationEvents)).describe("The events."),
  createdAt: time("When it was added."),
  waiting: z.int().describe("Number of notifications that are not delivered yet."),
  deliveredAt: timeOrNull("When it last accepted a notification; null: never."),
  result: z.string().nullable().describe("The result of the last attempt; null: none yet."),
  failingSince: timeOrNull("When the failures began; null: the last attempt succeeded."),
  disabledAt: timeOrNull(
    "When it was disabled: after five days of failures, or by its answer 410. A successful test enables it. Null: it is enabled.",
  ),
};

/** A receiver, without its secret. */
export const receiverSchema = z.object(receiverFields).meta({ id: "Receiver" });

const madeSchema = z
  .object({ ...receiverFields, secret: z.string().describe("Shown only now.") })
  .meta({ id: "MadeReceiver" });

const testedSchema = z
  .object({
    id: receiverFields.id,
    ok: z.boolean().describe("Whether it accepted the test."),
    message: z.string().describe("The result."),
  })
  .meta({ id: "ReceiverTested" });

const idParameter = z.object({ id: text(1, 100).describe("Receiver ID.") });

const path = "/api/v2/receivers";
const common = { scope: "admin", limit: "read" } as const;

/** Receivers: addresses that are sent notifications, by Standard Webhooks. */
export const receiverRoutes: readonly Route[] = [
  route({
    ...common,
    path,
    method: "GET",
    about: {
      operationId: "listReceivers",
      tag: "Receivers",
      summary: "List the receivers of the teamspace, with the state of their notifications",
    },
    parameters: z.object({ teamspace: teamspaceField("Whose receivers") }),
    answers: success(z.object({ receivers: z.array(receiverSchema) })),
    async handler({ caller, parameters: { teamspace = ownTeamspace(caller) }, options }) {
      const receivers = await listReceivers(options.ports, caller, teamspace);
      return jsonAnswer({ receivers: receivers.map((one) => toReceiver(one, one.waiting)) });
    },
  }),
  route({
    ...common,
    path,
    method: "POST",
    audit: "receiver.create",
    about: {
      operationId: "createReceiver",
      tag: "Receivers",
      summary: "Add an address that is sent notifications",
      description:
        "Notifications are signed by Standard Webhooks (https://www.standardwebhooks.com), and repeated for about three days until the address answers 2xx. Their order is not kept; an ID is the same in every attempt.",
    },
    body: jsonBody(receiverBody),
    answers: success(madeSchema),
    failures: ["address_not_allowed"],
    async handler({ caller, body, options }) {
      const { events = notificationEvents, teamspace = ownTeamspace(caller) } = body;
      const secret = body.secret ?? `whsec_${randomBytes(secretBytes.made).toString("base64")}`;
      const url = new URL(body.url);
      await options.checkUrl(url);
      const unique = [...new Set(events)];
      const made = await addReceiver(options.ports, caller, { teamspace, url, events: unique, secret });
      return jsonAnswer({ ...toReceiver(made, 0), secret });
    },
  }),
  route({
    ...common,
    path: `${path}/{id}`,
    method: "DELETE",
    audit: "receiver.delete",
    about: {
      operationId: "deleteReceiver",
      tag: "Receivers",
      summary: "Delete a receiver, with the notifications that wait for it",
    },
    parameters: idParameter,
    answers: success(z.object({ id: receiverFields.id, message: z.string().describe("What was done.") })),
    failures: ["receiver_not_found"],
    async handler({ caller, parameters: { id }, options }) {
      await managedReceiver(options.ports, caller, id);
      await options.ports.catalog.receivers.remove(id);
      return jsonAnswer({ id, message: "The receiver was deleted." });
    },
  }),
  route({
    ...common,
    path: `${path}/{id}/test`,
    method: "POST",
    limit: "submission",
    audit: "receiver.test",
    about: {
      operationId: "testReceiver",
      tag: "Receivers",
      summary: "Send a receiver the event receiver.test",
      description: "A disabled one is enabled again if it accepts that.",
    },
    parameters: idParameter,
    answers: success(testedSchema, "Sent: `ok` has the result."),
    failures: ["receiver_not_found"],
    async handler({ caller, parameters: { id }, options }) {
      const { outcome, result } = await testReceiver(options.ports, caller, id);
      return jsonAnswer({ id, ok: outcome === "accepted", message: result });
    },
  }),
];

function isLongEnough(secret: string): boolean {
  const { length } = Buffer.from(secret.slice("whsec_".length), "base64");
  return length >= secretBytes.least && length <= secretBytes.most;
}

function toReceiver(
  { id, url, teamspace, events, createdAt, deliveredAt, result, failingSince, disabledAt }: ReceiverRecord,
  waiting: number,
): z.infer<typeof receiverSchema> {
  return {
    id,
    url,
    teamspace,
    events: [...events],
    createdAt: iso(createdAt),
    waiting,
    deliveredAt: isoOrNull(deliveredAt),
    result,
    failingSince: isoOrNull(failingSince),
    disabledAt: isoOrNull(disabledAt),
  };
}
