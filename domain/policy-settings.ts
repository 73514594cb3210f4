import type { SourceType } from "./kinds/index.ts";

/** What the callers of a teamspace may read. `readEntry` has normalised the entries of lists. */
export interface PolicySettings {
  readonly disabledTypes: readonly SourceType[];
  /** Which of the next two members applies; null: neither. */
  readonly mode: "quality" | "select" | null;
  readonly quality: {
    readonly requireVerified: boolean;
    /** 0 to 10. */
    readonly minTrustScore: number | null;
    readonly maxAgeDays: number | null;
    readonly blockedLibraries: readonly string[];
    readonly exceptedLibraries: readonly string[];
    readonly repoFilters: {
      readonly minStars: number | null;
      /** SPDX identifiers; empty: any. */
      readonly allowedLicenses: readonly string[];
    };
    readonly websiteFilters: {
      readonly minBacklinks: number | null;
      readonly minReferringDomains: number | null;
      readonly minOrganicTraffic: number | null;
    };
  };
  readonly select: { readonly allowedLibraries: readonly string[] };
  /** Whether the upstream of the server is asked too. */
  readonly upstream: boolean;
}

/** The default policy: every local library is allowed, and the upstream is not asked. */
export const openPolicy: PolicySettings = {
  disabledTypes: [],
  mode: null,
  quality: {
    requireVerified: false,
    minTrustScore: null,
    maxAgeDays: null,
    blockedLibraries: [],
    exceptedLibraries: [],
    repoFilters: { minStars: null, allowedLicenses: [] },
    websiteFilters: { minBacklinks: null, minReferringDomains: null, minOrganicTraffic: null },
  },
  select: { allowedLibraries: [] },
  upstream: false,
};
