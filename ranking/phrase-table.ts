/**
 * What people who ask say in several words, and behind `>` the words by which documentation has it. `|` stands between
 * phrases of one meaning, `*` for up to three words. Written subject by subject from what documentation treats, not from
 * questions that failed. A single word is not in it: too often it means just what it says.
 */
export const phraseTable = `
  turn * off | switch off | opt out of > disable, turn * on | switch on | opt in > enable, shut up > silent quiet
  suppress, shut down > shutdown graceful close, get rid of > remove delete disable, speed up > performance optimize
  fast cache, slow down > throttle limit, at the same time > concurrent parallel, at once > concurrent parallel batch,
  in parallel > concurrent, run every | every hour | every minute | regular intervals > schedule cron interval, every
  day | every night | every week | every month | every morning | once a day | once an hour | at a certain time | at a
  given time > schedule cron, every few seconds > interval poll, log in | logs in | sign in | logging users in > login
  authentication, logged in > login authentication session, log out | logged out > logout session, signed in >
  authentication session, sign up > registration signup, keep * from > prevent block, stop * from > prevent disable
  block, set up > setup install configure, set * up > setup configure, clean up > cleanup remove, pick up > load detect,
  look up > search lookup, find out > show list check, figure out > detect determine debug, how long > timeout duration
  ttl, how often > interval frequency, how many > limit count number, how much > limit size, too many > limit maximum,
  too long > timeout limit, too big > size limit large, too large | file size > size limit, too much | how many users >
  limit, takes forever | take forever > performance timeout, run out of > limit memory, out of memory > memory heap,
  back up | restore > backup, roll back > rollback revert undo, go back > undo revert previous, give up > timeout retry
  abort, time out | times out | timed out | wait forever | waits forever | never returns > timeout, kick off > start
  trigger, fall back > fallback default, fill in > populate default, leave * out > exclude ignore omit, hand over >
  transfer pass, plug in > plugin integrate, hook into > hook plugin extend, tap into | after every | each time | before
  commit | before every commit | before committing | run code after | run * before | run * after | do something after |
  do something before > hook, hook up > integrate connect, wire up > configure connect, spin up > start create, end up >
  result, pass * through > forward, let go > release, put off > defer delay, carry on | go on > continue, blow up >
  error overflow, break up | split up | into several | break into > split, cut off > truncate limit, cut down > reduce,
  line up > align, check in > commit, check out > checkout, opt out > disable telemetry, hold off > wait defer, show up
  > display appear list, hang up > close, lock down > restrict permission security, close off > restrict, open up >
  expose allow, write down > save log, wait for | wait until > await, look like > format style, look different > style
  theme, behind a proxy | behind nginx | behind a | corporate network | company network > proxy, only some > filter
  partial, only certain | narrow down > filter, only when | only if > condition, only once > once singleton, without
  internet | no internet > offline, without restarting > reload hot, without reloading > hot, without losing > preserve
  persist, without asking > confirm prompt automatic, more than one > multiple, several at > batch, on the fly > runtime
  dynamic, by hand > manual, on my machine | on my laptop > local development, my own | bring * own > custom, own server
  > selfhost deploy, in production | put * into production | move to production | host it | host * myself | host on |
  run on a server | run it on > deploy, go live > deploy production, behind the scenes | under the hood > internal, from
  scratch > create new start, get started > start quickstart introduction, step by step > tutorial guide, as soon as |
  drag and drop > event, before each > hook setup, after each > hook teardown, before every | before the handler | run
  code before > hook middleware, in the background > worker job queue daemon, real time > realtime stream live, piece by
  piece | bit by bit > stream chunk, as it arrives | word by word | token by token | line by line | in chunks | as it is
  generated | as they come | as it comes | while it is generated > stream, in order > sequence sort, same name >
  conflict duplicate, more details | more information | more output > verbose debug, command line | from the command
  line > cli, from the terminal > cli command, right click > menu, look for > search, search for > find, get back >
  return response, send back > response return reply, give access > permission grant, has access | have access | have
  access to | allowed to | access to > permission, who can > permission access, read only > readonly permission, make
  sure > ensure validate require, double check > verify, human approval | are you sure > confirm, ask before > confirm
  prompt permission, asks before | yes or no > confirm prompt, ask * permission > confirm permission, hard coded >
  literal constant, one place > shared global, all pages | every page > layout global, every request > middleware hook,
  all requests > middleware global hook, each request > middleware hook context, each user | per user > session context,
  across requests > shared state context, between requests > session state, between tests > isolate cleanup, large files
  | big files > upload stream, bad input | wrong type | match a schema > validation, user input > validation form, made
  up | make * up | made up answers > hallucination, looks wrong | goes wrong | went wrong | fails with | why does * fail
  | error message > error, go wrong > error exception handle, doesn't work | not working > error troubleshooting, not
  found > missing resolve, cannot find | can't find > resolve missing, try again | tries again | keep trying > retry,
  try out > preview experimental, upload my > publish deploy, put * online | ship to > deploy publish, new version >
  release update upgrade, newer version > update upgrade, older version > downgrade, specific version > pin version,
  which version > version, exact version > pin lock, particular version > pin, pulls in | depends on | uses which >
  dependency, pull in > dependency import include, comes from | came from | where does * come from > source origin,
  where * defined > definition, memory usage > memory, hot reload > reload watch dev, dark mode | light mode > theme,
  two factor > otp mfa, single sign > sso oauth, third party > external plugin, rate limited > throttle retry, status
  code > response error, query string > parameter, search engines > metadata sitemap robots, open source > license, unit
  test > test mock, file upload > multipart, zero downtime > graceful restart, command history > readline, mute > silent
  quiet, do not want > disable exclude, don't want > disable exclude ignore, stop * asking > confirm permission
  automatic, stop showing > disable hide suppress, stop complaining > ignore suppress disable, complain about > warning
  error, leave * alone > ignore exclude skip, take * out > remove exclude, throw * away > delete discard, get rid >
  remove delete, strip out > remove, filter out > exclude filter, rule out > exclude, block out | black out > mask
  redact, hide * from > redact mask exclude, show * from > list display, let * through > allow, let * in > allow
  permission, lock out > deny, kick * out > logout revoke disconnect, point * at | point * to > configure url path,
  change * look | change * looks > theme style customize, look and feel | own look > theme style, own design > theme
  template layout, own template > template custom, own domain > domain host, own rules > custom plugin rule, own command
  > custom plugin, own types > custom type schema, own errors > custom error, own logger > custom logger, swap out >
  replace custom, swap * for > replace migrate, replace * with > override, instead of the default > override custom,
  plug * into > integrate plugin, add * to | build on top of | on top of > extend, tie * together | glue * together >
  integrate compose, put * together > compose combine, fine tune > configure, wait for * to finish > await complete,
  wait between > delay interval backoff, hangs forever > timeout deadlock, never finishes > timeout hang close, never
  ends > timeout close loop, never stops > close exit timeout, does not exit > close exit open handle, doesn't exit >
  close exit, stuck on > hang timeout, keep * open > close connection keepalive, keep * alive > keepalive heartbeat,
  stay logged in > session cookie refresh, stay connected > keepalive reconnect, keeps failing > retry error, keeps
  asking > confirm permission cache, keep * running > daemon service restart, keep track > state history log, keep * up
  to date > update sync refresh, up to date > update upgrade latest, out of date > outdated update stale, out of sync >
  sync conflict, in sync > synchronize update, later on > defer schedule, some time later > schedule delay timeout,
  after a while > timeout expire, after some time > timeout expire ttl, one after another > sequence queue order, one by
  one > iterate sequence stream, one at a time > sequential queue lock concurrency, several times > retry repeat, over
  and over > loop repeat retry, twice > duplicate idempotent, more than once > duplicate idempotent repeat, exactly once
  > idempotent, only one > singleton unique lock, first time > init start once, every time > hook cache, every second >
  interval, on a schedule > cron, part of a > partial, parts of > partial split, a subset of > filter select partial,
  subset of > filter select, one file > single bundle, single file > bundle, several files > multiple glob, different
  files > split module, into pieces | into smaller | break * into | chop up > split chunk, join * together > merge
  concat, group * together > group, all at once | in one go > batch bulk, lots of > multiple batch, a lot of > bulk
  large, thousands of > large bulk performance pagination, millions of > large bulk performance, huge amount > large
  performance, next page | page by page > pagination cursor, endless scroll | infinite scroll > pagination infinite, see
  what > inspect show list print debug, see which > list show, see why > debug explain verbose, see how | look inside |
  look into > inspect, see all | list of all > list, look at > inspect view show, show me > list print, what changed >
  diff changelog, what happens > behavior event, what went wrong | fails silently > error debug, why is * slow >
  performance profile, who changed > history audit, who uses | what uses > dependent, tell apart > difference
  distinguish, tell whether | tell if | know if | know whether > check detect, check whether > detect validate, check if
  > detect validate exist, know when | do something when | notified when > event hook, find all > list search, go
  through | loop over > iterate, step through > debug breakpoint, figure * out > debug, dig into > debug inspect, track
  down > debug trace, trace back > stack source, how far > progress, how fast > performance benchmark, how big | how
  large > size, how many times > retry count, how many tokens > usage token count, how expensive | how much money > cost
  usage, how much memory > memory limit, cost of > usage price, blows up > error exception, falls over > crash error,
  bails out | bail out > abort exit, chokes on > error parse, goes down > failure reconnect retry, goes away >
  disconnect close, goes missing > lost, dies > crash exit, crash the > exception error handle, take down > crash, nice
  error | pretty error > error format, own error page > error custom, fail silently > error catch, fail the build > exit
  code ci strict, ignore errors > error continue, carry on after | go on after > continue error, recover from > retry
  error resume, pick up where | left off > resume checkpoint persist, come back > resume return, survive a restart |
  survive > persist durable, survives | lost when > persist, lose data > persist backup, lose * work > persist save,
  start over > reset restart, start again > restart, undo > revert rollback, who is logged in > session authentication
  user, current user > session context authentication, only admins | only some users | certain users > permission role
  authorization, only logged in > authentication guard protect, certain people > permission role, different permissions
  > role, allowed in | let users | let people > permission allow, not allowed > deny forbid permission, may not > deny
  permission, let others > share permission, other people > share collaborator, give * to > share grant, hand * out >
  share, sign * with google | with google > oauth, login with google | login with github | social login > oauth
  provider, magic link > email authentication, api key > token secret credential, api keys > token secret credential
  environment, keep * secret > secret environment encrypt, keep * private > private secret, keep * out of > exclude
  ignore secret, out of the logs | out of logs > redact, out of git > gitignore exclude, sensitive data | private data >
  redact secret, personal data > redact privacy, credit card > redact payment, hand in > submit, reach it from |
  reachable from > host bind expose, other computers > host network bind, other machine | another machine | another
  computer > remote host, another server > proxy remote, another domain | other domain | different domain | other
  website > cors origin, from outside > expose public, in front of > proxy middleware, self signed > certificate tls,
  client ip > proxy forwarded, ip address > host address, two way > bidirectional websocket duplex, both ways >
  bidirectional, push to the browser > sse websocket stream, push updates > subscription websocket event, live updates >
  subscription websocket stream, call back > callback webhook, talk to > connect client request, talk to each other |
  talk between > communicate message, connect to > connection client, send * file > upload, send files | receive files |
  accept files | accept uploads > upload multipart, download link > file response header, serve files | serve a folder |
  serve images > static, static files > asset public, form data > body multipart, post data > body request, put * on npm
  | put * on pypi > publish, roll out > deploy release, run on > platform deploy, old browsers | older browsers > target
  compatibility, older python > compatibility version, smaller bundle | bundle too big > bundle size, start faster >
  startup performance lazy, starts slowly | cold start > startup performance, build faster | install faster > cache
  performance, eats memory | eat memory > memory leak, uses too much > memory performance limit, use less > reduce
  limit, on every push | continuous integration | build server | build machine > ci, on every commit > ci hook, pull
  request | pull requests > ci github, other environment > environment, different environments > environment profile,
  depending on > condition dynamic, per environment > environment config, different settings > environment config
  override, settings file | dot file > config, settings for > config option, local copy > cache offline, another folder
  | other folder | different folder | which folder > path directory, where * stored | where * saved > path directory
  location, where * live > location directory, where to put > structure directory location, where should > structure
  location, from the web | from the internet > url remote fetch, from a url > remote fetch, from github | from git > git
  repository, local package > link workspace file, local folder > link file path, several packages | many packages |
  several projects > workspace monorepo, one repo | same repo | same repository > monorepo workspace, share code >
  library shared module, share * between > shared context, different versions > version matrix conflict, two versions >
  version conflict duplicate, several versions | several python > version matrix, version number > version bump, go up >
  increment, at runtime > dynamic, at build time > static build, without writing > generate automatic, without typing >
  automatic alias default, write less > shorthand alias, less code > shorthand helper, less boilerplate > shorthand
  generate, avoid repeating | repeat myself > reuse shared default, in one place > shared global central, used
  everywhere > global shared, available everywhere > global context, available in all > global, pass * down > context
  inject, pass around > context, get * into > inject pass, attach * to | hang * on > decorate context, wrap around >
  decorator middleware wrapper, before it runs > hook before, after the response > hook background, react to > event
  listen, when * changes > watch event, changes on disk | file changes | save a file > watch reload, listen to > event
  subscribe, at startup > startup lifespan init hook, on startup > lifespan init hook, on shutdown > close lifespan
  hook, when the server stops > shutdown close, when the app starts > startup lifespan, kill the process > signal
  shutdown, ctrl c > signal interrupt abort, user types | type in > input prompt, ask the user > prompt input, ask for >
  prompt, pick from | choose from | choose between > choice select, fixed set | set of values > choice enum, one of
  several > choice enum union, either or > union, may be missing | make * optional > optional default, can be empty >
  optional nullable, not given > default optional, if nothing | when nothing > default fallback, fall through >
  fallback, any number of | as many > variadic multiple, extra fields > additional schema strict, unknown fields >
  additional strict ignore, right shape | correct shape > schema validate, shape of > schema type, valid json > json
  structured schema, json back > structured json output, typed result > structured schema type, turn * into > convert
  transform parse, make * out of > convert, convert to > transform serialize, read from | read in > load parse, write to
  | write out > output save, written to > output, send to > transport output, somewhere else > transport redirect
  remote, another place > move, to a file > file output destination, log to > transport destination, log file > log
  destination, log files > log rotate, less noise > level silent, less output > quiet silent, nicer output | human
  readable > pretty format, pretty print > format, colored output > color, how much is logged | which logs > level, log
  only > level filter, make * bold > style emphasis, code block | code blocks > highlight fence, line numbers >
  highlight, table of contents > toc heading, link to | links to > anchor reference, jump to > anchor link, scroll to >
  anchor, shows up in google > metadata, found by google > metadata sitemap, link preview | social media > metadata
  opengraph, browser tab > title metadata icon, tab title | page title > metadata title, go to another page > navigate
  redirect link, send users to | send * to another | old urls | old links > redirect, not found page > 404 error,
  loading spinner | while loading | while * loads > loading suspense, loads slowly > performance lazy loading, load
  faster > performance cache, load later > lazy defer, only when needed | on demand > lazy dynamic, when needed > lazy
  demand, pages in advance > static prerender, ahead of time > prerender static build, in advance > prefetch static,
  small screens > responsive, several languages | different languages | other languages | multiple languages | another
  language > i18n locale, pretend to | without hitting | without calling | without a real | without real | instead of
  the real > mock, without network > mock offline, fake data > fixture mock, test data > fixture, only one test | one
  test | single test > filter only, some tests > filter tag, same test with > parametrize, test with different >
  parametrize matrix, tests faster > parallel performance, sometimes fails | sometimes fail | randomly fails | fails
  randomly > flaky retry, picture of the page | take a picture > screenshot, what is covered > coverage, make the model
  | tell the model > prompt instruction, model to use | different model | another model | change the model > model
  provider, own model > provider custom local, answer questions about | own data > rag retrieval, my documents | own
  documents > rag retrieval knowledge, remember earlier | remember what | earlier messages | previous messages > memory
  history, conversation going > memory history session, long conversation > memory summary context, too long for >
  context limit truncate, call functions | call my function | use my function | call my code | talk to apis > tool, call
  an api > tool request, several agents > workflow multi network, many steps | several steps | multi step > workflow,
  how good > evaluate score, good answers > evaluate, human in the loop | person approves | wait for a human > approval
  suspend, approve before > approval suspend confirm, wait for * approval > suspend
`;
