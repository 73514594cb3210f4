import * as z from "zod";
import { fieldsOf } from "../form-bodies.ts";
import { html, nothing } from "../html.ts";
import { form, page, type Described, type PageResult } from "../page.ts";
import type { Status, List } from "../../answer-types.ts";
import { confirmView, statusFor, outcomeOf } from "../library/acts.ts";
import { libraryPath } from "../views/addresses.ts";
import { field } from "../views/fields.ts";
import { counted } from "../views/parts.ts";

const path = "/-/unserved/delete";
const back = "/?state=unserved";

/** Asks for confirmation before all libraries whose first run failed are deleted. */
export const unservedPage: Described = page({
  path,
  scope: "admin",
  async show({ ask, formToken }) {
    const { total } = await ask<List>("/v2/libs", { state: "unserved", limit: "1" });
    const main = confirmView({
      title: "Delete libraries that were never indexed?",
      of: counted(total, "library", "libraries"),
      meaning:
        "Their first run failed, so they have never been served. Only libraries that you administer are deleted. They can be submitted again.",
      path,
      fields: [],
      label: "Delete all",
      tone: "danger",
      back,
      formToken,
    });
    return { title: "Delete", main };
  },
});

export const unservedForm: Described = form({
  path,
  scope: "admin",
  body: fieldsOf(z.object({})),
  submit: async ({ call }) => outcomeOf(await call<{ message: string }>("DELETE", "/v2/libs/unserved"), back, "/"),
});

const parameters = z.object({ id: z.string().max(500) });
const fields = parameters.extend({ typed: z.string().max(500).optional() });

/** Asks for the ID of a library before it is deleted. */
export const deletionPage: Described = page({
  path: "/-/library/delete",
  scope: "admin",
  parameters,
  async show(visit) {
    return asking(await statusFor(visit, visit.parameters.id, "change"), visit.formToken);
  },
});

export const deletionForm: Described = form({
  path: "/-/library/delete",
  body: fieldsOf(fields),
  async submit(visit, { id, typed }) {
    const status = await statusFor(visit, id, "change");
    const { libraryId } = status;
    if (typed?.trim() !== libraryId) return { ...asking(status, visit.formToken, typed ?? ""), status: 400 };
    const reply = await visit.call<{ message: string }>("DELETE", "/v2/libs", { query: { libraryId } });
    return outcomeOf(reply, libraryPath(libraryId), "/");
  },
});

/** `typed` is the wrong input in place of the ID. */
function asking(status: Status, formToken: string, typed?: string): PageResult & { readonly main: unknown } {
  const { libraryId, title, live, versions } = status;
  const main = confirmView({
    title: "Delete this library?",
    of: title,
    meaning: html`This deletes
    ${live ? counted(live.counts.pages, "page") : "the library"}${versions.length === 0 ? nothing : html` and ${counted(versions.length, "named version")}`},
    with settings and metrics. Open runs are cancelled, and readers get no more answers from it. This cannot be undone;
    you can only submit the library again.`,
    content: field(html`Type <code>${libraryId}</code> to delete it`, "typed", {
      value: typed,
      required: true,
      problem: typed === undefined ? undefined : "This is not the ID. Nothing was deleted.",
    }),
    path: "/-/library/delete",
    fields: [["id", libraryId]],
    label: "Delete the library",
    tone: "danger",
    back: libraryPath(libraryId, { tab: "settings" }),
    formToken,
  });
  return { title: "Delete", main };
}
