/** Errors, what goes wrong, debugging, performance and memory. */
export const errors = `
  speed up > performance optimize fast
  slow down > throttle limit
  takes forever | take forever > performance timeout
  run out of > limit memory
  out of memory > memory heap
  same name > conflict duplicate
  more details | more information | more output > verbose debug
  looks wrong | goes wrong | went wrong | fails with | why does * fail | error message > error
  go wrong > error exception handle
  doesn't work | not working > error troubleshooting
  not found > missing resolve
  cannot find | can't find > resolve missing
  try again | tries again | keep trying > retry
  memory usage > memory
  own errors > custom error
  never finishes > timeout hang close
  never ends > timeout close loop
  never stops > close exit timeout
  does not exit | doesn't exit > close exit
  stuck on > hang timeout
  keeps failing > retry error
  what went wrong | fails silently > error debug
  why is * slow > performance profile
  step through > debug breakpoint
  figure * out > debug
  dig into > debug inspect
  track down > debug trace
  trace back > stack source
  how fast > performance benchmark
  how much memory > memory limit
  blows up > error exception
  falls over > crash error
  bails out | bail out > abort exit
  chokes on > error parse
  goes down > failure reconnect retry
  goes away > disconnect close
  goes missing > lost
  crash the > exception error handle
  take down > crash
  nice error | pretty error > error format
  own error page > error custom
  fail silently > error catch
  ignore errors > error continue
  carry on after | go on after > continue error
  recover from > retry error resume
  pick up where | left off > resume checkpoint persist
  eats memory | eat memory > memory leak
  uses too much > memory performance limit
  use less > reduce limit
`;
