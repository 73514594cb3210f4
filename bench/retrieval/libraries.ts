/** A library whose documentation is in a published package. */
export interface BenchLibrary {
  /** Name of its file of questions; its ID is `/docs/<name>`. */
  readonly name: string;
  readonly registry: "npm" | "pypi";
  readonly package: string;
  readonly version: string;
  /** SHA-256 of the archive, hex. */
  readonly sha256: string;
  /** The folder of the documentation below the archive's only folder. */
  readonly docs: string;
}

/** The libraries that questions are asked of. Small and large, JavaScript and Python, frameworks and command lines. */
export const libraries: readonly BenchLibrary[] = [
  {
    name: "fastify",
    registry: "npm",
    package: "fastify",
    version: "5.12.8",
    sha256: "459048aabd9311309f4f95b36e8ca065e3a4613ded292bcf50442926931e4748",
    docs: "docs",
  },
  {
    name: "pino",
    registry: "npm",
    package: "pino",
    version: "10.4.0",
    sha256: "f745d3dee0bddd39f11226335ee6dbbe3d49cc037168f2b31a8cdbe78f0e6216",
    docs: "docs",
  },
  {
    name: "starlette",
    registry: "pypi",
    package: "starlette",
    version: "1.10.0",
    sha256: "b8399098d4c1e3522734f7235dc79b1fc967f96cf139c81e0fa30479e0685f9b",
    docs: "docs",
  },
];

/** The ID that a library is submitted under. */
export function libraryIdOf({ name }: BenchLibrary): string {
  return `/docs/${name}`;
}
