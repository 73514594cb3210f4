import * as z from "zod";

import { Failure } from "../../../domain/failures.ts";
import { recognise } from "../adding/recognise.ts";
import type { Recognised } from "../adding/recognise.ts";
import { toBody } from "../adding/schema-fields.ts";
import type { Sent } from "../adding/schema-fields.ts";
import { fieldsOf } from "../fields.ts";
import { html } from "../html.ts";
import { form, page } from "../page.ts";
import type { Asked, Described, Shown, Visit } from "../page.ts";
import type { Preview } from "../types.ts";
import { libraryPath } from "../views/addresses.ts";
import { addView } from "../views/add.ts";
import type { Adding } from "../views/add.ts";
import { notice } from "../views/parts.ts";
import { previewView } from "../views/preview.ts";

/** Adding a library: a field for any address, then the fields of its kind. */
export const addPage: Described = page({
  path: "/-/add",
  scope: "submit",
  entry: "Add",
  parameters: z.object({ address: z.string().max(4096).optional(), kind: z.string().max(40).optional() }),
  async show({ formToken, parameters: { address = "", kind } }) {
    const typed = address.trim();
    const recognised = typed === "" ? undefined : recognise(typed, kind);
    // Fields that follow from the address can be changed.
    const sent = Object.fromEntries(
      Object.entries(recognised?.body ?? {}).map(([name, value]) => [
        `o.${name}`,
        Array.isArray(value) ? value.join("\n") : String(value),
      ]),
    );
    return { title: "Add a library", main: addView({ formToken, address: typed, recognised, sent }) };
  },
});

/** Previews or submits the form. */
export const addForm: Described = form({
  path: "/-/add",
  scope: "submit",
  body: fieldsOf(
    z
      .object({ address: z.string().max(4096), kind: z.string().max(40), do: z.enum(["preview", "add"]) })
      .catchall(z.string()),
  ),
  async submit(visit, { address, kind, do: wanted, ...sent }) {
    const recognised = recognise(address, kind);
    const adding: Adding = { formToken: visit.formToken, address, recognised, sent };
    if (recognised === undefined) return again(adding, 400);
    const filled = fill(recognised, sent as Sent);
    if (filled.problem !== undefined) return refused(visit, adding, { message: filled.problem }, 400);
    const { body } = filled;
    if (wanted === "preview") return preview(visit, adding, body);
    const {
      status,
      body: added,
      failure,
    } = await visit.tell<{ libraryName: string; message: string }>("POST", recognised.path, { body });
    if (failure) return refused(visit, adding, problemOf(failure), status);
    return { goTo: libraryPath(added.libraryName), said: added.message };
  },
});

/** The body from the form and the address, or the error of the form. */
function fill(recognised: Recognised, sent: Sent): { readonly body: object; readonly problem?: string } {
  const shown = new Set(recognised.fields.map(({ name }) => name));
  // The form takes precedence, also with a field that was emptied.
  const own = Object.entries(recognised.body).filter(([name]) => !shown.has(name));
  try {
    return { body: { ...Object.fromEntries(own), ...toBody(recognised.fields, sent) } };
  } catch (error) {
    if (error instanceof Failure) return { body: {}, problem: error.message };
    throw error;
  }
}

async function preview(visit: Visit, adding: Adding, body: object): Promise<Shown> {
  const { status, body: found, failure } = await visit.tell<Preview>("POST", "/v2/preview", { body });
  if (failure) return refused(visit, adding, problemOf(failure), status);
  if (visit.isPart) return { part: previewView(found) };
  return again({ ...adding, preview: previewView(found) }, 200);
}

/** The page with the error, or for htmx the error in place of the preview. */
function refused(visit: Visit, adding: Adding, problem: NonNullable<Adding["problem"]>, status: number): Shown {
  if (visit.isPart) return { part: html`<div id="preview">${notice("bad", problem.message)}</div>` };
  return again({ ...adding, problem }, status);
}

function again(adding: Adding, status: number): Shown {
  return { title: "Add a library", main: addView(adding), status };
}

/** A failure, with the library in its message where that exists. */
export function problemOf({ error, message }: NonNullable<Asked<unknown>["failure"]>): NonNullable<Adding["problem"]> {
  const isThere = error === "duplicate_library" || error === "duplicate_repo";
  return { message, libraryId: isThere ? /^\/\S+/.exec(message)?.[0] : undefined };
}
