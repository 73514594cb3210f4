/** Requests and responses, servers, connections and addresses. */
export const network = `
  behind a proxy | behind nginx | behind a | corporate network | company network > proxy
  without internet | no internet > offline
  real time > realtime stream live
  piece by piece | bit by bit > stream chunk
  as it arrives | word by word | token by token | line by line | in chunks | as it is generated > stream
  as they come | as it comes | while it is generated > stream
  every request > middleware hook
  all requests > middleware global hook
  each request > middleware hook context
  each user | per user > session context
  across requests > shared state context
  between requests > session state
  large files | big files > upload stream
  rate limited > throttle retry
  status code > response error
  query string > parameter
  file upload > multipart
  own domain > domain host
  keep * open > close connection keepalive
  keep * alive > keepalive heartbeat
  stay connected > keepalive reconnect
  reach it from | reachable from > host bind expose
  other computers > host network bind
  other machine | another machine | another computer > remote host
  another server > proxy remote
  another domain | other domain | different domain | other website > cors origin
  from outside > expose public
  in front of > proxy middleware
  self signed > certificate tls
  client ip > proxy forwarded
  ip address > host address
  two way > bidirectional websocket duplex
  both ways > bidirectional
  push to the browser > sse websocket stream
  push updates > subscription websocket event
  live updates > subscription websocket stream
  call back > callback webhook
  talk to > connect client request
  talk to each other | talk between > communicate message
  connect to > connection client
  send * file > upload
  send files | receive files | accept files | accept uploads > upload multipart
  download link > file response header
  serve files | serve a folder | serve images > static
  static files > asset public
  form data > body multipart
  post data > body request
  from the web | from the internet > url remote fetch
  from a url > remote fetch
  from github | from git > git repository
  wrap around > decorator middleware wrapper
`;
