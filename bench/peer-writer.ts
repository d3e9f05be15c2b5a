/**
 * A process of `npm run bench:peers` that appends events with several writers. Arguments: the root of the repository,
 * the name of the store, the connection string, the number of writers and the duration of a round in ms. Sends `ready`.
 * Then appends for one round after each message, and sends the number of appends. Ends when the parent disconnects.
 */
import { once } from 'node:events';
import { createSampleEvent } from './event-store.ts';
import { loadStores } from './peer-store.ts';
import { runClosedLoop } from './closed-loop.ts';

const [root = '', name = '', connectionString = '', writers = '1', duration_ms = '1000'] = process.argv.slice(2);
const open = (await loadStores(root)).get(name);
if (!open) throw new Error(`Unknown store: ${name}`);
const store = await open(connectionString, { connections: Number(writers), isNew: false });
await store.appendNew(createSampleEvent());
process.on('message', () => {
  void runClosedLoop(() => store.appendNew(createSampleEvent()), {
    workers: Number(writers),
    duration_ms: Number(duration_ms),
  }).then(({ count }) => process.send?.(count));
});
process.send?.('ready');
await once(process, 'disconnect');
await store.close();
