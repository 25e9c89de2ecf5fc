// What a well-behaved OpenAI server answers: the building blocks for damages.mjs, and a small
// script that reacts to the last user message, for the tests with real clients.
export const ID = 'chatcmpl-mock-1';
export const CREATED = 1_760_000_000;
export const USAGE = {
  prompt_tokens: 11,
  completion_tokens: 7,
  total_tokens: 18
};

export const TEXT_PIECES = ['Grüße', ', 世', '界', ' 🌍', '!', ' "quoted"\n', '\\ done.'];
export const TEXT = TEXT_PIECES.join('');
export const CALL = {
  id: 'call_a',
  name: 'get_weather',
  pieces: ['{"ci', 'ty":"Mün', 'chen"}']
};
export const SECOND_CALL = {
  id: 'call_b',
  name: 'get_time',
  pieces: ['{"zone"', ':"CET"}']
};

const joined = (call) => ({name: call.name, arguments: call.pieces.join('')});

// What a client must end up with, per scenario.
export const OUTCOMES = {
  text: {text: TEXT, calls: [], finish: 'stop'},
  call: {text: '', calls: [joined(CALL)], finish: 'tool_calls'},
  parallel: {text: '', calls: [joined(CALL), joined(SECOND_CALL)], finish: 'tool_calls'},
};

export function chunk(delta, finish = null, model = 'mock-1') {
  return {
    id: ID,
    object: 'chat.completion.chunk',
    created: CREATED,
    model,
    system_fingerprint: 'fp_mock',
    choices: [{index: 0, delta, logprobs: null, finish_reason: finish}]
  };
}

export function usageChunk(model = 'mock-1') {
  return {...chunk({}, null, model), choices: [], usage: USAGE};
}

function callChunks(call, index, model) {
  return [
    chunk(
        {
          tool_calls:
              [{index, id: call.id, type: 'function', function: {name: call.name, arguments: ''}}]
        },
        null, model),
    ...call.pieces.map(
        (piece) => chunk({tool_calls: [{index, function: {arguments: piece}}]}, null, model)),
  ];
}

export function streamOf({pieces = [], calls = [], model = 'mock-1', usage = false, id = ID}) {
  return [
    chunk({role: 'assistant', content: calls.length ? null : '', refusal: null}, null, model),
    ...pieces.map((piece) => chunk({content: piece}, null, model)),
    ...calls.flatMap((call, index) => callChunks(call, index, model)),
    chunk({}, calls.length ? 'tool_calls' : 'stop', model),
    ...(usage ? [usageChunk(model)] : []),
  ].map((value) => ({...value, id}));
}

export function wholeOf({pieces = [], calls = [], model = 'mock-1', id = ID}) {
  const message = {
    role: 'assistant',
    content: calls.length ? null : pieces.join(''),
    refusal: null,
    annotations: []
  };
  if (calls.length) {
    message.tool_calls =
        calls.map((call) => ({id: call.id, type: 'function', function: joined(call)}));
  }
  return {
    id,
    object: 'chat.completion',
    created: CREATED,
    model,
    choices:
        [{index: 0, message, logprobs: null, finish_reason: calls.length ? 'tool_calls' : 'stop'}],
    usage: USAGE,
    system_fingerprint: 'fp_mock'
  };
}

export const SCENARIOS = {
  text: {pieces: TEXT_PIECES, calls: []},
  call: {pieces: [], calls: [CALL]},
  parallel: {pieces: [], calls: [CALL, SECOND_CALL]},
};

export function errorBody(status, message) {
  const [type, code] = {
    400: ['invalid_request_error', 'bad_thing'],
    401: ['invalid_request_error', 'invalid_api_key'],
    404: ['invalid_request_error', 'model_not_found'],
    429: ['requests', 'rate_limit_exceeded']
  }[status] ??
      ['server_error', null];
  return {error: {message, type, param: null, code}};
}

let answers = 0;

// Each answer has an id of its own: LangChain takes messages of one id for one message.
export async function send(reply, request, content) {
  const model = request.json?.model ?? 'mock-1';
  const id = `chatcmpl-mock-${++answers}`;
  if (!request.json?.stream) return reply.json(200, wholeOf({...content, model, id}));
  await reply.streamHead();
  const usage = request.json.stream_options?.include_usage === true;
  for (const value of streamOf({...content, model, usage, id})) await reply.event(value);
  await reply.event('[DONE]');
  return reply.end();
}

const words = (text) => text.match(/\S+\s*/g) ?? [];

export function textOf(content) {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part) => part.text ?? '').join('');
}

// The script, by the last user message: "fail 429" answers that status, "count" streams without
// end, "weather" calls the client's first tool, "both" its first two at once; after tool results,
// and for any other text, the answer quotes what came.
export async function answerLikeOpenAI(request, reply) {
  if (request.target.endsWith('/models')) {
    return reply.json(200, {object: 'list', data: [{id: 'mock-1', object: 'model'}]});
  }
  const messages = request.json?.messages ?? [];
  const last = messages.at(-1);
  if (last?.role === 'tool') {
    const results =
        messages.slice(messages.findLastIndex((message) => message.role === 'assistant') + 1)
            .map((message) => textOf(message.content));
    return send(reply, request, {pieces: words(`The tools said: ${results.join(' and ')}`)});
  }
  const asked = textOf(messages.findLast((message) => message.role === 'user')?.content);
  const failure = asked.match(/fail (\d+)/);
  if (failure) {
    const status = Number(failure[1]);
    return reply.json(
        status, errorBody(status, `the mock was asked to fail with ${status}`),
        status === 429 ? {'Retry-After': '7'} : {});
  }
  if (asked.includes('count')) return countForever(reply);
  const wanted = asked.includes('both') ? 2 : asked.includes('weather') ? 1 : 0;
  const calls =
      (request.json?.tools ?? []).slice(0, wanted).map((tool, index) => ({
                                                         id: `call_${request.connection}_${index}`,
                                                         name: tool.function.name,
                                                         pieces: index === 0 ?
                                                             ['{"city"', ':"Mün', 'chen"}'] :
                                                             ['{"zone":', '"CET"}']
                                                       }));
  if (calls.length) return send(reply, request, {calls});
  return send(reply, request, {pieces: words(`You said: ${asked}`)});
}

async function countForever(reply) {
  await reply.streamHead();
  await reply.event(chunk({role: 'assistant', content: ''}));
  for (let number = 1;; ++number) {
    if (!await reply.event(chunk({content: `${number} `}))) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
