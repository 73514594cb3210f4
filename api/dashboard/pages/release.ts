import * as z from "zod";

import { fieldsOf } from "../fields.ts";
import { html } from "../html.ts";
import { form } from "../page.ts";
import type { Described } from "../page.ts";
import { confirmView } from "../views/acts.ts";
import { libraryPath } from "../views/addresses.ts";
import { counted } from "../views/parts.ts";
import { statusFor } from "./acts.ts";
import { outcomeOf } from "./outcome.ts";

const fields = z.object({
  id: z.string().max(500),
  do: z.enum(["release", "withdraw"]),
  passage: z.array(z.string().max(200)).max(100).default([]),
  confirmed: z.literal("yes").optional(),
});

/** Releases passages from quarantine, or puts them back, after confirmation. */
export const releaseForm: Described = form({
  path: "/-/library/release",
  body: fieldsOf(fields, ["passage"]),
  async submit(visit, { id, do: wanted, passage, confirmed }) {
    const back = libraryPath(id, { tab: "quarantine" });
    const isRelease = wanted === "release";
    if (confirmed === undefined || passage.length === 0) {
      const { title } = await statusFor(visit, id, "change");
      if (passage.length === 0)
        return { goTo: back, said: "No passage was chosen. Tick the box of those that you mean." };
      const which = counted(passage.length, "passage");
      const main = confirmView({
        title: isRelease ? `Release ${which} from quarantine?` : `Return ${which} to quarantine?`,
        of: title,
        meaning: isRelease
          ? html`Agents are served ${passage.length === 1 ? "it" : "them"} from the next refresh on, which is started.
            Release only what you have read: agents may do what it says.`
          : html`Agents are not served ${passage.length === 1 ? "it" : "them"} any more from the next refresh on, which
            is started.`,
        path: "/-/library/release",
        fields: [["id", id], ["do", wanted], ["confirmed", "yes"], ...passage.map((one) => ["passage", one] as const)],
        label: isRelease ? "Release" : "Return to quarantine",
        tone: isRelease ? "danger" : "primary",
        back,
        formToken: visit.formToken,
      });
      return { title: isRelease ? "Release" : "Return to quarantine", main };
    }
    const body = { libraryName: id, passageIds: passage, withdraw: !isRelease };
    const asked = await visit.tell<{ message: string }>("POST", "/v2/libs/release", { body });
    return outcomeOf(asked, back);
  },
});
