import * as z from "zod";

import { hasScope } from "../../../domain/access.ts";
import { textOf } from "../fields.ts";
import { page } from "../page.ts";
import type { Described, Visit } from "../page.ts";
import type { Found, List } from "../types.ts";
import { foundView, libraryListView, startView } from "../views/start.ts";
import type { Listing } from "../views/start.ts";

const parameters = z.object({
  search: textOf(500),
  state: textOf(20),
  kind: textOf(20),
  cursor: z.string().max(2000).optional(),
});

/** Libraries per page of the list, and in the list of problems above it. */
const listed = 50;
const attention = 6;

/** The start page: search box, problems, and libraries. */
export const startPage: Described = page({
  path: "/",
  entry: "Libraries",
  parameters,
  async show(visit) {
    const { ask, caller, isPart, parameters: given } = visit;
    const { search = "", state, kind } = given;
    // Lists need a key; without one libraries are found by name.
    if (caller.keyId === null) return { title: "Libraries", main: startView(await foundBy(visit, search), null) };
    const asked = { search: given.search, state, kind };
    const isWhole = !isPart && search === "" && state === undefined && kind === undefined && given.cursor === undefined;
    const [list, wanting] = await Promise.all([
      ask<List>("/v2/libs", { ...asked, cursor: given.cursor, limit: String(listed) }),
      isWhole ? ask<List>("/v2/libs", { state: "any", limit: String(attention) }) : null,
    ]);
    const listing: Listing = { list, search, state: state ?? "", kind: kind ?? "", now: Date.now() };
    // While typing, only the list is sent.
    if (isPart) return { part: libraryListView(listing) };
    return {
      title: "Libraries",
      main: startView(libraryListView(listing), wanting, listing, hasScope(caller, "submit")),
    };
  },
});

/** A search by a caller without a key. */
async function foundBy({ ask }: Visit, search: string) {
  if (search === "") return foundView(null, "", Date.now());
  const { results } = await ask<Found>("/v2/libs/search", { libraryName: search, query: search });
  return foundView(results, search, Date.now());
}
