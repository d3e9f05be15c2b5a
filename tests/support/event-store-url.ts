/**
 * Address of the EventStoreDB for tests: the server of the person who runs them, or the one that `npm run test:engines`
 * or `npm run test:contract` has started. Undefined without a server. `EVENTSTORE_URL` is not used, because it may be
 * the address of a real installation, and the tests write events.
 */
export const eventStoreUrl = process.env['TEST_EVENTSTORE_URL'] ?? process.env['STARTED_EVENTSTORE_URL'];
