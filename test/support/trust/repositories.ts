import type { GitHost } from "../../../domain/source.ts";

/** The figures in a host's answer. Times are in days ago. */
interface Figures {
  readonly stars: number;
  readonly forks?: number;
  readonly followers?: number;
  readonly repositories?: number;
  readonly ownerDays?: number;
  /** Age of the repository; by default the owner's. */
  readonly days?: number;
  readonly changed: number;
  /** Share of the owner's profile that is filled in, 0 to 1. */
  readonly profile?: number;
  readonly isFork?: boolean;
  readonly isArchived?: boolean;
  readonly homepage?: string;
}

/** A repository with an invented answer of its host. */
export interface Repository {
  readonly what: string;
  readonly host: Exclude<GitHost, "git">;
  /** Path on the public service of the host. */
  readonly name: string;
  readonly figures: Figures;
  /** The library that it copies. */
  readonly original?: string;
  /** The host does not answer. */
  readonly isSilent?: boolean;
  /** Hosts are not asked about private libraries. */
  readonly isPrivate?: boolean;
  /** Score set by an administrator. */
  readonly set?: number;
}

const company = { followers: 25_000, repositories: 200, ownerDays: 4000 };
const person = { followers: 40, repositories: 30, ownerDays: 2500, profile: 0.75 };
const stranger = { followers: 0, repositories: 1, ownerDays: 20, profile: 0 };

/** Well-known names with round figures of about their size, and invented ones (acme, mallory). */
export const repositories: readonly Repository[] = [
  {
    what: "famous",
    host: "github",
    name: "vercel/next.js",
    figures: { stars: 130_000, forks: 29_000, changed: 0, ...company },
  },
  {
    what: "famous",
    host: "github",
    name: "expressjs/express",
    figures: { stars: 66_000, forks: 17_000, changed: 5, ...company, followers: 1500 },
  },
  {
    what: "famous, of a person",
    host: "github",
    name: "spf13/cobra",
    figures: { stars: 40_000, forks: 3000, changed: 20, ...person, followers: 5000, ownerDays: 5500 },
  },
  {
    what: "well known",
    host: "github",
    name: "acme/known",
    figures: { stars: 1200, forks: 110, changed: 10, ...person, followers: 300 },
  },
  {
    what: "small and maintained",
    host: "github",
    name: "acme/small",
    figures: { stars: 60, forks: 6, changed: 15, ...person },
  },
  {
    what: "small, not changed for four years",
    host: "github",
    name: "acme/left",
    figures: { stars: 60, forks: 6, changed: 1460, ...person },
  },
  {
    what: "new, of a known company",
    host: "github",
    name: "vercel/fresh",
    figures: { stars: 30, forks: 1, days: 10, changed: 0, ...company },
  },
  { what: "new, of a stranger", host: "github", name: "mallory/new", figures: { stars: 1, changed: 0, ...stranger } },
  {
    what: "new, with bought stars",
    host: "github",
    name: "mallory/bought",
    figures: { stars: 5000, forks: 3, changed: 0, ...stranger },
  },
  {
    what: "fork, of a stranger",
    host: "github",
    name: "mallory/next.js",
    figures: { stars: 0, changed: 0, isFork: true, ...stranger },
  },
  {
    what: "fork that is better known than most",
    host: "github",
    name: "acme/next.js",
    figures: { stars: 9000, forks: 300, changed: 3, isFork: true, ...person },
  },
  {
    what: "copy, not a fork",
    host: "github",
    name: "mallory/nextjs",
    figures: { stars: 2000, forks: 10, changed: 0, ...person },
    original: "/vercel/next.js",
  },
  {
    what: "famous, archived",
    host: "github",
    name: "request/request",
    figures: { stars: 25_000, forks: 3000, changed: 700, isArchived: true, ...person, ownerDays: 4500 },
  },
  {
    what: "small, archived",
    host: "github",
    name: "acme/ended",
    figures: { stars: 60, forks: 6, changed: 1460, isArchived: true, ...person },
  },
  {
    what: "famous",
    host: "gitlab",
    name: "inkscape/inkscape",
    figures: { stars: 3600, forks: 1100, days: 3300, changed: 0 },
  },
  { what: "new, of a stranger", host: "gitlab", name: "mallory/new", figures: { stars: 0, days: 20, changed: 0 } },
  {
    what: "fork",
    host: "gitlab",
    name: "mallory/inkscape",
    figures: { stars: 2, days: 900, changed: 0, isFork: true },
  },
  {
    what: "any: the host has no stars",
    host: "bitbucket",
    name: "acme/widgets",
    figures: { stars: 0, days: 3000, changed: 2 },
  },
  {
    what: "well known",
    host: "gitea",
    name: "forgejo/forgejo",
    figures: { stars: 3500, forks: 500, changed: 0, followers: 600, ownerDays: 1400 },
  },
  { what: "new, of a stranger", host: "gitea", name: "mallory/new", figures: { stars: 0, changed: 0, ...stranger } },
  {
    what: "any: the host does not answer",
    host: "github",
    name: "acme/unknown",
    figures: { stars: 0, changed: 0 },
    isSilent: true,
  },
  { what: "private", host: "github", name: "acme/private", figures: { stars: 0, changed: 0 }, isPrivate: true },
  {
    what: "private, set to 9 by an administrator",
    host: "github",
    name: "acme/handbook",
    figures: { stars: 0, changed: 0 },
    isPrivate: true,
    set: 9,
  },
];
