import type * as z from "zod";
import type { agentsSchema } from "./routes/agents.ts";
import type { feedbackSchema } from "./routes/feedback.ts";
import type { changesSchema } from "./routes/changes.ts";
import type { metricsSchema } from "./routes/metrics.ts";
import type { quarantineSchema } from "./schemas/quarantine.ts";
import type { searchSchema } from "./schemas/reading.ts";
import type { listSchema } from "./routes/libraries.ts";
import type { previewSchema } from "./routes/preview.ts";
import type { resolvedPackagesSchema, resolvedSchema } from "./routes/resolve.ts";
import type { explainedSchema } from "./routes/explain.ts";
import type { settingsSchema } from "./forms/library-settings.ts";
import type { pageListSchema, pageSchema } from "./schemas/pages.ts";
import type { pagesSchema, statusSchema, summarySchema } from "./schemas/status.ts";

/** A library in a list, as `GET /api/v2/libs` answers. */
export type Summary = z.infer<typeof summarySchema>;

/** The answer of `GET /api/v2/libs`. */
export type List = z.infer<typeof listSchema>;

/** The answer of `GET /api/v2/libs/status`. */
export type Status = z.infer<typeof statusSchema>;

/** A run of a status. */
export type Run = Status["runs"][number];

/** The answer of `GET /api/v2/libs/status/pages`. */
export type PageOutcomes = z.infer<typeof pagesSchema>;

/** The answer of `GET /api/v2/libs/status/changes`. */
export type Changes = z.infer<typeof changesSchema>;

/** The answer of `GET /api/v2/libs/status/quarantine`. */
export type Quarantine = z.infer<typeof quarantineSchema>;

/** The answer of `GET /api/v2/libs/feedback`. */
export type Feedback = z.infer<typeof feedbackSchema>;

/** The answer of `GET /api/v2/libs/settings`. */
export type Settings = z.infer<typeof settingsSchema>;

/** The answer of `GET /api/v2/libs/metrics`. */
export type Metrics = z.infer<typeof metricsSchema>;

/** The answer of `GET /api/v2/libs/search`. */
export type SearchResults = z.infer<typeof searchSchema>;

/** The answer of `GET /api/v2/context/explain`. */
export type Explained = z.infer<typeof explainedSchema>;

/** The answer of `GET /api/v2/agents`. */
export type Agents = z.infer<typeof agentsSchema>;

/** The answer of `POST /api/v2/preview`. */
export type Preview = z.infer<typeof previewSchema>;

/** The answer of `POST /api/v2/resolve`. */
export type ResolvedPackages = z.infer<typeof resolvedPackagesSchema>;

/** A package of it. */
export type Resolved = z.infer<typeof resolvedSchema>;

/** The answer of `GET /api/v2/pages`. */
export type PageList = z.infer<typeof pageListSchema>;

/** The answer of `GET /api/v2/page`. */
export type ReadPage = z.infer<typeof pageSchema>;
