import { withPrograms } from "./test/support/vitest-config.ts";

/** The dashboard in a real Chromium: `npm run test:browser`. */
export default withPrograms("browser", "chromium.ts");
