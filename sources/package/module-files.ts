import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { UnpackedPackage } from "./declaration-files.ts";

/** Maximum number of files of a package. */
const maxFiles = 3000;

/** Folders and files that are not part of a package's API. */
const pythonOthers =
  /(?:^|\/)(?:tests?|testing|docs?|examples?|benchmarks?|scripts|tools|vendor|_vendor|site-packages|build|\.[^/]*)\/|(?:^|\/)(?:setup|conftest|noxfile|test_[^/]*|[^/]*_test)\.py$/;
const rustOthers = /(?:^|\/)(?:tests?|benches|examples|build\.rs|target)(?:\/|$)|(?:^|\/)tests?\.rs$|^src\/bin\//;
const goOthers = /(?:^|\/)(?:internal|vendor|testdata|third_party|examples?|_[^/]*|\.[^/]*)\//;

/** The public modules of a Python package, private ones that a package imports names from, and stubs without code. Runs on a thread. */
export function pythonFiles({ root, paths }: UnpackedPackage): readonly string[] {
  const modules = new Set(paths.filter((path) => /\.pyi?$/.test(path) && !pythonOthers.test(path)));
  const imported = new Map<string, string>();
  const importsOf = (folder: string): string => {
    const known = imported.get(folder);
    if (known !== undefined) return known;
    const place = join(root, folder, "__init__.py");
    const text = existsSync(place) ? readFileSync(place, "utf8") : "";
    imported.set(folder, text);
    return text;
  };
  const isPublic = (path: string): boolean => {
    const steps = path.replace(/\.pyi?$/, "").split("/");
    return steps.every((step, at) => {
      if (!step.startsWith("_") || /^__(?:init|main)__$/.test(step)) return true;
      const folder = steps.slice(0, at).join("/");
      return importsOf(folder).includes(step);
    });
  };
  return [...modules]
    .filter((path) => !(path.endsWith(".pyi") && modules.has(path.slice(0, -1))) && isPublic(path))
    .toSorted(byDepth)
    .slice(0, maxFiles);
}

/** The source files of a crate, its root first. */
export function rustFiles({ paths }: UnpackedPackage): readonly string[] {
  return paths
    .filter((path) => path.startsWith("src/") && !rustOthers.test(path))
    .toSorted(byDepth)
    .slice(0, maxFiles);
}

/** The files of a Go module with its exported names, and those with its examples. */
export function goFiles({ paths }: UnpackedPackage): readonly string[] {
  return paths
    .filter(
      (path) =>
        !goOthers.test(path) && (!path.endsWith("_test.go") || /(?:^|\/|_)examples?(?:_[^/]*)?_test\.go$/.test(path)),
    )
    .toSorted(byDepth)
    .slice(0, maxFiles);
}

/** Sorts files nearer to the root first: most questions are about their names. */
function byDepth(one: string, other: string): number {
  const depth = (path: string): number => dirname(path).split("/").length;
  return depth(one) - depth(other) || (one < other ? -1 : 1);
}
