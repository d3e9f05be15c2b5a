import { setTimeout as pause } from 'node:timers/promises';
import { PHOTO_VARIANT_NAMES, type ResponseOf } from '@alpenglow/domain';
import { createMediaAccessTokens } from '@alpenglow/infra';
import sharp from 'sharp';
import type { TestCluster } from '../tests/support/cluster.ts';
import { runClosedLoop } from './closed-loop.ts';
import { msPerUnit, type ByPart, type Meter } from './cluster-meter.ts';
import type { Writers } from './cluster-writers.ts';
import { createHttpClient } from './http-client.ts';

export interface PhotoFigures {
  /** Size of all variants of one photo. */
  readonly stored_bytes: number;
  /** Processor milliseconds per photo for each part of the cluster, from the upload until all variants exist. */
  readonly cpu_ms: ByPart;
  readonly served: { readonly bytes: number; readonly perSecond: number; readonly cpu_ms: ByPart };
  /** Processor milliseconds for a request that states the version of the picture that the client has. */
  readonly unchanged_ms: ByPart;
  /** Processor milliseconds for a request of the first half of the picture. */
  readonly range_ms: ByPart;
}

const WIDTH_px = 4000;
const HEIGHT_px = 3000;
const CONNECTIONS = 16;
const WARM_UP_ms = 1_000;
/**
 * Time after the last variant of a photo exists. In this time, the worker appends its event and removes the uploaded
 * original file.
 */
const FINISH_ms = 1_000;
const READY_LIMIT_ms = 120_000;

/**
 * Measures the processing of photos of 12 megapixels, from the upload until all variants (sizes) exist. Also measures
 * the delivery of one variant to visitors.
 */
export async function benchPhotos({
  cluster,
  accountIds,
  meter,
  writers,
  photos,
  duration_ms,
}: {
  cluster: TestCluster;
  /** The secret of the cluster that signs the tokens for photos that are not public. */
  accountIds: string;
  meter: Meter;
  writers: Writers;
  photos: number;
  duration_ms: number;
}): Promise<PhotoFigures> {
  const urlOf = (service: string) => cluster.members.find((member) => member.service === service)?.url ?? '';
  const [commandApi, queryApi] = [urlOf('command-api'), urlOf('query-api')];
  const photo = await createPhoto();
  const http = createHttpClient({ connections: CONNECTIONS });
  const tokens = createMediaAccessTokens(accountIds);
  const publicUrl = (id: string, name: string) => `${queryApi}/uploads/photos/${id}/${name}`;
  const variantOf = (id: string, name: string) => `${publicUrl(id, name)}?access=${tokens.issue(id, 'staff').token}`;

  async function upload(number: number): Promise<string> {
    const form = new FormData();
    form.append('photos', new Blob([new Uint8Array(photo)], { type: 'image/jpeg' }), 'photo.jpg');
    const token = writers.all[number % writers.all.length]?.token ?? '';
    const response = await fetch(`${commandApi}/api/uploads/photos`, {
      method: 'POST',
      body: form,
      headers: { authorization: `Bearer ${token}` },
    });
    if (!response.ok) throw new Error(`The upload failed with status ${response.status}: ${await response.text()}`);
    const { media } = (await response.json()) as ResponseOf<'uploadPhotos'>;
    return media[0]?.id ?? '';
  }
  async function waitUntilReady(id: string): Promise<void> {
    for (const deadline = Date.now() + READY_LIMIT_ms; Date.now() < deadline; await pause(100)) {
      const { status } = await fetch(variantOf(id, PHOTO_VARIANT_NAMES.at(-1) ?? ''), { method: 'HEAD' });
      if (status === 200) return;
      if (status !== 503) throw new Error(`The photo returned status ${status}`);
    }
    throw new Error(`A photo was not ready within ${READY_LIMIT_ms} ms`);
  }
  /** Adds a photo of the first writer to an ad, so that visitors can load it. */
  async function publish(id: string): Promise<void> {
    const { adId = '', token = '' } = writers.all[0] ?? {};
    const body = JSON.stringify({ photos: [`/uploads/photos/${id}/1600.jpg`] });
    await http.send('PUT', `${commandApi}/api/ads/${adId}`, { token, body });
    for (const deadline = Date.now() + READY_LIMIT_ms; Date.now() < deadline; await pause(100))
      if ((await fetch(publicUrl(id, '640.webp'), { method: 'HEAD' })).status === 200) return;
    throw new Error(`A photo was not public within ${READY_LIMIT_ms} ms`);
  }

  try {
    await waitUntilReady(await upload(0));
    const processed = await meter.measure(async () => {
      const ids: string[] = [];
      for (let n = 0; n < photos; n += 1) ids.push(await upload(n));
      for (const id of ids) await waitUntilReady(id);
      return ids;
    });
    const [id = ''] = processed.result;
    await pause(FINISH_ms);
    let stored_bytes = 0;
    for (const name of PHOTO_VARIANT_NAMES) stored_bytes += (await http.send('GET', variantOf(id, name))).body.length;
    await publish(id);
    const url = publicUrl(id, '640.webp');
    const serve = (headers: Readonly<Record<string, string>> = {}) => http.send('GET', url, { headers });
    const measure = async (headers: Readonly<Record<string, string>>) => {
      await runClosedLoop(() => serve(headers), { workers: CONNECTIONS, duration_ms: WARM_UP_ms });
      return meter.measure(() => runClosedLoop(() => serve(headers), { workers: CONNECTIONS, duration_ms }));
    };
    const served = await measure({});
    const { body, headers } = await serve();
    const unchanged = await measure({ 'if-none-match': String(headers['etag'] ?? '') });
    const range = await measure({ range: `bytes=0-${Math.floor(body.length / 2)}` });
    return {
      stored_bytes,
      cpu_ms: msPerUnit(processed.cpu_s, photos),
      served: {
        bytes: body.length,
        perSecond: served.result.perSecond,
        cpu_ms: msPerUnit(served.cpu_s, served.result.count),
      },
      unchanged_ms: msPerUnit(unchanged.cpu_s, unchanged.result.count),
      range_ms: msPerUnit(range.cpu_s, range.result.count),
    };
  } finally {
    http.close();
  }
}

/** Creates a photo from soft shapes and some grain. Its size and detail are similar to those of a phone photo. */
async function createPhoto(): Promise<Buffer> {
  const noise = (width: number, height: number, sigma: number) =>
    sharp({
      create: { width, height, channels: 3, background: '#808080', noise: { type: 'gaussian', mean: 128, sigma } },
    })
      .png()
      .toBuffer();
  const shapes = await sharp(await noise(WIDTH_px / 20, HEIGHT_px / 20, 60))
    .resize(WIDTH_px, HEIGHT_px, { kernel: 'cubic' })
    .png({ compressionLevel: 1 })
    .toBuffer();
  const grain = await sharp(await noise(WIDTH_px / 2, HEIGHT_px / 2, 8))
    .resize(WIDTH_px, HEIGHT_px)
    .png({ compressionLevel: 1 })
    .toBuffer();
  return sharp(shapes)
    .composite([{ input: grain, blend: 'soft-light' }])
    .jpeg({ quality: 85 })
    .toBuffer();
}
