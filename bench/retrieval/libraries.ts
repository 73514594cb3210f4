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

/**
 * The libraries that questions are asked of. Small and large, JavaScript and Python, frameworks and command lines;
 * docs/measuring.md has the rule by which one is taken.
 */
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
    name: "undici",
    registry: "npm",
    package: "undici",
    version: "8.12.4",
    sha256: "26058cdb2174623666e823e6b44ccfef8d5c1955107f979b8083904b61a0ce6e",
    docs: "docs/docs",
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
    name: "mercurius",
    registry: "npm",
    package: "mercurius",
    version: "16.10.1",
    sha256: "39d875b5fc3ab0f2d783b81520dae08991631db6c10906b73dbb8e225e50766b",
    docs: "docs",
  },
  {
    name: "ai",
    registry: "npm",
    package: "ai",
    version: "7.0.173",
    sha256: "9bb39977ac3471c0dfd2a541f3d03390eefd8a68140f07020d169d9d72667a2e",
    docs: "docs",
  },
  {
    name: "next",
    registry: "npm",
    package: "next",
    version: "16.4.6",
    sha256: "954cc114e2e4f57464f6d2f6640ec9b7a8e493ad4373c692b2d37d135da2806a",
    docs: "dist/docs",
  },
  {
    name: "npm",
    registry: "npm",
    package: "npm",
    version: "12.2.0",
    sha256: "6666b48816b39b86c3febac7b51a4ee4de6c5ca589c382ad8004b6b113f86677",
    docs: "docs/content",
  },
  {
    name: "eslint-plugin-import",
    registry: "npm",
    package: "eslint-plugin-import",
    version: "2.32.0",
    sha256: "4c122b593c52e40f3167a89b388d0b9a155aaddc08f05935ccece7b4ff51ecde",
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
  {
    name: "click",
    registry: "pypi",
    package: "click",
    version: "8.5.1",
    sha256: "9bbfada76703fd1d784b83eea012e3e8c6a001a876543ef104fa56aaaeb072b4",
    docs: "docs",
  },
  {
    name: "black",
    registry: "pypi",
    package: "black",
    version: "26.10.1",
    sha256: "5f9f83beae62437e060dafd53d7f1fc327e3d3494f74d72ee5c2b73eb90fc4e7",
    docs: "docs",
  },
  {
    name: "scikit-build-core",
    registry: "pypi",
    package: "scikit-build-core",
    version: "1.1.2",
    sha256: "7893709119c5ab1be75cd10442383132c9433b9f104dacef5185949efbea7974",
    docs: "docs",
  },
  {
    name: "jupyterhub",
    registry: "pypi",
    package: "jupyterhub",
    version: "6.1.1",
    sha256: "1d7b6713b31ebd76d61a13c202f9323e66c4e8cf731adc5d3052bb6ee6178a95",
    docs: "docs/source",
  },
  {
    name: "pymdown-extensions",
    registry: "pypi",
    package: "pymdown-extensions",
    version: "13.1",
    sha256: "e1ecec373677483b7324a47e5b4bf2e0c6614fe8dcdab1dcc6a05ecefd9b527d",
    docs: "docs/src/markdown",
  },
  {
    name: "codeceptjs",
    registry: "npm",
    package: "codeceptjs",
    version: "4.2.0",
    sha256: "6ac5e8af86f3a54ce13dd4f222c586ac546c66195d377895378679f08aa13e26",
    docs: "docs",
  },
  {
    name: "aframe",
    registry: "npm",
    package: "aframe",
    version: "1.8.0",
    sha256: "d740e4ac22d4143e20a3866b5b957238a07823c659063dba829dca1771efbddc",
    docs: "docs",
  },
  {
    name: "gemini-cli",
    registry: "npm",
    package: "@google/gemini-cli",
    version: "0.61.0",
    sha256: "bc4efa5c925c4430105b552820ed3164bbeffa9dc227990fc922f954733bcd7d",
    docs: "bundle/docs",
  },
  {
    name: "bun",
    registry: "npm",
    package: "bun-types",
    version: "1.4.5",
    sha256: "26df16425b20174f86660fe3c435f58214de00ff970f522079c58285fb44058f",
    docs: "docs",
  },
  {
    name: "hatch",
    registry: "pypi",
    package: "hatch",
    version: "1.18.2",
    sha256: "7f365f1a5b8f1a8162813daed9bf9fce83f15dc933fc99c6d04cbb942e64f4d0",
    docs: "docs",
  },
  {
    name: "workflow",
    registry: "npm",
    package: "workflow",
    version: "4.8.9",
    sha256: "d808c98cfdbce0e9feaa04f8ab97981e6f3eac64545b1d5c366ef2e6cf28af30",
    docs: "docs",
  },
  {
    name: "mastra",
    registry: "npm",
    package: "@mastra/core",
    version: "1.71.0",
    sha256: "431e26991ad9388c03cf4c1201cf23cf088d93eeead4869ac584db8eabfeef55",
    docs: "dist/docs/references",
  },
  {
    name: "instructor",
    registry: "pypi",
    package: "instructor",
    version: "1.17.0",
    sha256: "aeab1e7f21f5214deedf60e8e264951408057ce21d9589743f533580dc0d6bfb",
    docs: "docs",
  },
];

/** The ID that a library is submitted under. */
export function libraryIdOf({ name }: BenchLibrary): string {
  return `/docs/${name}`;
}
