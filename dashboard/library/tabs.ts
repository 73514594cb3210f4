import { overviewTab } from "./overview.ts";
import { pagesTab } from "./outcomes.ts";
import type { LibraryTab } from "./tab.ts";

/** The parts of a library's page, in their order; the first is shown where none is asked for. */
export const tabs: readonly LibraryTab[] = [overviewTab, pagesTab];
