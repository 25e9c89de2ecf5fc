// What the tables of damages are written with.

// Expectations besides a plain outcome.
export const fails = (message = /./, status) =>
    ({fails: message, status});  // a status, or an error event
export const either = (...outcomes) => ({either: outcomes});

export const copy = (value) => structuredClone(value);
export const each = (change) => (list) => list.map((value) => {
  const next = copy(value);
  return change(next) ?? next;
});
export const eachChoice = (change) => each((value) => {
  value.choices.forEach(change);
});
export const eachDelta = (change) => eachChoice((choice) => {
  change(choice.delta);
});
export const eachCall = (change) => eachDelta((delta) => {
  delta.tool_calls?.forEach(change);
});
export const wholeCalls = (change) => (answer) => {
  const next = copy(answer);
  next.choices[0].message.tool_calls.forEach(change);
  return next;
};
export const wholeChoice = (change) => (answer) => {
  const next = copy(answer);
  change(next.choices[0]);
  return next;
};
export const without = (key) => ({
  chunks: each((value) => {
    delete value[key];
  }),
  whole: (answer) => {
    const next = copy(answer);
    delete next[key];
    return next;
  }
});
export const insert = (list, at, ...values) => [...list.slice(0, at), ...values, ...list.slice(at)];
export const data = (event) => `data: ${event}\n\n`;
export const plain = (events) => events.map(data).join('');
export const isCall = (value) => value.choices[0]?.delta.tool_calls;
export const firstCall = (value) => value.choices[0]?.delta.tool_calls?.[0]?.id;

export const deep = (depth) => `${'{"a":['.repeat(depth)}1${']}'.repeat(depth)}`;
export const BIG = 'x'.repeat(1 << 20);
export const textOutcome = (text) => ({text, calls: [], finish: 'stop'});
export const partial = (start) => new RegExp(`^${start}`);
