// A web server with pages for tests of fetch_webpage: `pages` has an answer per path.
import http from 'node:http';

export class WebServer {
  static async start(pages = {}, {host = '127.0.0.1', port = 0} = {}) {
    const server = new WebServer();
    server.pages = pages;
    server.requests = [];
    server.open = new Set();
    server.http = http.createServer((request, response) => server.answer(request, response));
    await new Promise((resolve) => server.http.listen(port, host, resolve));
    server.port = server.http.address().port;
    server.url = `http://${host}:${server.port}`;
    return server;
  }

  // A text is HTML; else {status, type, headers, body}, or a function of (request, response).
  answer(request, response) {
    this.requests.push(request);
    this.open.add(response);
    response.on('close', () => this.open.delete(response));
    const page = this.pages[request.url.split('?')[0]];
    if (typeof page === 'function') return page(request, response);
    const {status = 200, type = 'text/html; charset=utf-8', headers = {}, body = ''} =
        page === undefined ? {status: 404} : typeof page === 'string' ? {body: page} : page;
    response.writeHead(status, {...(type ? {'content-type': type} : {}), ...headers});
    response.end(body);
  }

  stop() {
    this.http.closeAllConnections();
    return new Promise((resolve) => this.http.close(resolve));
  }
}
