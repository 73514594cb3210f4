import { analyseText } from "./analyse-text.ts";

/** Groups of short forms and spellings of one word. */
const spellings = `
  auth authentication authenticate authn, authorization authorisation authz, login signin, logout signout,
  signup registration, config configuration cfg, env environment dotenv envvar, var variable, db database,
  async asynchronous, sync synchronous, init initialize initialise initialization, param parameter, arg argument,
  func function fn, dir directory folder, repo repository, dev development, prod production, err error exception,
  msg message, req request, ts typescript, js javascript, py python, attr attribute, prop property,
  cmd command, regex regexp, ws websocket socket, ssl tls, id identifier, num number, max maximum, min minimum,
  temp temporary tmp, ref reference, install installation, dependency dep, package pkg, k8s kubernetes,
  i18n internationalization internationalisation, img image, perf performance, serialize serialise,
  normalize normalise, customize customise, optimize optimise, color colour, behavior behaviour, lib library,
  info information, admin administrator, stats statistics, char character, int integer, bool boolean, str string,
  obj object, ctx context, evt event, src source, dest destination, pwd passwd password, cert certificate,
  conn connection, util utility, desc description, elem element, md markdown, yml yaml, venv virtualenv,
  postgres postgresql, mongo mongodb, mac macos osx, gql graphql, wasm webassembly, lang language, exec execute,
  concat concatenate, perms permission, ext extension, bin binary, exe executable, dict dictionary, 2fa mfa otp,
  csrf xsrf, ipynb notebook, cpp c++ cxx, ram memory, hotkey shortcut, opts options
`;

/** Groups of words with nearly the same meaning in any documentation. */
const meanings = `
  delete remove uninstall, upgrade migrate, cancel abort, shutdown terminate, redact mask hide, mock stub fake,
  boot startup bootstrap, pause suspend, resume continue, monorepo workspace, forbid disallow prohibit restrict,
  allow permit, deny reject refuse, disable deactivate, skip ignore exclude omit, merge combine, duplicate copy clone,
  picture image photo, verify validate, revert rollback undo, person people human, invite share, email mail,
  notification notify alert, parallel concurrent simultaneous, handler callback listener, plugin addon,
  override overwrite, nested inner, payload body, endpoint route, compress compression gzip, zip archive,
  restart reload, refresh reload, alias shortcut, secret credential, approve approval confirm confirmation,
  chatbot bot assistant, persist save, hang freeze stuck, protect guard secure, compile build, transpile compile,
  reproducible deterministic, exit quit, await wait, silence suppress mute quiet, deprecated obsolete legacy,
  throw raise, loop iterate iteration, popup modal dialog, css style stylesheet, assert assertion expect,
  telemetry tracing observability, timeout deadline, permission privilege, lint linter, log logger, debug debugger,
  prune clean cleanup purge, outdated stale, chunk split, batch bulk, sort order, search lookup, unique distinct,
  decorator annotation, middleware interceptor, realtime live, thread worker, queue job, column field, seed fixture,
  permalink anchor, admonition callout, equation formula latex math, diagram chart, format prettify beautify,
  traceback stacktrace, hostname host, url uri, schedule cron, circular cyclic cycle, idle inactive,
  quota limit, launch spawn, preload prefetch, enum choice, variadic multiple, lambda serverless, console shell
`;

/** The other terms of the groups of each term. */
const synonyms: ReadonlyMap<string, readonly string[]> = toMap();

/** Terms that documentation may use instead of a term; empty for most. */
export function synonymsOf(term: string): readonly string[] {
  return synonyms.get(term) ?? [];
}

function toMap(): Map<string, readonly string[]> {
  const synonyms = new Map<string, readonly string[]>();
  for (const group of [...spellings.split(","), ...meanings.split(",")]) {
    const terms = [...new Set(group.trim().split(/\s+/).map(analyseText))];
    for (const term of terms) {
      const others = terms.filter((other) => other !== term);
      synonyms.set(term, [...new Set([...(synonyms.get(term) ?? []), ...others])]);
    }
  }
  return synonyms;
}

/** Other words for the command at the beginning of a question, by the command. */
export const commands: ReadonlyMap<string, readonly string[]> = new Map(
  `get retrieve read, fetch get retrieve read, retrieve get read, read get retrieve, show get retrieve read,
  add create, register create, set update create, change update replace, edit update, modify update, update replace patch`
    .split(",")
    .map((line) => {
      const [asked = "", ...others] = line.trim().split(/\s+/).map(analyseText);
      return [asked, others];
    }),
);
