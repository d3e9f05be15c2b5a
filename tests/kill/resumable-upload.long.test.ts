import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { apiClient } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { kill9, launchProduct, temporaryDataDir } from '../support/launched-product.ts';
import { blobFiles } from '../support/uploads.ts';
import { mp4 } from '../support/videos.ts';

const MB = 1024 * 1024;
const TUS = { 'tus-resumable': '1.0.0' };

test('a resumable upload survives SIGKILL while its bytes arrive and while it is finished (R-7.95)', async () => {
  const dataDir = await temporaryDataDir();
  const film = await mp4({ seconds: 2, padding_bytes: 8 * MB });
  let current = launchProduct({ dataDir: dataDir.path });
  const restart = async () => {
    kill9(current.process.pid);
    await current.ended();
    current = launchProduct({ dataDir: dataDir.path });
    return current.ready();
  };
  try {
    let url = await current.ready();
    const { token } = await apiClient(url).signUp('provider');
    const authorization = `Bearer ${token}`;
    const created = await fetch(`${url}/api/uploads/resumable/video`, {
      method: 'POST',
      headers: { ...TUS, authorization, 'upload-length': String(film.length) },
    });
    const path = created.headers.get('location') ?? '';
    const append = (offset: number, body: BodyInit, more: RequestInit = {}) =>
      fetch(url + path, {
        method: 'PATCH',
        headers: {
          ...TUS,
          authorization,
          'content-type': 'application/offset+octet-stream',
          'upload-offset': String(offset),
        },
        body,
        ...more,
      });
    const storedOffset = async () => {
      const { status, headers } = await fetch(url + path, { method: 'HEAD', headers: { ...TUS, authorization } });
      expect(status).toBe(200);
      return Number(headers.get('upload-offset'));
    };
    const storedBlocks = async () => (await blobFiles(dataDir.path)).filter((file) => file.includes('/partial/'));
    const finish = () => fetch(`${url}${path}/finish`, { method: 'POST', headers: { authorization } });

    let isKilled = false;
    let sent = 0;
    const slowBody = new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (isKilled) controller.error(new Error('killed'));
        else controller.enqueue(new Uint8Array(film.subarray(sent, (sent += 64 * 1024))));
        await pause(50);
      },
    });
    const interrupted = append(0, slowBody, { duplex: 'half' } as RequestInit).catch(() => null);
    // A request for the offset would end the running request.
    await eventually(async () => expect((await storedBlocks()).length).toBeGreaterThan(4));
    const killing = restart();
    isKilled = true;
    await interrupted;
    url = await killing;
    const offset = await storedOffset();
    expect(offset).toBeGreaterThanOrEqual(MB);
    expect(offset).toBeLessThan(film.length);
    expect((await append(offset, new Uint8Array(film.subarray(offset)))).status).toBe(204);

    for (const wait_ms of [0, 30, 90]) {
      const finishing = finish().catch(() => null);
      await pause(wait_ms);
      const restarting = restart();
      await finishing;
      url = await restarting;
    }
    const finished = await finish();
    const body = (await finished.json()) as { url: string; media: { status: string } };
    expect(body).toMatchObject({ success: true, url: `/uploads/video/${path.split('/').at(-1) ?? ''}` });
    await eventually(async () => expect(((await (await finish()).json()) as typeof body).media.status).toBe('ready'));
    await eventually(async () => expect(await storedBlocks()).toEqual([]));
  } finally {
    current.process.kill('SIGTERM');
    await current.ended();
    await dataDir.remove();
  }
});
