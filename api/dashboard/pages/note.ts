import * as z from "zod";
import { fieldsOf } from "../form-bodies.ts";
import { noteTab, noteView } from "../library/note.ts";
import { statusFor } from "../library/acts.ts";
import { form, type Described } from "../page.ts";
import { libraryPath } from "../views/addresses.ts";
import { libraryView } from "./library.ts";

/** Changes or, without a text, deletes the teamspace's note on a library. A refused form is shown again. */
export const noteForm: Described = form({
  path: "/-/library/note",
  scope: "admin",
  body: fieldsOf(z.object({ id: z.string().max(500), text: z.string().optional() })),
  async submit(visit, { id, text = "" }) {
    const body = { libraryId: id, text: text.replaceAll("\r\n", "\n") };
    const reply = await visit.call<{ readonly message: string }>("PATCH", "/v2/libs/team-note", { body });
    if (!reply.failure) return { goTo: libraryPath(id, { tab: "note" }), flash: reply.body.message };
    const status = await statusFor(visit, id, "note");
    const content = noteView(text, id, visit.formToken, reply.failure.message);
    return { title: status.title, main: libraryView(status, id, noteTab.name, content), status: reply.status };
  },
});
