import { createApiClient, type Answer, type Person } from './api-client.ts';
import { untilRead } from './threads.ts';

/** Who visits (product specification, section 6). */
export const ROLES = ['guest', 'client', 'provider', 'moderator', 'admin'] as const;
export type Role = (typeof ROLES)[number];
/** Those who stand between: a provider without an ad yet, and one whose address is not confirmed. */
export type Visitor = Role | 'newcomer' | 'unverified';

/** Those who have an account on a product, and what the provider has put there. */
export interface World {
  readonly people: Readonly<Record<Exclude<Visitor, 'guest'>, Person>>;
  /** The provider's ad. */
  readonly ad: { readonly id: string; readonly title: string; readonly state: string; readonly city: string };
  /** A thread of the admin's in the community, with a reply. */
  readonly thread: { readonly id: string; readonly title: string; readonly path: string };
  tokenOf(visitor: Visitor): string | undefined;
}

/** What the admin has published in the blog. */
export const ARTICLE = { slug: 'an-evening-well-spent', title: 'An evening well spent' } as const;

/** Whose address `startTestProduct` takes for the admin's. */
const ADMIN_EMAIL = 'admin@example.com';

/** Signs everybody up on a product that knows none of them, posts the provider's ad, with these fields besides, and begins a thread. */
export async function populate(url: string, fields: Readonly<Record<string, unknown>> = {}): Promise<World> {
  const client = createApiClient(url);
  const people = {
    client: await client.signUp('client', { email: 'robin@example.com', displayName: 'Robin' }),
    provider: await client.signUp('provider', { email: 'anna@example.com', displayName: 'Anna' }),
    admin: await client.signUp('client', { email: ADMIN_EMAIL, displayName: 'Admin' }),
    moderator: await client.signUp('client', { email: 'mona@example.com', displayName: 'Mona' }),
    newcomer: await client.signUp('provider', { email: 'berta@example.com', displayName: 'Berta' }),
    unverified: await client.signUp('provider', { email: 'clara@example.com', displayName: 'Clara', verify: false }),
  };
  const granted = await client.call('PUT', `/api/admin/users/${people.moderator.user.id}/role`, {
    token: people.admin.token,
    body: { role: 'moderator', reason: 'Helps out' },
  });
  if (granted.status !== 200)
    throw new Error(`granting a role answered ${granted.status}: ${JSON.stringify(granted.body)}`);
  const place = { state: 'NV', city: 'Reno' };
  const title = 'An evening by the lake';
  const { id } = await client.postAd(people.provider.token, {
    ...place,
    title,
    name: 'Anna',
    phone: '+1 775 555 0100',
    ...fields,
  });
  // A moderator's, who need not wait as new members do.
  const threadTitle = 'Where do you like to walk?';
  const write = (path: string, body: unknown) => client.call('POST', path, { token: people.admin.token, body });
  const thread = written(
    await write('/api/community/threads', {
      country: 'us',
      ...place,
      title: threadTitle,
      body: 'By the *river*, when it is cool.',
    }),
  );
  written(await write(`/api/community/threads/${thread.id}/replies`, { body: 'And in the park, in the morning.' }));
  // Whoever opens a page now finds all of it.
  await untilRead(url, await publishArticle(url, people.admin.token));
  return {
    people,
    ad: { id, title, ...place },
    thread: { id: thread.id, title: threadTitle, path: thread.path },
    tokenOf: (visitor) => (visitor === 'guest' ? undefined : people[visitor].token),
  };
}

/** What an answer says of the post that was written. */
function written({ status, body }: Answer): { readonly id: string; readonly path: string } {
  if (status !== 201) throw new Error(`writing answered ${status}: ${JSON.stringify(body)}`);
  return body['data'] as { readonly id: string; readonly path: string };
}

/** Answers the position from which on reads show it. */
async function publishArticle(url: string, token: string): Promise<string> {
  let position = '';
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
    const { status, headers } = await client.call('POST', `/api/admin/blog/articles${path}`, { token, body });
    if (status >= 300) throw new Error(`publishing an article answered ${status}`);
    position = headers.get('x-position') ?? '';
  }
  return position;
}
