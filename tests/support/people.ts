import { createApiClient, type ApiResponse, type Person } from './api-client.ts';
import { eventually } from './eventually.ts';
import { pictures } from './pictures.ts';
import { waitForReadModels } from './threads.ts';

/** Roles of visitors. */
export const ROLES = ['guest', 'client', 'provider', 'moderator', 'admin'] as const;
export type Role = (typeof ROLES)[number];
/**
 * A role or one of two special states. A newcomer is a provider without an ad. An unverified visitor is a provider
 * whose e-mail address is not verified.
 */
export type Visitor = Role | 'newcomer' | 'unverified';

/** Accounts of a product and the content that they have posted. */
export interface World {
  readonly people: Readonly<Record<Exclude<Visitor, 'guest'>, Person>>;
  /** Ad of the provider. */
  readonly ad: { readonly id: string; readonly title: string; readonly state: string; readonly city: string };
  /** Thread of the admin in the community, with one reply. */
  readonly thread: { readonly id: string; readonly title: string; readonly path: string };
  tokenOf(visitor: Visitor): string | undefined;
}

/** Blog article that the admin has published. */
export const ARTICLE = { slug: 'an-evening-well-spent', title: 'An evening well spent' } as const;

/**
 * E-mail address of the admin. A product that `startTestProduct` starts makes the account with this address an admin.
 */
const ADMIN_EMAIL = 'admin@example.com';

/**
 * Creates all accounts in an empty product. Then posts an ad, starts a thread and publishes an article. `fields`
 * contains additional fields of the ad.
 */
export async function populate(url: string, fields: Readonly<Record<string, unknown>> = {}): Promise<World> {
  const client = createApiClient(url);
  const people = {
    client: await client.signUp('client', { email: 'robin@example.com', displayName: 'Robin' }),
    provider: await client.signUp('provider', { email: 'anna@example.com', displayName: 'Anna' }),
    admin: await client.signUp('client', { email: ADMIN_EMAIL, displayName: 'Ada' }),
    moderator: await client.signUp('client', { email: 'mona@example.com', displayName: 'Mona' }),
    newcomer: await client.signUp('provider', { email: 'berta@example.com', displayName: 'Berta' }),
    unverified: await client.signUp('provider', { email: 'clara@example.com', displayName: 'Clara', verify: false }),
  };
  const grantResponse = await client.call('PUT', `/api/admin/users/${people.moderator.user.id}/role`, {
    token: people.admin.token,
    body: { role: 'moderator', reason: 'Helps out' },
  });
  if (grantResponse.status !== 200)
    throw new Error(`Granting a role returned ${grantResponse.status}: ${JSON.stringify(grantResponse.body)}`);
  const place = { state: 'NV', city: 'Reno' };
  const title = 'An evening by the lake';
  const { id } = await client.postAd(people.provider.token, {
    ...place,
    title,
    name: 'Anna',
    phone: '+1 775 555 0100',
    photos: [await uploadPhoto(url, people.provider.token)],
    ...fields,
  });
  // An admin starts the thread, because the limits for new members do not apply to admins.
  const threadTitle = 'Where do you like to walk?';
  const write = (path: string, body: unknown) => client.call('POST', path, { token: people.admin.token, body });
  const thread = createdPost(
    await write('/api/community/threads', {
      country: 'us',
      ...place,
      title: threadTitle,
      body: 'By the *river*, when it is cool.',
    }),
  );
  createdPost(await write(`/api/community/threads/${thread.id}/replies`, { body: 'And in the park, in the morning.' }));
  // Waits until reads include all created content.
  await publishArticle(url, people.admin.token);
  await waitForReadModels(url);
  return {
    people,
    ad: { id, title, ...place },
    thread: { id: thread.id, title: threadTitle, path: thread.path },
    tokenOf: (visitor) => (visitor === 'guest' ? undefined : people[visitor].token),
  };
}

/**
 * Uploads a photo and returns its URL. On a busy machine, the checks may take longer than the server waits (202). The
 * photo is then uploaded again.
 */
const uploadPhoto = (url: string, token: string) => eventually(() => uploadPhotoOnce(url, token));

async function uploadPhotoOnce(url: string, token: string): Promise<string> {
  const form = new FormData();
  form.append('photos', new Blob([new Uint8Array(await pictures.jpeg())], { type: 'image/jpeg' }), 'photo.jpg');
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${url}/api/uploads/photos`, { method: 'POST', body: form, headers });
  if (response.status !== 201) throw new Error(`Uploading a photo returned ${response.status}`);
  const { media } = (await response.json()) as { readonly media: readonly { readonly url: string }[] };
  return media[0]?.url ?? '';
}

/** Returns the created post that the response to a write request contains. */
function createdPost({ status, body }: ApiResponse): { readonly id: string; readonly path: string } {
  if (status !== 201) throw new Error(`Writing returned ${status}: ${JSON.stringify(body)}`);
  return body['data'] as { readonly id: string; readonly path: string };
}

async function publishArticle(url: string, token: string): Promise<void> {
  const client = createApiClient(url);
  const fields = {
    ...ARTICLE,
    summary: 'Three quiet ways to begin.',
    body: '## Before\n\nTake your time.',
    state: 'NV',
    city: 'Reno',
    tags: ['etiquette'],
    cover: null,
  };
  for (const [path, body] of [
    ['', fields],
    [`/${ARTICLE.slug}/publish`, {}],
  ] as const) {
    const { status } = await client.call('POST', `/api/admin/blog/articles${path}`, { token, body });
    if (status >= 300) throw new Error(`Publishing an article returned ${status}`);
  }
}
