/**
 * A process of `npm run bench -- event-store`: the gRPC server of the tests, which has the protocol of EventStoreDB and
 * a log in memory. Sends its URL. Ends when the parent disconnects.
 */
import { once } from 'node:events';
import { startEventStoreServer } from '../tests/support/event-store-server/server.ts';

const server = await startEventStoreServer();
process.send?.(server.url);
await once(process, 'disconnect');
server.close();
