import fc from "fast-check";
import semver from "semver";
import { describe, expect, it } from "vitest";
import { matchVersions, parseRange, satisfies, type VersionName } from "../../domain/version-match.ts";
import { compareVersions, nearestNames, newestFirst, parseVersion } from "../../domain/versions.ts";
import { amount, endurance } from "../support/endurance.ts";

const tags = (...names: string[]): VersionName[] => names.map((name) => ({ name, kind: "tag" }));
const branches = (...names: string[]): VersionName[] => names.map((name) => ({ name, kind: "branch" }));

describe("parseVersion", () => {
  it.each([
    ["v4.17.1", "", [4, 17, 1], null],
    ["4", "", [4], null],
    ["V1.2", "", [1, 2], null],
    ["release-4.17.1", "", [4, 17, 1], null],
    ["release/v4.17", "", [4, 17], null],
    ["widgets@4.17.1", "widgets", [4, 17, 1], null],
    ["@acme/widgets@4.17.1-rc.2", "@acme/widgets", [4, 17, 1], ["rc", 2]],
    ["packages/core/v1.2.3", "packages/core", [1, 2, 3], null],
    ["curl-8_4_0", "curl", [8, 4, 0], null],
    ["REL_15_2", "", [15, 2], null],
    ["REL_15_BETA1", "", [15], ["beta", 1]],
    ["V_9_8_P1", "", [9, 8, 1], null],
    ["go1.21.5", "go", [1, 21, 5], null],
    ["go1.21rc2", "go", [1, 21], ["rc", 2]],
    ["jdk-21+35", "jdk", [21], null],
    ["swift-5.9-RELEASE", "swift", [5, 9], null],
    ["6.4.0.Final", "", [6, 4, 0], null],
    ["3.0.0.M1", "", [3, 0, 0], ["m", 1]],
    ["v7.0.0.rc1", "", [7, 0, 0], ["rc", 1]],
    ["1.0a2", "", [1, 0], ["alpha", 2]],
    ["1.0.post2", "", [1, 0, 2], null],
    ["1.2.3-rc1", "", [1, 2, 3], ["rc", 1]],
    ["1.2.3-4", "", [1, 2, 3], [4]],
    ["1.2.3+build.7", "", [1, 2, 3], null],
    ["2024-01-15", "", [2024, 1, 15], null],
    ["k8s-1.30.0", "k8s", [1, 30, 0], null],
    ["web3-1.2.11", "web3", [1, 2, 11], null],
    ["h3@1.2.0", "h3", [1, 2, 0], null],
    ["3d-tiles-1.2", "3d-tiles", [1, 2], null],
    ["base64-js@1.5.1", "base64-js", [1, 5, 1], null],
    ["11.x", "", [11], null],
  ])("reads %s", (name, family, numbers, pre) => {
    expect(parseVersion(name)).toEqual({ name, family, numbers, pre });
  });

  it.each(["main", "", "latest", "feature/login", "1.2.3@", "x".repeat(500), `1.2.${"3".repeat(40)}`, "v", "4w3n"])(
    "takes %s for no version",
    (name) => {
      expect(parseVersion(name)).toBeNull();
    },
  );

  it.runIf(endurance)("reads whatever a ref can be called, and quickly", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (name) => {
        const version = parseVersion(name);
        expect(version === null || version.numbers.every(Number.isSafeInteger)).toBe(true);
      }),
    );
    const started = process.cpuUsage();
    for (const part of ["1.", "1-", "v1", "-1", "a1.", "1_", ".x", "1.x"])
      for (let round = 0; round < 100; round += 1) parseVersion(part.repeat(100).slice(0, 200));
    expect(process.cpuUsage(started).user).toBeLessThan(2_000_000);
  });
});

/** A version as semver defines it, with pre-releases of whole words and numbers. */
const semverText = fc
  .tuple(
    fc.nat(4),
    fc.nat(4),
    fc.nat(4),
    fc.option(fc.array(fc.oneof(fc.constantFrom("alpha", "beta", "rc"), fc.nat(3)), { minLength: 1, maxLength: 3 })),
  )
  .map(([major, minor, patch, pre]) => `${major}.${minor}.${patch}${pre === null ? "" : `-${pre.join(".")}`}`);
const partialText = fc
  .tuple(fc.nat(4), fc.option(fc.nat(4)), fc.option(fc.nat(4)))
  .map(([major, minor, patch]) => `${major}${minor === null ? "" : `.${minor}${patch === null ? "" : `.${patch}`}`}`);
const wildText = fc.constantFrom("*", "x", "1.x", "2.*", "1.2.x", "3.x.x");
const simple = fc
  .tuple(fc.constantFrom("", "^", "~", ">=", "<=", ">", "<", "=", "^v", ">= ", "~>"), fc.oneof(partialText, semverText))
  .map(([operator, version]) => `${operator}${version}`);
const rangeText = fc.oneof(
  simple,
  wildText,
  fc.tuple(simple, simple).map((both) => both.join(" ")),
  fc.tuple(simple, simple).map((both) => both.join(" || ")),
  fc.tuple(partialText, partialText).map((both) => both.join(" - ")),
);

describe("versions that follow semver", () => {
  it("have the order that semver gives them", () => {
    fc.assert(
      fc.property(semverText, semverText, (a, b) => {
        const [one, other] = [parseVersion(a), parseVersion(b)];
        expect(one && other && Math.sign(compareVersions(one, other))).toBe(semver.compare(a, b));
      }),
      { numRuns: amount({ short: 500, long: 20_000 }) },
    );
  });

  it("are in the ranges that npm says they are in", () => {
    fc.assert(
      fc.property(rangeText, semverText, (range, text) => {
        const version = parseVersion(text);
        const parsed = parseRange(range);
        expect([range, text, version && parsed && satisfies(version, parsed)]).toEqual([
          range,
          text,
          // Each alternative by itself: npm takes `* || 1.0.0-a` for `*`, which 1.0.0-a is not in.
          range.split("||").some((alternative) => semver.satisfies(text, alternative)),
        ]);
      }),
      { numRuns: amount({ short: 1000, long: 50_000 }) },
    );
  });
});

describe("parseRange", () => {
  it.each([
    [">=3,<5", "4.2.0", true],
    [">=3, <5", "5.0.0", false],
    ["^0.2.0 ~0.3.0-0", "0.3.0-alpha", false],
    ["<3 >=3.0.0-alpha", "3.0.0-beta", false],
    ["~=4.2", "4.9.1", true],
    ["~=4.2", "5.0.0", false],
    ["~=4.2.3", "4.2.9", true],
    ["~=4.2.3", "4.3.0", false],
    ["==4.*", "4.9.1", true],
    ["==4.2.1", "4.2.1", true],
    ["4.17.1", "4.17.1.3", true],
  ])("reads %s as pip does: %s is %s", (range, text, expected) => {
    const [parsed, version] = [parseRange(range), parseVersion(text)];
    expect(parsed && version && satisfies(version, parsed)).toBe(expected);
  });

  it.each(["", " ", "latest", "main", "^", ">=", "4 || ", "!=4", "4..2", "v", `${">1 ".repeat(50)}`, "4 foo"])(
    "takes %j for no range",
    (text) => {
      expect(parseRange(text)).toBeNull();
    },
  );
});

describe("matchVersions", () => {
  const lodash = "/lodash/lodash";
  const released = tags("v3.10.1", "v4.0.0", "v4.17.0", "v4.17.1", "v4.17.10", "v4.18.0-rc.1", "v5.0.0-beta.2", "4.x");
  it.each([
    ["^4", "v4.17.10"],
    ["~4.17", "v4.17.10"],
    ["4", "4.x"],
    ["v4", "4.x"],
    ["4.x", "4.x"],
    ["4.17.x", "v4.17.10"],
    ["4.17", "v4.17.10"],
    [">=3 <5", "v4.17.10"],
    [">=3 <4", "v3.10.1"],
    ["<4 || 4.17.1", "v4.17.1"],
    ["4.17.1", "v4.17.1"],
    ["V4.17.1", "v4.17.1"],
    ["lodash@4.17.1", "v4.17.1"],
    ["lodash@^4.0.0", "v4.17.10"],
    ["release-4.17.1", "v4.17.1"],
    ["4.18.0-rc.1", "v4.18.0-rc.1"],
    ["^4.18.0-rc", "v4.18.0-rc.1"],
    ["5", "v5.0.0-beta.2"],
    ["*", "v4.17.10"],
    ["latest", "v4.17.10"],
    ["Stable", "v4.17.10"],
    ["6", undefined],
    ["main", undefined],
    ["lodash-es@4", undefined],
    ["toolkit-4.17.1", undefined],
    ["", undefined],
  ])("takes %s for %s", (wanted, expected) => {
    expect(matchVersions(wanted, released, lodash)[0]).toBe(expected);
  });

  it("answers all that fit a range, the newest first", () => {
    expect(matchVersions(">=4 <4.17.5", released, lodash)).toEqual(["v4.17.1", "v4.17.0", "4.x", "v4.0.0"]);
  });

  it("prefers the exact name, whatever else fits", () => {
    expect(matchVersions("v4", tags("v4", "v4.17.1"), lodash)).toEqual(["v4"]);
    expect(matchVersions("latest", [...tags("v1.0.0"), ...branches("latest")], lodash)).toEqual(["latest"]);
    expect(matchVersions("stable", [...tags("v1.0.0"), ...branches("stable")], lodash)).toEqual(["stable"]);
  });

  it("prefers tags of the library's own name, and never takes another product's for it", () => {
    const monorepo = tags("widgets@1.2.0", "v1.2.0", "gadgets@9.0.0", "@acme/widgets@1.1.0", "gadgets@1.5.0");
    expect(matchVersions("1.2.0", monorepo, "/acme/widgets")[0]).toBe("widgets@1.2.0");
    expect(matchVersions("^1", monorepo, "/acme/widgets")[0]).toBe("widgets@1.2.0");
    expect(matchVersions("latest", monorepo, "/acme/widgets")[0]).toBe("widgets@1.2.0");
    expect(matchVersions("9", monorepo, "/acme/widgets")).toEqual([]);
    expect(matchVersions("gadgets@^1", monorepo, "/acme/widgets")).toEqual(["gadgets@1.5.0"]);
    expect(matchVersions("^1", monorepo, "/acme/gadgets")[0]).toBe("gadgets@1.5.0");
    expect(matchVersions("14", tags("next@14.0.0", "next-auth@14.2.0"), "/vercel/next.js")).toEqual(["next@14.0.0"]);
  });

  it("takes tags of another name for the library's where nearly all have it", () => {
    const php = tags("php-8.2.0", "php-8.3.0", "php-8.3.1", "php-8.1.9", "php-8.0.1", "yaf-9.0.0");
    expect(matchVersions("^8", php, "/php/php-src")[0]).toBe("php-8.3.1");
    expect(matchVersions("latest", php, "/php/php-src")[0]).toBe("php-8.3.1");
    expect(matchVersions("^1", tags("a@1.0.0", "b@1.0.0"), "/acme/mono")).toEqual([]);
  });

  it("falls back to branches where no tag fits, but never to topic branches", () => {
    const laravel = [...branches("10.x", "11.x", "master", "fix/issue-12"), ...tags("v9.0.0")];
    expect(matchVersions("11", laravel, "/laravel/docs")).toEqual(["11.x"]);
    expect(matchVersions("^11", laravel, "/laravel/docs")).toEqual(["11.x"]);
    expect(matchVersions("12", laravel, "/laravel/docs")).toEqual([]);
    expect(matchVersions("9", laravel, "/laravel/docs")).toEqual(["v9.0.0"]);
  });

  it("takes latest for the default version where nothing was released", () => {
    expect(matchVersions("latest", [...branches("main", "v9"), ...tags("v1.0.0-beta")], lodash)).toEqual([""]);
    expect(matchVersions("stable", [], lodash)).toEqual([""]);
    expect(matchVersions("gadgets@latest", [], lodash)).toEqual([]);
  });

  it("takes milliseconds for ten thousand names", () => {
    const many = tags(...Array.from({ length: 10_000 }, (_, index) => `v${index % 50}.${index % 97}.${index}`));
    const started = process.cpuUsage();
    for (let round = 0; round < 10; round += 1) expect(matchVersions("^4", many, lodash).length).toBeGreaterThan(100);
    expect(process.cpuUsage(started).user / 10).toBeLessThan(200_000);
  });
});

describe("names for people", () => {
  it("are sorted newest first: releases, pre-releases, other products' versions, other names", () => {
    const names = ["main", "v1.9.0", "v1.10.0", "v2.0.0-rc.1", "next", "gadgets@7.0.0", "v1.10.0", "v2.0.0-rc.10"];
    expect(newestFirst(names, "/acme/widgets")).toEqual([
      "v1.10.0",
      "v1.9.0",
      "v2.0.0-rc.10",
      "v2.0.0-rc.1",
      "gadgets@7.0.0",
      "main",
      "next",
    ]);
  });

  it("have one order, whatever order they come in", () => {
    const name = fc.oneof(semverText, fc.constantFrom("main", "Main", "v1", "V1", "1", "01", "1.0"));
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 8 }), (names) => {
        expect(newestFirst(names.toReversed())).toEqual(newestFirst(names));
      }),
    );
  });

  it("are suggested for a missing one by their numbers, or by how they begin", () => {
    const names = ["v3.0.0", "v4.0.0", "v4.17.0", "v4.17.3", "v4.9.0", "v5.0.0", "main"];
    for (const wanted of ["4.99.0", "9", "mian"])
      expect(nearestNames(wanted, names, 3)).toEqual(
        nearestNames(wanted, names.toReversed(), names.length).slice(0, 3),
      );
    expect(nearestNames("4.99.0", names, 3)).toEqual(["v4.17.3", "v4.17.0", "v4.9.0"]);
    expect(nearestNames("v4.17.9", names, 2)).toEqual(["v4.17.3", "v4.17.0"]);
    expect(nearestNames("9", names, 1)).toEqual(["v5.0.0"]);
    expect(nearestNames("mian", names, 1)).toEqual(["v5.0.0"]);
    expect(nearestNames("9", ["gadgets@9.0.0", "v5.0.0"], 1, "/acme/widgets")).toEqual(["v5.0.0"]);
    expect(nearestNames("gadgets@9.1", ["gadgets@9.0.0", "v9.1.0"], 1, "/acme/gizmos")).toEqual(["v9.1.0"]);
  });

  it("are suggested with releases before branches, and those that begin like the wanted one last", () => {
    const tags = ["v4.0.0", "v4.1.0", "v5.0.0"].map((name) => ({ name, kind: "tag" as const }));
    const branches = ["4.1-fixes", "v4.9", "main", "maintenance", "docs"].map((name) => ({
      name,
      kind: "branch" as const,
    }));
    const all = [...branches, ...tags];
    const releases = expect.arrayContaining(tags.map(({ name }) => name)) as unknown;
    for (const wanted of ["v4.1.9", "4.1-fixez", "docz", "nosuch", "main2"])
      expect([wanted, nearestNames(wanted, all, 8).slice(0, 3)]).toEqual([wanted, releases]);
    expect(nearestNames("v4.1.9", all, 4)).toEqual(["v4.1.0", "v4.0.0", "v5.0.0", "4.1-fixes"]);
    expect(nearestNames("docz", all, 3)).toEqual(["v5.0.0", "v4.1.0", "docs"]);
    expect(nearestNames("nosuch", all, 3)).toEqual(["v5.0.0", "v4.1.0", "v4.0.0"]);
    expect(nearestNames("main2", all, 4)).toEqual(["v5.0.0", "v4.1.0", "main", "maintenance"]);
    expect(nearestNames("nosuch", branches, 2)).toHaveLength(2);
  });
});
