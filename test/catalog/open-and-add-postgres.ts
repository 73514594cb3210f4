import { openPostgresCatalog } from "../../catalog/postgres.ts";
import { addLibrary } from "../contracts/catalog-samples.ts";

// Opens the catalog in the database named by the first argument, and adds a library of this process's own.
const [, , url = ""] = process.argv;
const catalog = await openPostgresCatalog({ url, poolSize: 2, migrate: true });
await addLibrary(catalog, `p${process.pid}`, { id: `/acme/p${process.pid}` });
await catalog.close();
