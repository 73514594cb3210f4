import type * as z from "zod";
import type { Caller } from "../../domain/access.ts";
import { redirected } from "../../domain/answering.ts";
import { Failure, isFailure } from "../../domain/failures.ts";
import { showLibrary } from "../../domain/library.ts";
import type { Upstream, UpstreamAnswer, UpstreamContext } from "../../domain/upstream.ts";
import { upstreamTarget } from "../../domain/upstream-privacy.ts";
import { entityTag } from "../caching.ts";
import type { ApiPorts } from "../options.ts";
import type { contextSchema } from "../schemas/reading.ts";
import { framedText, rulesField, separator, type Rules } from "./frame.ts";
import type { createPageReading } from "./pages.ts";
import type { Asked, createReading, Reading, Reads } from "./reading.ts";

type Context = z.infer<typeof contextSchema>;

/** The functions that read libraries. */
export type Readings = ReturnType<typeof createReading> & ReturnType<typeof createPageReading>;

/** Adds a fallback to `local`: the upstream of `ports` answers for libraries that do not exist here. */
export function withUpstream(local: Readings, ports: ApiPorts): Readings {
  return {
    ...local,
    read: orUpstream(ports, local.read, (upstream, question) => upstream.ask(question)),
    readPage: orUpstream(ports, local.readPage, (upstream, question) => {
      if (question.type === "txt") return upstream.readPage(question);
      const message = `${question.libraryId} is a library of this server's upstream, whose pages can be read as text only: type=txt.`;
      throw new Failure("page_not_found", message);
    }),
  };
}

/** Reads here, or what `ask` gets of the upstream, with the library's ID there, if a library is not here and the upstream may be asked. */
function orUpstream<Question extends Asked, Body>(
  ports: ApiPorts,
  read: Reads<Question, Body | string | Context>,
  ask: (upstream: Upstream, question: Question) => Promise<UpstreamAnswer>,
): typeof read {
  return async (caller, question, act, isCached = () => false) => {
    try {
      return await read(caller, question, act, isCached);
    } catch (error) {
      if (question.localOnly || !isFailure(error, "library_not_found")) throw error;
      const askAs = (upstream: Upstream, libraryId: string) => ask(upstream, { ...question, libraryId });
      const reading = await readUpstream(ports, caller, question.libraryId, askAs);
      if (reading === undefined) throw error;
      return isCached(reading.tag) ? { ...reading, body: null } : reading;
    }
  };
}

/**
 * The answer of the upstream, with the rules of the teamspace; undefined if the upstream must not be asked.
 * @throws Failure of the upstream about the library; access_denied; service_unavailable
 */
async function readUpstream(
  ports: ApiPorts,
  caller: Caller,
  libraryId: string,
  ask: (upstream: Upstream, id: string) => Promise<UpstreamAnswer>,
): Promise<Reading<string | Context> | undefined> {
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
  const shown = showLibrary(id, version);
  const rendered =
    "codeSnippets" in body
      ? toJson(body, rules, notes)
      : framedText({ library: id, shown, rules }, body.join(separator), notes);
  const tag = entityTag([access.revision, rendered]);
  return { libraryUid: null, topic: null, library: shown, tag, body: rendered };
}

/** Replaces a redirect to a library that is hidden from the caller. */
function withoutHiddenTarget(error: unknown, id: string, caller: Caller): unknown {
  const to = isFailure(error, "library_redirected") ? error.details.redirectUrl : undefined;
  return to === undefined ? error : redirected({ id, redirect: to, teamspace: "" }, "", caller);
}

function withheldNote(withheld: number): string {
  const what = withheld === 1 ? "One passage" : `${withheld} passages`;
  return `${what} of the upstream's answer ${withheld === 1 ? "is" : "are"} withheld: what is there reads like an order to agents.`;
}

function toJson(
  { codeSnippets, infoSnippets, notes: upstreamNotes }: UpstreamContext,
  rules: Rules,
  own: string[],
): Context {
  const notes = [...upstreamNotes, ...own];
  return {
    codeSnippets: codeSnippets.map((snippet) => ({ ...snippet, codeList: [...snippet.codeList] })),
    infoSnippets: [...infoSnippets],
    ...rulesField(rules),
    ...(notes.length > 0 && { notes }),
  };
}
