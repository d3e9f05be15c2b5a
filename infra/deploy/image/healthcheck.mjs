// @ts-check
/**
 * Checks the service of this container: `healthcheck.mjs [path]`. The default path /healthz reports whether the service
 * is running. /readyz reports whether the service can handle requests.
 */
import { get } from 'node:http';

const LIMIT_MS = 2_500;
const [path = '/healthz'] = process.argv.slice(2);
const request = get({ host: '127.0.0.1', port: process.env['PORT'] || 8080, path, timeout: LIMIT_MS }, (response) =>
  process.exit(response.statusCode === 200 ? 0 : 1),
);
request.on('timeout', () => request.destroy());
request.on('error', () => process.exit(1));
setTimeout(() => process.exit(1), LIMIT_MS);
