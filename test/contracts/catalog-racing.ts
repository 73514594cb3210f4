import { afterEach, beforeEach } from "vitest";
import type { Catalog } from "../../domain/ports.ts";
import { addLibrary, publishGeneration, sampleGeneration, sampleRun } from "./catalog-samples.ts";

/** Several catalogs on one database, each with its own connections. */
export interface OpenedCatalogs {
  readonly catalogs: readonly [Catalog, ...Catalog[]];
  cleanup(): Promise<void>;
}

/** How often each race is run, all at once, each on a library of its own. */
export const races = 24;

/** Opens catalogs for each test of a suite, and returns helpers for races. */
export function useCatalogs(open: () => Promise<OpenedCatalogs>) {
  let opened: OpenedCatalogs;
  let turn = 0;
  beforeEach(async () => {
    opened = await open();
  });
  afterEach(() => opened.cleanup());
  /** Returns the catalogs in turn. */
  const next = (): Catalog => opened.catalogs[turn++ % opened.catalogs.length] ?? opened.catalogs[0];
  /** Runs a race on many libraries at once; the sides take turns in starting first. */
  const raceOf = async <A, B>(
    prepare: (uid: string) => Promise<unknown>,
    one: (uid: string) => Promise<A>,
    other: (uid: string) => Promise<B>,
  ): Promise<readonly { uid: string; first: A; second: B }[]> => {
    const uids = Array.from({ length: races }, (_, index) => `u${index}`);
    for (const uid of uids) await prepare(uid);
    return Promise.all(
      uids.map(async (uid, index) => {
        if (index % 2 === 0) {
          const [first, second] = await Promise.all([one(uid), other(uid)]);
          return { uid, first, second };
        }
        const [second, first] = await Promise.all([other(uid), one(uid)]);
        return { uid, first, second };
      }),
    );
  };
  const add = (uid: string) => addLibrary(next(), uid, { id: `/acme/${uid}` });
  const addIdle = async (uid: string) => {
    await add(uid);
    await next().runs.close(`${uid}-1`, { outcome: "failed" }, 1500);
  };
  const addLive = async (uid: string, generations = 1) => {
    await add(uid);
    for (let number = 1; number <= generations; number += 1) await publishGeneration(next(), uid, number);
  };
  /** Adds a library with live generations, and a run that staged another. */
  const addRefreshing = async (uid: string, generations = 1) => {
    await addLive(uid, generations);
    await next().runs.open(uid, "", sampleRun(`${uid}-r`), 8000);
    await next().generations.stage(sampleGeneration(`${uid}-r`, uid, 8));
  };
  const publish = (uid: string, live: string | null) =>
    next().generations.publish({ runId: `${uid}-r`, generation: `${uid}-r`, live }, 9000);
  const statesOf = async (uid: string) =>
    Object.fromEntries((await next().generations.of(uid, "")).map(({ id, state }): [string, string] => [id, state]));
  return { next, raceOf, add, addIdle, addLive, addRefreshing, publish, statesOf };
}
