import type { Question } from "../../domain/ports.ts";
import { doingOf, markOf, nearDoingOf } from "../../domain/verbs.ts";
import { analyseText } from "./analyse.ts";
import { routeName, routes, wordsOf } from "./terms.ts";

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

/** Words with nearly the same meaning in any documentation, in groups: each stands for the others of its group. */
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

/** The other terms that are looked up for each term. */
const synonyms: ReadonlyMap<string, readonly string[]> = toMap();

/** Terms that documentation may have in place of a term; empty for most. */
function synonymsOf(term: string): readonly string[] {
  return synonyms.get(term) ?? [];
}

function toMap(): Map<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const group of [...spellings.split(","), ...meanings.split(",")]) {
    const terms = [...new Set(group.trim().split(/\s+/).map(analyseText))];
    for (const term of terms) {
      const others = terms.filter((other) => other !== term);
      found.set(term, [...new Set([...(found.get(term) ?? []), ...others])]);
    }
  }
  return found;
}

/** Other words for the command that a question begins with, by the command. */
const commands: ReadonlyMap<string, readonly string[]> = new Map(
  `get retrieve read, fetch get retrieve read, retrieve get read, read get retrieve, show get retrieve read,
  add create, register create, set update create, change update replace, edit update, modify update, update replace patch`
    .split(",")
    .map((line) => {
      const [asked = "", ...others] = line.trim().split(/\s+/).map(analyseText);
      return [asked, others];
    }),
);

/** Words of questions that do not tell their subject. Compared before stemming. */
export const stopWords: ReadonlySet<string> = new Set(
  `a about above after again all also am an and any are as at be because been before being below between both but by
  can could d did do does doing don down during each ever every few for from further get gets getting give go had has
  have having he her here hers him his how i if in into is it its itself just kind let like ll look m make makes many
  may me might more most much must my need needs no nor not now of off on once one only or other our out over own
  please possible re s same she should show so some such t than that the their them then there these they thing things
  this those through to too tell under until up us use used uses using ve very want wants was way ways we were what
  when where whether which while who whom why will with within without work works would you your
  best correct document documentation docs example examples explain explanation find guide help know question tutorial`
    .split(/\s+/)
    .filter((word) => word !== ""),
);

/** Words of a question that may spell a library's name together; the longest run is tried first. */
const nameLengths = [4, 3, 2, 1];

/**
 * What to look up for a question: its terms and the pairs that stand side by side, and other words for the same. Words
 * that every question has and the library's own name, which its whole documentation has, are left out as long as
 * anything remains.
 */
export function analyseQuestion(query: string, library?: { readonly id: string; readonly title: string }): Question {
  const words = wordsOf(withPaths(query));
  const telling = words.filter((word, at) => !stopWords.has(word.toLowerCase()) || isMeant(word, at));
  // "Create a new …" does not ask for something new.
  const known = doingOf(telling[0] ?? "") === "create" ? telling.filter((word) => word !== "new") : telling;
  const stripped = library === undefined ? known : withoutName(known, library);
  const kept = [stripped, telling, words].find((candidates) => analyseText(candidates.join(" ")) !== "") ?? [];

  const groups = kept.map((word) => analyseText(word).split(" ")).filter(([first]) => first !== "");
  const terms = new Set(groups.flat());
  const verb = words.find((word) => doingOf(word) !== undefined || !stopWords.has(word.toLowerCase())) ?? "";
  const mark = markFor(verb);
  const marks = mark === undefined ? [] : [[mark.term, analyseText(verb)] as const];
  return {
    terms: [...terms],
    pairs: pairsOf(groups),
    standIns: new Map([...commandsOf(words[0] ?? "", terms), ...standInsOf(terms), ...marks]),
    ...(mark && { mark }),
    words: [...new Set(groups.flatMap((group) => (group.length === 1 ? group : [])))],
  };
}

/** Whether a stop word matters: the method GET, a command at the beginning, or the language Go. */
function isMeant(word: string, at: number): boolean {
  return word === "GET" || (at === 0 ? commands.has(word.toLowerCase()) : word === "Go");
}

/** A question with each route as one identifier, and with `GET` in small letters unless a route follows. */
function withPaths(query: string): string {
  return query.replace(/\bGET\b(?!\s+\/)/g, "get").replace(routes, (route) => ` ${routeName(route)} `);
}

/** All terms that an index looks up for a question, each once: its own terms and their stand-ins. */
export function lookedUp({ terms, standIns }: Question): readonly string[] {
  return [...terms, ...standIns.keys()];
}

/** Other terms for the command that a question begins with: an API creates what its caller adds or registers. */
function commandsOf(word: string, terms: ReadonlySet<string>): readonly (readonly [string, string])[] {
  const command = analyseText(word);
  if (!terms.has(command)) return [];
  return (commands.get(command) ?? []).flatMap((other) => (terms.has(other) ? [] : [[other, command] as const]));
}

/** The mark of operations that do what a verb says; undefined for other words. */
function markFor(verb: string): Question["mark"] {
  const said = doingOf(verb);
  const doing = said ?? nearDoingOf(verb);
  return doing && { term: analyseText(markOf(doing)), isSure: said !== undefined };
}

function standInsOf(terms: ReadonlySet<string>): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const term of terms) {
    for (const other of synonymsOf(term)) if (!terms.has(other)) found.set(other, term);
  }
  return found;
}

/** Terms side by side: within an identifier, whose whole follows its parts, and from the end of one word to the next. */
function pairsOf(groups: readonly (readonly string[])[]): (readonly [string, string])[] {
  const pairs = new Map<string, readonly [string, string]>();
  let first: string | undefined;
  for (const group of groups) {
    for (const [at, second] of group.entries()) {
      const whole = at > 1 && second.startsWith(group[0] ?? "");
      if (first !== undefined && first !== second && !whole) pairs.set(`${first} ${second}`, [first, second]);
      first = second;
    }
  }
  return [...pairs.values()];
}

/** The words without runs that spell the library's name, however it is written: Next.js, nextjs, next-js. */
function withoutName(
  words: readonly string[],
  { id, title }: { readonly id: string; readonly title: string },
): string[] {
  const names = new Set([glue(title), glue(id.split("/").at(-1) ?? "")]);
  names.delete("");
  const glued = words.map(glue);
  const kept: string[] = [];
  for (let at = 0; at < words.length;) {
    const length = nameLengths.find(
      (count) => at + count <= words.length && names.has(glued.slice(at, at + count).join("")),
    );
    if (length === undefined) kept.push(words[at] ?? "");
    at += length ?? 1;
  }
  return kept;
}

function glue(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}+#]/gu, "");
}
