import { mkdtemp, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { media, originalBlobKey, UnrecoverableJobError } from '@alpenglow/domain';
import { uploadMedia } from '@alpenglow/domain/deciders';
import {
  cleanVideo,
  createCommandHandler,
  createFileBlobStore,
  createLocalDecoder,
  createLogger,
  createRemoteDecoder,
  decodePhoto,
  DecoderLost,
  DecoderUnavailable,
  getTimeLimit_ms,
  normalizeDocument,
  UnusableFile,
  type Decoder,
} from '@alpenglow/infra';
import express from 'express';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createDecoderHandler } from '../../infra/decoder-service/handler.ts';
import { findSandbox } from '../../infra/src/adapters/decoder/sandbox.ts';
import { createPhotoVariantsHandler } from '../../workers/src/photo-variants-handler.ts';
import { createVideoProbeHandler } from '../../workers/src/video-probe-handler.ts';
import { decoderProcesses, killDecoders } from '../support/decoder-processes.ts';
import { eventually } from '../support/eventually.ts';
import { createJobContext } from '../support/job-context.ts';
import { createMemoryDataKeys } from '../support/memory-data-keys.ts';
import { MAX_WAIT_ms } from '../support/max-wait.ts';
import { pictures } from '../support/pictures.ts';
import { upload } from '../support/uploads.ts';
import { createMemoryEventStore } from '../support/memory-event-store.ts';
import { noPictureLists } from '../support/no-picture-lists.ts';
import { testApi, testProduct } from '../support/fixtures.ts';

/** The process that reads pictures and videos can be lost without consequences (R-9.21, decision 0058). */

const log = createLogger('silent');
const signal = () => AbortSignal.timeout(MAX_WAIT_ms);

let folder: string;
let large: Buffer;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'alpenglow-pictures-'));
  large = await sharp({ create: { width: 8_000, height: 6_000, channels: 3, background: '#123456' } })
    .jpeg({ progressive: true })
    .toBuffer();
  await writeFile(path.join(folder, 'large'), large);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function openDecoder(options: { limit_ms?: number } = {}) {
  const decoder = createLocalDecoder({ log, ...options });
  onTestFinished(() => decoder.close());
  return decoder;
}

/**
 * Returns a decoder that receives the first bytes of each file and waits for the rest. The test can therefore end it
 * during a request, even if the test itself runs late.
 */
function withoutEndOfFile(decoder: Decoder): Decoder {
  const start = () => {
    const body = new Readable({ read: () => undefined });
    body.push(large.subarray(0, 1_000));
    return body;
  };
  return { ...decoder, send: (wanted) => decoder.send({ ...wanted, body: start }) };
}

describe('a decoder that is killed', () => {
  const product = testProduct();
  const api = testApi(product);

  test('while it reads a photo does not end the service, and the photo is ready afterwards', async () => {
    const { token } = await api.signUp('provider');
    const others = decoderProcesses();
    const uploading = upload(product.url, 'photos', [{ bytes: large }], token);
    await eventually(() => expect(killDecoders(others)).toBe(true));
    expect(await uploading).toMatchObject({ status: 201 });
    expect((await fetch(`${product.url}/healthz`)).status).toBe(200);
  });

  test('while it reads an identity picture rejects only this picture, with a clear message', async () => {
    const decoder = openDecoder({ limit_ms: MAX_WAIT_ms });
    const others = decoderProcesses();
    const reading = normalizeDocument(withoutEndOfFile(decoder), large, signal()).catch((error: unknown) => error);
    await eventually(() => expect(killDecoders(others)).toBe(true));
    expect(await reading).toBeInstanceOf(DecoderLost);
    expect((await normalizeDocument(decoder, await pictures.jpeg(), signal())).length).toBeGreaterThan(0);
  });
});

test('a picture that takes too long ends only its decoder, and is rejected', async () => {
  const impatient = openDecoder({ limit_ms: 1 });
  const reading = decodePhoto(impatient, path.join(folder, 'large'), signal()).catch((error: unknown) => error);
  expect(await reading).toBeInstanceOf(UnusableFile);
  expect(await reading).toMatchObject({ code: 'FILE_NOT_READABLE', message: 'The decoder took longer than 1 ms' });
  const picture = await normalizeDocument(openDecoder(), await pictures.jpeg(), signal());
  expect((await sharp(picture).metadata()).format).toBe('jpeg');
});

test('a video may take longer than a picture', async () => {
  const paths: string[] = [];
  const recording: Decoder = {
    send: ({ path: requested }) => {
      paths.push(requested);
      return Promise.reject(new DecoderUnavailable('not needed'));
    },
    close: () => Promise.resolve(),
  };
  const file = path.join(folder, 'large');
  const video = { file, contentType: 'video/mp4', max_s: 60, signal: signal() };
  await expect(decodePhoto(recording, file, signal())).rejects.toThrow(DecoderUnavailable);
  await expect(cleanVideo(recording, video, () => Promise.reject(new Error('nothing to store')))).rejects.toThrow(
    DecoderUnavailable,
  );
  const [photo_ms = 0, video_ms = 0] = paths.map(getTimeLimit_ms);
  expect(video_ms).toBeGreaterThan(photo_ms);
});

describe('a file whose decoder crashes', () => {
  const origin = { actor: { kind: 'system', name: 'test' } as const, correlationId: 'test' };
  const crashing: Decoder = {
    send: () => Promise.reject(new DecoderLost('The decoder ended')),
    close: () => Promise.resolve(),
  };
  test.each([
    [1, DecoderLost],
    [2, UnrecoverableJobError],
    [3, UnrecoverableJobError],
  ])('is read at most twice: attempt %i', async (attempt, expected) => {
    const root = await mkdtemp(path.join(tmpdir(), 'alpenglow-crash-'));
    onTestFinished(() => rm(root, { recursive: true }));
    const blobs = await createFileBlobStore({ root });
    const commands = createCommandHandler(createMemoryEventStore());
    for (const [kind, contentType] of [
      ['photo', 'image/jpeg'],
      ['video', 'video/mp4'],
    ] as const) {
      await blobs.put(originalBlobKey(kind), Buffer.from('x'));
      const command = { mediaId: kind, ownerId: 'anna', kind, sizeBytes: 1, contentType };
      await commands.execute(media, kind, uploadMedia, command, origin);
    }
    const deps = {
      blobs,
      commands,
      decoder: crashing,
      knownImages: noPictureLists,
      dataKeys: createMemoryDataKeys(),
    };
    const context = createJobContext({ attempt, signal: signal() });
    await expect(createPhotoVariantsHandler(deps)({ mediaId: 'photo' }, context)).rejects.toThrow(expected);
    await expect(createVideoProbeHandler(deps)({ mediaId: 'video' }, context)).rejects.toThrow(expected);
  });
});

test('an aborted request ends with the reason of the signal, and the next request is handled', async () => {
  const decoder = openDecoder({ limit_ms: MAX_WAIT_ms });
  const stopping = new AbortController();
  const reading = decodePhoto(withoutEndOfFile(decoder), path.join(folder, 'large'), stopping.signal);
  await eventually(() => expect(decoderProcesses().length).toBeGreaterThan(0));
  stopping.abort(new Error('closing'));
  await expect(reading).rejects.toThrow('closing');
  expect((await normalizeDocument(decoder, await pictures.jpeg(), signal())).length).toBeGreaterThan(0);
});

test('a closed decoder leaves no process and no folder', async () => {
  const decoder = createLocalDecoder({ log });
  const others = new Set(decoderProcesses());
  await normalizeDocument(decoder, await pictures.jpeg(), signal());
  const own = decoderProcesses().filter((pid) => !others.has(pid));
  expect(own.length).toBeGreaterThan(0);
  await decoder.close();
  await eventually(() => expect(decoderProcesses().filter((pid) => own.includes(pid))).toEqual([]));
  await expect(normalizeDocument(decoder, await pictures.jpeg(), signal())).rejects.toThrow(DecoderUnavailable);
});

test.runIf(process.platform === 'linux')(
  'the decoder has no secrets, no network and no rights of this user',
  async () => {
    process.env['SECRET_OF_THIS_TEST'] = 'do-not-tell';
    onTestFinished(() => {
      delete process.env['SECRET_OF_THIS_TEST'];
    });
    const decoder = openDecoder();
    const others = new Set(decoderProcesses());
    await normalizeDocument(decoder, await pictures.jpeg(), signal());
    const pid = decoderProcesses().find((candidate) => !others.has(candidate)) ?? 0;
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8');
    expect(
      environment
        .split('\0')
        .map((entry) => entry.split('=')[0])
        .filter(Boolean)
        .sort(),
    ).toEqual(['MALLOC_ARENA_MAX', 'MALLOC_TRIM_THRESHOLD_', 'PATH', 'PWD']);
    // The system of a developer may not permit every restriction.
    const { missing, owner } = await findSandbox(path.join(import.meta.dirname, '../../infra/decoder/main.mjs'));
    const hasOwnNetwork = (await readlink(`/proc/${pid}/ns/net`)) !== (await readlink('/proc/self/ns/net'));
    expect(hasOwnNetwork).toBe(!missing.includes('without network and without other processes'));
    expect((await stat(`/proc/${pid}`)).uid).toBe(owner ?? process.getuid?.());
    const limits = await readFile(`/proc/${pid}/limits`, 'utf8');
    expect(limits).toMatch(/^Max core file size\s+0\s/mu);
    expect(limits).toMatch(/^Max data size\s+2147483648\s/mu);
    expect(limits).toMatch(/^Max file size\s+268435456\s/mu);
  },
);

describe('a decoder as a separate service', () => {
  let server: Server;
  let url: string;
  const local = createLocalDecoder({ log });
  beforeAll(async () => {
    server = createServer(express().use(createDecoderHandler(local)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    server.close();
    await local.close();
  });

  test('returns the same variants, and the next address is used if one cannot be reached', async () => {
    const decoder = createRemoteDecoder(['http://127.0.0.1:9', url]);
    const file = path.join(folder, 'small');
    await writeFile(file, await pictures.withGps());
    for (let request = 0; request < 2; request += 1) {
      const { variants, ...properties } = await decodePhoto(decoder, file, signal());
      const { variants: expected, ...expectedProperties } = await decodePhoto(openDecoder(), file, signal());
      expect(properties).toEqual(expectedProperties);
      expect(variants.map(({ name }) => name)).toEqual(expected.map(({ name }) => name));
    }
  });

  test('rejects unusable files with the same codes', async () => {
    const decoder = createRemoteDecoder([url]);
    const rejected = await normalizeDocument(decoder, await pictures.text(), signal()).catch((error: unknown) => error);
    expect(rejected).toBeInstanceOf(UnusableFile);
    expect(rejected).toMatchObject({ code: 'NOT_AN_IMAGE' });
  });

  test('rejects a file that takes too long with the same code', async () => {
    const impatient = openDecoder({ limit_ms: 1 });
    const other = createServer(express().use(createDecoderHandler(impatient)));
    onTestFinished(() => void other.close());
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const decoder = createRemoteDecoder([`http://127.0.0.1:${(other.address() as AddressInfo).port}`]);
    const rejected = await normalizeDocument(decoder, large, signal()).catch((error: unknown) => error);
    expect(rejected).toBeInstanceOf(UnusableFile);
    expect(rejected).toMatchObject({ code: 'FILE_NOT_READABLE' });
  });

  test('of an older build, which lacks an operation, is skipped, and unavailable if it is the only one', async () => {
    const older = createServer((req, res) => {
      req.resume();
      res.writeHead(404, { 'Content-Type': 'application/json' }).end('{"message":"There is no such operation"}');
    });
    onTestFinished(() => void older.close());
    await new Promise<void>((resolve) => older.listen(0, '127.0.0.1', resolve));
    const olderUrl = `http://127.0.0.1:${(older.address() as AddressInfo).port}`;
    const file = path.join(folder, 'for-newer');
    await writeFile(file, await pictures.jpeg());
    for (let request = 0; request < 2; request += 1) {
      const { hashes } = await decodePhoto(createRemoteDecoder([olderUrl, url]), file, signal());
      expect(hashes.length).toBeGreaterThan(0);
    }
    const onlyOlder = createRemoteDecoder([olderUrl]);
    await expect(decodePhoto(onlyOlder, file, signal())).rejects.toThrow(DecoderUnavailable);
    // It responds, and closes the connection, before it has received the whole file.
    await expect(decodePhoto(withoutEndOfFile(onlyOlder), file, signal())).rejects.toThrow(DecoderUnavailable);
  });

  test.each(['/photo', '/photo-properties'])(
    'returns the hash that clients before decision 0118 read: %s',
    async (operation) => {
      const options = { widths_px: [160], formats: ['webp'], maxDecoded_bytes: 50_000_000 };
      const response = await fetch(`${url}${operation}?options=${encodeURIComponent(JSON.stringify(options))}`, {
        method: 'POST',
        body: new Uint8Array(await pictures.jpeg()),
      });
      expect(await response.json()).toMatchObject({ hash: expect.stringMatching(/^[0-9a-f]{16}$/u) as string });
    },
  );

  test('is reported as unavailable if no address can be reached, so that jobs wait', async () => {
    const decoder = createRemoteDecoder(['http://127.0.0.1:9']);
    await expect(normalizeDocument(decoder, await pictures.jpeg(), signal())).rejects.toThrow(DecoderUnavailable);
  });

  test('is reported as lost if it ends during a request', async () => {
    const fresh = openDecoder({ limit_ms: MAX_WAIT_ms });
    const other = createServer(express().use(createDecoderHandler(fresh)));
    onTestFinished(() => void other.close());
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const decoder = createRemoteDecoder([`http://127.0.0.1:${(other.address() as AddressInfo).port}`]);
    const others = decoderProcesses();
    const reading = normalizeDocument(withoutEndOfFile(decoder), large, signal()).catch((error: unknown) => error);
    await eventually(() => expect(killDecoders(others)).toBe(true));
    expect(await reading).toBeInstanceOf(DecoderLost);
  });
});
