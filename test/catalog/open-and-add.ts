import { openSqliteCatalog } from "../../catalog/sqlite.ts";
import { addLibrary } from "../contracts/catalog-samples.ts";

// Opens the catalog's file named by the first argument, and adds a library of this process's own.
const [, , file = ""] = process.argv;
const catalog = await openSqliteCatalog({ file });
await addLibrary(catalog, `p${process.pid}`, { id: `/acme/p${process.pid}` });
await catalog.close();
