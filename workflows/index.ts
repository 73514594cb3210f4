/** All workflows. The bundle is made from this file. */
export { indexLibrary } from "./index-library.ts";
export { sweep } from "./sweep.ts";
