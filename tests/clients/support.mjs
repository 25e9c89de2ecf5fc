// What the tests of all clients share: a mock upstream, a gateway before it, and one set of tools.
// TOOLGATE_DIRECT=1 leaves the gateway out, to see what a client does with a well-behaved server.
import { after, before } from 'node:test';
import { startUpstream } from '../mock/upstream.mjs';
import { startGatewayFor } from '../http/gateway.mjs';

export const CITY = 'München';

// before() and after() for a file; the result is filled in by the time its tests run.
export function useGateway() {
  const world = {};
  before(async () => {
    world.upstream = await startUpstream();
    if (!process.env.TOOLGATE_DIRECT) world.gateway = await startGatewayFor(world.upstream);
    world.baseURL = world.gateway ? `${world.gateway.url}/v1` : world.upstream.baseUrl;
  });
  after(async () => {
    await world.gateway?.stop();
    await world.upstream?.close();
  });
  return world;
}

export const weatherParameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false };
export const timeParameters = { type: 'object', properties: { zone: { type: 'string' } }, required: ['zone'], additionalProperties: false };

// A promise for the next request of the upstream, and for its end; both bounded.
export function watchNext(upstream) {
  const arrived = upstream.nextRequest();
  return { closed: async () => {
    const request = await arrived;
    const late = Promise.withResolvers();
    const timer = setTimeout(() => late.reject(new Error('the upstream still has its connection')), 10_000);
    await Promise.race([request.closed, late.promise]).finally(() => clearTimeout(timer));
    return request;
  } };
}
