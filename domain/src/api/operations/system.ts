import * as z from 'zod/mini';
import { LIVE_CLOSE_CODES } from '../../contracts/live.ts';
import { LIVE_TOPICS_MAX } from '../../contracts/live-types.ts';
import {
  binaryResponse,
  jsonResponse,
  defineOperation,
  conditionalReadResponses,
  NOT_MODIFIED_RESPONSE,
} from '../operation.ts';
import { liveChannelMessage } from '../schemas/live.ts';
import { healthResponse, syncResponse } from '../schemas/system.ts';

const common = { tag: 'System' } as const;

const LIVE_DESCRIPTION = [
  'One JSON message per change, see `LiveMessage`. A visitor without a token receives the same public messages. ' +
    'The server pings every client and expects a pong.',
  `Close codes in addition to the standard ones: ${LIVE_CLOSE_CODES.invalidToken}, the token is unknown, ` +
    'expired or revoked; ' +
    `${LIVE_CLOSE_CODES.tooSlow}, the client reads too slowly;`,
  `${LIVE_CLOSE_CODES.tooOld}, \`since\` is too far in the past, or from an event that the server has ` +
    'lost in a failure: load the data again, and connect without `since`; ' +
    `${LIVE_CLOSE_CODES.full}, this process has its maximum number of clients.`,
  'A client that sends nothing receives all messages. A client may send a `LiveSubscribe` message with the ' +
    `topics that it displays, at most ${LIVE_TOPICS_MAX}. It replaces the earlier topics, and the topics that stay ` +
    'continue without a gap. The reply is `LiveSubscribed` or `LiveRejected`. From then on, the client receives only ' +
    'the messages of its topics, and a `LivePosition` about every 30 s if other messages were sent. A topic whose ' +
    'index is in `missed` may have changed after the `since` of the message: load its data again. A client may send ' +
    '30 messages at once and 5 a second later on, else the connection is closed with 1008.',
].join(' ');

/**
 * Operations for the health check, the progress of the read models, the live channel
 * and the API document.
 */
export const systemOperations = [
  defineOperation('getHealth', 'GET', '/health', {
    ...common,
    summary: 'Check the health of the API',
    headers: ['If-None-Match'],
    responses: {
      ...conditionalReadResponses(healthResponse, 'The API is healthy.'),
      503: jsonResponse(healthResponse, 'The service is not ready, or the response is an error of every operation.'),
    },
  }),
  defineOperation('getSyncStatus', 'GET', '/sync/status', {
    ...common,
    access: 'optional',
    rateLimits: ['sync-status'],
    failureMessage: 'Error getting sync status',
    summary: 'Get the progress of the read models',
    headers: ['If-None-Match'],
    responses: conditionalReadResponses(syncResponse, 'The positions of the read models.'),
  }),
  defineOperation('forceSync', 'POST', '/sync/force', {
    ...common,
    access: 'optional',
    rateLimits: ['sync'],
    service: 'query',
    failureMessage: 'Error forcing sync',
    summary: 'Wait for the read models',
    description: 'Responds when they have caught up, or after 5 seconds.',
    responses: { 200: jsonResponse(syncResponse, 'The current positions of the read models.') },
  }),
  defineOperation('openLiveChannel', 'GET', '/live', {
    ...common,
    summary: 'Open the live channel (WebSocket)',
    description: LIVE_DESCRIPTION,
    queryParameters: {
      token: {
        schema: z.string(),
        description: 'A session token, because a browser cannot send headers here.',
        example: 'session-token',
      },
      ticket: {
        schema: z.string(),
        description: 'From `POST /auth/live-ticket`. Use it instead of `token`.',
        example: 'ticket',
      },
      since: {
        schema: z.string(),
        description: 'The `seq` of the last received message. All later messages are sent first.',
        example: '42',
      },
      topics: {
        schema: z.literal('none'),
        description: 'The client starts without topics. Messages after `since` are sent for its first topics.',
        example: 'none',
      },
    },
    responses: { 101: jsonResponse(liveChannelMessage, 'The channel is open. The server sends such messages.') },
    errors: ['NOT_FOUND'],
    isWebSocket: true,
  }),
  defineOperation('readDocs', 'GET', '/docs', {
    ...common,
    summary: 'Read the operations of this document as HTML',
    responses: { 200: binaryResponse(['text/html'], 'A page.', ['ETag']), 304: NOT_MODIFIED_RESPONSE },
    headers: ['If-None-Match'],
  }),
  defineOperation('readSchemaDocs', 'GET', '/docs/schemas', {
    ...common,
    summary: 'Read the schemas of this document as HTML',
    responses: { 200: binaryResponse(['text/html'], 'A page.', ['ETag']), 304: NOT_MODIFIED_RESPONSE },
    headers: ['If-None-Match'],
  }),
  defineOperation('getDocument', 'GET', '/docs/openapi.yaml', {
    ...common,
    summary: 'Get this document as YAML',
    responses: { 200: binaryResponse(['application/yaml'], 'OpenAPI 3.1.', ['ETag']), 304: NOT_MODIFIED_RESPONSE },
    headers: ['If-None-Match'],
  }),
];
