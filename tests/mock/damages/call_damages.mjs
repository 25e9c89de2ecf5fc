// Damages to tool calls: indexes, ids, names, arguments, and the order of their deltas.
import {CALL, chunk, OUTCOMES, SECOND_CALL, streamOf} from '../answers.mjs';

import {copy, eachCall, eachDelta, either, fails, firstCall, insert, isCall, textOutcome, wholeCalls, wholeChoice} from './tools.mjs';

function interleave(list) {
  const calls = list.filter(isCall);
  const mine = (index) => calls.filter((value) => isCall(value)[0].index === index);
  const [first, second] = [mine(0), mine(1)];
  const mixed = first.flatMap((value, at) => second[at] ? [value, second[at]] : [value]);
  return [list[0], ...mixed, ...second.slice(first.length), list.at(-1)];
}

const EMPTY_CALL = {
  ...CALL,
  pieces: ['']
};
const emptyCallOutcome = {
  text: '',
  calls: [{name: CALL.name, arguments: '{}'}],
  finish: 'tool_calls'
};

export const callDamages = [
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
           tool_calls: [CALL, SECOND_CALL].map(
               (call, index) => ({
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
];
