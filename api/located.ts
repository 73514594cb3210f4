import { locateLibrary, type Answerer, type Located } from "../domain/answering.ts";
import type { Caller } from "../domain/access.ts";
import { kindOf } from "../domain/kinds/index.ts";
import { showLibrary } from "../domain/library.ts";
import { oneLine } from "../domain/one-line.ts";
import type { Passage } from "../domain/passage.ts";
import { isSameVersion, matchVersions } from "../domain/version-match.ts";
import type { Act } from "./auditing.ts";
import type { ApiOptions, ApiPorts } from "./options.ts";
import { passageWithoutDisk, withAbsoluteLinks } from "./served-addresses.ts";

/** The audit record of a read, which starts the indexing of a requested version. */
export type ReadAct = Pick<Act, "begin" | "failed">;

/** Finds the generation that answers for a library ID, and records what that starts. @throws Failure as `locateLibrary` */
export function locate(ports: ApiPorts, caller: Caller, libraryId: string, act: ReadAct): Promise<Located> {
  return locateLibrary({ ...ports, indexVersion: recorded(ports.indexVersion, act) }, caller, libraryId);
}

/** Records the indexing of a requested version in the audit log, as it is a submission. */
function recorded(indexVersion: ApiOptions["ports"]["indexVersion"], act: ReadAct): typeof indexVersion {
  return async (library, ref) => {
    await act.begin("version.index", [{ libraryName: showLibrary(library.id, ref.name) }]);
    try {
      await indexVersion(library, ref);
    } catch (error) {
      act.failed(error);
      throw error;
    }
  };
}

/** Passages with absolute links, and with paths of the server's disk if the caller may see them. */
export function servedPassages(passages: readonly Passage[], showsDisk: boolean): readonly Passage[] {
  return (showsDisk ? passages : passages.map(passageWithoutDisk)).map(withAbsoluteLinks);
}

/** Library and version that answer, such as `/acme/widgets/v2`. */
export function shownLibrary(located: Answerer): string {
  return showLibrary(located.library.id, shownVersion(located));
}

/** The version that answers, for display: the default version of a package has its ref. */
function shownVersion({ library, version, generation }: Answerer): string {
  return kindOf(library.source).namesVersion === true ? (generation.ref ?? version) : version;
}

/** The requested version, if it is a range or written differently; else null. */
export function choiceOf(located: Answerer): string | null {
  return located.asked === located.version || isSameVersion(located.asked, shownVersion(located))
    ? null
    : located.asked;
}

/** The version that answers, with a sentence. */
export interface Answering {
  readonly version: string;
  readonly sentence: string;
  readonly isNearest?: true;
}

/** The sentence on the version that answers; undefined if it is the requested one. */
export function answeringOf(located: Answerer): Answering | undefined {
  const { library, asked } = located;
  const version = shownVersion(located);
  const choice = choiceOf(located);
  const isNamed = kindOf(library.source).namesVersion === true;
  if (choice === null && !isNamed) return undefined;
  const shown = showLibrary(library.id, version);
  if (choice === null) return { version, sentence: `This is ${shown}.` };
  const fits = !isNamed || matchVersions(asked, [{ name: version, kind: "tag" }], library.id).length > 0;
  if (fits) return { version, sentence: `This is ${shown}, which "${choice}" stands for.` };
  const sentence = `This is ${shown}, the nearest version that is indexed: ${oneLine(choice)} is not.`;
  return { version, sentence, isNearest: true };
}
