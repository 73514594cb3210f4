import * as z from "zod";
import { fieldsOf } from "../form-bodies.ts";
import { html, nothing } from "../html.ts";
import { form, page } from "../page.ts";
import type { Described, Shown } from "../page.ts";
import type { Status, List } from "../../answer-types.ts";
import { confirmView } from "../library/acts.ts";
import { libraryPath } from "../views/addresses.ts";
import { counted } from "../views/parts.ts";
import { statusFor, outcomeOf } from "./acts.ts";

const path = "/-/unserved/delete";
const back = "/?state=unserved";

/** Asks for confirmation before all libraries whose first run failed are deleted. */
export const unservedPage: Described = page({
  path,
  scope: "admin",
  async show({ ask, formToken }) {
    const { total } = await ask<List>("/v2/libs", { state: "unserved", limit: "1" });
    const main = confirmView({
      title: "Delete what was never indexed?",
      of: counted(total, "library", "libraries"),
      meaning:
        "Their first run failed, and nothing of them was ever served. Those that you administer are deleted; they can be submitted again.",
      path,
      fields: [],
      label: "Delete them all",
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
  submit: async ({ tell }) => outcomeOf(await tell<{ message: string }>("DELETE", "/v2/libs/unserved"), back, "/"),
});

const parameters = z.object({ id: z.string().max(500) });
const fields = parameters.extend({ typed: z.string().max(500).optional() });

/** Asks to type the ID of a library before it is deleted. */
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
    const asked = await visit.tell<{ message: string }>("DELETE", "/v2/libs", { query: { libraryId } });
    return outcomeOf(asked, libraryPath(libraryId), "/");
  },
});

/** `typed` is the wrong input in place of the ID. */
function asking(status: Status, formToken: string, typed?: string): Shown & { readonly main: unknown } {
  const { libraryId, title, live, versions } = status;
  const problem =
    typed === undefined
      ? nothing
      : html`<span class="error" id="typed-error" role="alert">This is not the ID. Nothing was deleted.</span>`;
  const wrong = typed === undefined ? nothing : html` aria-invalid="true" aria-describedby="typed-error"`;
  const main = confirmView({
    title: "Delete this library?",
    of: title,
    meaning: html`Readers get nothing of it at
    once${live ? html`: ${counted(live.counts.pages, "page")}` : nothing}${
      versions.length === 0 ? nothing : html`, and ${counted(versions.length, "more version")}`
    }.
    Its open runs are cancelled, its settings and its metrics go with it, and it cannot be brought back: only submitted
    again.`,
    content: html`<div class="field">
      <label for="typed">Type <code>${libraryId}</code> to delete it</label
      ><input
        id="typed"
        name="typed"
        value="${typed ?? ""}"
        autocomplete="off"
        spellcheck="false"
        required
        ${wrong}
      />${problem}
    </div>`,
    path: "/-/library/delete",
    fields: [["id", libraryId]],
    label: "Delete the library",
    tone: "danger",
    back: libraryPath(libraryId, { tab: "settings" }),
    formToken,
  });
  return { title: "Delete", main };
}
