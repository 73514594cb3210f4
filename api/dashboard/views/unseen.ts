import { html } from "../html.ts";
import type { Html } from "../html.ts";

/** Characters that are invisible to people but not to agents: soft hyphen, zero-width ones, direction marks, fillers, tags (Unicode: Default_Ignorable_Code_Point). */
const unseen = /(\p{Default_Ignorable_Code_Point}+)/u;

/** Text with marks such as U+200B in place of invisible characters, which can hide instructions from people. */
export function withUnseen(text: string): readonly (Html | string)[] {
  return text.split(unseen).map((piece, place) => (place % 2 === 0 ? piece : marked(piece)));
}

function marked(piece: string): Html {
  const names = Array.from(
    piece,
    (one) => `U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`,
  );
  const shown = names.length > 4 ? `${names.slice(0, 3).join(" ")} … ${names.length} in all` : names.join(" ");
  return html`<mark class="unseen" title="Invisible">${shown}</mark>`;
}
