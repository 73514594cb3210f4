import * as z from "zod";
import { fieldsOf } from "../form-bodies.ts";
import { changesOf, problemsOf, settingFields } from "../library/settings-fields.ts";
import { settingsTab, settingsView } from "../library/settings.ts";
import { libraryView } from "./library.ts";
import { form, type Described } from "../page.ts";
import type { Settings } from "../../answer-types.ts";
import { libraryPath } from "../views/addresses.ts";
import { statusFor, outcomeOf } from "../library/acts.ts";

const texts = z.record(z.string(), z.string());

/** Common fields; the others depend on the library. */
const fields = z.object({ id: z.string().max(500), shown: z.string().max(100_000) }).catchall(z.string().max(20_000));

/** Applies changed settings. A refused form is shown again. */
export const settingsForm: Described = form({
  path: "/-/library/settings",
  body: fieldsOf(fields),
  async submit(visit, { id, shown: before, ...typed }) {
    const status = await statusFor(visit, id, "change");
    const { libraryId } = status;
    const settings = await visit.ask<Settings>("/v2/libs/settings", { libraryId });
    const known = settingFields(settings);
    const shown = shownBefore(before);
    const changes = changesOf(known, typed, shown);
    const back = libraryPath(id, { tab: "settings" });
    if (Object.keys(changes).length === 0) return { goTo: back, flash: "There were no changes to save." };
    const reply = await visit.call<{ message: string }>("PATCH", "/v2/libs", {
      body: { libraryName: libraryId, ...changes },
    });
    if (!reply.failure || reply.status >= 500) return outcomeOf(reply, back);
    const names = known.map(({ name }) => name);
    const refusal = { typed, shown, ...problemsOf(reply.failure.message, names) };
    const content = settingsView(settings, id, visit.formToken, refusal);
    const main = libraryView(status, id, settingsTab.name, content);
    return { title: status.title, main, status: reply.status };
  },
});

/** The texts of the fields when the form was rendered; empty for a malformed form. */
function shownBefore(sent: string): Readonly<Record<string, string>> {
  try {
    return texts.safeParse(JSON.parse(sent)).data ?? {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}
