import type { Kysely } from "kysely";
import type { Schema, TextType } from "../schema.ts";

/** Moves the revision of a followed branch to its own column; it was appended to `checked_revision`, after a space. */
export async function separateFollowedRevision(db: Kysely<Schema>, text: TextType): Promise<void> {
  await db.schema.alterTable("versions").addColumn("followed_revision", text).execute();
  const joined = await db
    .selectFrom("versions")
    .select(["library_uid", "version", "checked_revision"])
    .where("checked_revision", "like", "% %")
    .execute();
  for (const { library_uid, version, checked_revision } of joined) {
    const [checked = null, followed = null] = checked_revision?.split(" ") ?? [];
    await db
      .updateTable("versions")
      .set({ checked_revision: checked, followed_revision: followed })
      .where("library_uid", "=", library_uid)
      .where("version", "=", version)
      .execute();
  }
}
