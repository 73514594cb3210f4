import type { ApiSettings } from "../../api/options.ts";

/** What the server of a test is told, unless the test says otherwise. */
export const apiSettings: ApiSettings = {
  anonymous: "search",
  rateLimitReads: 600,
  rateLimitSubmissions: 30,
  rateLimitAnonymous: 60,
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
  gitHosts: { github: ["git.corp.example"], gitlab: ["lab.corp.example"], bitbucket: [], gitea: ["codeberg.org"] },
};
