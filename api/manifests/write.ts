import { Document } from "yaml";
import type { Caller } from "../../domain/access.ts";
import { may } from "../../domain/authorizing.ts";
import { kindOf } from "../../domain/kinds/index.ts";
import { isSame } from "../../domain/library-manifest.ts";
import type { LibraryRecord } from "../../domain/ports.ts";
import { forms } from "../forms/index.ts";
import type { ApiOptions } from "../options.ts";
import { ownTeamspace } from "../routes/teamspaces.ts";
import { actingIn, fieldsOf, manifestForms } from "./entries.ts";

type Fields = Record<string, unknown>;

/** A manifest of the libraries that a caller may change: those of a teamspace, with public ones for the caller's own. */
export async function writeManifest(
  { ports: { catalog } }: Pick<ApiOptions, "ports">,
  caller: Caller,
  teamspace: string,
): Promise<string> {
  const isOwn = teamspace === ownTeamspace(caller);
  const by = actingIn(caller, teamspace);
  const names = new Map((await catalog.credentials.list(teamspace)).map(({ id, name }) => [id, name]));
  const left: string[] = [];
  const entries: Fields[] = [];
  let cursor: string | undefined;
  do {
    const { items, next } = await catalog.libraries.list({
      teamspaces: isOwn ? [teamspace, ""] : [teamspace],
      patterns: caller.libraries,
      limit: 100,
      ...(cursor !== undefined && { cursor }),
    });
    cursor = next ?? undefined;
    for (const { library, versions } of items.filter((view) => may(by, "library.change", view.library))) {
      // Added by the server itself, or a trace of a rename.
      if (library.submittedBy?.keyId === "serve" || library.redirect !== null) continue;
      const entry = entryOf(library, versions, names, isOwn);
      if (typeof entry === "string") left.push(entry);
      else entries.push(entry);
    }
  } while (cursor !== undefined);
  const document = new Document({ ...(!isOwn && { teamspace }), libraries: entries });
  const comments = left.map((line) => ` ${line}`).join("\n");
  if (comments !== "") document.comment = comments;
  return document.toString({ lineWidth: 0 });
}

/** The entry of a library, or why it has none. */
function entryOf(
  library: LibraryRecord,
  versions: readonly string[],
  credentials: ReadonlyMap<string, string>,
  isOwn: boolean,
): Fields | string {
  const { id, source, title, teamspace, credential } = library;
  const { place, options } = forms[source.kind];
  const placed = place(source);
  const form = manifestForms.find(({ kind }) => kind === source.kind);
  if (placed === null || !form) return `${id} was uploaded, and has no source to read again.`;
  const { credential: _own, ...fields } = fieldsOf(library);
  const given = Object.entries(fields).filter(([name, value]) => {
    const standard = options?.fields[name]?.safeParse(undefined).data;
    return form.names.includes(name) && !isSame(value, standard) && !isSame(value, []);
  });
  const derived = kindOf(source).deriveId(source, title);
  const named = credential === null ? undefined : credentials.get(credential);
  if (credential !== null && named === undefined)
    return `${id} is read with a credential of its own. Make a shared one, and give it to the library.`;
  const isPrivate = isOwn && teamspace !== "" && form.names.includes("private");
  const others = versions.filter((version) => version !== "");
  return {
    ...placed,
    ...(derived !== id && { libraryName: id }),
    ...(source.kind === "notion" && { title }),
    ...(named !== undefined && { credential: named }),
    ...(isPrivate && { private: true }),
    ...Object.fromEntries(given),
    ...(others.length > 0 && form.names.includes("versions") && { versions: others }),
  };
}
