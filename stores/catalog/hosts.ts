import type { Kysely } from "kysely";
import type { HostStore } from "../../domain/ports.ts";
import type { Schema } from "./schema.ts";
import { mayBeLost } from "./transaction.ts";

/** Builds the store of when hosts may be asked next. */
export function createHostStore(db: Kysely<Schema>): HostStore {
  return {
    async reserve(host, interval, now) {
      const { next_at } = await db
        .insertInto("hosts")
        .values({ host, next_at: now + interval })
        .onConflict((conflict) =>
          conflict.column("host").doUpdateSet(({ eb, ref, val }) => ({
            next_at: eb(
              eb.case().when("hosts.next_at", ">", now).then(ref("hosts.next_at")).else(val(now)).end(),
              "+",
              interval,
            ),
          })),
        )
        .returning("next_at")
        .modifyEnd(mayBeLost)
        .executeTakeFirstOrThrow();
      return next_at - interval;
    },

    async postpone(host, until) {
      await db
        .insertInto("hosts")
        .values({ host, next_at: until })
        .onConflict((conflict) =>
          conflict.column("host").doUpdateSet({ next_at: until }).where("hosts.next_at", "<", until),
        )
        .execute();
    },

    async forget(before) {
      await db.deleteFrom("hosts").where("next_at", "<", before).execute();
    },
  };
}
