import type { Caller } from "../domain/access.ts";
import { showLibrary } from "../domain/library.ts";
import type { UpstreamContext } from "../domain/upstream.ts";
import { upstreamTarget } from "../domain/upstream-privacy.ts";
import { redirected } from "../domain/answering.ts";
import { Failure } from "../domain/failures.ts";
import { entityTag } from "./caching.ts";
import type { ApiPorts } from "./options.ts";
import type { Read, Reading, ReadRequest } from "./reading.ts";
import { rulesField, rulesText } from "./rules.ts";
import type { Rules } from "./rules.ts";

const separator = `\n\n${"-".repeat(32)}\n\n`;

/** Reads as `here` does, and asks the upstream of `ports` for libraries that do not exist here. */
export function withUpstream<Here extends { readonly read: Read }>(here: Here, ports: ApiPorts): Here {
  const read: Read = async (caller, asked, act, isHeld = () => false) => {
    try {
      return await here.read(caller, asked, act, isHeld);
    } catch (error) {
      if (asked.alone || !(error instanceof Failure && error.code === "library_not_found")) throw error;
      const there = await readBeyond(ports, caller, asked, isHeld);
      if (there === undefined) throw error;
      return there;
    }
  };
  return { ...here, read };
}

/**
 * The answer of the upstream to a question to a library that does not exist here, with the rules of the teamspace; undefined: the
 * upstream must not be asked.
 * @throws Failure of the upstream about the library; access_denied; service_unavailable
 */
async function readBeyond(
  ports: ApiPorts,
  caller: Caller,
  { libraryId, alone: _alone, ...asked }: ReadRequest,
  isHeld: (tag: string) => boolean,
): Promise<Reading | undefined> {
  const { upstream } = ports;
  const library = await upstreamTarget(ports, caller, libraryId);
  if (!upstream || !library) return undefined;
  const { id, version, access } = library;
  // Both notations of a version work everywhere; the hosted service shows IDs with a slash.
  const named = version === "" ? id : `${id}/${version}`;
  const { body, withheld } = await upstream.ask({ ...asked, libraryId: named }).catch((error: unknown): never => {
    throw hiddenMove(error, id, caller);
  });
  const rules: Rules = { global: access.globalRules, libraryOwn: [], libraryTeam: access.rulesOf(id) };
  const note = withheld === 0 ? [] : [withheldNote(withheld)];
  const rendered = "codeSnippets" in body ? toJson(body, rules, note) : toText(body, id, rules, note);
  const tag = entityTag([access.revision, rendered]);
  const read = { libraryUid: null, topic: null, library: showLibrary(id, version), tag };
  return { ...read, body: isHeld(tag) ? null : rendered };
}

/** A library may have moved to one that is hidden from the caller. */
function hiddenMove(error: unknown, id: string, caller: Caller): unknown {
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
  { codeSnippets, infoSnippets, notes: told }: UpstreamContext,
  rules: Rules,
  more: readonly string[],
): NonNullable<Reading["body"]> {
  const notes = [...told, ...more];
  return {
    codeSnippets: codeSnippets.map((snippet) => ({ ...snippet, codeList: [...snippet.codeList] })),
    infoSnippets: [...infoSnippets],
    ...rulesField(rules),
    ...(notes.length > 0 && { notes }),
  };
}
