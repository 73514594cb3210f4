import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chooseRefs, maxRefs, type RefChoice } from "../../domain/refs.ts";
import type { SourceRef } from "../../domain/source.ts";

const ref = (kind: SourceRef["kind"], name: string): SourceRef => ({ kind, name, revision: "c".repeat(40) });

function choose(refs: readonly SourceRef[], limit: number, named: readonly string[] = []): RefChoice {
  const chooser = chooseRefs("/acme/widgets", new Set(named), limit);
  for (const one of refs) chooser.add(one);
  return chooser.chosen();
}

const tagsOf = (names: readonly string[], limit: number, named?: readonly string[]): readonly string[] =>
  choose(
    names.map((name) => ref("tag", name)),
    limit,
    named,
  ).refs.map(({ name }) => name);

describe("the refs of a source that are kept", () => {
  it("are all of them, branches before tags, in their order, where there are few", () => {
    const refs = [ref("tag", "v1"), ref("branch", "main"), ref("tag", "old"), ref("branch", "next")];
    expect(choose(refs, 4)).toEqual({ refs: [refs[1], refs[3], refs[0], refs[2]], leftOut: 0 });
  });

  it("are the newest versions, releases first, then names without a version", () => {
    const names = ["nightly", "v1.0.0", "v3.0.0-rc.1", "v2.0.0", "v3.0.0-rc.2", "v0.9.0"];
    expect(tagsOf(names, 4)).toEqual(["v1.0.0", "v2.0.0", "v3.0.0-rc.2", "v0.9.0"]);
    expect(tagsOf(names, 2)).toEqual(["v1.0.0", "v2.0.0"]);
  });

  it("are the library's own versions, and the newest of each other product", () => {
    const products = ["gears", "nuts", "bolts"].flatMap((name) => [1, 2, 3].map((at) => `${name}@${at}.0.0`));
    const own = [1, 2, 3, 4, 5].map((at) => `widgets@${at}.0.0`);
    expect(tagsOf([...products, ...own], 8)).toEqual(["gears@3.0.0", "nuts@3.0.0", "bolts@3.0.0", ...own]);
  });

  it("have branches among them, those without a slash before people's own", () => {
    const tags = Array.from({ length: 20 }, (_, at) => ref("tag", `v${at}.0.0`));
    const branches = ["ann/try", "bob/fix", "main", "release/2.x", "zoe/more"].map((name) => ref("branch", name));
    const { refs, leftOut } = choose([...tags, ...branches], 12);
    expect(refs.filter(({ kind }) => kind === "branch").map(({ name }) => name)).toEqual([
      "ann/try",
      "main",
      "release/2.x",
    ]);
    expect(refs.at(-1)?.name).toBe("v19.0.0");
    expect([refs.length, leftOut]).toEqual([12, 13]);
  });

  it("include the requested ones, whatever they are called, but none with a name that is too long", () => {
    const names = [...Array.from({ length: 50 }, (_, at) => `v${at}`), "odd/one", "x".repeat(251)];
    expect(tagsOf(names, 2, ["odd/one", "v3"])).toEqual(["v3", "odd/one"]);
    expect(tagsOf(names, 60)).toHaveLength(51);
  });

  it("are the same in whatever order they come, and never more than the limit", () => {
    const name = fc.oneof(
      fc.tuple(fc.constantFrom("v", "gears@", "nuts-", ""), fc.nat(9), fc.nat(9)).map(([of, a, b]) => `${of}${a}.${b}`),
      fc.tuple(fc.constantFrom("main", "a/b", "v1-rc."), fc.nat(30)).map(([of, a]) => `${of}${a}`),
    );
    const kind = fc.constantFrom("branch" as const, "tag" as const);
    const some = fc.uniqueArray(fc.tuple(kind, name), { selector: String, maxLength: 80 });
    fc.assert(
      fc.property(some, fc.integer({ min: 4, max: 20 }), (pairs, limit) => {
        const refs = pairs.map(([of, called]) => ref(of, called));
        const namesOf = ({ refs: kept }: RefChoice): string[] => kept.map(({ kind: of, name: called }) => of + called);
        const one = choose(refs, limit);
        expect(new Set(namesOf(choose(refs.toReversed(), limit)))).toEqual(new Set(namesOf(one)));
        expect(one.refs.length).toBe(Math.min(limit, refs.length));
        expect(one.leftOut).toBe(refs.length - one.refs.length);
      }),
    );
  });

  it("are the same for two names of one version, whichever comes first", () => {
    const refs = [ref("tag", "8.6"), ref("tag", "v8.6"), ...["9.1", "9.2", "9.3"].map((name) => ref("tag", name))];
    const kept = (given: readonly SourceRef[]) => choose(given, 4).refs.map(({ name }) => name);
    expect(kept(refs).toSorted()).toEqual(kept(refs.toReversed()).toSorted());
  });

  it("are bounded out of hundreds of thousands", () => {
    const refs = Array.from({ length: 100_000 }, (_, at) => ref("tag", `v${at % 300}.${at}.0`));
    const { refs: kept, leftOut } = choose(refs, maxRefs);
    expect([kept.length, leftOut]).toEqual([maxRefs, 98_000]);
    expect(kept.map(({ name }) => name)).toContain("v299.99899.0");
  });
});
