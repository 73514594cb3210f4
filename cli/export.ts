import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { parseArgs } from "node:util";
import { exportGeneration } from "../activities/transfer.ts";
import { createFolderBlobStore } from "../blobs/folder.ts";
import { openSqliteCatalog } from "../catalog/sqlite.ts";
import { loadConfig } from "../config.ts";
import { Failure } from "../domain/failures.ts";
import { foldId, parseLibraryId, showLibrary } from "../domain/library.ts";

/** `lectern export`: prints the live generation of a library as NDJSON. It works while the server runs. */
export async function run(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { out: { type: "string" } },
  });
  const [name] = positionals;
  if (name === undefined) throw new Failure("validation_error", "Name a library: lectern export /docs/lectern");
  const { id, version } = parseLibraryId(name);
  const { dataDir } = loadConfig(process.env);
  const catalog = await openSqliteCatalog({ file: join(dataDir, "catalog.sqlite") });
  try {
    const view = await catalog.libraries.find(["", "default"], foldId(id), version);
    const live = view?.version?.live;
    if (!live)
      throw new Failure("library_not_found", `${showLibrary(id, version)} has nothing live to export in ${dataDir}.`);
    const blobs = createFolderBlobStore({ folder: join(dataDir, "blobs") });
    const lines = Readable.from(withLineEnds(exportGeneration(blobs, live.id)));
    await pipeline(lines, values.out === undefined ? process.stdout : createWriteStream(values.out), {
      end: values.out !== undefined,
    });
  } finally {
    await catalog.close();
  }
}

async function* withLineEnds(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}
