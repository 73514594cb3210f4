import { hasScope } from "../../../domain/access.ts";
import type { Caller } from "../../../domain/access.ts";
import type { Status } from "../types.ts";
import { overviewTab } from "./overview.ts";
import { pagesTab } from "./outcomes.ts";
import { heldTab } from "./held.ts";
import { metricsTab } from "./metrics.ts";
import { quarantineTab } from "./quarantine.ts";
import { runsTab } from "./runs.ts";
import { settingsTab } from "./settings.ts";
import type { LibraryTab } from "./tab.ts";

/** The tabs of the page of a library, in order; the first is the default. */
const tabs: readonly LibraryTab[] = [overviewTab, pagesTab, runsTab, heldTab, quarantineTab, metricsTab, settingsTab];

/** The tabs that are shown for a status. */
export function tabsFor(caller: Caller, status: Status): readonly LibraryTab[] {
  return tabs.filter(({ scope = "read", isFor }) => hasScope(caller, scope) && (isFor?.(status) ?? true));
}
