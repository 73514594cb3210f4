import { maxTeamNote } from "../../../domain/feedback.ts";
import { html, nothing, type Html } from "../html.ts";
import { libraryPath } from "../views/addresses.ts";
import { lines } from "../views/fields.ts";
import { hiddenFields } from "../views/parts.ts";
import type { LibraryTab } from "./tab.ts";

/** The note of the visitor's teamspace on a library. */
export const noteTab: LibraryTab = {
  name: "note",
  label: "Team note",
  isFor: ({ permitted }) => permitted.includes("note"),
  async show({ ask, formToken }, _status, id) {
    const { text } = await ask<{ readonly text: string }>("/v2/libs/team-note", { libraryId: id });
    return noteView(text, id, formToken);
  },
};

/** The form of the note; a refused one has its text and the problem. */
export function noteView(text: string, id: string, formToken: string, problem?: string): Html {
  const fields = hiddenFields(formToken, ["id", id]);
  return html`<section class="card stack" aria-labelledby="note">
    <h2 id="note">Note of your team</h2>
    <p class="muted small">
      It follows the answers of all versions of this library, marked as your team's, for callers of your teamspace only.
    </p>
    <form class="stack" method="post" action="/-/library/note">
      ${fields}
      ${lines("Note", "text", {
        value: text,
        isWide: true,
        problem,
        hint: `Markdown, ${maxTeamNote} characters at most.`,
      })}
      <p class="actions">
        <button class="button primary">Save</button
        ><a class="button quiet" href="${libraryPath(id, { tab: "note" })}">Discard changes</a>
      </p>
    </form>
    ${
      text === "" || problem !== undefined
        ? nothing
        : html`<form method="post" action="/-/library/note">
            ${fields}<button class="button danger">Delete the note</button>
          </form>`
    }
  </section>`;
}
