// The named ways in which an upstream misbehaves, each with what the client must still see.
// tests/http/mutations.test.mjs runs every one, streamed and whole.
//
// A damage starts from a well-formed answer of its scenario (text, call or parallel) and changes
// one layer:
//   chunks(list)          the JSON chunks of a stream          whole(answer)   the JSON of a whole
//   answer sse(events)           events to the bytes of the stream    body(text)      its bytes
//   http(reply, payload)  the HTTP around either               payload: {stream, bytes, type}
// A layer that is not named stays well-formed; a damage with only stream layers is not run whole,
// and the other way round. `expect` is for both, `expectStream` and `expectWhole` for one; by
// default the client sees the scenario's outcome undamaged.
import {gzipSync} from 'node:zlib';

import {CALL, chunk, errorBody, OUTCOMES, SCENARIOS, SECOND_CALL, streamOf, TEXT, usageChunk, wholeOf} from './answers.mjs';

// Expectations besides a plain outcome.
const fails = (message = /./, status) => ({fails: message, status});  // a status, or an error event
const either = (...outcomes) => ({either: outcomes});

const copy = (value) => structuredClone(value);
const each = (change) => (list) => list.map((value) => {
  const next = copy(value);
  return change(next) ?? next;
});
const eachChoice = (change) => each((value) => {
  value.choices.forEach(change);
});
const eachDelta = (change) => eachChoice((choice) => {
  change(choice.delta);
});
const eachCall = (change) => eachDelta((delta) => {
  delta.tool_calls?.forEach(change);
});
const wholeCalls = (change) => (answer) => {
  const next = copy(answer);
  next.choices[0].message.tool_calls.forEach(change);
  return next;
};
const wholeChoice = (change) => (answer) => {
  const next = copy(answer);
  change(next.choices[0]);
  return next;
};
const without = (key) => ({
  chunks: each((value) => {
    delete value[key];
  }),
  whole: (answer) => {
    const next = copy(answer);
    delete next[key];
    return next;
  }
});
const insert = (list, at, ...values) => [...list.slice(0, at), ...values, ...list.slice(at)];
const data = (event) => `data: ${event}\n\n`;
const plain = (events) => events.map(data).join('');
const isCall = (value) => value.choices[0]?.delta.tool_calls;
const firstCall = (value) => value.choices[0]?.delta.tool_calls?.[0]?.id;

function interleave(list) {
  const calls = list.filter(isCall);
  const mine = (index) => calls.filter((value) => isCall(value)[0].index === index);
  const [first, second] = [mine(0), mine(1)];
  const mixed = first.flatMap((value, at) => second[at] ? [value, second[at]] : [value]);
  return [list[0], ...mixed, ...second.slice(first.length), list.at(-1)];
}

async function sendStream(reply, payload, headers = {}) {
  await reply.head(200, {'Content-Type': payload.type, 'Transfer-Encoding': 'chunked', ...headers});
  await reply.chunk(payload.bytes);
  await reply.end();
}

const sendWell = (reply, payload) =>
    payload.stream ? sendStream(reply, payload) : reply.body(200, payload.type, payload.bytes);

async function oneByteWrites(reply, payload) {
  await reply.head(200, {'Content-Type': payload.type, 'Transfer-Encoding': 'chunked'});
  for (const byte of payload.bytes) {
    await reply.chunk([byte]);
    await new Promise(setImmediate);
  }
  await reply.end();
}

const answerWith = (status, type, bytes, headers) => (reply) =>
    reply.body(status, type, bytes, headers);
const failure = (name, status, message = `the upstream says ${status}`) => ({
  name,
  http: answerWith(status, 'application/json', JSON.stringify(errorBody(status, message))),
  expect: fails(new RegExp(message), status)
});

// Cuts the body at `share` of its bytes and resets the connection.
const cutAt = (share) => async (reply, payload) => {
  const half = payload.bytes.subarray(0, Math.floor(payload.bytes.length * share));
  if (payload.stream) {
    await reply.head(200, {'Content-Type': payload.type, 'Transfer-Encoding': 'chunked'});
    await reply.chunk(half);
  } else {
    await reply.head(200, {'Content-Type': payload.type, 'Content-Length': payload.bytes.length});
    await reply.write(half);
  }
  await new Promise((resolve) => setTimeout(resolve, 20));
  reply.reset();
};

const closeDelimited = (version, share = 1) => async (reply, payload) => {
  await reply.write(
      `HTTP/${version} 200 OK\r\nContent-Type: ${payload.type}\r\nConnection: close\r\n\r\n`);
  await reply.write(payload.bytes.subarray(0, Math.floor(payload.bytes.length * share)));
  reply.close();
};

const deep = (depth) => `${'{"a":['.repeat(depth)}1${']}'.repeat(depth)}`;
const EMPTY_CALL = {
  ...CALL,
  pieces: ['']
};
const emptyCallOutcome = {
  text: '',
  calls: [{name: CALL.name, arguments: '{}'}],
  finish: 'tool_calls'
};
const BIG = 'x'.repeat(1 << 20);
const textOutcome = (text) => ({text, calls: [], finish: 'stop'});
const partial = (start) => new RegExp(`^${start}`);

const jsonDamages = [
  {name: 'ok', chunks: (list) => list, whole: (answer) => answer},
  {name: 'ok_call', scenario: 'call', chunks: (list) => list, whole: (answer) => answer},
  {name: 'ok_parallel', scenario: 'parallel', chunks: (list) => list, whole: (answer) => answer},
  {name: 'no_id', ...without('id')},
  {name: 'no_created', ...without('created')},
  {name: 'no_model', ...without('model')},
  {name: 'no_object', ...without('object')},
  {
    name: 'null_id_top',
    chunks: each((value) => {
      value.id = null;
    }),
    whole: (answer) => ({...answer, id: null})
  },
  {
    name: 'changing_id',
    chunks: (list) => list.map((value, at) => ({...value, id: `chatcmpl-${at}`}))
  },
  {
    name: 'created_as_text',
    chunks: each((value) => {
      value.created = '1760000000';
    }),
    whole: (answer) => ({...answer, created: '1760000000'})
  },
  {
    name: 'no_index',
    chunks: eachChoice((choice) => {
      delete choice.index;
    }),
    whole: wholeChoice((choice) => {
      delete choice.index;
    })
  },
  {
    name: 'no_index_call',
    scenario: 'call',
    chunks: eachChoice((choice) => {
      delete choice.index;
    }),
    whole: wholeChoice((choice) => {
      delete choice.index;
    })
  },
  {
    name: 'choice_index_1',
    chunks: eachChoice((choice) => {
      choice.index = 1;
    }),
    whole: wholeChoice((choice) => {
      choice.index = 1;
    })
  },
  {
    name: 'no_role',
    chunks: eachDelta((delta) => {
      delete delta.role;
    }),
    whole: wholeChoice((choice) => {
      delete choice.message.role;
    })
  },
  {
    name: 'no_role_call',
    scenario: 'call',
    chunks: eachDelta((delta) => {
      delete delta.role;
    }),
    whole: wholeChoice((choice) => {
      delete choice.message.role;
    })
  },
  {
    name: 'role_everywhere',
    chunks: eachDelta((delta) => {
      delta.role = 'assistant';
    })
  },
  {
    name: 'no_logprobs',
    chunks: eachChoice((choice) => {
      delete choice.logprobs;
    }),
    whole: wholeChoice((choice) => {
      delete choice.logprobs;
    })
  },
  {
    name: 'no_refusal',
    chunks: eachDelta((delta) => {
      delete delta.refusal;
    }),
    whole: wholeChoice((choice) => {
      delete choice.message.refusal;
    })
  },
  {
    name: 'extra_fields',
    chunks: each((value) => {
      value.x_extra = {deep: [1]};
    }),
    whole: (answer) => ({...answer, x_extra: {deep: [1]}})
  },
  {
    name: 'no_usage',
    chunks: (list) => list.filter((value) => !value.usage),
    whole: without('usage').whole
  },
  {
    name: 'usage_null',
    chunks: each((value) => {
      value.usage = null;
    }),
    whole: (answer) => ({...answer, usage: null})
  },
  {
    name: 'usage_in_last',
    chunks: (list) =>
        list.filter((value) => !value.usage)
            .map(
                (value, at, all) =>
                    at === all.length - 1 ? {...value, usage: usageChunk().usage} : value)
  },
  {
    name: 'usage_everywhere',
    chunks: each((value) => {
      value.usage = usageChunk().usage;
    })
  },
  {
    name: 'usage_missing_choices',
    chunks: (list) => [...list.filter((value) => !value.usage), (({choices,
                                                                   ...rest}) => rest)(usageChunk())]
  },
  {
    name: 'usage_null_choices',
    chunks: (list) => [...list.filter((value) => !value.usage), {...usageChunk(), choices: null}]
  },
  {name: 'force_usage', chunks: (list) => [...list.filter((value) => !value.usage), usageChunk()]},
  {name: 'usage_first', chunks: (list) => [usageChunk(), ...list.filter((value) => !value.usage)]},
  {
    name: 'missing_finish',
    chunks: eachChoice((choice) => {
      if (choice.finish_reason === null) delete choice.finish_reason;
    }),
    whole: wholeChoice((choice) => {
      delete choice.finish_reason;
    })
  },
  {
    name: 'null_finish',
    chunks: eachChoice((choice) => {
      choice.finish_reason = null;
    }),
    whole: wholeChoice((choice) => {
      choice.finish_reason = null;
    })
  },
  {
    name: 'null_finish_call',
    scenario: 'call',
    chunks: eachChoice((choice) => {
      choice.finish_reason = null;
    }),
    whole: wholeChoice((choice) => {
      choice.finish_reason = null;
    })
  },
  {
    name: 'empty_finish',
    chunks: eachChoice((choice) => {
      choice.finish_reason ??= '';
    }),
    whole: wholeChoice((choice) => {
      choice.finish_reason = '';
    })
  },
  {
    name: 'finish_stop',
    scenario: 'call',
    chunks: eachChoice((choice) => {
      if (choice.finish_reason) choice.finish_reason = 'stop';
    }),
    whole: wholeChoice((choice) => {
      choice.finish_reason = 'stop';
    })
  },
  {
    name: 'finish_twice',
    chunks: (list) =>
        insert(list, list.findIndex((value) => value.choices[0]?.finish_reason), chunk({}, 'stop'))
  },
  {
    name: 'finish_on_content',
    chunks: (list) => {
      const at = list.findIndex((value) => value.choices[0]?.finish_reason);
      const next = copy(list);
      next[at - 1].choices[0].finish_reason = 'stop';
      next.splice(at, 1);
      return next;
    }
  },
  {
    name: 'no_final_chunk',
    chunks: (list) => list.filter((value) => !value.choices[0]?.finish_reason)
  },
  {
    name: 'no_final_chunk_call',
    scenario: 'call',
    chunks: (list) => list.filter((value) => !value.choices[0]?.finish_reason)
  },
  {
    name: 'empty_choices_first',
    chunks: (list) => [{...list[0], choices: [], prompt_filter_results: []}, ...list]
  },
  {
    name: 'missing_content',
    chunks: eachDelta((delta) => {
      if (!delta.content) delete delta.content;
    })
  },
  {
    name: 'missing_content_call',
    scenario: 'call',
    chunks: eachDelta((delta) => {
      delete delta.content;
    }),
    whole: wholeChoice((choice) => {
      delete choice.message.content;
    })
  },
  {
    name: 'empty_content_call',
    scenario: 'call',
    chunks: eachDelta((delta) => {
      delta.content = '';
    }),
    whole: wholeChoice((choice) => {
      choice.message.content = '';
    })
  },
  {name: 'content_null_deltas', chunks: (list) => insert(list, 2, chunk({content: null}))},
  {
    name: 'content_parts',
    chunks: eachDelta((delta) => {
      if (delta.content) delta.content = [{type: 'text', text: delta.content}];
    }),
    whole: wholeChoice((choice) => {
      choice.message.content = [{type: 'text', text: choice.message.content}];
    })
  },
  {
    name: 'no_delta',
    chunks: (list) => insert(list, 2, {...chunk({}), choices: [{index: 0, finish_reason: null}]})
  },
  {
    name: 'null_toolcalls',
    chunks: eachDelta((delta) => {
      delta.tool_calls = null;
    }),
    whole: wholeChoice((choice) => {
      choice.message.tool_calls = null;
    })
  },
  {
    name: 'empty_toolcalls',
    chunks: eachDelta((delta) => {
      delta.tool_calls = [];
    }),
    whole: wholeChoice((choice) => {
      choice.message.tool_calls = [];
    })
  },
  {
    name: 'message_for_delta',
    chunks: eachChoice((choice) => {
      choice.message = choice.delta;
      delete choice.delta;
    })
  },
  {name: 'message_for_delta_call', scenario: 'call', chunks: () => [wholeOf(SCENARIOS.call)]},
  {name: 'whole_answer_event', chunks: () => [wholeOf(SCENARIOS.text)]},

  {
    name: 'whole_call',
    scenario: 'call',
    chunks: (list) =>
        [list[0], chunk({
           tool_calls: [{
             index: 0,
             id: CALL.id,
             type: 'function',
             function: {name: CALL.name, arguments: CALL.pieces.join('')}
           }]
         }),
         chunk({}, 'tool_calls')]
  },
  {
    name: 'two_calls_one_delta',
    scenario: 'parallel',
    chunks: (list) =>
        [list[0], chunk({
           tool_calls: [
             CALL, SECOND_CALL
           ].map((call, index) => ({
                   index,
                   id: call.id,
                   type: 'function',
                   function: {name: call.name, arguments: call.pieces.join('')}
                 }))
         }),
         chunk({}, 'tool_calls')]
  },
  {
    name: 'two_calls_one_delta_no_index',
    scenario: 'parallel',
    chunks: (list) =>
        [list[0], chunk({
           tool_calls: [CALL, SECOND_CALL].map(
               (call) => ({
                 id: call.id,
                 type: 'function',
                 function: {name: call.name, arguments: call.pieces.join('')}
               }))
         }),
         chunk({}, 'tool_calls')]
  },
  {
    name: 'no_tcindex',
    scenario: 'call',
    chunks: eachCall((call) => {
      delete call.index;
    })
  },
  {
    name: 'null_tcindex',
    scenario: 'call',
    chunks: eachCall((call) => {
      call.index = null;
    })
  },
  {
    name: 'no_tcindex_parallel',
    scenario: 'parallel',
    chunks: eachCall((call) => {
      delete call.index;
    })
  },
  {
    name: 'no_tcindex_no_id_parallel',
    scenario: 'parallel',
    chunks: eachCall((call) => {
      delete call.index;
      delete call.id;
    })
  },
  {
    name: 'tcindex1',
    scenario: 'call',
    chunks: eachCall((call) => {
      call.index += 1;
    })
  },
  {
    name: 'tcindex1_parallel',
    scenario: 'parallel',
    chunks: eachCall((call) => {
      call.index += 1;
    })
  },
  {
    name: 'tcindex_gap',
    scenario: 'parallel',
    chunks: eachCall((call) => {
      call.index *= 5;
    })
  },
  {
    name: 'tcindex_zero_for_all',
    scenario: 'parallel',
    chunks: eachCall((call) => {
      call.index = 0;
    })
  },
  {
    name: 'tcindex_text',
    scenario: 'call',
    chunks: eachCall((call) => {
      call.index = String(call.index);
    })
  },
  {
    name: 'no_calltype',
    scenario: 'call',
    chunks: eachCall((call) => {
      delete call.type;
    }),
    whole: wholeCalls((call) => {
      delete call.type;
    })
  },
  {
    name: 'no_callid',
    scenario: 'call',
    chunks: eachCall((call) => {
      delete call.id;
    }),
    whole: wholeCalls((call) => {
      delete call.id;
    })
  },
  {
    name: 'no_callid_parallel',
    scenario: 'parallel',
    chunks: eachCall((call) => {
      delete call.id;
    }),
    whole: wholeCalls((call) => {
      delete call.id;
    })
  },
  {
    name: 'null_id',
    scenario: 'call',
    chunks: eachCall((call) => {
      call.id ??= null;
    })
  },
  {
    name: 'empty_id',
    scenario: 'call',
    chunks: eachCall((call) => {
      call.id ??= '';
    })
  },
  {
    name: 'empty_id_always',
    scenario: 'call',
    chunks: eachCall((call) => {
      call.id = '';
    }),
    whole: wholeCalls((call) => {
      call.id = '';
    })
  },
  {
    name: 'repeat_id',
    scenario: 'parallel',
    chunks: eachCall((call) => {
      call.id = [CALL, SECOND_CALL][call.index].id;
    })
  },
  {
    name: 'repeat_id_and_name',
    scenario: 'parallel',
    chunks: eachCall((call) => {
      const source = [CALL, SECOND_CALL][call.index];
      call.id = source.id;
      call.function.name = source.name;
    })
  },
  {
    name: 'same_id_twice',
    scenario: 'parallel',
    chunks: eachCall((call) => {
      if (call.id) call.id = 'call_same';
    }),
    whole: wholeCalls((call) => {
      call.id = 'call_same';
    })
  },
  {
    name: 'null_name',
    scenario: 'call',
    chunks: eachCall((call) => {
      call.function.name ??= null;
    })
  },
  {
    name: 'empty_name',
    scenario: 'call',
    chunks: eachCall((call) => {
      call.function.name ??= '';
    })
  },
  {
    name: 'name_late',
    scenario: 'call',
    chunks: (list) =>
        list.map((value) => {
              const next = copy(value);
              if (firstCall(next)) delete next.choices[0].delta.tool_calls[0].function.name;
              return next;
            })
            .flatMap(
                (value) => firstCall(value) ?
                    [value, chunk({tool_calls: [{index: 0, function: {name: CALL.name}}]})] :
                    [value])
  },
  {
    name: 'name_after_arguments',
    scenario: 'call',
    chunks: (list) => {
      const next = copy(list);
      next.filter(isCall).forEach((value) => {
        delete isCall(value)[0].function.name;
      });
      isCall(next.findLast(isCall))[0].function.name = CALL.name;
      return next;
    }
  },
  {
    name: 'no_name_at_all',
    scenario: 'call',
    chunks: eachCall((call) => {
      delete call.function.name;
    }),
    whole: wholeCalls((call) => {
      delete call.function.name;
    }),
    expect: either(fails(/name/), {...textOutcome(''), warns: /name/})
  },
  {
    name: 'noargs_first',
    scenario: 'call',
    chunks: eachCall((call) => {
      if (call.function.arguments === '') delete call.function.arguments;
    })
  },
  {
    name: 'null_args_first',
    scenario: 'call',
    chunks: eachCall((call) => {
      if (call.function.arguments === '') call.function.arguments = null;
    })
  },
  {
    name: 'args_empty',
    scenario: 'call',
    chunks: () => streamOf({calls: [EMPTY_CALL]}),
    whole: wholeCalls((call) => {
      call.function.arguments = '';
    }),
    expect: emptyCallOutcome
  },
  {
    name: 'args_missing',
    scenario: 'call',
    chunks: () => streamOf({calls: [{...CALL, pieces: []}]}).map((value) => {
      if (isCall(value)) delete isCall(value)[0].function.arguments;
      return value;
    }),
    whole: wholeCalls((call) => {
      delete call.function.arguments;
    }),
    expect: emptyCallOutcome
  },
  {
    name: 'args_null',
    scenario: 'call',
    chunks: () => streamOf({calls: [{...CALL, pieces: []}]}).map((value) => {
      if (isCall(value)) isCall(value)[0].function.arguments = null;
      return value;
    }),
    whole: wholeCalls((call) => {
      call.function.arguments = null;
    }),
    expect: emptyCallOutcome
  },
  {
    name: 'args_object',
    scenario: 'call',
    chunks: (list) =>
        [list[0], chunk({
           tool_calls: [{
             index: 0,
             id: CALL.id,
             type: 'function',
             function: {name: CALL.name, arguments: {city: 'München'}}
           }]
         }),
         chunk({}, 'tool_calls')],
    whole: wholeCalls((call) => {
      call.function.arguments = {city: 'München'};
    })
  },
  {
    name: 'args_bad',
    scenario: 'call',
    chunks: () => streamOf({calls: [{...CALL, pieces: ['{"city', '"=}']}]}),
    whole: wholeCalls((call) => {
      call.function.arguments = '{"city"=}';
    }),
    expect: {text: '', calls: [{name: CALL.name, arguments: '{"city"=}'}], finish: 'tool_calls'}
  },
  {name: 'interleaved', scenario: 'parallel', chunks: interleave},
  {
    name: 'interleaved_ids_no_index',
    scenario: 'parallel',
    chunks: (list) => interleave(eachCall((call) => {
                        call.id = [CALL, SECOND_CALL][call.index].id;
                      })(list))
                          .map((value) => {
                            const next = copy(value);
                            isCall(next)?.forEach((call) => {
                              delete call.index;
                            });
                            return next;
                          })
  },
  {
    name: 'interleaved_no_ids',
    scenario: 'parallel',
    chunks: (list) => interleave(list).map((value) => {
      const next = copy(value);
      isCall(next)?.forEach((call) => {
        delete call.id;
      });
      return next;
    })
  },
  {
    name: 'text_then_call',
    scenario: 'call',
    chunks: (list) => insert(list, 1, chunk({content: 'I look.'})),
    whole: wholeChoice((choice) => {
      choice.message.content = 'I look.';
    }),
    expect: {...OUTCOMES.call, text: 'I look.'}
  },
  {
    name: 'function_call_legacy_beside',
    chunks: eachDelta((delta) => {
      delta.function_call = null;
    }),
    whole: wholeChoice((choice) => {
      choice.message.function_call = null;
    })
  },
  {
    name: 'reasoning_content',
    chunks: (list) => insert(list, 1, chunk({reasoning_content: 'hmm'})),
    whole: wholeChoice((choice) => {
      choice.message.reasoning_content = 'hmm';
    })
  },

  {
    name: 'midstream_error',
    chunks: (list) => [...list.slice(0, 4), errorBody(500, 'the model broke')],
    expect: fails(/the model broke/)
  },
  {
    name: 'midstream_error_text',
    chunks: (list) => [...list.slice(0, 4), {error: 'the model broke'}],
    expect: fails(/the model broke/)
  },
  {
    name: 'midstream_error_call',
    scenario: 'call',
    chunks: (list) => [...list.slice(0, 3), errorBody(500, 'the model broke')],
    expect: fails(/the model broke/)
  },
  {
    name: 'first_event_error',
    chunks: () => [errorBody(429, 'too many of you')],
    expect: fails(/too many of you/)
  },
  {
    name: 'error_null_beside',
    chunks: each((value) => {
      value.error = null;
    }),
    whole: (answer) => ({...answer, error: null})
  },
  {name: 'error_in_200', whole: () => errorBody(500, 'not today'), expect: fails(/not today/)},
  {name: 'error_text_in_200', whole: () => ({error: 'not today'}), expect: fails(/not today/)},
  {name: 'no_choices', whole: (answer) => ({...answer, choices: []}), expect: fails()},
  {name: 'choices_null', whole: (answer) => ({...answer, choices: null}), expect: fails()},
  {
    name: 'array_for_object',
    whole: (answer) => [answer],
    chunks: (list) => insert(list, 2, [1, 2]),
    expectWhole: fails(),
    expectStream: either(OUTCOMES.text, fails())
  },
];

const sseDamages = [
  {name: 'no_done', sse: (events) => plain(events.slice(0, -1))},
  {
    name: 'no_finish_no_done',
    chunks: (list) => list.filter((value) => !value.choices[0]?.finish_reason && !value.usage),
    sse: (events) => plain(events.slice(0, -1))
  },
  {
    name: 'no_finish_no_done_call',
    scenario: 'call',
    chunks: (list) => list.slice(0, -1),
    sse: (events) => plain(events.slice(0, -1))
  },
  {
    name: 'ends_inside_arguments',
    scenario: 'call',
    chunks: (list) => list.slice(0, 3),
    sse: (events) => plain(events.slice(0, -1)),
    expect: fails()
  },
  {name: 'no_last_blank_line', sse: (events) => plain(events).trimEnd()},
  {name: 'only_done', sse: () => data('[DONE]'), expect: fails()},
  {name: 'empty_stream', sse: () => '', expect: fails()},
  {name: 'two_done', sse: (events) => plain([...events, '[DONE]'])},
  {name: 'data_after_done', sse: (events) => plain([...events, events[1]])},
  {name: 'done_with_spaces', sse: (events) => plain([...events.slice(0, -1), ' [DONE] '])},
  {
    name: 'comments',
    sse: (events) => `: hello\n\n${events.map((event) => `: keep\n${data(event)}:\n\n`).join('')}`
  },
  {
    name: 'keepalive',
    sse: (events) => events.map((event) => `: keepalive\n\n${data(event)}`).join('')
  },
  {name: 'crlf', sse: (events) => plain(events).replaceAll('\n', '\r\n')},
  {name: 'cr_only', sse: (events) => plain(events).replaceAll('\n', '\r')},
  {
    name: 'mixed_line_ends',
    sse: (events) =>
        events.map((event, at) => `data: ${event}${['\n\r\n', '\r\n\r\n', '\n\n', '\r\r'][at % 4]}`)
            .join('')
  },
  {
    name: 'extra_blank_lines',
    sse: (events) => `\n\n\n${events.map((event) => `data: ${event}\n\n\n\n`).join('')}`
  },
  {
    name: 'single_newline_between',
    sse: (events) => events.map((event) => `data: ${event}\n`).join(''),
    expect: either(OUTCOMES.text, fails())
  },
  {
    name: 'bom',
    sse: (events) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(plain(events))])
  },
  {
    name: 'no_space_after_data',
    sse: (events) => events.map((event) => `data:${event}\n\n`).join('')
  },
  {
    name: 'multi_line_data',
    sse: (events) =>
        events
            .map(
                (event) => event === '[DONE]' ? data(event) :
                                                `${
                                                    JSON.stringify(JSON.parse(event), null, 2)
                                                        .split('\n')
                                                        .map((line) => `data: ${line}\n`)
                                                        .join('')}\n`)
            .join('')
  },
  {
    name: 'event_field',
    sse: (events) => events.map((event) => `event: chunk\n${data(event)}`).join('')
  },
  {
    name: 'event_message',
    sse: (events) => events.map((event) => `event: message\n${data(event)}`).join('')
  },
  {
    name: 'event_ping',
    sse: (events) =>
        events.map((event) => `event: ping\ndata: {"type":"ping"}\n\n${data(event)}`).join('')
  },
  {
    name: 'empty_object_pings',
    sse: (events) => events.map((event) => `data: {}\n\n${data(event)}`).join('')
  },
  {
    name: 'empty_data_pings',
    sse: (events) => events.map((event) => `data:\n\n${data(event)}`).join('')
  },
  {
    name: 'event_error',
    sse: (events) =>
        `${plain(events.slice(0, 3))}event: error\ndata: {"message":"the model broke"}\n\n`,
    expect: fails(/the model broke/)
  },
  {
    name: 'id_and_retry_fields',
    sse: (events) => events.map((event, at) => `id: ${at}\nretry: 500\n${data(event)}`).join('')
  },
  {
    name: 'garbage_lines',
    sse: (events) => events.map((event) => `garbage\nnosuchfield: 1\n${data(event)}`).join('')
  },
  {
    name: 'garbage_event',
    sse: (events) => plain(insert(events, 3, 'this is no JSON')),
    expect: either(OUTCOMES.text, fails())
  },
  {
    name: 'json_cut_in_event',
    sse: (events) => plain([...events.slice(0, 3), events[3].slice(0, 40)]),
    expect: fails()
  },
  {
    name: 'nan_in_chunk',
    sse: (events) => plain(insert(
        events, 3, '{"id":"x","choices":[{"index":0,"delta":{"content":"N"},"score":NaN}]}')),
    expect: either(OUTCOMES.text, fails(), {...OUTCOMES.text, text: /N/})
  },
  {
    name: 'number_event',
    sse: (events) => plain(insert(events, 3, '42')),
    expect: either(OUTCOMES.text, fails())
  },
  {
    name: 'null_event',
    sse: (events) => plain(insert(events, 3, 'null')),
    expect: either(OUTCOMES.text, fails())
  },
  {
    name: 'duplicate_keys',
    sse: (events) => plain(insert(events, 3, '{"id":"x","id":"y","choices":[],"choices":[]}'))
  },
  {
    name: 'deep_nesting',
    sse: (events) => plain(insert(events, 3, deep(10_000))),
    expect: either(OUTCOMES.text, fails())
  },
  {
    name: 'deep_nesting_in_chunk',
    sse: (events) => plain(insert(
        events, 3, `{"id":"x","object":"chat.completion.chunk","choices":[],"x":${deep(10_000)}}`)),
    expect: either(OUTCOMES.text, fails())
  },
  {
    name: 'giant_delta',
    chunks: (list) => insert(list, 1, chunk({content: BIG})),
    expect: textOutcome(BIG + TEXT)
  },
  {
    name: 'giant_arguments',
    scenario: 'call',
    chunks: () => streamOf({calls: [{...CALL, pieces: [`{"a":"${BIG}"}`]}]}),
    expect:
        {text: '', calls: [{name: CALL.name, arguments: `{"a":"${BIG}"}`}], finish: 'tool_calls'}
  },
  {
    name: 'event_over_the_limit',
    sse: (events) => `${plain(events.slice(0, 2))}data: "${'y'.repeat(3 << 20)}`,
    expect: fails()
  },
  {
    name: 'raw_newline_escapes',
    chunks: (list) => insert(list, 1, chunk({content: '\u2028\u2029\u0000\u001f'})),
    expect: textOutcome(`\u2028\u2029\u0000\u001f${TEXT}`)
  },
  {
    name: 'invalid_utf8',
    sse: (events) => Buffer.concat([
      Buffer.from(plain(events.slice(0, 1))),
      Buffer.from('data: {"id":"chatcmpl-mock-1","choices":[{"index":0,"delta":{"content":"a'),
      Buffer.from([0xff, 0xc3, 0x28]), Buffer.from('b"}}]}\n\n'),
      Buffer.from(plain(events.slice(-2)))
    ]),
    expect: either({calls: [], finish: 'stop', text: /^a.*b$/s}, fails())
  },
  {
    name: 'utf8_split_across_deltas',
    sse: (events) => {
      const half = (bytes) => Buffer.concat([
        Buffer.from('data: {"id":"chatcmpl-mock-1","choices":[{"index":0,"delta":{"content":"'),
        Buffer.from(bytes), Buffer.from('"}}]}\n\n')
      ]);
      return Buffer.concat([
        Buffer.from(plain(events.slice(0, 1))), half([0x61, 0xf0, 0x9f]), half([0x8c, 0x8d, 0x62]),
        Buffer.from(plain(events.slice(-2)))
      ]);
    },
    expect: either({calls: [], finish: 'stop', text: /^a(🌍|\ufffd+)b$/u}, fails())
  },
  {
    name: 'surrogates_split_across_deltas',
    sse: (events) => {
      const half = (text) =>
          data(`{"id":"chatcmpl-mock-1","choices":[{"index":0,"delta":{"content":"${text}"}}]}`);
      return plain(events.slice(0, 1)) + half('a\\ud83c') + half('\\udf0db') +
          plain(events.slice(-2));
    },
    expect: either({calls: [], finish: 'stop', text: /^a(🌍|\ufffd+)b$/u}, fails())
  },
  {
    name: 'lone_surrogate',
    sse: (events) => plain(insert(
        events, 1,
        '{"id":"chatcmpl-mock-1","choices":[{"index":0,"delta":{"role":"assistant","content":"a\\ud800b"}}]}')),
    expect: either({calls: [], finish: 'stop', text: /^a[\ud800\ufffd]*b/}, fails())
  },
];

const bodyDamages = [
  {name: 'truncated_json', body: (text) => text.slice(0, -20), expect: fails()},
  {name: 'empty_body', body: () => '', expect: fails()},
  {
    name: 'html_in_200',
    http: answerWith(200, 'text/html', '<html><body>Welcome to nginx</body></html>'),
    expect: fails()
  },
  {
    name: 'text_in_200',
    http: answerWith(200, 'text/plain', 'upstream is warming up'),
    expect: fails()
  },
  {name: 'bom_body', body: (text) => `\ufeff${text}`, expect: either(OUTCOMES.text, fails(/JSON/))},
  {name: 'pretty_body', body: (text) => `\r\n ${JSON.stringify(JSON.parse(text), null, 4)}\n\n`},
  {
    name: 'nan_body',
    body: (text) => text.replace('"created":1760000000', '"created":NaN'),
    expect: either(OUTCOMES.text, fails())
  },
  {
    name: 'invalid_utf8_body',
    body: (text) => {
      const bytes = Buffer.from(text);
      bytes[bytes.indexOf('Gr') + 2] = 0xff;
      return bytes;
    },
    expect: either({calls: [], finish: 'stop', text: /^Gr.*done\.$/s}, fails())
  },
  {
    name: 'lone_surrogate_body',
    body: (text) => text.replace('Grüße', 'a\\ud800b'),
    expect: either({calls: [], finish: 'stop', text: /^a[\ud800\ufffd]*b/}, fails())
  },
  {
    name: 'deep_nesting_body',
    body: (text) =>
        text.replace('"system_fingerprint":', `"x":${deep(10_000)},"system_fingerprint":`),
    expect: either(OUTCOMES.text, fails())
  },
  {
    name: 'trailing_garbage',
    body: (text) => `${text}garbage`,
    expect: either(OUTCOMES.text, fails())
  },
];

const httpDamages = [
  {
    name: 'ct_json',
    http: (reply, payload) => sendWell(reply, {...payload, type: 'application/json'})
  },
  {
    name: 'ct_missing',
    http: async (reply, payload) => {
      await reply.head(200, {'Content-Length': payload.bytes.length});
      await reply.write(payload.bytes);
      reply.reusable = true;
    }
  },
  {
    name: 'ct_upper_with_charset',
    http: (reply, payload) =>
        sendWell(reply, {...payload, type: `${payload.type.toUpperCase()}; Charset="UTF-8"`})
  },
  {
    name: 'json_to_stream_request',
    streamOnly: true,
    http: (reply) => reply.json(200, wholeOf(SCENARIOS.text))
  },
  {
    name: 'json_to_stream_request_call',
    streamOnly: true,
    scenario: 'parallel',
    http: (reply) => reply.json(200, wholeOf(SCENARIOS.parallel))
  },
  {
    name: 'sse_to_whole_request',
    wholeOnly: true,
    http: (reply) => sendStream(reply, {
      type: 'text/event-stream',
      bytes: Buffer.from(
          plain([...streamOf(SCENARIOS.text).map((value) => JSON.stringify(value)), '[DONE]']))
    })
  },
  {
    name: 'sse_to_whole_request_call',
    wholeOnly: true,
    scenario: 'parallel',
    http: (reply) => sendStream(reply, {
      type: 'text/event-stream',
      bytes: Buffer.from(
          plain([...streamOf(SCENARIOS.parallel).map((value) => JSON.stringify(value)), '[DONE]']))
    })
  },
  {
    name: 'error_body_in_200',
    http: answerWith(200, 'application/json', JSON.stringify(errorBody(500, 'not today'))),
    expect: fails(/not today/)
  },
  {name: 'one_byte_writes', http: oneByteWrites},
  {name: 'one_byte_writes_call', scenario: 'parallel', http: oneByteWrites},
  {
    name: 'content_length_stream',
    http: (reply, payload) => reply.body(200, payload.type, payload.bytes)
  },
  {
    name: 'chunk_extensions_and_trailers',
    http: async (reply, payload) => {
      await reply.head(
          200, {'Content-Type': payload.type, 'Transfer-Encoding': 'chunked', Trailer: 'X-Sum'});
      await reply.write(`${payload.bytes.length.toString(16).toUpperCase()};name="value";flag\r\n`);
      await reply.write(payload.bytes);
      await reply.write('\r\n0;last\r\nX-Sum: 1\r\n\r\n');
      reply.reusable = true;
    }
  },
  {name: 'http10_close', http: closeDelimited('1.0')},
  {name: 'http11_close_delimited', http: closeDelimited('1.1')},
  {
    name: 'interim_100',
    http: async (reply, payload) => {
      await reply.write('HTTP/1.1 100 Continue\r\n\r\n');
      await sendWell(reply, payload);
    }
  },
  {
    name: 'interim_103',
    http: async (reply, payload) => {
      await reply.write('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n');
      await sendWell(reply, payload);
    },
    expect: either(OUTCOMES.text, fails())
  },
  {
    name: 'gzip_unasked',
    http: (reply, payload) =>
        reply.body(200, payload.type, gzipSync(payload.bytes), {'Content-Encoding': 'gzip'}),
    expect: either(OUTCOMES.text, fails(/encod|compress|gzip/i))
  },
  {name: 'truncated_chunked', http: cutAt(0.5), expect: fails()},
  {name: 'truncate', http: cutAt(0.7), expect: fails()},
  {
    name: 'cut_after_the_finish',
    chunks: (list) => list.filter((value) => !value.usage),
    streamOnly: true,
    http: cutAt(0.999),
    expect: either(OUTCOMES.text, fails())
  },
  {name: 'truncate_call', scenario: 'call', http: cutAt(0.6), expect: fails()},
  {
    name: 'half_closed_chunked',
    http: async (reply, payload) => {
      await reply.head(200, {'Content-Type': payload.type, 'Transfer-Encoding': 'chunked'});
      await reply.chunk(payload.bytes.subarray(0, payload.bytes.length >> 1));
      reply.close();
    },
    expect: fails()
  },
  {
    name: 'last_chunk_missing',
    http: async (reply, payload) => {
      await reply.head(200, {'Content-Type': payload.type, 'Transfer-Encoding': 'chunked'});
      await reply.chunk(payload.bytes);
      reply.close();
    },
    expectStream: OUTCOMES.text,
    expectWhole: either(OUTCOMES.text, fails())
  },
  {
    name: 'content_length_too_long',
    http: async (reply, payload) => {
      await reply.head(
          200, {'Content-Type': payload.type, 'Content-Length': payload.bytes.length + 50});
      await reply.write(payload.bytes);
      reply.close();
    },
    expectStream: OUTCOMES.text,
    expectWhole: either(OUTCOMES.text, fails())
  },
  {
    name: 'content_length_too_short',
    http: async (reply, payload) => {
      await reply.head(
          200, {'Content-Type': payload.type, 'Content-Length': payload.bytes.length - 300});
      await reply.write(payload.bytes);
      reply.close();
    },
    expectStream: either({calls: [], finish: 'stop', text: partial('Grüße')}, fails()),
    expectWhole: fails()
  },
  {
    name: 'bad_chunk_size',
    http: async (reply, payload) => {
      await reply.head(200, {'Content-Type': payload.type, 'Transfer-Encoding': 'chunked'});
      await reply.chunk(payload.bytes.subarray(0, payload.bytes.length >> 1));
      await reply.write('zz\r\n');
      await reply.write(payload.bytes.subarray(payload.bytes.length >> 1));
      reply.close();
    },
    expect: fails()
  },
  {name: 'closed_before_any_byte', http: (reply) => reply.close(), expect: fails()},
  {name: 'reset_before_any_byte', http: (reply) => reply.reset(), expect: fails()},
  {
    name: 'reset_in_header',
    http: async (reply) => {
      await reply.write('HTTP/1.1 200 OK\r\nContent-Ty');
      await new Promise((resolve) => setTimeout(resolve, 20));
      reply.reset();
    },
    expect: fails()
  },
  {
    name: 'no_http_at_all',
    http: async (reply) => {
      await reply.write('SSH-2.0-OpenSSH_9.2\r\n');
      reply.close();
    },
    expect: fails()
  },
  {
    name: 'huge_header',
    http: async (reply) => {
      await reply.write(`HTTP/1.1 200 OK\r\nX-Big: ${'h'.repeat(1 << 20)}\r\n\r\n`);
      reply.close();
    },
    expect: fails()
  },
  {
    name: 'status_204',
    http: async (reply) => {
      await reply.head(204);
      reply.reusable = true;
    },
    expect: fails()
  },
  {
    name: 'redirect_302',
    http: (reply) => reply.body(302, 'text/html', 'moved', {Location: '/v1/elsewhere'}),
    expect: fails()
  },
  failure('err400', 400),
  failure('err401', 401),
  failure('err404', 404),
  failure('err429', 429),
  failure('err500', 500),
  failure('err503', 503),
  {
    name: 'err400_nullcode',
    http: answerWith(
        400, 'application/json',
        '{"error":{"message":"bad thing","type":null,"param":null,"code":null}}'),
    expect: fails(/bad thing/, 400)
  },
  {
    name: 'err400_numcode',
    http: answerWith(
        400, 'application/json',
        '{"error":{"message":"bad thing","type":"x","param":3,"code":400}}'),
    expect: fails(/bad thing/, 400)
  },
  {
    name: 'err400_string',
    http: answerWith(400, 'application/json', '{"error":"bad thing"}'),
    expect: fails(/bad thing/, 400)
  },
  {
    name: 'err400_text',
    http: answerWith(400, 'text/plain', 'bad thing'),
    expect: fails(/bad thing/, 400)
  },
  {
    name: 'err400_detail',
    http: answerWith(400, 'application/json', '{"detail":"bad thing"}'),
    expect: fails(/bad thing/, 400)
  },
  {
    name: 'err400_array',
    http: answerWith(400, 'application/json', '[{"error":{"message":"bad thing"}}]'),
    expect: fails(/./, 400)
  },
  {
    name: 'err502_html',
    http: answerWith(502, 'text/html', '<html><title>502 Bad Gateway</title></html>'),
    expect: fails(/./, 502)
  },
  {name: 'err500_empty', http: answerWith(500, 'text/plain', ''), expect: fails(/./, 500)},
  {
    name: 'err429_retry_after',
    http: answerWith(
        429, 'application/json', JSON.stringify(errorBody(429, 'slow down')),
        {'Retry-After': '17'}),
    expect: {...fails(/slow down/, 429), headers: {'retry-after': '17'}}
  },
  {
    name: 'err503_as_sse',
    http: answerWith(503, 'text/event-stream', data(JSON.stringify(errorBody(503, 'overloaded')))),
    expect: fails(/overloaded/, 503)
  },
  {
    name: 'err500_invalid_utf8',
    http: answerWith(500, 'text/plain', Buffer.from([0x62, 0x61, 0x64, 0xff, 0xfe])),
    expect: fails(/bad/, 500)
  },
];

function bytesOf(damage, stream, request) {
  const scenario = SCENARIOS[damage.scenario ?? 'text'];
  if (!stream) {
    const text = JSON.stringify((damage.whole ?? ((answer) => answer))(wholeOf(scenario)));
    return Buffer.from((damage.body ?? ((same) => same))(text));
  }
  const usage = request.json?.stream_options?.include_usage === true;
  const list = (damage.chunks ?? ((same) => same))(streamOf({...scenario, usage}));
  return Buffer.from(
      (damage.sse ?? plain)([...list.map((value) => JSON.stringify(value)), '[DONE]']));
}

export const DAMAGES =
    [...jsonDamages, ...sseDamages, ...bodyDamages, ...httpDamages].map((damage) => {
      const streamLayer = damage.chunks || damage.sse;
      const wholeLayer = damage.whole || damage.body;
      const expected = damage.expect ?? OUTCOMES[damage.scenario ?? 'text'];
      return {
        name: damage.name,
        stream: (Boolean(streamLayer) || Boolean(damage.http)) && !damage.wholeOnly ?
            {expect: damage.expectStream ?? expected} :
            null,
        whole: (Boolean(wholeLayer) || Boolean(damage.http)) && !damage.streamOnly ?
            {expect: damage.expectWhole ?? expected} :
            null,
        behave: (request, reply) => {
          const stream = request.json?.stream === true;
          const type = stream ? 'text/event-stream' : 'application/json';
          return (damage.http ?? sendWell)(
              reply, {stream, type, bytes: bytesOf(damage, stream, request)});
        },
      };
    });
