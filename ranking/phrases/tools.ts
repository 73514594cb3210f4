/** Command lines, configuration, logs, editors and written documentation. */
export const tools = `
  check in > commit
  check out > checkout
  without asking > confirm prompt automatic
  command line | from the command line > cli
  from the terminal > cli command
  human approval | are you sure > confirm
  ask before > confirm prompt permission
  asks before | yes or no > confirm prompt
  ask * permission > confirm permission
  command history > readline
  point * at | point * to > configure url path
  own logger > custom logger
  keeps asking > confirm permission cache
  other environment > environment
  different environments > environment profile
  depending on > condition dynamic
  per environment > environment config
  different settings > environment config override
  settings file | dot file > config
  user types | type in > input prompt
  ask the user > prompt input
  ask for > prompt
  pick from | choose from | choose between > choice select
  somewhere else > transport redirect remote
  to a file > file output destination
  log to > transport destination
  log file > log destination
  log files > log rotate
  less noise > level silent
  less output > quiet silent
  nicer output | human readable > pretty format
  pretty print > format
  colored output > color
  how much is logged | which logs > level
  log only > level filter
  make * bold > style emphasis
`;
