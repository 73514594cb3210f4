import { html, type Html } from "../html.ts";
import type { Summary } from "../../answer-types.ts";
import { badge, type Tone } from "./parts.ts";

type State = Summary["state"];
type Trouble = Summary["troubles"][number];

const states: Readonly<Record<State, readonly [Tone, string]>> = {
  initial: ["busy", "Waiting"],
  processing: ["busy", "Indexing"],
  finalized: ["good", "Ready"],
  error: ["bad", "Failed"],
  redirected: ["plain", "Moved"],
};

/** Badge and explanation of each problem of a library. */
export const troubleLabels: Readonly<Record<Trouble, readonly [tone: Tone, label: string, meaning: string]>> = {
  failed: ["bad", "Failed", "The last run failed."],
  held: ["warn", "Held", "A refresh waits for an administrator, who publishes or drops it."],
  stuck: ["warn", "Stuck", "The open run is suspended, or has made no progress for half an hour."],
  quarantined: ["warn", "Quarantined", "Passages are quarantined: possible prompt injection."],
  damaged: ["bad", "Damaged", "Part of the live generation is missing or damaged."],
  unindexed: [
    "bad",
    "Not in the index",
    "The index has lost this library. It is being reloaded automatically, and cannot answer until then.",
  ],
  partial: ["warn", "Partly read", "Most of its documentation is in formats that are not read."],
};

/** The badge of the state of a library. */
export function stateBadge({ state, phase }: Pick<Summary, "state" | "phase">): Html {
  const [tone, label] = states[state];
  const refreshes = state === "finalized" && phase !== null;
  return html`${badge(tone, label)}${refreshes ? html` ${badge("busy", "Refreshing")}` : null}`;
}

/** The badges of the problems of a library. */
export function troubleBadges(troubles: readonly Trouble[]): readonly Html[] {
  return troubles.map((one) => {
    const [tone, label, meaning] = troubleLabels[one];
    return html`<span title="${meaning}">${badge(tone, label)}</span> `;
  });
}

const kinds: Readonly<Record<string, string>> = {
  git: "Repository",
  folder: "Folder",
  llmstxt: "llms.txt",
  openapi: "OpenAPI",
  website: "Website",
  confluence: "Confluence",
  notion: "Notion",
  package: "Package",
};

/** Display names of the kinds of source. */
export const kindNames: readonly (readonly [kind: string, name: string])[] = Object.entries(kinds);

/** The display name of a kind of source. */
export function kindName(kind: string): string {
  return kinds[kind] ?? kind;
}
