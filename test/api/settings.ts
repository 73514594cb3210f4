import type { ApiOptions, ApiSettings } from "../../api/options.ts";
import { readLockfile } from "../../extract/lockfiles/index.ts";
import { publicRegistries } from "../support/public-registries.ts";

/** The default settings of a test's server. */
export const apiSettings: ApiSettings = {
  anonymous: "search",
  rateLimitReads: 600,
  rateLimitSubmissions: 30,
  rateLimitAnonymous: 60,
  rateLimitTeamspaceReads: 0,
  rateLimitTeamspaceSubmissions: 0,
  requestsAtOnce: 64,
  readTimeoutSeconds: 20,
  streamsPerKey: 20,
  trustedProxies: [],
  countryHeader: null,
  publicUrl: null,
  loopback: false,
  allowedOrigins: [],
  temporalUiOrigins: [],
  sendLocation: true,
  sourceRules: false,
  maxAgeSeconds: 300,
  unusedVersionDays: 60,
  feedbackDays: 90,
  registries: publicRegistries,
  gitHosts: { github: ["git.corp.example"], gitlab: ["lab.corp.example"], bitbucket: [], gitea: ["codeberg.org"] },
};

/** Reads lockfiles in the process of the test. */
export const readHere: ApiOptions["readLockfile"] = async (name, bytes) => readLockfile({ name, bytes });
