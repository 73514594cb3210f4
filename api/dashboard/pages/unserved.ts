import * as z from "zod";

import { fieldsOf } from "../fields.ts";
import { form, page } from "../page.ts";
import type { Described } from "../page.ts";
import type { List } from "../types.ts";
import { confirmView } from "../views/acts.ts";
import { counted } from "../views/parts.ts";
import { outcomeOf } from "./outcome.ts";

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
