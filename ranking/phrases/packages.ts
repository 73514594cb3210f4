/** Packages, versions, builds, types and publishing. */
export const packages = `
  new version > release update upgrade
  newer version > update upgrade
  older version > downgrade
  specific version > pin version
  which version > version
  exact version > pin lock
  particular version > pin
  pulls in | depends on | uses which > dependency
  pull in > dependency import include
  third party > external plugin
  open source > license
  who uses | what uses > dependent
  put * on npm | put * on pypi > publish
  old browsers | older browsers > target compatibility
  older python > compatibility version
  smaller bundle | bundle too big > bundle size
  start faster > startup performance lazy
  starts slowly | cold start > startup performance
  build faster | install faster > cache performance
  local package > link workspace file
  local folder > link file path
  several packages | many packages | several projects > workspace monorepo
  one repo | same repo | same repository > monorepo workspace
  share code > library shared module
  share * between > shared context
  different versions > version matrix conflict
  two versions > version conflict duplicate
  several versions | several python > version matrix
  version number > version bump
  at build time > static build
`;
