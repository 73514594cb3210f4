import type { Caller } from "../domain/access.ts";
import { showLibrary } from "../domain/library.ts";
import type { Upstream, UpstreamAnswer, UpstreamContext } from "../domain/upstream.ts";
import { upstreamTarget } from "../domain/upstream-privacy.ts";
import { redirected } from "../domain/answering.ts";
import { Failure } from "../domain/failures.ts";
import { entityTag } from "./caching.ts";
import type { ApiPorts } from "./options.ts";
import type { PageReading } from "./page-reading.ts";
import type { Read, Reading } from "./reading.ts";
import { separator } from "./render-text.ts";
import type { Rules } from "./computation.ts";
import { rulesField, rulesText } from "./rules.ts";

/** The functions that read libraries, here or at the upstream. */
type Reads = Pick<PageReading, "readPage"> & { readonly read: Read };

/** Adds a fallback to `local`: the upstream of `ports` answers for libraries that do not exist here. */
export function withUpstream<Local extends Reads>(local: Local, ports: ApiPorts): Local {
  const read: Read = async (caller, question, act, isCached = () => false) => {
    try {
      return await local.read(caller, question, act, isCached);
    } catch (error) {
      const { libraryId, localOnly, ...asked } = question;
      const ask = (upstream: Upstream, id: string) => upstream.ask({ ...asked, libraryId: id });
      return unlessThere(error, ports, caller, { libraryId, localOnly, ask, isCached });
    }
  };
  const readPage: PageReading["readPage"] = async (caller, question, act, isCached = () => false) => {
    try {
      return await local.readPage(caller, question, act, isCached);
    } catch (error) {
      const { libraryId, localOnly, type, ...asked } = question;
      const ask = (upstream: Upstream, id: string) => {
        if (type === "txt") return upstream.readPage({ ...asked, libraryId: id });
        const message = `${id} is a library of this server's upstream, whose pages can be read as text only: type=txt.`;
        throw new Failure("page_not_found", message);
      };
      const { body, ...reading } = await unlessThere(error, ports, caller, { libraryId, localOnly, ask, isCached });
      return { ...reading, body: typeof body === "string" ? body : null };
    }
  };
  return { ...local, read, readPage };
}

/** What is asked of the upstream in place of a library that is not here. */
interface Instead {
  readonly libraryId: string;
  /** The upstream must not be asked. */
  readonly localOnly: boolean;
  /** Asks the upstream about a library, by its ID there. */
  readonly ask: (upstream: Upstream, id: string) => Promise<UpstreamAnswer>;
  readonly isCached: (tag: string) => boolean;
}

/** The answer of the upstream. @throws the error of this server, unless a library is not here and the upstream may be asked */
async function unlessThere(error: unknown, ports: ApiPorts, caller: Caller, instead: Instead): Promise<Reading> {
  if (instead.localOnly || !(error instanceof Failure && error.code === "library_not_found")) throw error;
  const reading = await readUpstream(ports, caller, instead);
  if (reading === undefined) throw error;
  return reading;
}

/**
 * The answer of the upstream, with the rules of the teamspace; undefined if the upstream must not be asked.
 * @throws Failure of the upstream about the library; access_denied; service_unavailable
 */
async function readUpstream(
  ports: ApiPorts,
  caller: Caller,
  { libraryId, ask, isCached }: Instead,
): Promise<Reading | undefined> {
  const { upstream } = ports;
  const target = await upstreamTarget(ports, caller, libraryId);
  if (!upstream || !target) return undefined;
  const { id, version, access } = target;
  // Every server accepts both notations of a version; the hosted service shows IDs with a slash.
  const { body, withheld } = await ask(upstream, version === "" ? id : `${id}/${version}`).catch(
    (error: unknown): never => {
      throw withoutHiddenTarget(error, id, caller);
    },
  );
  const rules: Rules = { global: access.globalRules, libraryOwn: [], libraryTeam: access.rulesOf(id) };
  const notes = withheld === 0 ? [] : [withheldNote(withheld)];
  const rendered = "codeSnippets" in body ? toJson(body, rules, notes) : toText(body, id, rules, notes);
  const tag = entityTag([access.revision, rendered]);
  const library = showLibrary(id, version);
  return { libraryUid: null, topic: null, library, tag, body: isCached(tag) ? null : rendered };
}

/** Replaces a redirect to a library that is hidden from the caller. */
function withoutHiddenTarget(error: unknown, id: string, caller: Caller): unknown {
  const to = error instanceof Failure && error.code === "library_redirected" ? error.details.redirectUrl : undefined;
  return to === undefined ? error : redirected({ id, redirect: to, teamspace: "" }, "", caller);
}

function withheldNote(withheld: number): string {
  const what = withheld === 1 ? "One passage" : `${withheld} passages`;
  return `${what} of the upstream's answer ${withheld === 1 ? "is" : "are"} withheld: what is there reads like an order to agents.`;
}

function toText(items: readonly string[], id: string, rules: Rules, notes: readonly string[]): string {
  const last = notes.length === 0 ? "" : `\n\n[${notes.join(" ")}]`;
  return `${`${rulesText(id, rules)}${items.join(separator)}`.trimEnd()}${last}`.trimStart();
}

function toJson(
  { codeSnippets, infoSnippets, notes: upstreamNotes }: UpstreamContext,
  rules: Rules,
  ownNotes: readonly string[],
): NonNullable<Reading["body"]> {
  const notes = [...upstreamNotes, ...ownNotes];
  return {
    codeSnippets: codeSnippets.map((snippet) => ({ ...snippet, codeList: [...snippet.codeList] })),
    infoSnippets: [...infoSnippets],
    ...rulesField(rules),
    ...(notes.length > 0 && { notes }),
  };
}
