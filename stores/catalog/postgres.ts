import { Kysely, PostgresDialect, sql } from "kysely";
import type { PostgresPool, PostgresPoolClient } from "kysely";
import pg from "pg";
import type { Pool, PoolClient, QueryResult } from "pg";
import { Failure } from "../../domain/failures.ts";
import type { Catalog } from "../../domain/ports.ts";
import { createSilence } from "../../domain/silent-servers.ts";
import type { UnlessSilent } from "../../domain/silent-servers.ts";
import { createCatalog } from "./index.ts";
import { createTableLimiter } from "./limiter.ts";
import { checkSchema, hasSchema, migrateCatalog } from "./migrations/index.ts";
import type { SchemaDialect } from "./migrations/index.ts";
import type { Schema } from "./schema.ts";
import { isConflict, isOutdated } from "./transaction.ts";

/** How to reach a PostgreSQL database that is the catalog's alone, and for how long to wait for it. */
export interface PostgresOptions {
  /** As in postgres://user:password@host:5432/lectern; `sslmode` and the like are what pg makes of them. */
  readonly url: string;
  /** Maximum pool size; default 10. */
  readonly poolSize?: number;
  /** Statement timeout in milliseconds; default 5,000. */
  readonly statementTimeout?: number;
  /** Connection timeout in milliseconds, for a new or a pooled one; default 3,000. */
  readonly connectionTimeout?: number;
  /** application_name of this process; default "lectern". */
  readonly name?: string;
  /** Told of idle connections that the server or the network ended; a query that waits for an answer fails with a Failure. */
  readonly onLost?: (error: Error) => void;
  /** Told when the server falls silent, and when it answers again. */
  readonly onSilent?: (isSilent: boolean) => void;
  /** Told, once a minute, of what keeps the server from counting requests, so that each process does so for itself. */
  readonly onAlone?: (error: unknown) => void;
}

/** The key of the advisory lock that a migration holds: "lectern" in ASCII. */
const migrationLock = 0x6c65_6374_6572_6en;

/** Statement timeout of a migration, including the wait for another process's lock, in milliseconds. */
const migrationTimeout = 10 * 60_000;

/** Idle timeout of a connection, in milliseconds. */
const idleTimeout = 60_000;

/** Classes of SQLSTATE, and single ones, by which the server says that it cannot work now (PostgreSQL, appendix A). */
const outOfReach = /^(?:08|53|57|58|25006|25P03|55P03)/;

/** disk_full. */
const diskFull = "53100";

/** query_canceled, which a statement's timeout is, and lock_not_available. */
const tookTooLong: ReadonlySet<string | undefined> = new Set(["57014", "55P03"]);

/** Maximum of prepared statements, which the server plans once per connection. */
const maxPrepared = 30;

/** Client-side timeout beyond the statement timeout, in milliseconds, for a server that does not respond. */
const clientTimeout = 1000;

/**
 * Opens the catalog in a PostgreSQL database. `migrate` brings its schema up to date, side by side with any number of
 * other processes; without it, the schema has to be what this program expects. Connections that break are replaced, so
 * that a catalog outlives a restart of its server; what comes meanwhile ends as Failure search_failed.
 * @throws Failure search_failed when the server cannot be reached, internal_error when the schema is older (and
 * `migrate` is false) or newer than this program
 */
export async function openPostgresCatalog(options: OpenOptions): Promise<Catalog> {
  try {
    return await openChecked(options);
  } catch (error) {
    if (!(error instanceof Failure && error.cause instanceof Error)) throw error;
    // Who starts the process may know what readers may not: where the database is, and what it says.
    throw new Failure(error.code, `${error.message} (${error.cause.message})`, { cause: error });
  }
}

type OpenOptions = PostgresOptions & {
  readonly migrate: boolean;
  /** Called before a catalog is made in a database that has none. What it throws keeps it from being made. */
  readonly beforeMade?: () => Promise<void>;
};

async function openChecked({ migrate, beforeMade, ...options }: OpenOptions): Promise<Catalog> {
  if (migrate) await migratePostgres(options, beforeMade);
  const db = openPostgres(options);
  try {
    await checkSchema(db);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  const { onAlone } = options;
  return {
    ...createCatalog(db, () => db.destroy()),
    limiter: createTableLimiter(db, { ...(onAlone && { onAlone }) }),
    size: () => sizeOf(db),
  };
}

async function sizeOf(db: Kysely<Schema>): Promise<number> {
  const { rows } = await sql<{ size: number }>`select pg_database_size(current_database()) as size`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new TypeError("A function answers one row.");
  return row.size;
}

/** Migrates over a connection of its own, because a migration may take longer than any other statement. */
async function migratePostgres(options: PostgresOptions, beforeMade: OpenOptions["beforeMade"]): Promise<void> {
  const db = openPostgres({ ...options, poolSize: 1, statementTimeout: migrationTimeout });
  try {
    if (beforeMade && !(await hasSchema(db))) await beforeMade();
    await migrateCatalog(db, postgresSchema);
  } finally {
    await db.destroy();
  }
}

/** How a PostgreSQL schema is made. The lock ends with its transaction, so that a killed process leaves none behind. */
export const postgresSchema: SchemaDialect = {
  text: sql`text collate "C"`,
  async lock(trx) {
    await sql`select pg_advisory_xact_lock(${sql.lit(migrationLock)})`.execute(trx);
  },
};

/** Opens a pool of connections for Kysely; the first is made by the first query. */
export function openPostgres(options: PostgresOptions): Kysely<Schema> {
  const { url, poolSize = 10, statementTimeout = 5000, connectionTimeout = 3000, name = "lectern" } = options;
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    idleTimeoutMillis: idleTimeout,
    connectionTimeoutMillis: connectionTimeout,
    statement_timeout: statementTimeout,
    lock_timeout: statementTimeout,
    idle_in_transaction_session_timeout: statementTimeout,
    query_timeout: statementTimeout + clientTimeout,
    application_name: name,
    keepAlive: true,
    // Counts and times stay far below 2^53.
    types: {
      getTypeParser: (oid, format) => (oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format)),
    },
  });
  const onLost = options.onLost ?? (() => undefined);
  pool.on("error", onLost);
  // The pool listens to idle connections only, and an error that nobody listens to would end the process.
  pool.on("connect", (client) => client.on("error", () => undefined));
  const { onSilent } = options;
  const unlessSilent = createSilence({
    probe: (timeout) => probe(url, timeout),
    code: "search_failed",
    message: "The catalog's database does not answer. Check that it runs and can be reached, then try again.",
    ...(onSilent && { onChange: onSilent }),
  });
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool: createReachingPool(pool, url, unlessSilent) }) });
}

/** Asks the server over a connection of its own, which others may not have used up. @throws Error without an answer */
async function probe(url: string, timeout: number): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: timeout,
    query_timeout: timeout,
    application_name: "lectern probe",
  });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query("select 1");
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
  } finally {
    // Not awaited: a server that is silent says no farewell.
    void client.end().catch(() => undefined);
  }
}

/** The pool as Kysely takes it, whose errors are Failures if the server is unreachable. */
function createReachingPool(pool: Pool, url: string, unlessSilent: UnlessSilent): PostgresPool {
  const sessions = new WeakMap<PoolClient, PostgresPoolClient>();
  const nameOf = createNames();
  return {
    options: pool.options,
    async connect() {
      let client: PoolClient;
      let isWanted = true;
      try {
        client = await unlessSilent(async () => {
          const connected = await pool.connect();
          if (!isWanted) connected.release();
          return connected;
        });
      } catch (error) {
        isWanted = false;
        throw error instanceof Failure ? error : toUnreachable(error, url);
      }
      const known = sessions.get(client) ?? createSession(client, nameOf, unlessSilent);
      sessions.set(client, known);
      return known;
    },
    end: () => pool.end(),
  };
}

/**
 * Names the first look-ups that come again, to be prepared under that name: planning the look-up of a read takes the
 * server 0.5 ms, executing it 0.05 ms. Others are planned each time.
 */
function createNames(): (text: string) => string | undefined {
  const seen = new Set<string>();
  const names = new Map<string, string>();
  return (text) => {
    const known = names.get(text);
    if (known !== undefined || names.size >= maxPrepared || !text.startsWith("select ")) return known;
    if (!seen.has(text)) {
      // Lists of any length make texts without end.
      if (seen.size < 10 * maxPrepared) seen.add(text);
      return undefined;
    }
    const name = `lectern_${names.size + 1}`;
    names.set(text, name);
    return name;
  };
}

function createSession(
  client: PoolClient,
  nameOf: (text: string) => string | undefined,
  unlessSilent: UnlessSilent,
): PostgresPoolClient {
  let broken = false;
  /** What the connection was lost with: a rollback would wait for nothing. */
  let lost: unknown;
  async function query(text: string, parameters: readonly unknown[]): Promise<QueryResult> {
    if (lost !== undefined) throw lost;
    const name = nameOf(text);
    const values = parameters.map(withoutNul);
    try {
      return await unlessSilent(() => client.query({ text, values, ...(name !== undefined && { name }) }));
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) lost = toFailure(error);
      // One that did not answer may still be busy with the question; one whose plans are out of date has others.
      broken ||= !(error instanceof pg.DatabaseError) || isOutdated(error);
      if (!isOutdated(error)) throw toFailure(error);
      // Planned anew it goes through, except in a transaction, which is over.
      return unlessSilent(() => client.query(text, values)).catch(() => {
        throw toFailure(error);
      });
    }
  }
  return {
    // Kysely's type has a second form for cursors, which the catalog does not use.
    query: query as unknown as PostgresPoolClient["query"],
    release: (destroy) => client.release(destroy === true || broken),
  };
}

/** PostgreSQL keeps no NUL character in text, and would refuse a question that has one. */
function withoutNul(value: unknown): unknown {
  return typeof value === "string" && value.includes("\0") ? value.replaceAll("\0", "\uFFFD") : value;
}

/** Readers are told this too: where the database is stands in the cause, for the log and for who starts the process. */
function toUnreachable(cause: unknown, url: string): Failure {
  const place = URL.canParse(url) ? `${new URL(url).host}${new URL(url).pathname}` : "DATABASE_URL";
  const message =
    "The catalog's database cannot be reached. Check that it runs and that DATABASE_URL is right, then try again.";
  return new Failure("search_failed", message, { cause: new Error(`${place}: ${reasonOf(cause)}`, { cause }) });
}

/** What a query ended with, as a Failure if it is retryable; a bug stays what it is. */
function toFailure(error: unknown): unknown {
  const fail = (message: string) => new Failure("search_failed", message, { cause: error });
  if (isConflict(error)) return fail("Too many conflicting transactions in the catalog. Try again.");
  // What is not an error of the server is one of the connection.
  if (error instanceof TypeError || error instanceof Failure) return error;
  if (isOutdated(error)) return fail("The catalog's schema was changed a moment ago. Try again.");
  const code = error instanceof pg.DatabaseError ? error.code : undefined;
  if (code === diskFull) {
    const message = "The catalog's database has no space left on its disk. Free some: runs continue then.";
    return new Failure("service_unavailable", message, { cause: error });
  }
  if (tookTooLong.has(code))
    return fail("Timeout of the catalog's database. Try again; if it persists, check its load.");
  if (error instanceof pg.DatabaseError && !outOfReach.test(code ?? "")) return error;
  return fail("The connection to the catalog's database was lost. Try again when it runs.");
}

function reasonOf(error: unknown): string {
  // Several addresses that all failed come as one error without a sentence of its own.
  if (error instanceof AggregateError && error.message === "") return error.errors.map(reasonOf).join(", ");
  return error instanceof Error ? error.message : String(error);
}
