import { open } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import {
  Kysely,
  SelectQueryNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  type SelectModifierNode,
} from "kysely";
import { makeFolders } from "../blobs/durable-files.ts";
import { diskFailure, Failure } from "../../domain/failures.ts";
import type { Catalog } from "../../domain/ports.ts";
import { createCatalog } from "./index.ts";
import { dueMigrations, hasSchema, migrateCatalog, type SchemaDialect } from "./migrations/index.ts";
import type { Schema } from "./schema.ts";
import { copyCatalog, damageOf } from "./sqlite-copy.ts";
import { mayBeLostMark } from "./transaction.ts";

/** Busy timeout of a connection, in milliseconds. */
const busyTimeout = 5000;

/** Size of a connection's LRU cache of prepared statements. */
const maxStatements = 300;

/** Commits are fsynced, or reach the disk with the next checkpoint or fsynced commit. */
const [synced, unsynced] = ["pragma synchronous = full", "pragma synchronous = normal"];

/** BUSY, LOCKED and CANTOPEN (https://sqlite.org/rescode.html): the file is unavailable for now. `diskFailure` knows the codes of a disk. */
const unavailable: ReadonlySet<number> = new Set([5, 6, 14]);

/** CORRUPT and NOTADB. */
const damageCodes: ReadonlySet<number> = new Set([11, 26]);

/** Options of `openSqliteCatalog`. */
export interface SqliteCatalogOptions {
  readonly file: string;
  /** Called with the path of the copy that was made before a migration. */
  readonly onCopied?: (copy: string) => void;
  /** Called before a new catalog is created; throws to prevent that. */
  readonly beforeMade?: () => Promise<void>;
}

/**
 * Opens the catalog in a SQLite file, which is created with mode 0600 if missing, and brings its schema up to date, after making a copy.
 * @throws Failure internal_error if it is damaged or made by a newer program, search_failed if it cannot be opened,
 * service_unavailable if the disk has no room for the copy
 */
export async function openSqliteCatalog(options: SqliteCatalogOptions): Promise<Catalog> {
  const { file } = options;
  const db = await openSqlite(file);
  try {
    await prepareCatalog(db, options);
  } catch (error) {
    await db.destroy();
    throw isDamage(error) ? damagedFile(file, error) : error;
  }
  return createCatalog(db, () => db.destroy());
}

async function prepareCatalog(db: Kysely<Schema>, { file, onCopied, beforeMade }: SqliteCatalogOptions): Promise<void> {
  const damage = reaching(() => damageOf(file));
  if (damage !== undefined) throw damagedFile(file, new Error(damage));
  if (beforeMade && !(await hasSchema(db))) await beforeMade();
  const due = await dueMigrations(db);
  const copy = due.length === 0 ? undefined : await copyCatalog(file, due);
  if (copy !== undefined) onCopied?.(copy);
  await migrateCatalog(db, sqliteSchema);
}

/** The schema dialect of SQLite: text compares by bytes anyway, and a transaction excludes all other writers. */
export const sqliteSchema: SchemaDialect = { text: "text", lock: async () => {} };

/** Opens the file for Kysely without changing its schema. @throws Failure search_failed if it cannot be opened */
export async function openSqlite(file: string): Promise<Kysely<Schema>> {
  let writer: DatabaseSync | undefined;
  try {
    await makeFolders(dirname(file));
    // SQLite would create it readable for all. Its other files inherit the mode.
    await (await open(file, "a", 0o600)).close();
    writer = new DatabaseSync(file, { timeout: busyTimeout });
    await setWal(writer);
    writer.exec(`${synced}; pragma foreign_keys = on`);
    const reader = new DatabaseSync(file, { readOnly: true, timeout: busyTimeout });
    return new Kysely<Schema>({ dialect: createSqliteDialect(writer, reader) });
  } catch (cause) {
    writer?.close();
    if (isDamage(cause)) throw damagedFile(file, cause);
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `The catalog cannot be opened at ${file}: ${reason}. Check DATA_DIR, its permissions and the free disk space.`;
    throw new Failure(diskFailure(cause)?.code ?? "search_failed", message, { cause });
  }
}

/**
 * Kysely over `node:sqlite`: writes and transactions take turns on one connection; plain SELECTs run on a read-only one, which sees
 * committed data. Destroying the Kysely instance closes both.
 */
function createSqliteDialect(writer: DatabaseSync, reader: DatabaseSync): Dialect {
  return {
    createDriver: () => createDriver(writer, reader),
    createAdapter: () => new NodeSqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new NodeSqliteCompiler(),
  };
}

class NodeSqliteAdapter extends SqliteAdapter {
  // Reads need not wait for the writer; the driver orders writes itself.
  override get supportsMultipleConnections(): boolean {
    return true;
  }

  // So that all migrations run in one transaction.
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class NodeSqliteCompiler extends SqliteQueryCompiler {
  // SQLite has no row locks: a transaction excludes other writers from its start.
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (node.modifier === "Distinct") super.visitSelectModifier(node);
  }
}

/** A connection of Kysely: uses the writer while it holds a turn, which `release` ends, else the reader. */
interface Session extends DatabaseConnection {
  release: (() => void) | undefined;
}

function createDriver(writer: DatabaseSync, reader: DatabaseSync): Driver {
  const takeTurn = createTurns();
  const write = createRunner(writer);
  const read = createRunner(reader);

  async function execute<R>(session: Session, query: CompiledQuery): Promise<QueryResult<R>> {
    if (session.release) return write<R>(query);
    if (SelectQueryNode.is(query.query)) return read<R>(query);
    const isUnsynced = query.sql.endsWith(mayBeLostMark);
    const release = await takeTurn();
    try {
      if (isUnsynced) writer.exec(unsynced);
      return write<R>(query);
    } finally {
      if (isUnsynced) writer.exec(synced);
      release();
    }
  }

  return {
    init: async () => {},
    async acquireConnection() {
      const session: Session = {
        release: undefined,
        executeQuery: (query) => execute(session, query),
        async *streamQuery(query) {
          yield await execute(session, query);
        },
      };
      return session;
    },
    async beginTransaction(session: Session) {
      session.release = await takeTurn();
      reaching(() => writer.exec("begin immediate"));
    },
    async commitTransaction() {
      reaching(() => writer.exec("commit"));
    },
    async rollbackTransaction() {
      // SQLite itself rolls back after some errors, such as a full disk.
      if (writer.isTransaction) writer.exec("rollback");
    },
    async releaseConnection(session: Session) {
      session.release?.();
      session.release = undefined;
    },
    async destroy() {
      const release = await takeTurn();
      reader.close();
      writer.close();
      release();
    },
  };
}

/** A FIFO mutex. The returned function releases it. */
function createTurns(): () => Promise<() => void> {
  let last = Promise.resolve();
  return async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = last;
    last = promise;
    await before;
    return resolve;
  };
}

/** A statement, and whether it returns rows: reading its columns each time would take longer than most queries. */
interface Prepared {
  readonly statement: StatementSync;
  readonly hasRows: boolean;
}

/** Executes compiled queries, with an LRU cache of prepared statements. */
function createRunner(database: DatabaseSync): <R>(query: CompiledQuery) => QueryResult<R> {
  const prepared = new LRUCache<string, Prepared>({ max: maxStatements });

  function prepare(sql: string): Prepared {
    const known = prepared.get(sql);
    if (known !== undefined) return known;
    const statement = database.prepare(sql);
    const made = { statement, hasRows: statement.columns().length > 0 };
    prepared.set(sql, made);
    return made;
  }

  return <R>({ sql, parameters }: CompiledQuery) =>
    reaching(() => {
      const { statement, hasRows } = prepare(sql);
      const values = parameters as readonly SQLInputValue[];
      if (hasRows) return { rows: statement.all(...values) as R[] };
      const { changes, lastInsertRowid } = statement.run(...values);
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
    });
}

/** Retries, as SQLite applies no busy timeout when two connections change the journal mode at once. */
async function setWal(database: DatabaseSync): Promise<void> {
  const deadline = Date.now() + busyTimeout;
  for (;;) {
    try {
      database.exec("pragma journal_mode = wal");
      return;
    } catch (error) {
      if (sqliteCode(error) !== 5 || Date.now() > deadline) throw error;
      await sleep(10);
    }
  }
}

/** Accesses the file. @throws Failure if it is damaged, cannot be reached, or its disk is full */
export function reaching<T>(access: () => T): T {
  try {
    return access();
  } catch (error) {
    throw toFailure(error);
  }
}

function toFailure(error: unknown): unknown {
  const disk = diskFailure(error);
  if (disk !== undefined) return disk;
  if (isDamage(error)) {
    const message = "The catalog's file is damaged. Its operator has to restore it from a backup.";
    return new Failure("internal_error", message, { cause: error });
  }
  const code = sqliteCode(error) ?? 0;
  if (!unavailable.has(code)) return error;
  return new Failure(
    "search_failed",
    "The catalog's file cannot be read or written. Check that no other program has locked it, then try again.",
    { cause: error },
  );
}

/** A failure for whoever starts the process, with the path and the error. */
function damagedFile(file: string, error: unknown): Failure {
  const inner = error instanceof Failure ? error.cause : error;
  const reason = inner instanceof Error ? inner.message.split("\n", 1)[0] : String(inner);
  const message = `The catalog ${file} is damaged, or is not a catalog (${reason}). Move it away, and restore it from a backup: see "Back up" in docs/guides/back-up-and-upgrade.md.`;
  return new Failure("internal_error", message, { cause: error });
}

/** Whether an error, or the cause of a Failure, is SQLite's for a damaged file. */
function isDamage(error: unknown): boolean {
  return damageCodes.has(sqliteCode(error) ?? sqliteCode(error instanceof Failure ? error.cause : undefined) ?? 0);
}

/** The primary result code of an SQLite error; undefined for other errors. */
function sqliteCode(error: unknown): number | undefined {
  const code = error instanceof Error && "errcode" in error ? error.errcode : undefined;
  return typeof code === "number" ? code & 0xff : undefined;
}
