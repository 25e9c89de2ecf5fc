// For tests of calls and approvals: a server with tools behind it, and the API as functions.
import http from 'node:http';

// Tools that remember every call. `answer` may be replaced; a promise holds the call.
export class ToolServer {
  static async start() {
    const server = new ToolServer();
    server.calls = [];
    server.answer = () => ({text: 'done'});
    server.http = http.createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      const call = {
        path: request.url,
        method: request.method,
        headers: request.headers,
        input: body === '' ? null : JSON.parse(body)
      };
      server.calls.push(call);
      const answer = await server.answer(call);
      response.writeHead(answer.status ?? 200, {'content-type': answer.type ?? 'text/plain'});
      response.end(answer.text);
    });
    await new Promise((resolve) => server.http.listen(0, '127.0.0.1', resolve));
    server.url = `http://127.0.0.1:${server.http.address().port}`;
    return server;
  }

  stop() {
    this.http.closeAllConnections();
    return new Promise((resolve) => this.http.close(resolve));
  }
}

export class Api {
  constructor(gateway, {key} = {}) {
    this.gateway = gateway;
    this.key = key;
  }

  async request(method, path, {body, operator = false, headers = {}, signal} = {}) {
    const token = operator ? this.gateway.operatorToken : this.key;
    const response = await fetch(this.gateway.url + path, {
      method,
      signal,
      headers: {...(token ? {authorization: `Bearer ${token}`} : {}), ...headers},
      body: body === undefined ? undefined : JSON.stringify(body)
    });
    const text = await response.text();
    let value = text;
    try {
      value = JSON.parse(text);
    } catch {
      // not JSON
    }
    return {status: response.status, body: value, headers: response.headers};
  }

  register(server, name, more = {}) {
    return this.request('POST', '/v1/tools', {
      operator: true,
      body: {
        name,
        description: `the tool ${name}`,
        url: `${server.url}/${name}`,
        inputSchema: {type: 'object'},
        allowPrivateAddresses: true,
        ...more
      }
    });
  }

  invoke(name, input = {}, more = {}, options = {}) {
    return this.request('POST', `/v1/tools/${name}/invoke`, {body: {input, ...more}, ...options});
  }

  confirm(id, decision, more = {}) {
    return this.request('POST', `/v1/invocations/${id}/confirm`, {
      operator: true,
      body: {decision, ...more}
    });
  }

  async pending(query = '') {
    const list = await this.request(
        'GET', `/v1/invocations?state=WaitingForConfirmation&limit=10000${query}`, {operator: true});
    return list.body.data;
  }

  // The call that waits, once there is one that `matches`.
  async waiting(matches = () => true, state = 'WaitingForConfirmation') {
    for (;;) {
      const list =
          await this.request('GET', `/v1/invocations?state=${state}&limit=10000`, {operator: true});
      const found = list.body.data.find(matches);
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  show(id) {
    return this.request('GET', `/v1/invocations/${id}`, {operator: true});
  }

  async audit(query = '') {
    const entries = [];
    for (let after = 0;;) {
      const page = await this.request('GET', `/v1/audit?limit=1000&after=${after}${query}`);
      entries.push(...page.body.data);
      if (!page.body.has_more) return entries;
      after = entries.at(-1).sequence;
    }
  }

  async verify() {
    return (await this.request('GET', '/v1/audit/verify')).body;
  }
}
