/** Every workflow that workers know; the bundle is made of this file. */
export { indexLibrary } from "./index-library.ts";
export { sweep } from "./sweep.ts";
