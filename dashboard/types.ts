import type * as z from "zod";

import type { changesSchema } from "../api/schemas/changes.ts";
import type { metricsSchema } from "../api/schemas/metrics.ts";
import type { quarantineSchema } from "../api/schemas/quarantine.ts";
import type { searchSchema } from "../api/schemas/reading.ts";
import type { previewSchema } from "../api/routes/preview.ts";
import type { resolvedPackagesSchema, resolvedSchema } from "../api/routes/resolve.ts";
import type { explainedSchema } from "../api/schemas/explained.ts";
import type { settingsSchema } from "../api/schemas/settings.ts";
import type { pagesSchema, statusSchema, summarySchema } from "../api/schemas/status.ts";

/** A library in a list, as `GET /api/v2/libs` answers. */
export type Summary = z.infer<typeof summarySchema>;

/** What `GET /api/v2/libs` answers. */
export interface List {
  readonly libraries: readonly Summary[];
  readonly total: number;
  readonly next: string | null;
}

/** What `GET /api/v2/libs/status` answers. */
export type Status = z.infer<typeof statusSchema>;

/** A run of a status. */
export type Run = Status["runs"][number];

/** What `GET /api/v2/libs/status/pages` answers. */
export type PageOutcomes = z.infer<typeof pagesSchema>;

/** What `GET /api/v2/libs/status/changes` answers. */
export type Changes = z.infer<typeof changesSchema>;

/** What `GET /api/v2/libs/status/quarantine` answers. */
export type Quarantine = z.infer<typeof quarantineSchema>;

/** What `GET /api/v2/libs/settings` answers. */
export type Settings = z.infer<typeof settingsSchema>;

/** What `GET /api/v2/libs/metrics` answers. */
export type Metrics = z.infer<typeof metricsSchema>;

/** What `GET /api/v2/libs/search` answers. */
export type Found = z.infer<typeof searchSchema>;

/** What `GET /api/v2/context/explain` answers. */
export type Explained = z.infer<typeof explainedSchema>;

/** What `POST /api/v2/preview` answers. */
export type Preview = z.infer<typeof previewSchema>;

/** What `POST /api/v2/resolve` answers. */
export type ResolvedPackages = z.infer<typeof resolvedPackagesSchema>;

/** A package of it. */
export type Resolved = z.infer<typeof resolvedSchema>;
