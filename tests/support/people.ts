import { createApiClient, type Person } from './api-client.ts';

/** Who visits (product specification, section 6). */
export const ROLES = ['guest', 'client', 'provider', 'admin'] as const;
export type Role = (typeof ROLES)[number];
/** Those who stand between: a provider without an ad yet, and one whose address is not confirmed. */
export type Visitor = Role | 'newcomer' | 'unverified';

/** Those who have an account on a product, and what the provider has put there. */
export interface World {
  readonly people: Readonly<Record<Exclude<Visitor, 'guest'>, Person>>;
  /** The provider's ad. */
  readonly ad: { readonly id: string; readonly title: string; readonly state: string; readonly city: string };
  tokenOf(visitor: Visitor): string | undefined;
}

/** Whose address `startTestProduct` takes for the admin's. */
const ADMIN_EMAIL = 'admin@example.com';

/** Signs everybody up on a product that knows none of them, and posts the provider's ad, with these fields besides. */
export async function populate(url: string, fields: Readonly<Record<string, unknown>> = {}): Promise<World> {
  const client = createApiClient(url);
  const people = {
    client: await client.signUp('client', { email: 'robin@example.com', displayName: 'Robin' }),
    provider: await client.signUp('provider', { email: 'anna@example.com', displayName: 'Anna' }),
    admin: await client.signUp('client', { email: ADMIN_EMAIL, displayName: 'Admin' }),
    newcomer: await client.signUp('provider', { email: 'berta@example.com', displayName: 'Berta' }),
    unverified: await client.signUp('provider', { email: 'clara@example.com', displayName: 'Clara', verify: false }),
  };
  const place = { state: 'NV', city: 'Reno' };
  const title = 'An evening by the lake';
  const { id } = await client.postAd(people.provider.token, { ...place, title, name: 'Anna', phone: '+1 775 555 0100', ...fields });
  return { people, ad: { id, title, ...place }, tokenOf: (visitor) => (visitor === 'guest' ? undefined : people[visitor].token) };
}
