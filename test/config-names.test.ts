import { describe, expect, it } from "vitest";
import { likelyTypos } from "../cli/config.ts";
import { problemsOf } from "./support/config-problems.ts";

describe("the names of settings", () => {
  it.each([
    ["SOURCE_RULE", "SOURCE_RULES"],
    ["SOURCE_RULESS", "SOURCE_RULES"],
    ["SUORCE_RULES", "SOURCE_RULES"],
    ["SOURCE-RULES_", undefined],
    ["source_rules", "SOURCE_RULES"],
    ["MEILI_API_KEYS", "MEILI_API_KEY"],
    ["ENCRYPTION_KEYS_FIL", "ENCRYPTION_KEYS_FILE"],
    ["RUNS_AT_ONE", "RUNS_AT_ONCE"],
    ["http_proxy", undefined],
    ["SOURCE_FOLDERS", undefined],
  ])("are suggested for the typo %s: %s", (name, meant) => {
    expect(likelyTypos({ [name]: "on" })).toEqual(
      meant === undefined ? [] : [`${name} is not a setting and has no effect. If you meant ${meant}, set that.`],
    );
    expect(likelyTypos({ [name]: "" })).toEqual([]);
    if (meant !== undefined) expect(likelyTypos({ [name]: "on", [meant]: "off" })).toEqual([]);
  });

  it("are not suggested for common variables of other programs and systems", () => {
    const common =
      "PORTS HOSTNAME HOSTS HOSTTYPE HOME USER PATH PWD OLDPWD SHELL SHLVL TERM LANG LANGUAGE LC_ALL LC_CTYPE TZ TMPDIR EDITOR PAGER DISPLAY MAIL LOGNAME DATADIR LOGLEVEL PUBLICURL POST PROT " +
      "XDG_DATA_DIRS XDG_DATA_HOME XDG_CACHE_HOME XDG_RUNTIME_DIR XDG_SESSION_ID SSH_AUTH_SOCK SSH_CONNECTION DBUS_SESSION_BUS_ADDRESS JOURNAL_STREAM INVOCATION_ID NOTIFY_SOCKET LISTEN_FDS SYSTEMD_EXEC_PID " +
      "NODE_ENV NODE_OPTIONS NODE_EXTRA_CA_CERTS NODE_VERSION NODE_COMPILE_CACHE NPM_CONFIG_CACHE npm_config_user_agent npm_lifecycle_event npm_package_name npm_node_execpath YARN_VERSION " +
      "HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY FTP_PROXY http_proxy https_proxy no_proxy all_proxy ftp_proxy " +
      "AWS_REGION AWS_PROFILE AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AWS_DEFAULT_REGION AWS_ENDPOINT_URL GOOGLE_APPLICATION_CREDENTIALS AZURE_TENANT_ID " +
      "KUBERNETES_PORT KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT KUBERNETES_PORT_443_TCP MEILISEARCH_PORT MEILI_PORT MEILI_SERVICE_HOST POSTGRES_PORT TEMPORAL_PORT TEMPORAL_SERVICE_HOST POD_NAME POD_NAMESPACE NODE_NAME DOCKER_HOST COMPOSE_PROJECT_NAME CONTAINER_ID " +
      "POSTGRES_USER POSTGRES_PASSWORD POSTGRES_DB PGHOST PGUSER PGPASSWORD PGDATABASE PGDATA MEILI_MASTER_KEY MEILI_ENV MEILI_DB_PATH MEILI_HTTP_ADDR MEILI_NO_ANALYTICS REDIS_URL " +
      "TEMPORAL_TLS TEMPORAL_TLS_CA TEMPORAL_CLI_ADDRESS TEMPORAL_PROFILE TEMPORAL_CONFIG_FILE TEMPORAL_ADDR " +
      "CI GITHUB_ACTIONS GITHUB_TOKEN GITHUB_SHA GITHUB_REF GITHUB_REPOSITORY GITHUB_WORKSPACE GITHUB_SERVER_URL GITHUB_API_URL RUNNER_OS GITLAB_CI CI_COMMIT_SHA CI_PROJECT_DIR BITBUCKET_BUILD_NUMBER GITEA_TOKEN GH_HOST GIT_DIR GIT_EDITOR GIT_SSH_COMMAND " +
      "WEB_CONCURRENCY CORS_ORIGIN_WHITELIST SECRET_KEY API_KEY BASE_URL APP_URL SITE_URL LOG_FORMAT LOG_FILE DATA_PATH CACHE_DIR CACHE_URL MAX_CONNECTION_AGE MAX_UPLOAD_SIZE PUBLIC_DIR PUBLIC_PORT RATE_LIMIT CHROME_PATH CHROME_BIN PUPPETEER_EXECUTABLE_PATH PLAYWRIGHT_BROWSERS_PATH";
    const env = Object.fromEntries(common.split(" ").map((name) => [name, "set"]));
    expect(likelyTypos(env)).toEqual([]);
  });

  it("are suggested for unknown variables with the project's prefix", () => {
    expect(problemsOf({ LECTERN_ADMINKEY: "x", LECTERN_PORT: "80", OTHER: "x" })).toEqual([
      "LECTERN_ADMINKEY is not a setting; did you mean LECTERN_ADMIN_KEY?",
      "LECTERN_PORT is not a setting; its name is PORT, without the prefix.",
    ]);
  });

  it("are not suggested for the variables that Kubernetes sets for a Service named lectern", () => {
    expect(
      problemsOf({
        LECTERN_PORT: "tcp://10.0.0.7:80",
        LECTERN_PORT_80_TCP: "tcp://10.0.0.7:80",
        LECTERN_PORT_80_TCP_ADDR: "10.0.0.7",
        LECTERN_SERVICE_HOST: "10.0.0.7",
        LECTERN_SERVICE_PORT: "80",
        LECTERN_API_SERVICE_PORT_HTTP: "80",
      }),
    ).toEqual([]);
  });
});
