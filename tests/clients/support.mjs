// What the tests of all clients share: a mock upstream, a gateway before it, and one set of tools.
// TOOLGATE_DIRECT=1 leaves the gateway out, to see what a client does with a well-behaved server.
import {after, before} from 'node:test';

import {mockModel, startGateway} from '../http/gateway.mjs';
import {startUpstream} from '../mock/upstream.mjs';

export const CITY = 'München';

// before() and after() for a file; the result is filled in by the time its tests run, `ready`
// included.
export function useGateway(ready = () => {}) {
  const world = {};
  before(async () => {
    world.upstream = await startUpstream();
    if (!process.env.TOOLGATE_DIRECT) {
      world.gateway = await startGateway({
        settings: {
          'toolgate.models': [mockModel(world.upstream), mockModel(world.upstream, {id: 'o3-mock'})]
        }
      });
    }
    world.baseURL = world.gateway ? `${world.gateway.url}/v1` : world.upstream.baseUrl;
    ready(world);
  });
  after(async () => {
    await world.gateway?.stop();
    await world.upstream?.close();
  });
  return world;
}

export const weatherParameters = {
  type: 'object',
  properties: {city: {type: 'string'}},
  required: ['city'],
  additionalProperties: false
};
export const timeParameters = {
  type: 'object',
  properties: {zone: {type: 'string'}},
  required: ['zone'],
  additionalProperties: false
};

// A promise for the next request of the upstream, and for its end; both bounded.
export function watchNext(upstream) {
  const arrived = upstream.nextRequest();
  return {
    closed: async () => {
      const request = await arrived;
      const late = Promise.withResolvers();
      const timer =
          setTimeout(() => late.reject(new Error('the upstream still has its connection')), 10_000);
      await Promise.race([request.closed, late.promise]).finally(() => clearTimeout(timer));
      return request;
    }
  };
}
