// The named ways in which an upstream misbehaves, each with what the client must still see.
// tests/http/mutations.test.mjs runs every one, streamed and whole.
//
// A damage (the tables are in damages/) starts from a well-formed answer of its scenario (text,
// call or parallel) and changes one layer of it:
//   * chunks(list): the JSON chunks of a stream; sse(events): its events as bytes
//   * whole(answer): the JSON of a whole answer; body(text): its bytes
//   * http(reply, payload): the HTTP around either; payload is {stream, bytes, type}
// A layer that is not named stays well-formed; a damage with only stream layers is not run whole,
// and the other way round. `expect` is for both, `expectStream` and `expectWhole` for one; by
// default the client sees the scenario's outcome undamaged.
import {OUTCOMES, SCENARIOS, streamOf, wholeOf} from './answers.mjs';
import {answerDamages} from './damages/answer_damages.mjs';
import {callDamages} from './damages/call_damages.mjs';
import {bodyDamages, httpDamages, sendWell} from './damages/http_damages.mjs';
import {sseDamages} from './damages/sse_damages.mjs';
import {plain} from './damages/tools.mjs';

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

export const DAMAGES = [
  ...answerDamages, ...callDamages, ...sseDamages, ...bodyDamages, ...httpDamages
].map((damage) => {
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
