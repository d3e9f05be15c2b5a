/** Runs the gateway, which forwards all requests of browsers to the services behind it. */
import { runService } from '../src/service/service.ts';
import { createProxy } from './proxy.ts';
import { watchServices } from './upstreams.ts';

await runService({
  name: 'gateway',
  requires: 'upstreams',
  // The gateway is public, so it does not serve metrics, which only the operator may read.
  hasMetrics: false,
  async start({ config: { upstreams, trustedProxies }, onStop }) {
    if (!upstreams) throw new Error('The configuration has no upstreams');
    const groups = await watchServices(upstreams);
    const proxy = createProxy(groups, { trustedProxies });
    onStop(async () => {
      proxy.close();
      await Promise.all(Object.values(groups).map((group) => group.stop()));
    });
    return {
      handler: proxy.handler,
      upgrade: proxy.upgrade,
      isReady: () => Promise.resolve(true),
      drain: async () => proxy.drain(),
    };
  },
});
