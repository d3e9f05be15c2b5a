import { createHttpMetrics, createLogger, createMetrics, createRequestContext } from '@alpenglow/infra';

/** Gives a request an id, as every service does. The events of the request contain this id. */
export const assignRequestId = createRequestContext(createLogger('silent'), createHttpMetrics(createMetrics()));
