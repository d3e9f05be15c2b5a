import * as z from 'zod/mini';
import { LIVE_CLOSE } from '../../contracts/live.ts';
import { bytes, empty, json, operation, readable, UNCHANGED, type Operation } from '../operation.ts';
import { healthAnswer, syncAnswer } from '../schemas/system.ts';

const of = { tag: 'System' } as const;

const LIVE = [
  'One JSON message per change, see `LiveMessage`. Without a token, a visitor hears the same public messages. The server pings every client and expects the pong.',
  `Close codes beside the standard ones: ${LIVE_CLOSE.badToken}, the token is unknown, expired or revoked; ${LIVE_CLOSE.tooSlow}, the client reads too slowly;`,
  `${LIVE_CLOSE.tooOld}, \`since\` lies too far back; ${LIVE_CLOSE.full}, this process has as many clients as it takes.`,
].join(' ');

/** Health, sync and the live channel of the specification, section 7, and this document. */
export const systemOperations: readonly Operation[] = [
  operation({
    ...of,
    method: 'GET',
    path: '/health',
    id: 'getHealth',
    summary: 'Is the API there?',
    headers: ['If-None-Match'],
    answers: {
      ...readable(healthAnswer, 'It is.'),
      503: json(healthAnswer, 'It cannot answer for now; or a refusal, as any call may end.'),
    },
  }),
  operation({
    ...of,
    method: 'GET',
    path: '/sync/status',
    id: 'getSyncStatus',
    summary: 'How far the read models have come',
    headers: ['If-None-Match'],
    answers: readable(syncAnswer, 'Where they stand.'),
  }),
  operation({
    ...of,
    method: 'POST',
    path: '/sync/force',
    id: 'forceSync',
    summary: 'Wait for the read models',
    description: 'Answers once they have caught up, or after 5 seconds.',
    answers: { 200: json(syncAnswer, 'Where they stand now.') },
  }),
  operation({
    ...of,
    method: 'GET',
    path: '/live',
    id: 'openLiveChannel',
    summary: 'The live channel (WebSocket)',
    description: LIVE,
    query: {
      token: {
        schema: z.string(),
        words: 'A session token; a browser cannot send headers here.',
        example: 'session-token',
      },
      since: {
        schema: z.string(),
        words: 'The `seq` of the last message heard: everything after it comes first.',
        example: '42',
      },
    },
    answers: { 101: empty('The channel is open.') },
    errors: ['NOT_FOUND'],
    isWebSocket: true,
  }),
  operation({
    ...of,
    method: 'GET',
    path: '/docs',
    id: 'readDocs',
    summary: 'This document, to be read',
    answers: { 200: bytes(['text/html'], 'A page.', ['ETag']), 304: UNCHANGED },
    headers: ['If-None-Match'],
  }),
  operation({
    ...of,
    method: 'GET',
    path: '/docs/openapi.yaml',
    id: 'getDocument',
    summary: 'This document, for programs',
    answers: { 200: bytes(['application/yaml'], 'OpenAPI 3.1.', ['ETag']), 304: UNCHANGED },
    headers: ['If-None-Match'],
  }),
];
