// The scripted model and a tool server as a program, for tests that are not JavaScript. The script
// is the last user message: a JSON list of rounds {"text", "calls": [[name, input]]}. Prints one
// JSON object per line: first {"port", "tools"}, then {"body", "faults"} for each request of the
// gateway and {"call", "input"} for each call of a tool.
import {AgentUpstream, call, requestFaults, textOf} from '../http/agent_upstream.mjs';
import {ToolServer} from '../http/approvals.mjs';

const print = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
const upstream = await AgentUpstream.start();
const tools = await ToolServer.start();

tools.answer = ({path, input}) => {
  print({call: path.slice(1), input});
  return {text: `${path.slice(1)} ${JSON.stringify(input)}`};
};
upstream.play((body) => {
  print({body, faults: requestFaults(body)});
  const question = body.messages.findLastIndex(({role}) => role === 'user');
  const past = body.messages.slice(question + 1).filter((message) => message.tool_calls);
  const {text, calls = []} = JSON.parse(textOf(body.messages[question].content))[past.length];
  return {text, calls: calls.map(([name, input]) => call(name, input))};
});
process.stdin.on('end', () => process.exit(0)).resume();
print({port: upstream.server.port, tools: tools.url});
