import type * as z from "zod";

import type { searchSchema } from "../api/schemas/reading.ts";
import type { previewSchema } from "../api/routes/preview.ts";
import type { resolvedPackagesSchema, resolvedSchema } from "../api/routes/resolve.ts";
import type { explainedSchema } from "../api/schemas/explained.ts";
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
