import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiClient, type ApiClient, type Person } from '../support/api.ts';
import { pictures, pngWithHeader } from '../support/pictures.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';
import { upload } from '../support/uploads.ts';

/** Small files can make a decoder of pictures use much time or memory. */

let product: TestProduct;
let api: ApiClient;
beforeAll(async () => {
  product = await startTestProduct();
  api = apiClient(product.url);
});
afterAll(() => product?.stop());

async function requestIdentityCheck(bytes: Buffer): Promise<{ status: number; code: unknown }> {
  const { token } = await api.signUp('provider');
  const form = new FormData();
  form.append('files', new Blob([new Uint8Array(bytes)], { type: 'image/jpeg' }), 'passport.jpg');
  const response = await fetch(`${product.url}/api/account/identity`, {
    method: 'POST',
    body: form,
    headers: { authorization: `Bearer ${token}` },
  });
  return { status: response.status, code: ((await response.json()) as { code?: unknown }).code };
}
async function uploadPhoto(bytes: Buffer): Promise<{ status: number; code: unknown }> {
  const owner: Person = await api.signUp('provider');
  const { status, body } = await upload(product.url, 'photos', [{ bytes }], owner.token);
  return { status, code: body['code'] };
}
const SENDERS = [
  ['a photo', uploadPhoto],
  ['a picture of an identity document', requestIdentityCheck],
] as const;

/** An SVG of a few hundred bytes whose filters take seconds to draw. */
const SLOW_SVG = Buffer.from(
  [
    '<svg xmlns="http://www.w3.org/2000/svg" width="4000" height="4000">',
    '<filter id="f"><feTurbulence baseFrequency="0.9" numOctaves="9"/><feGaussianBlur stdDeviation="90"/></filter>',
    '<rect width="4000" height="4000" filter="url(#f)"/></svg>',
  ].join(''),
);

describe.each(SENDERS)('%s', (_name, send) => {
  test.each([
    ['an SVG', () => Promise.resolve(SLOW_SVG)],
    ['an SVG after a line break', () => Promise.resolve(Buffer.concat([Buffer.from('\n'), SLOW_SVG]))],
    ['a TIFF', () => sharp(SMALL).tiff().toBuffer()],
    ['a PDF', () => pictures.pdf()],
    ['text', () => pictures.text()],
  ])('cannot be %s', async (_format, make) => {
    expect(await send(await make())).toEqual({ status: 400, code: 'NOT_AN_IMAGE' });
  });

  test.each([
    ['100 megapixels with 16 bits, interlaced', { size_px: 10_000, bits: 16, isInterlaced: true }],
    ['100 megapixels', { size_px: 10_000, bits: 8, isInterlaced: false }],
    ['36 megapixels with 16 bits', { size_px: 6_000, bits: 16, isInterlaced: true }],
  ])('is rejected by its header, before it is decoded: %s', async (_size, header) => {
    expect(await send(pngWithHeader(header))).toEqual({ status: 400, code: 'TOO_MANY_PIXELS' });
  });
});

const SMALL = { create: { width: 8, height: 8, channels: 3, background: '#123456' } } as const;

test('a photo of a phone with 50 megapixels is accepted', async () => {
  const photo = await sharp({ create: { ...SMALL.create, width: 8_160, height: 6_120 } })
    .jpeg()
    .toBuffer();
  expect(await uploadPhoto(photo)).toMatchObject({ status: 201 });
});
