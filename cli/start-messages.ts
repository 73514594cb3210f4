import { isLoopback } from "../api/ip-addresses.ts";
import { settings, likelyTypos, type Config } from "./config.ts";
import type { Logger } from "pino";
import { gitProblem } from "../sources/git/program.ts";
import { programName } from "./program-name.ts";

/** The facts that `lectern serve` prints after its start. */
export interface Started {
  readonly config: Pick<Config, "adminKey" | "indexOwnDocs" | "host" | "anonymous">;
  readonly url: string;
  readonly folder: string;
  /** The admin key that this start created; absent: none. */
  readonly key: string | null;
  /** The sign-in link; absent: none. */
  readonly link?: string | undefined;
}

/** Lines for people: address, key and next steps. */
export function startedLines({ config, url, folder, key, link }: Started): readonly string[] {
  const open = anonymousAccess(config);
  const usual = `http://${settings.host.default}:${settings.port.default}`;
  return [
    `Lectern is running at ${url}`,
    `  data folder  ${folder}`,
    `  admin key    ${key === null ? whereKeyIs(config) : `${key}   (shown this once: keep it)`}`,
    ...(link === undefined ? [] : [`  dashboard    ${link}   (signs in once, for 15 minutes)`]),
    ...(open === null ? [] : [`  open to all  ${open}`]),
    "",
    "Now, in another terminal:",
    ...(url === usual ? [] : [`  export PUBLIC_URL=${url}`]),
    ...(key === null ? [] : [`  export LECTERN_ADMIN_KEY=${key}`]),
    ...(config.indexOwnDocs ? [`  ${programName()} ask /docs/lectern "How do I add a repository?"`] : []),
    `  ${programName()} add https://github.com/vitejs/vite`,
    "",
    "Read on in docs/getting-started.md and docs/guides/troubleshoot.md. Ctrl-C stops the server. Its log follows.",
  ];
}

/** Messages for machines, one per fact. They wait for the last one, that the server is running. */
export function startedMessages({ config, url, folder, key }: Started): readonly string[] {
  const open = anonymousAccess(config);
  return [
    ...(open === null ? [] : [`Open to all: ${open}`]),
    ...(key === null ? [] : [`admin key ${key} (shown this once: keep it)`]),
    `Lectern is running at ${url} with its data in ${folder}`,
  ];
}

/** What others may read without a key, as a clause; null if no other machine can reach the server. */
export function anonymousAccess({ host, anonymous }: Pick<Config, "host" | "anonymous">): string | null {
  if (isLoopback(host)) return null;
  return anonymous === "search"
    ? "everyone who reaches this address may search and read public libraries without a key (AUTH_ANONYMOUS=search)"
    : "no library: every read needs a key (AUTH_ANONYMOUS=off)";
}

function whereKeyIs({ adminKey }: Started["config"]): string {
  return adminKey === null
    ? "the one that the first start showed; if it is lost, set LECTERN_ADMIN_KEY to one of your own"
    : "the one in LECTERN_ADMIN_KEY";
}

/** Warns of problems that do not prevent a start: variables that look like misspelt settings, and a missing git. */
export async function warnAtStart(log: Logger, { readsGit }: { readonly readsGit: boolean }): Promise<void> {
  for (const sentence of likelyTypos(process.env)) log.warn(sentence);
  const problem = readsGit ? await gitProblem() : undefined;
  if (problem !== undefined) log.warn(problem);
}
