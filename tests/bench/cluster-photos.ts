import { setTimeout as pause } from 'node:timers/promises';
import { PHOTO_VARIANTS, type UploadAnswer } from '@alpenglow/domain';
import sharp from 'sharp';
import type { TestCluster } from '../support/cluster.ts';
import { keepBusy } from './closed-loop.ts';
import { msEach, type ByPart, type Meter } from './cluster-meter.ts';
import type { Writers } from './cluster-writers.ts';
import { httpClient } from './http-client.ts';

export interface PhotoFigures {
  readonly photos: number;
  readonly original_bytes: number;
  /** Each variant of one photo, and all of them. */
  readonly variants_bytes: Readonly<Record<string, number>>;
  readonly kept_bytes: number;
  /** From the first upload to the last variant, a photo: one after the other, as one worker process makes them. */
  readonly each_s: number;
  /** Processor milliseconds a photo, by part, from its upload until every variant is made. */
  readonly cpu_ms: ByPart;
  readonly served: { readonly bytes: number; readonly perSecond: number; readonly cpu_ms: ByPart };
}

const WIDTH_px = 4000;
const HEIGHT_px = 3000;
const CONNECTIONS = 16;
const WARM_UP_ms = 1_000;
/** A worker that has just made the last variant has still to say so, and to remove the original. */
const AFTERWARDS_ms = 1_000;
const MADE_WITHIN_ms = 120_000;

/** 12-megapixel photos from upload to variants, and one of the variants served. */
export async function benchPhotos({
  cluster,
  meter,
  writers,
  photos,
  duration_ms,
}: {
  cluster: TestCluster;
  meter: Meter;
  writers: Writers;
  photos: number;
  duration_ms: number;
}): Promise<PhotoFigures> {
  const urlOf = (service: string) => cluster.members.find((member) => member.service === service)?.url ?? '';
  const [commandApi, queryApi] = [urlOf('command-api'), urlOf('query-api')];
  const photo = await photoLike();
  const http = httpClient({ connections: CONNECTIONS });
  const variantOf = (id: string, name: string) => `${queryApi}/uploads/photos/${id}/${name}`;

  async function upload(number: number): Promise<string> {
    const form = new FormData();
    form.append('photos', new Blob([new Uint8Array(photo)], { type: 'image/jpeg' }), 'photo.jpg');
    const token = writers.all[number % writers.all.length]?.token ?? '';
    const response = await fetch(`${commandApi}/api/uploads/photos`, {
      method: 'POST',
      body: form,
      headers: { authorization: `Bearer ${token}` },
    });
    if (!response.ok) throw new Error(`The upload answered ${response.status}: ${await response.text()}`);
    const { media } = (await response.json()) as UploadAnswer;
    return media[0]?.id ?? '';
  }
  async function untilMade(id: string): Promise<void> {
    for (const deadline = Date.now() + MADE_WITHIN_ms; Date.now() < deadline; await pause(100)) {
      const { status } = await fetch(variantOf(id, PHOTO_VARIANTS.at(-1) ?? ''), { method: 'HEAD' });
      if (status === 200) return;
      if (status !== 503) throw new Error(`The photo answered ${status}`);
    }
    throw new Error(`A photo was not made within ${MADE_WITHIN_ms} ms`);
  }

  try {
    await untilMade(await upload(0));
    const made = await meter.during(async () => {
      const ids: string[] = [];
      for (let n = 0; n < photos; n += 1) ids.push(await upload(n));
      for (const id of ids) await untilMade(id);
      return ids;
    });
    const [id = ''] = made.result;
    await pause(AFTERWARDS_ms);
    const variants_bytes: Record<string, number> = {};
    for (const name of PHOTO_VARIANTS) variants_bytes[name] = (await http.send('GET', variantOf(id, name))).body.length;
    const serve = () => http.send('GET', variantOf(id, '640.webp'));
    await keepBusy(serve, { workers: CONNECTIONS, duration_ms: WARM_UP_ms });
    const served = await meter.during(() => keepBusy(serve, { workers: CONNECTIONS, duration_ms }));
    return {
      photos,
      original_bytes: photo.length,
      variants_bytes,
      kept_bytes: Object.values(variants_bytes).reduce((sum, size) => sum + size, 0),
      each_s: made.elapsed_s / photos,
      cpu_ms: msEach(made.cpu_s, photos),
      served: {
        bytes: (await serve()).body.length,
        perSecond: served.result.perSecond,
        cpu_ms: msEach(served.cpu_s, served.result.count),
      },
    };
  } finally {
    http.close();
  }
}

/** As large, and about as rich in detail, as what a telephone takes: soft shapes and a little grain. */
async function photoLike(): Promise<Buffer> {
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
