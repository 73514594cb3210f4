import { openAsBlob } from "node:fs";
import { basename } from "node:path";
import { forms } from "../api/forms/index.ts";
import { isLoopback } from "../api/ip-addresses.ts";
import { Failure, isFailure } from "../domain/failures.ts";
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
  const { file, kind } = source;
  if (given.given("force") && !file && kind !== "folder")
    throw new Failure("validation_error", "--force is for uploaded files and folders only.");
  const isOwnDocs = source.body["path"] === ownDocsFolder;
  const body = {
    ...source.body,
    ...(isOwnDocs && { libraryName: ownDocs.id, title: ownDocs.title }),
    ...commonBody(given, file?.title),
    ...(await secretFields(given, config.gitToken, source.fields)),
  };
  const client = createServerClient(config);
  const waiting = (seconds: number): void =>
    console.error(
      `The server takes a limited number of submissions a minute. Submitting in ${seconds} s; Ctrl-C gives up.`,
    );
  const post = async (path: string, sent: unknown): Promise<Record<string, unknown>> =>
    patiently(() => client.json("POST", path, sent), waiting);
  const submit = async (): Promise<Record<string, unknown>> => {
    if (file) return post(source.path, toForm({ ...file, blob: await openAsBlob(file.path) }, body));
    if (kind !== "folder") return post(source.path, body);
    const upload = async (): Promise<Record<string, unknown>> => uploadFolder(source, given, post);
    // For a server on another machine the path means nothing, or another folder.
    if (given.given("force") || !isLoopback(new URL(await client.base()).hostname)) return upload();
    return post(source.path, body).catch((error: unknown) => {
      if (isFolderRefused(error) && !isOwnDocs) return upload();
      throw error;
    });
  };
  await followSubmitted(client, given, await submit());
}

/** Whether the server may not read the folder, or the caller may not submit folders of the server. */
function isFolderRefused(error: unknown): boolean {
  if (isFailure(error, "forbidden")) return true;
  return isFailure(error, "validation_error") && error.message.includes("FOLDER_ROOTS");
}

/** Packs a folder of this machine, and uploads it. @throws Failure validation_error for options of folders that an upload lacks */
async function uploadFolder(
  { body: { path: folder, ...options } }: TypedSource,
  given: Given,
  post: (path: string, form: FormData) => Promise<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const { file } = forms.upload;
  if (file === undefined || Object.keys(options).length > 0)
    throw new Failure(
      "validation_error",
      "The server does not read this folder, and an uploaded one is read whole. Leave out the options that choose files, or add the folder to FOLDER_ROOTS.",
    );
  const { packFolder } = await import("./pack-folder.ts");
  const { blob, name, content } = await packFolder(String(folder));
  console.error(
    `The server does not read this folder, so it is uploaded: ${content}. A later change needs another add, with --force.`,
  );
  return post(file.path, toForm({ field: file.field, path: name, blob }, commonBody(given, file.title)));
}

/** The fields that all kinds of submissions share; `title` is the name of that field. */
function commonBody(given: Given, title = "title"): Record<string, unknown> {
  const fields = { libraryName: "name", [title]: "title", description: "description" };
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

function toForm(
  { path, field, blob }: { readonly path: string; readonly field: string; readonly blob: Blob },
  fields: Readonly<Record<string, unknown>>,
): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
  form.set(field, blob, basename(path));
  return form;
}
