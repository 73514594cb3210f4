import type { Kysely } from "kysely";
import { foldId } from "../../domain/library.ts";
import type { LibraryStore } from "../../domain/ports.ts";
import { toLibrary } from "./rows.ts";
import { closeRun, insertRun } from "./runs.ts";
import type { Schema } from "./schema.ts";
import { lockLibrary, lockVersion, transact } from "./transaction.ts";

/** Builds the part of the library store that knows uploads. */
export function createUploads(db: Kysely<Schema>): Pick<LibraryStore, "replaceUpload" | "uploads"> {
  return {
    replaceUpload: (uid, { source, upload, title, description, chosen }, run, now) =>
      transact(db, async (trx) => {
        const library = await lockLibrary(trx, uid);
        const version = await lockVersion(trx, uid, "");
        if (!library || !version || library.redirect !== null) return undefined;
        await trx
          .updateTable("libraries")
          .set({
            source_json: JSON.stringify(source),
            upload,
            ...(title !== undefined && { title, folded_title: foldId(title) }),
            ...(description !== undefined && { description }),
            ...(chosen && { chosen_json: JSON.stringify(chosen) }),
          })
          .where("uid", "=", uid)
          .execute();
        const superseded =
          version.open_run === null ? undefined : await closeRun(trx, version.open_run, { outcome: "superseded" }, now);
        const opened = await insertRun(trx, { ...toLibrary(library), source }, "", run, now);
        return { run: opened, superseded: superseded ?? null };
      }),

    async uploads() {
      const rows = await db
        .selectFrom("libraries")
        .select("upload")
        .where("upload", "is not", null)
        .$narrowType<{ upload: string }>()
        .execute();
      return new Set(rows.map(({ upload }) => upload));
    },
  };
}
