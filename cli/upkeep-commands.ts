import type * as z from "zod";
import type { Feedback } from "../api/answer-types.ts";
import { withQuery } from "../api/request.ts";
import type { hookSchema } from "../api/routes/hooks.ts";
import type { manifestRecordSchema } from "../api/routes/manifests.ts";
import type { receiverSchema } from "../api/routes/receivers.ts";
import { hookSenders } from "../domain/catalog-hooks.ts";
import { notificationEvents } from "../domain/catalog-receivers.ts";
import { createServerClient } from "./client.ts";
import { json, teamspace, type Command, type Given } from "./command.ts";
import { printAnswer, showValue, tableOf, textOfFile } from "./output.ts";
import { deletes, lists, sends, type Answer } from "./requests.ts";

/** The commands that keep libraries as they should be: library manifests, hooks, receivers, feedback and notes. */
export const upkeepCommands: Readonly<Record<string, Command>> = {
  apply: {
    takes: "[manifest]",
    summary: "Bring libraries to what a manifest declares; without a file, the manifest that the server watches.",
    example: "lectern apply libraries.yaml --dry-run",
    options: [
      { flag: "--dry-run", about: "Only say what would be done." },
      { flag: "--prune", about: "Remove libraries that the manifest added and does not declare any more." },
      { flag: "--overwrite", about: "Also set fields that a person has changed since it was applied." },
      { flag: "--yes", about: "Remove more than a tenth of its libraries." },
      json,
    ],
    load: () => import("./apply.ts"),
  },
  manifests: {
    summary: "List the manifests that were applied, and what has drifted from them.",
    options: [teamspace, json],
    load: lists<z.infer<typeof manifestRecordSchema>>({
      path: "/v2/manifests",
      member: "manifests",
      none: "No manifest was applied.",
      columns: ({ name, libraries, appliedAt, message, problems }) => [
        name,
        String(libraries),
        appliedAt,
        [message, ...problems].join(" "),
      ],
      below: (manifests) =>
        manifests.flatMap(({ name, drift, waiting }) => [
          ...drift.map(
            ({ libraryId, field, declared, present }) =>
              `${name}: ${libraryId} has ${field} ${showValue(present)}, and the manifest ${showValue(declared)}.`,
          ),
          ...waiting.map(({ libraryId, versions }) => `${name}: ${libraryId} waits for ${versions.join(", ")}.`),
        ]),
    }),
  },
  hooks: {
    summary: "List the hooks that hosts call when a source has changed.",
    options: [teamspace, json],
    load: lists<z.infer<typeof hookSchema>>({
      path: "/v2/hooks",
      member: "hooks",
      none: "There is no hook.",
      columns: ({ id, sender, libraryId, repositories, result, verificationToken: token }) => [
        id,
        sender,
        libraryId ?? repositories ?? "",
        token === undefined ? (result ?? "no delivery yet") : `enter at Notion: ${token}`,
      ],
    }),
  },
  "hooks create": {
    takes: "<sender> <library-or-owner>",
    summary: `Make a hook for a library, or for the repositories of an owner. Senders: ${hookSenders.join(", ")}.`,
    example: "lectern hooks create github https://github.com/acme, or lectern hooks create notion /notion/handbook",
    options: [teamspace, json],
    load: async () => ({ run: createHook }),
  },
  "hooks delete": deletes("hook", "Delete a hook."),
  receivers: {
    summary: "List the receivers of notifications, with the result of the last attempt.",
    options: [teamspace, json],
    load: lists<z.infer<typeof receiverSchema>>({
      path: "/v2/receivers",
      member: "receivers",
      none: "There is no receiver.",
      columns: ({ id, url, events, waiting, disabledAt, result }) => [
        id,
        url,
        events.join(" "),
        disabledAt === null ? `${waiting} waiting` : `disabled ${disabledAt.slice(0, 10)}`,
        result ?? "nothing sent yet",
      ],
    }),
  },
  "receivers create": {
    takes: "<address>",
    summary: "Add an address that is sent notifications, and print its secret once.",
    example: "lectern receivers create https://chat.example.com/lectern --event library.failed",
    options: [
      { flag: "--event NAME", about: "Only this event; default: all.", choices: notificationEvents, many: true },
      teamspace,
      json,
    ],
    load: sends(
      ({ words: [url], text, texts, given }) => [
        "POST",
        "/v2/receivers",
        { url, events: given("event") ? texts("event") : undefined, teamspace: text("teamspace") },
      ],
      ({ id, secret }) =>
        `Receiver ${String(id)} was added. Its notifications are signed with ${String(secret)}   (shown this once: keep it)`,
    ),
  },
  "receivers test": {
    takes: "<id>",
    summary: "Send a receiver a test; it is enabled again if it accepts that.",
    example: "lectern receivers test ID, with an ID from lectern receivers",
    options: [json],
    load: sends(({ words: [id = ""] }) => ["POST", `/v2/receivers/${encodeURIComponent(id)}/test`]),
  },
  "receivers delete": deletes("receiver", "Delete a receiver, with the notifications that wait for it."),
  feedback: {
    takes: "<library>",
    summary: "List the feedback on a library, and the questions that found nothing.",
    example: "lectern feedback /docs/lectern",
    options: [json],
    load: sends(({ words: [libraryId] }) => ["GET", withQuery("/v2/libs/feedback", { libraryId })], feedbackText),
  },
  notes: {
    takes: "<library>",
    summary: "Show what the teamspace notes on a library.",
    example: "lectern notes /docs/lectern",
    options: [json],
    load: sends(
      ({ words: [libraryId] }) => ["GET", withQuery("/v2/libs/team-note", { libraryId })],
      ({ text }, { words: [libraryId] }) => (text === "" ? `There is no note on ${libraryId}.` : String(text)),
    ),
  },
  "notes set": {
    takes: "<library> <file>",
    summary: "Replace the note with a Markdown file; an empty one removes it.",
    example: "lectern notes set /docs/lectern note.md, or - for standard input",
    options: [json],
    load: sends(async ({ words: [libraryId, file] }) => [
      "PATCH",
      "/v2/libs/team-note",
      { libraryId, text: await textOfFile(file) },
    ]),
  },
};

async function createHook(given: Given): Promise<void> {
  const [sender, of = ""] = given.words;
  const library = /^https?:\/\//i.test(of) ? { repositories: of } : { libraryId: of };
  const client = createServerClient();
  const made = await client.json("POST", "/v2/hooks", { sender, ...library, teamspace: given.text("teamspace") });
  // Without PUBLIC_URL the server knows only the path.
  const url = new URL(String(made["url"]), await client.base()).href;
  const { secret } = made as { readonly secret?: string };
  const enter =
    secret === undefined
      ? `Enter this address at Notion, then the token that lectern hooks shows:\n${url}`
      : `Enter at the host, with the content type application/json:\naddress ${url}\nsecret  ${secret}`;
  printAnswer(given, { ...made, url }, `Hook ${String(made["id"])} was made. ${enter}`);
}

function feedbackText(answer: Answer): string {
  const { feedback, missedQuestions } = answer as unknown as Feedback;
  const rows = [
    ...feedback.map(({ at, verdict, words, comment }) => [at.slice(0, 10), verdict, words, comment]),
    ...missedQuestions.map(({ lastAskedAt: at, times, words }) => [
      at.slice(0, 10),
      "no result",
      words,
      `${times} times`,
    ]),
  ];
  return rows.length === 0 ? "There is no feedback." : tableOf(rows);
}
