// Damages to the JSON of an answer and its chunks: ids, choices, roles, usage, content, errors.
import {chunk, errorBody, OUTCOMES, SCENARIOS, usageChunk, wholeOf} from '../answers.mjs';

import {copy, each, eachChoice, eachDelta, either, fails, insert, wholeChoice, without} from './tools.mjs';

export const answerDamages = [
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
