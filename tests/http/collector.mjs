// A collector of OpenTelemetry on loopback: keeps what it is sent, and answers as a test wants.
import assert from 'node:assert/strict';
import http from 'node:http';

const valueOf = ({stringValue, intValue, doubleValue, boolValue, arrayValue}) =>
    stringValue ?? (intValue === undefined ? undefined : Number(intValue)) ?? doubleValue ?? boolValue ??
    arrayValue.values.map(valueOf);

export const attributesOf = (list) =>
    Object.fromEntries(list.map(({key, value}) => [key, valueOf(value)]));

const readable = (span) => ({...span, attributes: attributesOf(span.attributes)});

export class Collector {
  static async start(port = 0) {
    const collector = new Collector();
    collector.requests = [];
    collector.answer = () => ({});
    collector.server = http.createServer(async (request, response) => {
      let text = '';
      for await (const chunk of request) text += chunk;
      const {url: path, method, headers} = request;
      const told = {path, method, headers, text, json: JSON.parse(text)};
      const {status = 200, more = {}, body = {}} = await collector.answer(told);
      if (status === 200) collector.requests.push(told);
      response.writeHead(status, {'content-type': 'application/json', ...more});
      response.end(JSON.stringify(body));
    });
    await new Promise((resolve) => collector.server.listen(port, '127.0.0.1', resolve));
    collector.port = collector.server.address().port;
    collector.url = `http://127.0.0.1:${collector.port}`;
    return collector;
  }

  get spans() {
    return this.requests.filter(({path}) => path.endsWith('/v1/traces'))
        .flatMap(({json}) => json.resourceSpans)
        .flatMap(({scopeSpans}) => scopeSpans)
        .flatMap(({spans}) => spans)
        .map(readable);
  }

  get metrics() {
    const last = this.requests.findLast(({path}) => path.endsWith('/v1/metrics'));
    return last?.json.resourceMetrics[0].scopeMetrics[0].metrics ?? [];
  }

  get text() {
    return this.requests.map(({text}) => text).join('\n');
  }

  // What `look` gives, once that is something.
  async until(look, timeout = 20_000) {
    const end = performance.now() + timeout;
    for (;;) {
      const found = look(this);
      if (found) return found;
      assert.ok(performance.now() < end, `it did not come: ${look}; ${this.text.slice(-2000)}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  // The spans of one trace, once the one of the request, which ends last, is there.
  async trace(matches = () => true) {
    const top = await this.until(() => this.spans.find((span) => span.kind === 2 && matches(span)));
    const all = this.spans.filter(({traceId}) => traceId === top.traceId);
    const named = (name) => all.filter((span) => span.name === name);
    return {top, all, named, one: (name) => {
      assert.equal(named(name).length, 1, `${name} among ${all.map((span) => span.name)}`);
      return named(name)[0];
    }};
  }

  stop() {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(resolve));
  }
}
