/** Schedules, queues, hooks and events, and what runs at the same time. */
export const timing = `
  at the same time > concurrent parallel
  at once > concurrent parallel batch
  in parallel > concurrent
  run every | every hour | every minute | regular intervals > schedule cron interval
  every day | every night | every week | every month | every morning | once a day | once an hour > schedule cron
  at a certain time | at a given time > schedule cron
  every few seconds > interval poll
  how long > timeout duration ttl
  how often > interval frequency
  give up > timeout retry abort
  time out | times out | timed out | wait forever | waits forever | never returns > timeout
  kick off > start trigger
  hook into > hook plugin extend
  tap into | after every | each time | before commit | before every commit | before committing > hook
  run code after | run * after | do something after | do something before > hook
  hold off > wait defer
  wait for | wait until > await
  only once > once singleton
  several at > batch
  drag and drop > event
  before every | before the handler | run code before > hook middleware
  in the background > worker job queue
  wait for * to finish > await complete
  wait between > delay interval backoff
  hangs forever > timeout deadlock
  later on > defer schedule
  some time later > schedule delay timeout
  after a while > timeout expire
  after some time > timeout expire ttl
  one after another > sequence queue order
  one by one > iterate sequence stream
  one at a time > sequential queue lock
  several times > retry repeat
  over and over > loop repeat retry
  more than once > duplicate idempotent repeat
  exactly once > idempotent
  only one > singleton unique lock
  on a schedule > cron
  how many times > retry count
  before it runs > hook before
  after the response > hook background
  react to > event listen
  when * changes > watch event
  changes on disk | file changes | save a file > watch reload
  listen to > event subscribe
  at startup > startup lifespan init
  on startup > lifespan init hook
  on shutdown > close lifespan hook
  when the server stops > shutdown close
  when the app starts > startup lifespan
  kill the process > signal shutdown
  ctrl c > signal interrupt abort
`;
