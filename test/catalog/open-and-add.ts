import { openPostgresCatalog } from "../../stores/catalog/postgres.ts";
import { openSqliteCatalog } from "../../stores/catalog/sqlite.ts";
import { addLibrary } from "../contracts/catalog-samples.ts";

// Opens the catalog in the given file or database, and adds a library named after this process.
const [, , place = ""] = process.argv;
const catalog = place.startsWith("postgres")
  ? await openPostgresCatalog({ url: place, poolSize: 2, migrate: true })
  : await openSqliteCatalog({ file: place });
await addLibrary(catalog, `p${process.pid}`, { id: `/acme/p${process.pid}` });
await catalog.close();
