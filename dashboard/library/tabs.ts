import { hasScope } from "../../domain/access.ts";
import type { Caller } from "../../domain/access.ts";
import type { Status } from "../types.ts";
import { overviewTab } from "./overview.ts";
import { pagesTab } from "./outcomes.ts";
import { heldTab } from "./held.ts";
import { metricsTab } from "./metrics.ts";
import { quarantineTab } from "./quarantine.ts";
import { runsTab } from "./runs.ts";
import { settingsTab } from "./settings.ts";
import type { LibraryTab } from "./tab.ts";

/** The parts of a library's page, in their order; the first is shown where none is asked for. */
const tabs: readonly LibraryTab[] = [overviewTab, pagesTab, runsTab, heldTab, quarantineTab, metricsTab, settingsTab];

/** The parts that are of use to a caller, as far as the status of the library says. */
export function tabsFor(caller: Caller, status: Status): readonly LibraryTab[] {
  return tabs.filter(({ scope = "read", isFor }) => hasScope(caller, scope) && (isFor?.(status) ?? true));
}
