import { analyseText } from "./analyse.ts";

/** Short forms and spellings of one word, in groups: each stands for the others of its group. */
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

/** Words that mean much the same in the documentation of any library, in groups: each stands for the others of its group. */
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

/** What people say, and behind `>` the words by which documentation has it; not the other way round. */
const asked = `
  night > schedule cron, nightly > schedule cron, daily > schedule cron, hammer > throttle limit,
  flood > throttle limit, throttle > limit, upload > publish, download > fetch, colleague > collaborator member,
  teammate > collaborator member, background > worker job queue, frontend > client browser, flag > option,
  switch > option, remember > memory persist, kill > terminate abort, slow > performance, fast > performance,
  faster > performance, tweak > customize configure, catch > handle, dropdown > select, dark > theme, array > list,
  vscode > editor, pycharm > editor, bump > update increment, semver > version, lockfile > lock, stdout > output,
  oom > memory, segfault > crash, subcommand > command, ask > prompt, subdomain > domain,
  distribute > publish package, cors > origin, https > ssl tls, nginx > proxy, apache > proxy, caddy > proxy,
  llm > model, gpt > openai, chatgpt > openai, claude > anthropic, gemini > google, vector > embedding,
  querystring > query, benchmark > performance, tarball > pack archive, ssg > static, isr > revalidate,
  seo > metadata, lazy > dynamic, favicon > icon, activate > enable, terminal > console shell
`;

/** For each term, the other terms that are looked up in its place. */
const synonyms: ReadonlyMap<string, readonly string[]> = toMap();

/** Terms by which documentation may have what this one says; none for most. */
export function synonymsOf(term: string): readonly string[] {
  return synonyms.get(term) ?? [];
}

function toMap(): Map<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  const add = (term: string, others: readonly string[]): void => {
    const known = found.get(term) ?? [];
    found.set(term, [...new Set([...known, ...others.filter((other) => other !== term)])]);
  };
  for (const group of [...partsOf(spellings), ...partsOf(meanings)]) {
    const terms = termsOf(group);
    for (const term of terms) add(term, terms);
  }
  for (const rule of partsOf(asked)) {
    const [from = "", to = ""] = rule.split(" > ");
    add(analyseText(from), termsOf(to));
  }
  return found;
}

function partsOf(table: string): readonly string[] {
  return table.split(",").map((part) => part.trim());
}

function termsOf(words: string): readonly string[] {
  return [...new Set(words.split(/\s+/).map(analyseText))];
}
