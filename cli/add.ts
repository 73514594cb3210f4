import { openAsBlob } from "node:fs";
import { basename } from "node:path";
import { Failure } from "../domain/failures.ts";
import { createServerClient, patiently } from "./client.ts";
import type { Given } from "./command.ts";
import { loadClientConfig } from "./config/client.ts";
import { ownDocs, ownDocsFolder } from "./package-info.ts";
import { secretFields } from "./secret-input.ts";
import { typedSource, type TypedSource } from "./source-argument.ts";
import { followSubmitted } from "./watching.ts";

/** `lectern add`: submits a source to a running server, and waits for it. */
export async function run(given: Given): Promise<void> {
  const config = await loadClientConfig(process.env);
  const lockfile = given.text("lockfile");
  if (lockfile !== undefined) {
    const { addLockfile } = await import("./add-lockfile.ts");
    return addLockfile(createServerClient(config), given, lockfile);
  }
  if (given.words.length === 0)
    throw new Failure("validation_error", "Name a source, or give the lockfile of a project with --lockfile FILE.");
  const source = await typedSource(given);
  if (given.given("force") && !source.file)
    throw new Failure("validation_error", "--force is for uploaded files only.");
  const body = {
    ...source.body,
    ...(source.body["path"] === ownDocsFolder && { libraryName: ownDocs.id, title: ownDocs.title }),
    ...commonBody(given, source),
    ...(await secretFields(given, config.gitToken, source.fields)),
  };
  const client = createServerClient(config);
  const sent = source.file ? await toForm(source.file, body) : body;
  const waiting = (seconds: number): void =>
    console.error(
      `The server takes a limited number of submissions a minute. Submitting in ${seconds} s; Ctrl-C gives up.`,
    );
  await followSubmitted(client, given, await patiently(() => client.json("POST", source.path, sent), waiting));
}

/** The fields that all kinds of submissions share. */
function commonBody(given: Given, { file }: TypedSource): Record<string, unknown> {
  const fields = { libraryName: "name", [file?.title ?? "title"]: "title", description: "description" };
  const texts = Object.entries(fields).flatMap(([field, option]) => {
    const text = given.text(option);
    return text === undefined ? [] : [[field, text] as const];
  });
  return {
    ...Object.fromEntries(texts),
    ...(given.given("private") && { private: true }),
    ...(given.given("force") && { force: true }),
  };
}

async function toForm(
  { path, field }: NonNullable<TypedSource["file"]>,
  fields: Readonly<Record<string, unknown>>,
): Promise<FormData> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
  form.set(field, await openAsBlob(path), basename(path));
  return form;
}
