import { withPrograms } from "./test/support/vitest-config.ts";

/** The tests on real servers: `npm run test:cluster`. */
export default withPrograms("cluster", "setup.ts");
