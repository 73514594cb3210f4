import { size } from "../size.ts";

/** Small and large packages of each registry, with and without documents. */
const all: readonly string[] = [
  "npm:express@5.3.0",
  "npm:zod@4.6.7",
  "npm:undici@8.12.4",
  "npm:@types/node@26.6.6",
  "npm:commander@15.1.0",
  "npm:date-fns@4.4.0",
  "npm:ws@8.23.0",
  "npm:kysely@0.29.9",
  "npm:p-limit@7.3.3",
  "npm:typescript@6.0.3",
  "pypi:requests@2.34.2",
  "pypi:click@8.5.1",
  "pypi:httpx@0.28.1",
  "pypi:attrs@26.1.0",
  "pypi:pydantic@2.14.3",
  "pypi:rich@15.0.0",
  "crates:serde_json@1.0.154",
  "crates:regex@1.13.2",
  "crates:anyhow@1.0.104",
  "crates:tokio@1.54.1",
  "crates:clap@4.6.9",
  "go:github.com/spf13/cobra@v1.10.2",
  "go:github.com/gorilla/mux@v1.8.1",
  "go:github.com/google/uuid@v1.6.0",
  "go:golang.org/x/sync@v0.24.0",
  "go:github.com/stretchr/testify@v1.12.1",
];

/** The packages whose cost is measured. */
export const measured = size({ full: all, small: ["npm:p-limit@7.3.3"] });
