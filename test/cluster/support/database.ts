import { randomBytes } from "node:crypto";
import pg from "pg";

/** A database of a test's own. */
export interface FreshDatabase {
  readonly url: string;
  /** Removes it, with the connections to it. */
  drop(): Promise<void>;
}

/** Makes an empty database on the server of a superuser's URL. */
export async function freshDatabase(superuserUrl: string): Promise<FreshDatabase> {
  const name = `lectern_test_${randomBytes(6).toString("hex")}`;
  await command(superuserUrl, `create database ${name}`);
  const url = new URL(superuserUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => command(superuserUrl, `drop database if exists ${name} with (force)`) };
}

/** Executes a command in a database. */
export async function command(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}
