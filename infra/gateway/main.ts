/** The one entry of a cluster: same-origin pages, API, pictures and live channel. */
import { runService } from '../src/service.ts';
import { createProxy } from './proxy.ts';
import { followServices } from './upstreams.ts';

await runService({
  name: 'gateway',
  needs: 'upstreams',
  // The gateway is open to everybody; figures are for the operator.
  hasMetrics: false,
  async start({ config: { upstreams, trustedProxies }, onStop }) {
    if (!upstreams) throw new Error('Started without upstreams');
    const groups = await followServices(upstreams);
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
