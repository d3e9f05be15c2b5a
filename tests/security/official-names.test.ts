import { expect, test } from 'vitest';
import { PASSWORD, validAd } from '../support/api.ts';
import { testApi, testProduct } from '../support/fixtures.ts';

/** A person pretends to be the operator or its staff by a name. */

const product = testProduct();
const api = testApi(product);

const FAKE = 'Official Alpenglow Team ✓';
const MESSAGE = 'This name could be mistaken for an official one. Please choose another name.';
const REJECTED = { status: 400, body: { code: 'INVALID_FIELDS', message: MESSAGE } };

test('a name that looks official is rejected as the name of an account, an ad and a reviewer', async () => {
  const fields = { email: 'fake@example.org', password: PASSWORD, userType: 'client', age: 30 };
  expect(await api.call('POST', '/api/auth/signup', { body: { ...fields, displayName: FAKE } })).toMatchObject(
    REJECTED,
  );
  const [provider, client] = [await api.signUp('provider'), await api.signUp('client')];
  const ask = (method: string, path: string, token: string, body: unknown) => api.call(method, path, { token, body });
  expect(await ask('PUT', '/api/auth/profile', client.token, { displayName: FAKE })).toMatchObject(REJECTED);
  expect(await ask('POST', '/api/ads', provider.token, { ...validAd, name: FAKE })).toMatchObject(REJECTED);
  const { id } = await api.postAd(provider.token);
  expect(await ask('PUT', `/api/ads/${id}`, provider.token, { name: FAKE })).toMatchObject(REJECTED);
  const review = { name: FAKE, comment: 'Lovely.', rating: 5 };
  expect(await ask('POST', `/api/ads/${id}/reviews`, client.token, review)).toMatchObject(REJECTED);
  const written = await ask('POST', `/api/ads/${id}/reviews`, client.token, { ...review, name: 'Sam' });
  expect(written.status).toBe(201);
  const { id: reviewId } = written.body['data'] as { id: string };
  const edit = (name: string) => ask('PUT', `/api/ads/${id}/reviews/${reviewId}`, client.token, { ...review, name });
  expect(await edit(FAKE)).toMatchObject(REJECTED);
  expect((await edit('Samuel')).status).toBe(200);
});
