// @ts-check
/**
 * The decoder, which reads photos and videos of unknown origin in a separate process (decision 0058). It has no
 * secrets and can be killed at any time. The process that started it sends HTTP requests over file descriptor 3, one
 * after another. The decoder ends when this connection ends.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { Socket } from 'node:net';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { cleanVideo } from './clean-video.mjs';
import { makeVariants, normalizeDocument, readProperties } from './pictures.mjs';
import { RejectedFile } from './rejected-file.mjs';

/**
 * The parameters of all operations. A request contains those that its operation reads.
 * @typedef {Parameters<typeof makeVariants>[1] & Parameters<typeof cleanVideo>[2]} Options
 */

/**
 * @typedef {(
 *   request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse, options: Options,
 * ) => Promise<unknown>} Operation
 */

/** @type {Operation} */
const makePhoto = (request, response, options) =>
  withFile(request, async (file) => {
    const { variants, ...properties } = await makeVariants(file, options);
    const encoded = variants.map(({ name, bytes }) => ({ name, base64: bytes.toString('base64') }));
    sendJson(response, 200, { ...properties, variants: encoded });
  });

/** @type {Operation} */
const readPhoto = async (request, response, options) =>
  sendJson(response, 200, await readProperties(await buffer(request), options));

/** @type {Operation} */
const makeVideo = (request, response, options) =>
  withFile(request, async (file) => {
    const cleaned = `${file}-cleaned`;
    const properties = await cleanVideo(file, cleaned, options);
    response.setHeader('Content-Length', (await stat(cleaned)).size);
    response.setHeader('X-Properties', JSON.stringify(properties));
    await pipeline(createReadStream(cleaned), response);
  });

/**
 * The operations, by their path. `options` is the parameter of the same name. During a rolling upgrade, decoders serve
 * clients of older builds. If a response lacks what newer clients need, the operation therefore gets a new path. Older
 * decoders reject it, and the client uses the next decoder.
 * @type {Readonly<Record<string, Operation>>}
 */
const OPERATIONS = {
  // A picture of an identity document is never written to the disk.
  '/document': async (request, response, options) =>
    response.end(await normalizeDocument(await buffer(request), options)),
  '/v2/photo-properties': readPhoto,
  '/v2/photo': makePhoto,
  '/v2/video': makeVideo,
  // The paths of builds before decision 0118.
  '/photo-properties': readPhoto,
  '/photo': makePhoto,
  '/video': makeVideo,
};

/**
 * Calls `work` with the path of a file that contains the body of the request.
 * @param {import('node:http').IncomingMessage} request
 * @param {(file: string) => Promise<void>} work
 */
async function withFile(request, work) {
  const folder = await mkdtemp(path.join(process.cwd(), 'file-'));
  try {
    const file = path.join(folder, 'original');
    await pipeline(request, createWriteStream(file, { mode: 0o600 }));
    await work(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * @param {import('node:http').ServerResponse} response
 * @param {number} status
 * @param {object} content
 */
function sendJson(response, status, content) {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(content));
}

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://decoder');
  const operation = OPERATIONS[pathname];
  if (!operation) {
    sendJson(response, 404, { message: 'There is no such operation' });
    return;
  }
  operation(request, response, JSON.parse(searchParams.get('options') ?? '{}')).catch((error) => {
    request.resume();
    if (response.headersSent) response.destroy();
    else if (error instanceof RejectedFile) sendJson(response, 422, { code: error.code, message: error.message });
    else sendJson(response, 500, { message: error instanceof Error ? error.message : 'unknown' });
  });
});
// The process that started the decoder limits the time of each request.
server.requestTimeout = 0;
server.headersTimeout = 0;
server.keepAliveTimeout = 0;
const socket = new Socket({ fd: 3 });
socket.on('close', () => process.exit());
server.emit('connection', socket);
