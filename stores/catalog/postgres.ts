import { Kysely, PostgresDialect, sql, type PostgresPool, type PostgresPoolClient } from "kysely";
import pg, { type Pool, type PoolClient, type QueryResult } from "pg";
import { Failure } from "../../domain/failures.ts";
import type { Catalog } from "../../domain/ports.ts";
import { createSilence, type UnlessSilent } from "../../domain/silent-servers.ts";
import { createCatalog } from "./index.ts";
import { createTableLimiter } from "./rate-limits.ts";
import { checkSchema, hasSchema, migrateCatalog, type SchemaDialect } from "./migrations/index.ts";
import type { Schema } from "./schema.ts";
import { isConflict, isOutdated } from "./transaction.ts";

/** Connection options of a PostgreSQL database that only the catalog uses. */
export interface PostgresOptions {
  /** As in postgres://user:password@host:5432/lectern, with the parameters of pg, such as `sslmode`. */
  readonly url: string;
  /** Maximum pool size; default 10. */
  readonly poolSize?: number;
  /** Statement timeout in milliseconds; default 5,000. */
  readonly statementTimeout?: number;
  /** Connection timeout in milliseconds, for a new or a pooled one; default 3,000. */
  readonly connectionTimeout?: number;
  /** application_name of this process; default "lectern". */
  readonly name?: string;
  /** Called when the server or the network ends an idle connection. Running queries fail with a Failure instead. */
  readonly onLost?: (error: Error) => void;
  /** Called when the server stops responding, and when it responds again. */
  readonly onSilent?: (isSilent: boolean) => void;
  /** Called with the error, once a minute, while the server cannot count requests and each process counts for itself. */
  readonly onAlone?: (error: unknown) => void;
}

/** The key of the advisory lock that a migration holds: "lectern" in ASCII. */
const migrationLock = 0x6c65_6374_6572_6en;

/** Statement timeout of a migration, including the wait for another process's lock, in milliseconds. */
const migrationTimeout = 10 * 60_000;

/** Idle timeout of a connection, in milliseconds. */
const idleTimeout = 60_000;

/** SQLSTATE classes and codes of a server that cannot work now (PostgreSQL, appendix A). */
const outOfReach = /^(?:08|53|57|58|25006|25P03|55P03)/;

/** disk_full. */
const diskFull = "53100";

/** query_canceled, as by the statement timeout, and lock_not_available. */
const tookTooLong: ReadonlySet<string | undefined> = new Set(["57014", "55P03"]);

/** Maximum prepared statements; the server plans each once per connection. */
const maxPrepared = 30;

/** Client-side timeout beyond the statement timeout, in milliseconds, for a server that does not respond. */
const clientTimeout = 1000;

/**
 * Opens the catalog in a PostgreSQL database. `migrate` brings its schema up to date, which several processes may do at once; without
 * it, the schema has to be up to date. Broken connections are replaced, so a catalog survives a restart of its server; queries
 * meanwhile fail with Failure search_failed.
 * @throws Failure search_failed when the server cannot be reached, internal_error when the schema is older (and
 * `migrate` is false) or newer than this program
 */
export async function openPostgresCatalog(options: OpenOptions): Promise<Catalog> {
  try {
    return await openChecked(options);
  } catch (error) {
    if (!(error instanceof Failure && error.cause instanceof Error)) throw error;
    // Whoever starts the process may see what API clients may not: the database's address and its error.
    throw new Failure(error.code, `${error.message} (${error.cause.message})`, { cause: error });
  }
}

type OpenOptions = PostgresOptions & {
  readonly migrate: boolean;
  /** Called before a catalog is created in a database that has none; throws to prevent that. */
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
  return rows[0]?.size ?? 0;
}

/** Migrates over its own connection, with a longer timeout. */
async function migratePostgres(options: PostgresOptions, beforeMade: OpenOptions["beforeMade"]): Promise<void> {
  const db = openPostgres({ ...options, poolSize: 1, statementTimeout: migrationTimeout });
  try {
    if (beforeMade && !(await hasSchema(db))) await beforeMade();
    await migrateCatalog(db, postgresSchema);
  } finally {
    await db.destroy();
  }
}

/** The schema dialect of PostgreSQL. The lock ends with its transaction, also if the process is killed. */
export const postgresSchema: SchemaDialect = {
  text: sql`text collate "C"`,
  async lock(trx) {
    await sql`select pg_advisory_xact_lock(${sql.lit(migrationLock)})`.execute(trx);
  },
};

/** Opens a connection pool for Kysely; the first query makes the first connection. */
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
  // The pool handles errors of idle connections only, and an unhandled one would end the process.
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

/** Probes the server over a new connection, as the pool may be exhausted. @throws Error without a response */
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
    // Not awaited, as a silent server does not confirm it.
    void client.end().catch(() => undefined);
  }
}

/** The pool in Kysely's form, with Failures if the server is unreachable. */
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
 * Names of prepared statements, for the first SELECTs that are executed twice: planning the look-up of a read takes the server 0.5 ms,
 * executing it 0.05 ms. Other statements are planned each time.
 */
function createNames(): (text: string) => string | undefined {
  const seenOnce = new Set<string>();
  const names = new Map<string, string>();
  return (text) => {
    const known = names.get(text);
    if (known !== undefined || names.size >= maxPrepared || !text.startsWith("select ")) return known;
    if (!seenOnce.has(text)) {
      // Limited, as lists of any length make ever new statements.
      if (seenOnce.size < 10 * maxPrepared) seenOnce.add(text);
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
  /** The error that ended the connection; later queries, such as a rollback, fail with it at once. */
  let lost: unknown;
  async function query(text: string, parameters: readonly unknown[]): Promise<QueryResult> {
    if (lost !== undefined) throw lost;
    const name = nameOf(text);
    const values = parameters.map(withoutNul);
    try {
      return await unlessSilent(() => client.query({ text, values, ...(name !== undefined && { name }) }));
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) lost = toFailure(error);
      // A connection without a response may still execute the query; one with an outdated plan has more of them.
      broken ||= !(error instanceof pg.DatabaseError) || isOutdated(error);
      if (!isOutdated(error)) throw toFailure(error);
      // Retried without a prepared plan; that fails in a transaction, which has been aborted.
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

/** PostgreSQL stores no NUL character in text, and would reject the query. */
function withoutNul(value: unknown): unknown {
  return typeof value === "string" && value.includes("\0") ? value.replaceAll("\0", "\uFFFD") : value;
}

/** API clients see this message, so the database's address is only in the cause. */
function toUnreachable(cause: unknown, url: string): Failure {
  const address = URL.canParse(url) ? `${new URL(url).host}${new URL(url).pathname}` : "DATABASE_URL";
  const message =
    "The catalog's database cannot be reached. Check that it runs and that DATABASE_URL is right, then try again.";
  return new Failure("search_failed", message, { cause: new Error(`${address}: ${reasonOf(cause)}`, { cause }) });
}

/** Converts an error of a query to a Failure if it is retryable; returns bugs as they are. */
function toFailure(error: unknown): unknown {
  const fail = (message: string) => new Failure("search_failed", message, { cause: error });
  if (isConflict(error)) return fail("Too many conflicting transactions in the catalog. Try again.");
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
  // All other errors are errors of the connection.
  return fail("The connection to the catalog's database was lost. Try again when it runs.");
}

function reasonOf(error: unknown): string {
  // pg throws an AggregateError without a message if all addresses of a host failed.
  if (error instanceof AggregateError && error.message === "") return error.errors.map(reasonOf).join(", ");
  return error instanceof Error ? error.message : String(error);
}
