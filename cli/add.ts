import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { loadConfig } from "../config.ts";
import { Failure, isFailureCode } from "../domain/failures.ts";
import { createServerClient } from "./client.ts";
import type { ServerClient } from "./client.ts";

/** `lectern add`: submits a repository or a folder to a running server, and waits for it. */
export async function run(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      name: { type: "string" },
      branch: { type: "string" },
      token: { type: "string" },
      "no-wait": { type: "boolean", default: false },
    },
  });
  const [location] = positionals;
  if (location === undefined)
    throw new Failure(
      "validation_error",
      "Name a repository or a folder: lectern add https://git.example.com/owner/name, or lectern add ./docs",
    );
  const config = loadConfig(process.env);
  const client = createServerClient(config, config.adminKey);
  const chosen = values.name === undefined ? {} : { libraryName: values.name };
  const submitted = /^https?:\/\//i.test(location)
    ? await client.json("POST", repositoryRoute(location), {
        ...chosen,
        docsRepoUrl: location,
        ...(values.branch !== undefined && { branch: values.branch }),
        ...(values.token !== undefined && { gitToken: values.token }),
      })
    : await client.json("POST", "/v2/add/folder", { ...chosen, path: await existingFolder(location) });
  console.log(String(submitted["message"]));
  if (!values["no-wait"]) await waitFor(client, String(submitted["libraryName"]));
}

function repositoryRoute(url: string): string {
  const { hostname } = new URL(url);
  const kind = { "github.com": "github", "gitlab.com": "gitlab", "bitbucket.org": "bitbucket" }[hostname] ?? "git";
  return `/v2/add/repo/${kind}`;
}

async function existingFolder(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isDirectory())
    throw new Failure("validation_error", `${path} is neither an http address nor a folder on this machine.`);
  return resolve(path);
}

async function waitFor(client: ServerClient, libraryName: string): Promise<void> {
  for (;;) {
    const status = await client.json(
      "GET",
      `/v2/libs/status?${new URLSearchParams({ libraryId: libraryName }).toString()}`,
    );
    if (status["state"] === "finalized") {
      console.log(`${libraryName} is ready.`);
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
