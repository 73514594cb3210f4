import { createWriteStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createSigner, fingerprintOf } from "../activities/export-signature.ts";
import { exportGeneration } from "../activities/transfer.ts";
import { loadConfig } from "./config.ts";
import { Failure } from "../domain/failures.ts";
import { foldId, parseLibraryId, showLibrary } from "../domain/library.ts";
import { withQuery } from "../api/request.ts";
import { createServerClient } from "./client.ts";
import type { Given } from "./command.ts";
import { openLog } from "./log.ts";
import { findRing } from "./secrets.ts";
import { keyFileOf, openBlobs, openCatalog } from "./stores.ts";

/** `lectern export`: prints the live generation of a library as NDJSON. It works while the server runs. */
export async function run(given: Given): Promise<void> {
  const [name] = given.words;
  const out = given.text("out");
  if ((name === undefined) !== given.given("as-manifest"))
    throw new Failure("validation_error", "Name the library to export, or give --as-manifest for all libraries.");
  if (name === undefined) return exportManifest(out, given.text("teamspace"));
  const { id, version } = parseLibraryId(name);
  const config = loadConfig(process.env);
  const log = openLog("warn", { sync: true });
  // Read-only and without a lock, as a server may be running.
  const options = { dataFolder: config.dataDir, migrate: false, name: "lectern export", log };
  await using closing = new AsyncDisposableStack();
  const blobs = closing.adopt(await openBlobs(config, options), (store) => store.close?.());
  const catalog = closing.adopt(await openCatalog(config, options, blobs), (store) => store.close());
  const view = await catalog.libraries.find(["", "default"], foldId(id), version);
  const live = view?.version?.live;
  if (!live)
    throw new Failure(
      "library_not_found",
      `${showLibrary(id, version)} has nothing live to export in ${config.databaseUrl === null ? config.dataDir : "this database"}.`,
    );
  const ring = await findRing({ configured: config.encryptionKeys, file: keyFileOf(config.dataDir) });
  const signer = ring.length === 0 ? undefined : createSigner(ring.map(({ key }) => key));
  if (!signer) console.error("The export is not signed: there is no encryption key. Set ENCRYPTION_KEYS.");
  const lines = Readable.from(withLineEnds(exportGeneration(blobs, live.id, view.library, signer)));
  await pipeline(lines, out === undefined ? process.stdout : createWriteStream(out), { end: out !== undefined });
  // Not printed if standard output is the export.
  if (out !== undefined && signer) console.log(`Signed with the key ${fingerprintOf(signer.publicKey)}.`);
}

/** Prints a library manifest of the libraries of a running server. */
async function exportManifest(out: string | undefined, teamspace: string | undefined): Promise<void> {
  const { text } = await createServerClient().text(withQuery("/v2/manifests/export", { teamspace }));
  if (out === undefined) process.stdout.write(text);
  else await writeFile(out, text);
}

async function* withLineEnds(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}
