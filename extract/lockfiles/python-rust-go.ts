import type { Dependency } from "../../domain/packages.ts";
import { checkEntries, linesOf, textOf, type Listed } from "./tables.ts";
import { parse as parseToml } from "smol-toml";
import { type Json, listOf, objectOf } from "../json.ts";

/** A pip requirement: name and version range. */
const requirement =
  /^([A-Za-z\d][\w.-]{0,100})[ \t]{0,5}(?:\[[^\]]{0,200}\])?[ \t]{0,5}((?:[=<>!~]=?=?[ \t]{0,3}[\w.*+!-]{1,60}[ \t]{0,3},?[ \t]{0,3}){0,10})$/;

/** requirements.txt: https://pip.pypa.io/en/stable/reference/requirements-file-format/ */
export function readRequirements(text: string): Listed {
  const dependencies: Dependency[] = [];
  let others = 0;
  for (const written of linesOf(text.replace(/\\\r?\n/g, " "))) {
    const line = written
      .replace(/(?:^|[ \t])#.*$/, "")
      .replace(/[ \t]--\w.*$/, "")
      .split(";", 1)
      .join("")
      .trim();
    if (line === "" || line.startsWith("-")) continue;
    const [, name, range = ""] = requirement.exec(line) ?? [];
    if (name === undefined) {
      others += 1;
      continue;
    }
    const pinned = /^={2,3}[ \t]{0,3}([\w.+!-]+)$/.exec(range.trim())?.[1];
    dependencies.push({ registry: "pypi", name, version: pinned ?? range.trim(), direct: null, dev: null });
    checkEntries(dependencies.length);
  }
  return { dependencies, others };
}

/** uv.lock: the project itself is a package without an index. */
export function readUvLock(text: string): Listed {
  const packages = listOf(parseToml(text)["package"]).map(objectOf);
  const isOwn = (one: Json): boolean =>
    ["virtual", "editable", "directory"].some((key) => key in objectOf(one["source"]));
  const direct = new Map<string, boolean>();
  const note = (list: unknown, dev: boolean): void => {
    for (const one of listOf(list).map(objectOf)) {
      const name = textOf(one["name"]);
      direct.set(name, (direct.get(name) ?? true) && dev);
    }
  };
  for (const one of packages.filter(isOwn)) {
    note(one["dependencies"], false);
    for (const list of Object.values(objectOf(one["optional-dependencies"]))) note(list, false);
    for (const list of Object.values(objectOf(one["dev-dependencies"]))) note(list, true);
  }
  const rest = packages.filter((one) => !isOwn(one));
  const read = rest.filter((one) => "registry" in objectOf(one["source"]));
  return {
    dependencies: read.map((one) => {
      const name = textOf(one["name"]);
      return {
        registry: "pypi",
        name,
        version: textOf(one["version"]),
        direct: direct.has(name),
        dev: direct.get(name) ?? null,
      };
    }),
    others: rest.length - read.length,
  };
}

/** poetry.lock, without direct dependencies: those are in pyproject.toml. */
export function readPoetryLock(text: string): Listed {
  const packages = listOf(parseToml(text)["package"]).map(objectOf);
  const read = packages.filter(
    (one) => !["git", "directory", "file", "url"].includes(textOf(objectOf(one["source"])["type"])),
  );
  return {
    dependencies: read.map((one): Dependency => {
      const groups = listOf(one["groups"]).map(textOf);
      const dev =
        groups.length > 0 ? !groups.includes("main") : one["category"] === undefined ? null : one["category"] === "dev";
      return { registry: "pypi", name: textOf(one["name"]), version: textOf(one["version"]), direct: null, dev };
    }),
    others: packages.length - read.length,
  };
}

/** Cargo.lock: packages without a source belong to the project. */
export function readCargoLock(text: string): Listed {
  const packages = listOf(parseToml(text)["package"]).map(objectOf);
  const own = packages.filter((one) => one["source"] === undefined);
  const wanted = new Set(
    own.flatMap((one) => listOf(one["dependencies"]).map((name) => textOf(name).split(" ").slice(0, 2).join(" "))),
  );
  const foreign = packages.filter((one) => one["source"] !== undefined);
  const read = foreign.filter((one) => /^(?:registry|sparse)\+/.test(textOf(one["source"])));
  return {
    dependencies: read.map((one) => {
      const [name, version] = [textOf(one["name"]), textOf(one["version"])];
      return {
        registry: "crates",
        name,
        version,
        direct: wanted.has(name) || wanted.has(`${name} ${version}`),
        dev: null,
      };
    }),
    others: foreign.length - read.length,
  };
}

/** go.sum: the last of several versions of a module is the built one; lines for go.mod files do not count. */
export function readGoSum(text: string): Listed {
  const versions = new Map<string, string>();
  let others = 0;
  for (const line of linesOf(text)) {
    const [, name, version] = /^(\S{1,300}) (v[^\s/]{1,200})(?:\/go\.mod)? h1:\S+$/.exec(line.trim()) ?? [];
    if (name === undefined || version === undefined) others += 1;
    else if (!line.includes("/go.mod ")) versions.set(name, version);
    checkEntries(versions.size);
  }
  return {
    dependencies: [...versions].map(([name, version]) => ({ registry: "go", name, version, direct: null, dev: null })),
    others,
  };
}
