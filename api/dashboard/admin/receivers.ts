import * as z from "zod";
import { notificationEvents } from "../../../domain/catalog-receivers.ts";
import type { receiverSchema } from "../../routes/receivers.ts";
import { fieldsOf } from "../form-bodies.ts";
import { html, nothing, type Html, type Part } from "../html.ts";
import { form, page, type Described, type PageResult, type Visit } from "../page.ts";
import { field, tick } from "../views/fields.ts";
import { age, badge, count, empty, hiddenFields, notice, table } from "../views/parts.ts";
import {
  adminContext,
  administration,
  confirmed,
  sectionPath,
  teamspaceChoice,
  type AdminContext,
  type FormState,
} from "./administration.ts";

type Receiver = z.infer<typeof receiverSchema>;

const path = sectionPath("receivers");
const text = z.string().optional();
const newReceiverFields = z.object({ url: text, events: z.array(z.string()).default([]), teamspace: text });

/** The state of the forms: refused, with the added receiver, or with the result of a test. */
interface ReceiverForms extends FormState<z.infer<typeof newReceiverFields>> {
  readonly made?: Receiver & { readonly secret: string };
  readonly tested?: { readonly id: string; readonly ok: boolean; readonly message: string };
}

/** The receivers of a teamspace, with what became of their notifications, and a form for another one. */
function receiversView(receivers: readonly Receiver[], context: AdminContext, shown: ReceiverForms): Html {
  const { teamspace, choices, caller } = context;
  const { made, tested, problem } = shown;
  const rows = receivers.map((one) => rowOf(one, context, tested?.id === one.id ? tested : undefined));
  const list =
    rows.length === 0
      ? empty("No receivers yet", "A receiver is an address that is sent a signed notification of each event.")
      : table("Receivers", ["Address", "Events", "State", "Test", "Delete"], rows);
  const content = html`${made === undefined ? nothing : madeView(made)} ${teamspaceChoice(path, choices, teamspace)}
  ${list} ${newView(context, shown.typed)}`;
  return administration(caller, "receivers", "Receivers", content, {
    problem,
    about: html`Notifications of the teamspace <bdi>${teamspace}</bdi> are sent to these addresses, signed by Standard
      Webhooks.`,
  });
}

function madeView({ url, secret, teamspace }: Receiver & { readonly secret: string }): Html {
  return html`<section class="card made" aria-labelledby="made" role="status">
    <h2 id="made">The receiver <bdi>${url}</bdi> was added</h2>
    <p>It verifies notifications with this secret. Copy it now: it is not shown again.</p>
    <input class="secret" aria-label="The secret" value="${secret}" readonly autofocus />
    <p><a class="button" href="${sectionPath("receivers", { teamspace })}">I have copied it</a></p>
  </section>`;
}

function rowOf(one: Receiver, { formToken, now }: AdminContext, tested: ReceiverForms["tested"]): readonly Part[] {
  const { id, url, teamspace, events, disabledAt } = one;
  return [
    html`<bdi>${url}</bdi>`,
    events.length === notificationEvents.length
      ? "all"
      : html`<div class="stack tight">${events.map((event) => html`<code class="nowrap">${event}</code>`)}</div>`,
    stateView(one, now),
    html`<form class="stack tight" method="post" action="${path}/test">
      ${hiddenFields(formToken, ["id", id], ["teamspace", teamspace])}
      <button class="button">${disabledAt === null ? "Send a test" : "Test and enable"}</button
      >${tested === undefined ? nothing : notice(tested.ok ? "good" : "bad", tested.message)}
    </form>`,
    confirmed(`${path}/delete`, formToken, {
      label: "Delete",
      question: html`Delete <bdi>${url}</bdi>? Notifications that wait for it are deleted too.`,
      fields: { id, teamspace },
    }),
  ];
}

function stateView({ disabledAt, failingSince, deliveredAt, waiting, result }: Receiver, now: number): Html {
  const since = disabledAt ?? failingSince;
  const state =
    disabledAt !== null
      ? badge("bad", "Disabled")
      : failingSince !== null
        ? badge("warn", "Fails")
        : badge("good", "Enabled");
  return html`<div class="stack tight">
    <span>${state}${since === null ? nothing : html` ${age(since, now)}`}</span
    >${since === null || result === null ? nothing : html`<span class="small"><bdi>${result}</bdi></span>`}<span
      class="muted small"
      >${deliveredAt === null ? "nothing accepted yet" : html`last accepted ${age(deliveredAt, now)}`}${waiting === 0 ? nothing : `, ${count(waiting)} waiting`}</span
    >
  </div>`;
}

function newView({ teamspace, formToken }: AdminContext, typed: ReceiverForms["typed"]): Html {
  const ticks = notificationEvents.map((event) =>
    tick(html`<code>${event}</code>`, "events", { value: event, isTicked: typed?.events.includes(event) ?? true }),
  );
  return html`<section class="card" aria-labelledby="new">
    <h2 id="new">Add a receiver</h2>
    <form class="stack" method="post" action="${path}" autocomplete="off">
      ${hiddenFields(formToken, ["teamspace", teamspace])}
      ${field("Address", "url", {
        value: typed?.url,
        required: true,
        maxLength: 2000,
        placeholder: "https://chat.example.com/lectern",
      })}
      <fieldset class="field wide">
        <legend>Events</legend>
        ${ticks}
      </fieldset>
      <div class="actions"><button class="button primary">Add the receiver</button></div>
    </form>
  </section>`;
}

async function showReceivers(visit: Visit, requested?: string, shown: ReceiverForms = {}): Promise<PageResult> {
  const context = await adminContext(visit, requested);
  const { receivers } = await visit.ask<{ receivers: readonly Receiver[] }>("/v2/receivers", {
    teamspace: context.teamspace,
  });
  return { title: "Receivers", main: receiversView(receivers, context, shown), status: shown.status ?? 200 };
}

/** The receivers of a teamspace. */
export const receiversPage: Described = page({
  path,
  scope: "admin",
  parameters: z.object({ teamspace: z.string().max(100).optional() }),
  show: (visit) => showReceivers(visit, visit.parameters.teamspace),
});

/** Adds a receiver, and shows its secret once. */
export const newReceiverForm: Described = form({
  path,
  scope: "admin",
  body: fieldsOf(newReceiverFields, ["events"]),
  async submit(visit, typed) {
    const { url = "", events, teamspace } = typed;
    const body = { url, events, teamspace };
    const reply = await visit.call<NonNullable<ReceiverForms["made"]>>("POST", "/v2/receivers", { body });
    const { body: made, failure, status } = reply;
    return showReceivers(visit, teamspace, failure ? { typed, problem: failure.message, status } : { made });
  },
});

const chosen = fieldsOf(z.object({ id: z.string(), teamspace: text }));

/** Sends a receiver a test, and shows the result. */
export const testReceiverForm: Described = form({
  path: `${path}/test`,
  scope: "admin",
  body: chosen,
  async submit(visit, { id, teamspace }) {
    const operation = `/v2/receivers/${encodeURIComponent(id)}/test`;
    const reply = await visit.call<NonNullable<ReceiverForms["tested"]>>("POST", operation);
    const { body: tested, failure, status } = reply;
    return showReceivers(visit, teamspace, failure ? { problem: failure.message, status } : { tested });
  },
});

/** Deletes a receiver. */
export const deleteReceiverForm: Described = form({
  path: `${path}/delete`,
  scope: "admin",
  body: chosen,
  async submit(visit, { id, teamspace }) {
    const reply = await visit.call<{ message: string }>("DELETE", `/v2/receivers/${encodeURIComponent(id)}`);
    if (reply.failure) return showReceivers(visit, teamspace, { problem: reply.failure.message, status: reply.status });
    return { goTo: sectionPath("receivers", { teamspace }), flash: reply.body.message };
  },
});
