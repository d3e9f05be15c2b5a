/** Runs the gateway, which forwards all requests of browsers to the services behind it. */
import { runService } from '../src/service/service.ts';
import { registerGatewayMetrics } from './gateway-metrics.ts';
import { createProxy } from './proxy.ts';
import { watchServices } from './upstreams.ts';

await runService({
  name: 'gateway',
  requires: 'upstreams',
  async start({ config: { upstreams, trustedProxies }, metrics, onStop }) {
    if (!upstreams) throw new Error('The configuration has no upstreams');
    const groups = await watchServices(upstreams);
    const proxy = createProxy(groups, { trustedProxies, recordAttempt: registerGatewayMetrics(metrics, groups) });
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
