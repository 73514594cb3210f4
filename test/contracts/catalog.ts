import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Catalog } from "../../domain/ports.ts";
import { describeAudit } from "./catalog-audit.ts";
import { describeAccess } from "./catalog-access.ts";
import { describeCredentials } from "./catalog-credentials.ts";
import { describeHosts } from "./catalog-hosts.ts";
import { describeFeedback } from "./catalog-feedback.ts";
import { describeHooks } from "./catalog-hooks.ts";
import { describeManifests } from "./catalog-manifests.ts";
import { describeReceivers } from "./catalog-receivers.ts";
import { describeAgents, describeSessions } from "./catalog-sessions.ts";
import { describeFacets } from "./catalog-facets.ts";
import { describeReputations } from "./catalog-reputations.ts";
import { describeGenerations } from "./catalog-generations.ts";
import { describeLibraries } from "./catalog-libraries.ts";
import { describeMetrics } from "./catalog-metrics.ts";
import { describeMoves } from "./catalog-moves.ts";
import { describePackages } from "./catalog-packages.ts";
import { describeReleases } from "./catalog-releases.ts";
import { describeReplacing } from "./catalog-replacing.ts";
import { describeRenames } from "./catalog-renames.ts";
import { describeLeases, describeRuns } from "./catalog-runs.ts";
import type { OpenedCatalog } from "./catalog-samples.ts";
import { describeTroubles } from "./catalog-troubles.ts";
import { describeUsage } from "./catalog-usage.ts";
import { describeUploads } from "./catalog-uploads.ts";
import { describeRules } from "./catalog-rules.ts";
import { describeSequences } from "./catalog-sequences.ts";

/** What every Catalog must do. One test file per adapter calls this; `open` gives an empty catalog each time. */
export function describeCatalog(name: string, open: () => Promise<OpenedCatalog>): void {
  describe(`${name} as a Catalog`, () => {
    let opened: OpenedCatalog;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.cleanup());
    const current = (): Catalog => opened.catalog;

    describeLibraries(current);
    describeFacets(current);
    describeReplacing(current);
    describeMoves(current);
    describeRenames(current);
    describeReleases(current);
    describeRuns(current);
    describeLeases(current);
    describeGenerations(current);
    describeSequences(current);
    describeUsage(current);
    describeAccess(current);
    describeRules(current);
    describeCredentials(current);
    describeHosts(current);
    describeSessions(current);
    describeHooks(current);
    describeManifests(current);
    describeFeedback(current);
    describeReceivers(current);
    describeAgents(current);
    describeAudit(current);
    describeMetrics(current);
    describeReputations(current);
    describePackages(current);
    describeUploads(current);
    describeTroubles(current);

    it("is ready once it is open", async () => {
      await expect(current().ready()).resolves.toBeUndefined();
    });
  });
}
