import * as z from "zod";
import { fieldsOf } from "../form-bodies.ts";
import { changesOf, problemsOf, settingFields } from "../library/settings-fields.ts";
import { settingsTab, settingsView } from "../library/settings.ts";
import { tabsFor, libraryView } from "./library.ts";
import { form } from "../page.ts";
import type { Described } from "../page.ts";
import type { Settings } from "../../answer-types.ts";
import { libraryPath } from "../views/addresses.ts";
import { statusFor, outcomeOf } from "./acts.ts";

const texts = z.record(z.string(), z.string());

/** Common fields; further ones depend on the library. */
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
    if (Object.keys(changes).length === 0) return { goTo: back, said: "Everything is as it was: nothing was changed." };
    const asked = await visit.tell<{ message: string }>("PATCH", "/v2/libs", {
      body: { libraryName: libraryId, ...changes },
    });
    if (!asked.failure || asked.status >= 500) return outcomeOf(asked, back);
    const names = known.map(({ name }) => name);
    const refusal = { typed, shown, ...problemsOf(asked.failure.message, names) };
    const main = libraryView({
      status,
      id,
      tabs: tabsFor(visit.caller, status),
      current: settingsTab.name,
      content: settingsView(settings, id, visit.formToken, refusal),
    });
    return { title: status.title, main, status: asked.status };
  },
});

/** The texts of the fields at rendering; empty for a malformed form. */
function shownBefore(sent: string): Readonly<Record<string, string>> {
  try {
    return texts.safeParse(JSON.parse(sent)).data ?? {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}
