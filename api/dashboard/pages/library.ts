import * as z from "zod";

import { Failure } from "../../../domain/failures.ts";
import { tabsFor } from "../library/tabs.ts";
import type { LibraryParameters } from "../library/tab.ts";
import { page } from "../page.ts";
import type { Described, Shown, Visit } from "../page.ts";
import type { Status } from "../types.ts";
import { libraryView } from "../views/library.ts";

const parameters = z.object({
  tab: z.string().max(40).optional(),
  outcome: z.enum(["indexed", "skipped", "failed"]).optional(),
  cursor: z.string().max(500).optional(),
  days: z.string().max(4).optional(),
});

/** A library, at its ID. */
export const libraryPage: Described = page({
  path: "/**",
  parameters,
  show: (visit) => showLibrary(visit, idOf(visit.request.path)),
});

/** The page of libraries whose ID begins like another path. */
export const libraryElsewherePage: Described = page({
  path: "/-/library",
  parameters: parameters.extend({ id: z.string().max(500) }),
  show: (visit) => showLibrary(visit, visit.parameters.id),
});

async function showLibrary(visit: Visit<LibraryParameters>, id: string): Promise<Shown> {
  const { ask, caller, parameters: asked } = visit;
  const status = await ask<Status>("/v2/libs/status", { libraryId: id });
  const seen = tabsFor(caller, status);
  const tab = seen.find(({ name }) => name === asked.tab) ?? seen[0];
  if (!tab) throw new Error("A library has no tab.");
  const content = await tab.show(visit, status, id);
  const main = libraryView({ status, id, tabs: seen, current: tab.name, content });
  return { title: status.title, main, ...(tab.assets && { assets: tab.assets }) };
}

/** The library ID in a path. @throws Failure route_not_found where it is not one */
function idOf(path: string): string {
  const notFound = (): Failure =>
    new Failure("route_not_found", "There is no page at this address. A library is at /owner/name.");
  if (!/^\/[^/]+\/[^/]/.test(path)) throw notFound();
  try {
    return decodeURIComponent(path);
  } catch {
    throw notFound();
  }
}
