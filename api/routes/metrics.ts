import * as z from "zod";

import { redirected } from "../../domain/answering.ts";
import { authorize } from "../../domain/authorizing.ts";
import { firstOfDays } from "../../domain/metrics.ts";
import { findLibrary } from "../../domain/submitting.ts";
import { jsonAnswer } from "../answers.ts";
import { integer, libraryIdText } from "../parameters.ts";
import { libraryFailures, route, success } from "../route.ts";
import type { Route } from "../route.ts";
import { metricsSchema, toMetrics } from "../schemas/metrics.ts";

const parameters = z.object({
  libraryId: libraryIdText.describe("Library ID; its versions are counted together."),
  days: integer(1, 365).prefault(30).describe("Days that are listed, today among them."),
});

/** Maximum number of topics and countries of an answer. */
const atMost = 100;

/** How a library is used. */
export const metricsRoute: Route = route({
  method: "GET",
  path: "/api/v2/libs/metrics",
  scope: "read",
  limit: "read",
  about: {
    operationId: "getMetrics",
    tag: "Reading",
    summary: "Get how a library is used",
    description:
      "For keys of the teamspace that owns the library; of a public one for those of `default`, and of the teamspace whose key submitted it. Counts are at most a minute old.",
  },
  parameters,
  answers: success(metricsSchema),
  failures: [...libraryFailures, "library_redirected"],
  async handler({ caller, parameters: { libraryId, days }, options }) {
    const { catalog, now } = options.ports;
    const { library, requested } = await findLibrary(catalog, caller, libraryId);
    authorize(caller, "library.metrics", library);
    if (library.redirect !== null) throw redirected(library, requested, caller);
    return jsonAnswer(toMetrics(await catalog.metrics.of(library.uid, { since: firstOfDays(now(), days), atMost })));
  },
});
