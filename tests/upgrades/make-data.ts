import { DEMO_EMAILS, DEMO_PASSWORD } from '@alpenglow/domain';
import { createApiClient, PASSWORD, type ApiClient, type ApiResponse } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { pictures } from '../support/pictures.ts';
import { waitForReadModels } from '../support/threads.ts';
import { whenAvailable } from '../support/when-available.ts';

/** The ids and logins with which all data of `makeData` can be read. */
export interface MadeData {
  readonly owners: readonly { readonly email: string; readonly accountId: string; readonly adId: string }[];
  /** Paths of the photos of the ads. */
  readonly photos: readonly string[];
  readonly client: { readonly email: string; readonly accountId: string };
  readonly threadId: string;
  readonly articleSlug: string;
  readonly caseIds: readonly string[];
  /** E-mail address of the owner whose ad was hidden, and who has appealed. */
  readonly appellant: string;
  readonly identityAccountId: string;
  readonly erased: {
    readonly email: string;
    readonly accountId: string;
    readonly adId: string;
    readonly receiptId: string;
    /** A word that occurs in every text of the person, and nowhere else. */
    readonly word: string;
  };
}

const ADS = 12;
const PLACES = [
  ['NV', 'Reno'],
  ['CA', 'San Diego'],
  ['NY', 'New York City'],
] as const;
const ERASED_WORD = 'Zephyrine';

type Body = Readonly<Record<string, unknown>>;

/**
 * Stores one example of everything that an upgrade must not lose, through the API of the product at `url`. The product
 * must have the demo data, and no rate limits.
 */
export async function makeData(url: string): Promise<MadeData> {
  const api = createApiClient(url);
  const owners: MadeData['owners'][number][] = [];
  const tokens: string[] = [];
  const photos: string[] = [];
  for (let number = 1; number <= ADS; number += 1) {
    const email = `owner-${number}@example.org`;
    const { token, user } = await api.signUp('provider', { email, displayName: `Owner ${number}` });
    const own: string[] = [];
    while (own.length < number % 4) own.push(await uploadPhoto(url, token, 500 + 10 * number + own.length));
    photos.push(...own);
    const [state, city] = PLACES[number % PLACES.length] ?? PLACES[0];
    const { id } = await api.postAd(token, {
      name: `Owner ${number}`,
      title: `Ad number ${number}, with “quotes” & ünïcode 🏔`,
      category: 'companion',
      state,
      city,
      description: `The text of ad ${number}.\n\nIt has two paragraphs.`,
      price: `${100 + number} / h`,
      body: 'Tall',
      phone: `+1 775 555 01${String(number).padStart(2, '0')}`,
      photos: own,
    });
    tokens.push(token);
    owners.push({ email, accountId: user.id, adId: id });
  }
  const adId = (number: number) => owners[number - 1]?.adId ?? '';
  const token = (number: number) => tokens[number - 1] ?? '';
  await send(api, 'PUT', `/api/ads/${adId(1)}`, token(1), { title: 'The changed title of ad 1' });
  await send(api, 'DELETE', `/api/ads/${adId(12)}`, token(12));

  const client = await api.signUp('client', { email: 'client@example.org', displayName: 'Client' });
  for (const number of [1, 2, 5]) await send(api, 'POST', '/api/favorites', client.token, { adId: adId(number) });

  // Accounts of the demo are old enough to review ads and to start threads.
  const demoClient = await logIn(api, DEMO_EMAILS.client, DEMO_PASSWORD);
  await send(api, 'POST', `/api/ads/${adId(5)}/reviews`, demoClient, { comment: 'Kind and on time.', rating: 4 });
  const admin = await logIn(api, DEMO_EMAILS.admin, DEMO_PASSWORD);
  const threadId = idOf(
    await send(api, 'POST', '/api/community/threads', demoClient, {
      country: 'us',
      state: 'NV',
      city: 'Reno',
      title: 'Where can one walk in the evening?',
      body: 'Somewhere *quiet*, please.',
    }),
  );
  const reply = (by: string, body: string, quotedNumber: number | null = null) =>
    send(api, 'POST', `/api/community/threads/${threadId}/replies`, by, { body, quotedNumber });
  await reply(admin, 'Along the river.', 0);
  await send(api, 'POST', `/api/community/threads/${threadId}/posts/1/helpful`, demoClient);
  await send(api, 'PUT', `/api/community/threads/${threadId}/follow`, admin, { mail: 'daily' });

  const articleSlug = 'a-walk-by-the-river';
  await send(api, 'POST', '/api/admin/blog/articles', admin, {
    slug: articleSlug,
    title: 'A walk by the river',
    summary: 'Three quiet ways to begin.',
    body: '## Before\n\nTake your time.',
    state: 'NV',
    city: 'Reno',
    tags: ['etiquette'],
    cover: null,
  });
  await send(api, 'POST', `/api/admin/blog/articles/${articleSlug}/publish`, admin, {});

  const erased = await makeErasedPerson(api, url, admin, threadId);
  const report = (kind: string, id: string, reason: string) =>
    send(api, 'POST', '/api/reports', client.token, { subject: { kind, id }, reason, text: `A report about ${kind}` });
  await report('ad', adId(2), 'spam');
  await report('thread', threadId, 'other');
  await report('ad', adId(4), 'illegal');
  await waitForReadModels(url);
  const caseIds = await eventually(() => findCases(api, admin, [adId(2), threadId, adId(4)]));
  const appealed = `/api/admin/moderation/cases/${caseIds[2] ?? ''}`;
  await send(api, 'POST', `${appealed}/claim`, admin, {});
  await send(api, 'POST', `${appealed}/decide`, admin, {
    outcome: 'hidden',
    rule: 'illegal',
    facts: 'Not allowed here.',
  });
  await waitForReadModels(url);
  const { data: decisions } = await send(api, 'GET', '/api/account/decisions', token(4));
  const decisionId = (decisions as readonly { readonly id: string; readonly outcome: string }[])[0]?.id ?? '';
  await send(api, 'POST', `/api/account/decisions/${decisionId}/appeal`, token(4), { text: 'It is allowed.' });

  await requestIdentityCheck(url, token(3));
  await waitForReadModels(url);
  return {
    owners: owners.slice(0, -1),
    photos,
    client: { email: client.email, accountId: client.user.id },
    threadId,
    articleSlug,
    caseIds,
    appellant: owners[3]?.email ?? '',
    identityAccountId: owners[2]?.accountId ?? '',
    erased,
  };
}

/** Creates a person with an ad, a photo and a reply, and erases the data of the person. */
async function makeErasedPerson(
  api: ApiClient,
  url: string,
  admin: string,
  threadId: string,
): Promise<MadeData['erased']> {
  const email = `${ERASED_WORD.toLowerCase()}@example.org`;
  const { token, user } = await api.signUp('provider', { email, displayName: ERASED_WORD });
  const photo = await uploadPhoto(url, token, 700);
  const texts = { name: ERASED_WORD, title: `${ERASED_WORD} at home`, description: `${ERASED_WORD} is calm.` };
  const { id: adId } = await api.postAd(token, { ...texts, photos: [photo] });
  // New accounts cannot reply, except moderators.
  const setRole = (role: string | null) =>
    send(api, 'PUT', `/api/admin/users/${user.id}/role`, admin, { role, reason: 'Replies once' });
  await setRole('moderator');
  await send(api, 'POST', `/api/community/threads/${threadId}/replies`, token, { body: `${ERASED_WORD} replies.` });
  await setRole(null);
  const { data } = await send(api, 'POST', '/api/account/erasure', token, { password: PASSWORD });
  const { receiptId } = data as { readonly receiptId: string };
  await eventually(async () => {
    const { data: erasure } = await send(api, 'GET', `/api/account/erasure/${receiptId}`);
    if ((erasure as { readonly completedAt: string | null }).completedAt === null) throw new Error('not erased yet');
  });
  return { email, accountId: user.id, adId, receiptId, word: ERASED_WORD };
}

async function findCases(api: ApiClient, admin: string, subjects: readonly string[]): Promise<readonly string[]> {
  const { data } = await send(api, 'GET', '/api/admin/moderation/cases?limit=100', admin);
  const cases = data as readonly { readonly id: string; readonly subject: { readonly id: string } }[];
  return subjects.map((id) => {
    const found = cases.find(({ subject }) => subject.id === id);
    if (!found) throw new Error(`There is no case about ${id}`);
    return found.id;
  });
}

/** Returns the session token of an account. */
export async function logIn(api: ApiClient, email: string, password: string): Promise<string> {
  return String((await send(api, 'POST', '/api/auth/login', undefined, { email, password }))['token']);
}

/** Sends a request and returns the body of the response. Throws if the request was rejected. */
export async function send(api: ApiClient, method: string, path: string, token?: string, body?: Body): Promise<Body> {
  const options = { ...(token !== undefined && { token }), ...(body !== undefined && { body }) };
  const response: ApiResponse = await api.call(method, path, options);
  if (response.status >= 300)
    throw new Error(`${method} ${path} returned ${response.status}: ${JSON.stringify(response.body)}`);
  return response.body;
}

const idOf = ({ data }: Body): string => (data as { readonly id: string }).id;

/** Uploads a photo of this width, waits until it was checked, and returns its URL. */
async function uploadPhoto(url: string, token: string, width: number): Promise<string> {
  const form = new FormData();
  form.append('photos', new Blob([new Uint8Array(await pictures.jpeg(width, 400))], { type: 'image/jpeg' }), 'a.jpg');
  const headers = { authorization: `Bearer ${token}` };
  const response = await whenAvailable(() =>
    fetch(`${url}/api/uploads/photos`, { method: 'POST', body: form, headers }),
  );
  if (response.status !== 201) throw new Error(`Uploading a photo returned ${response.status}`);
  const { urls } = (await response.json()) as { readonly urls: readonly string[] };
  return urls[0] ?? '';
}

async function requestIdentityCheck(url: string, token: string): Promise<void> {
  const form = new FormData();
  form.append('files', new Blob([new Uint8Array(await pictures.jpeg(640, 400))], { type: 'image/jpeg' }), 'a.jpg');
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${url}/api/account/identity`, { method: 'POST', body: form, headers });
  if (!response.ok) throw new Error(`The request for an identity check returned ${response.status}`);
}
