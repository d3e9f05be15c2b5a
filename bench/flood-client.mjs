// @ts-check
/**
 * The attacker of the benchmark `flood`. It sends a request over each of its connections again and again, from one
 * network address. Each URL is unique. Arguments: the URL of the product, the path, and the number of connections.
 * Prints the number of responses by status as JSON when it ends.
 */
import { Agent, request } from 'node:http';

const [url = '', path = '', connections = '1'] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: Number(connections) });
const headers = { 'x-forwarded-for': '198.51.100.1', accept: 'text/html,application/json' };
/** @type {Record<string, number>} */
const statuses = {};
let sent = 0;
let isStopped = false;

/** @param {string | number} status */
const count = (status) => {
  statuses[status] = (statuses[status] ?? 0) + 1;
};

/** @returns {Promise<void>} */
const send = () =>
  new Promise((resolve) => {
    sent += 1;
    request(`${url}${path}${sent}`, { agent, headers }, (res) => {
      count(res.statusCode ?? 0);
      res.resume();
      res.once('close', resolve);
    })
      .once('error', () => {
        if (!isStopped) count('error');
        resolve();
      })
      .end();
  });

const flood = async () => {
  while (!isStopped) await send();
};

for (let connection = 0; connection < Number(connections); connection += 1) void flood();
process.once('SIGTERM', () => {
  isStopped = true;
  process.stdout.write(JSON.stringify(statuses), () => process.exit(0));
});
