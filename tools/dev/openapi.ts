/** `npm run openapi`: writes docs/openapi.json. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { routes } from "../../api/app.ts";
import { describeRoutes } from "../../api/openapi.ts";

const file = join(import.meta.dirname, "..", "..", "docs", "openapi.json");
writeFileSync(file, `${JSON.stringify(describeRoutes(routes), null, 2)}\n`);
