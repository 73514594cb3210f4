import type { Kysely } from "kysely";
import { Failure } from "../../domain/failures.ts";
import type { Catalog } from "../../domain/ports.ts";
import { createAccessStore } from "./access.ts";
import { createAuditStore } from "./audit.ts";
import { createGenerationStore } from "./generations.ts";
import { createCredentialStore } from "./credentials.ts";
import { readFigures } from "./figures.ts";
import { createKeyStore } from "./keys.ts";
import { createHostStore } from "./hosts.ts";
import { createMetricsStore } from "./metrics.ts";
import { createLibraryStore } from "./libraries.ts";
import { createRunStore } from "./runs.ts";
import { createSessionStore } from "./sessions.ts";
import type { Schema } from "./schema.ts";
import { createTeamspaceStore } from "./teamspaces.ts";

/** Composes the catalog over a database whose schema is up to date. `close` is called by the catalog's own. */
export function createCatalog(db: Kysely<Schema>, close: () => Promise<void>): Catalog {
  return {
    libraries: createLibraryStore(db),
    runs: createRunStore(db),
    generations: createGenerationStore(db),
    teamspaces: createTeamspaceStore(db),
    keys: createKeyStore(db),
    access: createAccessStore(db),
    credentials: createCredentialStore(db),
    hosts: createHostStore(db),
    sessions: createSessionStore(db),
    figures: (now) => readFigures(db, now),
    audit: createAuditStore(db),
    metrics: createMetricsStore(db),
    async ready() {
      try {
        await db.selectFrom("teamspaces").select("id").limit(1).execute();
      } catch (cause) {
        throw new Failure("search_failed", "The catalog's database does not respond. Check it, then try again.", {
          cause,
        });
      }
    },
    close,
  };
}
