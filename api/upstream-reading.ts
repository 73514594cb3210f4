import type { Caller } from "../domain/access.ts";
import { showLibrary } from "../domain/library.ts";
import type { UpstreamContext } from "../domain/upstream.ts";
import { upstreamTarget } from "../domain/upstream-privacy.ts";
import { redirected } from "../domain/answering.ts";
import { Failure } from "../domain/failures.ts";
import { entityTag } from "./caching.ts";
import type { ApiPorts } from "./options.ts";
import type { Read, Reading, ReadRequest } from "./reading.ts";
import { separator } from "./render-text.ts";
import { rulesField, rulesText, type Rules } from "./rules.ts";

/** Adds a fallback to `local`: the upstream of `ports` answers for libraries that do not exist here. */
export function withUpstream<Local extends { readonly read: Read }>(local: Local, ports: ApiPorts): Local {
  const read: Read = async (caller, question, act, isCached = () => false) => {
    try {
      return await local.read(caller, question, act, isCached);
    } catch (error) {
      if (question.localOnly || !(error instanceof Failure && error.code === "library_not_found")) throw error;
      const reading = await readUpstream(ports, caller, question, isCached);
      if (reading === undefined) throw error;
      return reading;
    }
  };
  return { ...local, read };
}

/**
 * The answer of the upstream, with the rules of the teamspace; undefined if the upstream must not be asked.
 * @throws Failure of the upstream about the library; access_denied; service_unavailable
 */
async function readUpstream(
  ports: ApiPorts,
  caller: Caller,
  { libraryId, localOnly: _alone, ...question }: ReadRequest,
  isCached: (tag: string) => boolean,
): Promise<Reading | undefined> {
  const { upstream } = ports;
  const target = await upstreamTarget(ports, caller, libraryId);
  if (!upstream || !target) return undefined;
  const { id, version, access } = target;
  // Every server accepts both notations of a version; the hosted service shows IDs with a slash.
  const upstreamId = version === "" ? id : `${id}/${version}`;
  const asked = upstream.ask({ ...question, libraryId: upstreamId });
  const { body, withheld } = await asked.catch((error: unknown): never => {
    throw withoutHiddenTarget(error, id, caller);
  });
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
