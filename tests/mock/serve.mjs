// The mock upstream as a program, for tests that are not JavaScript. Prints one JSON object per
// line: first
// {"port"}, then {"request": …} for each request and {"closed": n} when the nth one's connection
// has ended.
import {startUpstream} from './upstream.mjs';

const upstream = await startUpstream();
const print = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
const {behave} = upstream;
upstream.behave = (request, reply) => {
  const number = upstream.requests.indexOf(request);
  print({request: number, path: request.target, body: request.json});
  request.closed.then(() => print({closed: number}));
  return behave(request, reply);
};
process.stdin.on('end', () => process.exit(0)).resume();
print({port: upstream.port});
