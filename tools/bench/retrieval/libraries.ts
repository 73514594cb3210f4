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

/** Registry, package with version, folder, hash, and the name where it is not the package's. */
const rows = `
npm fastify@5.12.8 docs 459048aabd9311309f4f95b36e8ca065e3a4613ded292bcf50442926931e4748
npm undici@8.12.4 docs/docs 26058cdb2174623666e823e6b44ccfef8d5c1955107f979b8083904b61a0ce6e
npm pino@10.4.0 docs f745d3dee0bddd39f11226335ee6dbbe3d49cc037168f2b31a8cdbe78f0e6216
npm mercurius@16.10.1 docs 39d875b5fc3ab0f2d783b81520dae08991631db6c10906b73dbb8e225e50766b
npm ai@7.0.173 docs 9bb39977ac3471c0dfd2a541f3d03390eefd8a68140f07020d169d9d72667a2e
npm next@16.4.6 dist/docs 954cc114e2e4f57464f6d2f6640ec9b7a8e493ad4373c692b2d37d135da2806a
npm npm@12.2.0 docs/content 6666b48816b39b86c3febac7b51a4ee4de6c5ca589c382ad8004b6b113f86677
npm eslint-plugin-import@2.32.0 docs 4c122b593c52e40f3167a89b388d0b9a155aaddc08f05935ccece7b4ff51ecde
pypi starlette@1.10.0 docs b8399098d4c1e3522734f7235dc79b1fc967f96cf139c81e0fa30479e0685f9b
pypi click@8.5.1 docs 9bbfada76703fd1d784b83eea012e3e8c6a001a876543ef104fa56aaaeb072b4
pypi black@26.10.1 docs 5f9f83beae62437e060dafd53d7f1fc327e3d3494f74d72ee5c2b73eb90fc4e7
pypi scikit-build-core@1.1.2 docs 7893709119c5ab1be75cd10442383132c9433b9f104dacef5185949efbea7974
pypi jupyterhub@6.1.1 docs/source 1d7b6713b31ebd76d61a13c202f9323e66c4e8cf731adc5d3052bb6ee6178a95
pypi pymdown-extensions@13.1 docs/src/markdown e1ecec373677483b7324a47e5b4bf2e0c6614fe8dcdab1dcc6a05ecefd9b527d
npm codeceptjs@4.2.0 docs 6ac5e8af86f3a54ce13dd4f222c586ac546c66195d377895378679f08aa13e26
npm aframe@1.8.0 docs d740e4ac22d4143e20a3866b5b957238a07823c659063dba829dca1771efbddc
npm @google/gemini-cli@0.61.0 bundle/docs bc4efa5c925c4430105b552820ed3164bbeffa9dc227990fc922f954733bcd7d gemini-cli
npm bun-types@1.4.5 docs 26df16425b20174f86660fe3c435f58214de00ff970f522079c58285fb44058f bun
pypi hatch@1.18.2 docs 7f365f1a5b8f1a8162813daed9bf9fce83f15dc933fc99c6d04cbb942e64f4d0
npm workflow@4.8.9 docs d808c98cfdbce0e9feaa04f8ab97981e6f3eac64545b1d5c366ef2e6cf28af30
npm @mastra/core@1.71.0 dist/docs/references 431e26991ad9388c03cf4c1201cf23cf088d93eeead4869ac584db8eabfeef55 mastra
pypi instructor@1.17.0 docs aeab1e7f21f5214deedf60e8e264951408057ce21d9589743f533580dc0d6bfb
`;

/**
 * The libraries that questions are asked of. Small and large, JavaScript and Python, frameworks and command lines;
 * docs/internals/measuring.md has the rule by which one is taken.
 */
export const libraries: readonly BenchLibrary[] = rows
  .trim()
  .split("\n")
  .map((row) => {
    const [registry, wanted = "", docs = "", sha256 = "", name] = row.split(" ");
    const [, packageName = "", version = ""] = /^(.+)@(.+)$/.exec(wanted) ?? [];
    return {
      name: name ?? packageName,
      registry: registry === "npm" ? "npm" : "pypi",
      package: packageName,
      version,
      sha256,
      docs,
    };
  });

/** The ID that a library is submitted under. */
export function libraryIdOf({ name }: Pick<BenchLibrary, "name">): string {
  return `/docs/${name}`;
}
