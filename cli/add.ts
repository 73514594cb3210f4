import { openAsBlob } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { TypedFields } from "../api/forms/form.ts";
import { kindsWith } from "../api/forms/changing.ts";
import { fileForm, typedAddress } from "../api/forms/index.ts";
import { loadConfig } from "../config.ts";
import { Failure, isFailureCode } from "../domain/failures.ts";
import { isKind, kinds } from "../domain/kinds/index.ts";
import { addressOf } from "./address.ts";
import { createServerClient } from "./client.ts";
import type { ServerClient } from "./client.ts";

/** `lectern add`: submits a source to a running server, and waits for it. */
export async function run(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      name: { type: "string" },
      branch: { type: "string" },
      token: { type: "string" },
      "token-stdin": { type: "boolean", default: false },
      credential: { type: "string" },
      as: { type: "string" },
      force: { type: "boolean", default: false },
      "no-wait": { type: "boolean", default: false },
    },
  });
  const [location] = positionals;
  if (location === undefined)
    throw new Failure(
      "validation_error",
      "Name a repository, a website, an llms.txt, an OpenAPI description or a folder: lectern add https://git.example.com/owner/name, or lectern add ./docs",
    );
  const config = loadConfig(process.env);
  const client = createServerClient(config, config.adminKey);
  const { as: kind } = values;
  if (kind !== undefined && !isKind(kind))
    throw new Failure("validation_error", `--as takes one of ${Object.keys(kinds).join(", ")}.`);
  const address = await addressOf(location);
  const typed = address === undefined ? await typedPath(location) : typedAddress(address, kind);
  if (typed === undefined) throw new Failure("validation_error", `${location} is no source that Lectern reads.`);
  if (values.force && !("file" in typed)) throw new Failure("validation_error", "--force is for uploaded files only.");
  const token = await tokenOf(values, config.gitToken, typed.fields);
  const fields = {
    ...typed.body,
    ...(values.name !== undefined && { libraryName: values.name }),
    ...fieldOf("branch", values.branch, typed.fields),
    ...fieldOf("credential", values.credential, typed.fields),
    ...(values.force && { force: "true" }),
    ...token,
  };
  const body = "file" in typed ? await toForm(location, typed.file, fields) : fields;
  const submitted = await client.json("POST", typed.path, body);
  console.log(String(submitted["message"]));
  if (!values["no-wait"]) await waitFor(client, String(submitted["libraryName"]));
}

/** What an option fills in. @throws Failure where this kind of source has no such field */
function fieldOf(option: "branch" | "credential", value: string | undefined, fields: TypedFields): object {
  if (value === undefined) return {};
  const field = fields[option];
  if (field === undefined) throw new Failure("validation_error", `--${option} is for ${kindsWith(option)} only.`);
  return { [field]: value };
}

/**
 * The field with the token, of standard input or else of the environment; none without one, and for a source that has none.
 * @throws Failure where standard input has no token, or the token is an argument
 */
async function tokenOf(
  options: { readonly token?: string; readonly "token-stdin": boolean; readonly credential?: string },
  configured: string | null,
  fields: TypedFields,
): Promise<object> {
  // Scripts of earlier versions have it; what stood there was shown to all users of the machine.
  if (options.token !== undefined) {
    const instead = "Pass it with --token-stdin, or in LECTERN_GIT_TOKEN, and replace the one that was shown.";
    throw new Failure(
      "validation_error",
      `A token is no argument: other users see it in the list of processes. ${instead}`,
    );
  }
  if (!options["token-stdin"]) {
    // What was asked for comes before what happens to be set, and that is for hosts of repositories only.
    const isGit = fields.token === kinds.git.credential?.field;
    const isWanted = configured !== null && fields.token !== undefined && isGit && options.credential === undefined;
    return isWanted ? { [fields.token]: configured } : {};
  }
  if (fields.token === undefined)
    throw new Failure("validation_error", `--token-stdin is for ${kindsWith("token")} only.`);
  const token = process.stdin.isTTY ? "" : (await text(process.stdin)).trim();
  if (token === "") {
    const message = "There is no token on standard input. Pass it as in: lectern add … --token-stdin < token.txt";
    throw new Failure("validation_error", message);
  }
  return { [fields.token]: token };
}

/** What is sent for a folder or a file on this machine. */
async function typedPath(path: string) {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) return typedAddress(resolve(path));
  if (!found?.isFile())
    throw new Failure(
      "validation_error",
      `${path} is neither an address nor a folder or file on this machine. Give the whole address, such as https://git.example.com/owner/name, or the path of a folder.`,
    );
  const form = fileForm(path);
  return form && { path: form.path, body: {}, fields: {}, file: form.field };
}

async function toForm(path: string, field: string, fields: Readonly<Record<string, unknown>>): Promise<FormData> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
  form.set(field, await openAsBlob(path), basename(path));
  return form;
}

/** The part of a status that says what is served. */
interface Live {
  readonly counts: Readonly<Record<"pages" | "pagesFailed" | "code" | "info" | "quarantined", number>> & {
    readonly passages?: number;
  };
}

/** What became of a source, as the end of a sentence. */
function shown(libraryName: string, { pages, pagesFailed, passages, code, info, quarantined }: Live["counts"]): string {
  const count = (number: number, one: string): string => `${number} ${one}${number === 1 ? "" : "s"}`;
  const told = (what: string, of: string, more = ""): string =>
    `${what} (GET /api/v2/libs/status/${of}?libraryId=${libraryName}${more})`;
  const left = [
    ...(pagesFailed > 0 ? [told(`${count(pagesFailed, "page")} failed`, "pages", "&outcome=failed")] : []),
    ...(quarantined > 0 ? [told(`${count(quarantined, "passage")} held back`, "quarantine")] : []),
  ];
  return [`: ${count(pages, "page")}, ${count(passages ?? code + info, "passage")}`, ...left].join("; ");
}

async function waitFor(client: ServerClient, libraryName: string): Promise<void> {
  for (;;) {
    const status = await client.json(
      "GET",
      `/v2/libs/status?${new URLSearchParams({ libraryId: libraryName }).toString()}`,
    );
    if (status["state"] === "finalized") {
      console.log(`${libraryName} is ready${shown(libraryName, (status["live"] as Live).counts)}.`);
      return;
    }
    if (status["state"] === "error" || status["state"] === "redirected") {
      const [last] = status["runs"] as { failure: { error: string; message: string } | null }[];
      const { error = "", message = `Indexing of ${libraryName} failed.` } = last?.failure ?? {};
      throw new Failure(isFailureCode(error) ? error : "internal_error", message);
    }
    await sleep(250);
  }
}
