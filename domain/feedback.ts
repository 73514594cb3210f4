import { redirected } from "./answering.ts";
import type { Caller } from "./access.ts";
import { authorize } from "./authorizing.ts";
import type { FeedbackRecord } from "./catalog-feedback.ts";
import { Failure } from "./failures.ts";
import { oneLine } from "./one-line.ts";
import { findingTexts, type Finding } from "./passage.ts";
import type { LibraryView, Miss } from "./ports.ts";
import { findLibrary, type SubmittingPorts } from "./submitting.ts";

/** The ports that feedback and team notes need. */
export interface FeedbackPorts extends SubmittingPorts {
  /** Findings of possible prompt injection in a text, of every screen. @throws Failure service_unavailable */
  readonly screenText: (text: string) => Promise<readonly Finding[]>;
}

/** Maximum characters of a comment, and of a team note. */
export const maxComment = 500;
export const maxTeamNote = 4000;

/** Maximum number of questions that found nothing in a list. */
const missesShown = 100;

/** Keeps feedback on an answer that the caller may have read. @throws Failure as a read does */
export async function giveFeedback(
  ports: FeedbackPorts,
  caller: Caller,
  libraryId: string,
  given: Pick<FeedbackRecord, "verdict" | "words" | "comment">,
): Promise<void> {
  const view = await readableLibrary(ports, caller, libraryId);
  (await ports.policies.of(caller, view.accessRevision)).require(view.library, view.version?.live?.createdAt ?? null);
  await ports.catalog.feedback.add({
    ...given,
    comment: oneLine(given.comment).slice(0, maxComment),
    id: ports.newId(),
    libraryUid: view.library.uid,
    version: view.version?.version ?? "",
    teamspace: caller.teamspace ?? "",
    at: ports.now(),
  });
}

/** The feedback on a library and its questions that found nothing, for those who may change it. */
export async function listFeedback(
  ports: FeedbackPorts,
  caller: Caller,
  libraryId: string,
): Promise<{ readonly id: string; readonly feedback: readonly FeedbackRecord[]; readonly misses: readonly Miss[] }> {
  const { library } = await findLibrary(ports.catalog, caller, libraryId);
  authorize(caller, "library.change", library);
  const [feedback, misses] = await Promise.all([
    ports.catalog.feedback.list(library.uid),
    ports.catalog.libraries.misses(library.uid, missesShown),
  ]);
  return { id: library.id, feedback, misses };
}

/** The note of the caller's teamspace on a library; "": none. */
export async function teamNoteOf(ports: FeedbackPorts, caller: Caller, libraryId: string): Promise<string> {
  const view = await readableLibrary(ports, caller, libraryId);
  authorize(caller, "library.note", view.library);
  return caller.teamspace === null ? "" : (view.teamNote ?? "");
}

/** Replaces the note of the caller's teamspace on a library; "" removes it. @throws Failure validation_error if the screen finds something */
export async function changeTeamNote(
  ports: FeedbackPorts,
  caller: Caller,
  libraryId: string,
  text: string,
): Promise<string> {
  const { library } = await readableLibrary(ports, caller, libraryId);
  authorize(caller, "library.note", library);
  const findings = text === "" ? [] : await ports.screenText(text);
  if (findings.length > 0) {
    const why = findings.map((one) => findingTexts[one]).join(", ");
    const message = `Agents would read this note, and the screen holds it back: it ${why}. Say it as a fact about the library.`;
    throw new Failure("validation_error", message);
  }
  await ports.catalog.feedback.setTeamNote(caller.teamspace ?? "", library.uid, text, ports.now());
  return text === ""
    ? `The note on ${library.id} was removed.`
    : `The note goes with answers of ${library.id} from now on.`;
}

/** A library that the caller sees. @throws Failure library_not_found, library_redirected */
async function readableLibrary(ports: FeedbackPorts, caller: Caller, libraryId: string): Promise<LibraryView> {
  const view = await findLibrary(ports.catalog, caller, libraryId);
  if (view.library.redirect !== null) throw redirected(view.library, view.requested, caller);
  return view;
}
