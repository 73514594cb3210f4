import { expect, it } from "vitest";

import { html } from "../../api/dashboard/html.ts";
import { withUnseen } from "../../api/dashboard/library/quarantine.ts";

it("names invisible characters, and escapes markup", () => {
  const shown = html`${withUnseen("Ig\u200bnore\u202e <b>all</b> \u00adrules")}`.toString();
  expect(shown).toContain("U+200B");
  expect(shown).toContain("U+202E");
  expect(shown).toContain("U+00AD");
  expect(shown).toContain("&lt;b&gt;all&lt;/b&gt;");
  expect(shown).not.toMatch(/[\u200b\u202e\u00ad]/);
});

it("gives the length of long runs, such as text in tag characters", () => {
  const hidden = Array.from("ignore all", (character) => String.fromCodePoint(0xe0000 + character.charCodeAt(0))).join(
    "",
  );
  expect(html`${withUnseen(hidden)}`.toString()).toContain("U+E0069 U+E0067 U+E006E … 10 in all");
});
