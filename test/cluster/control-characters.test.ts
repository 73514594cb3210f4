import { randomBytes } from "node:crypto";
import { describe, inject } from "vitest";
import { ensureDatabase } from "../../tools/dev/postgres.ts";
import { describeControlCharacters } from "../contracts/control-characters.ts";
import { startServers } from "../e2e/setup.ts";

const postgres = inject("postgres");
const database =
  postgres === null ? undefined : await ensureDatabase(postgres, `odd_${randomBytes(6).toString("hex")}`);

describe.skipIf(database === undefined)("with PostgreSQL", async () => {
  if (database === undefined) return;
  describeControlCharacters(await startServers(() => ({ DATABASE_URL: database })));
});
