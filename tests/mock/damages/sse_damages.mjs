// Damages to the events of a stream: line ends, fields, pings, ends, sizes, encodings.
import {CALL, chunk, OUTCOMES, streamOf, TEXT} from '../answers.mjs';

import {BIG, data, deep, either, fails, insert, plain, textOutcome} from './tools.mjs';

export const sseDamages = [
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
