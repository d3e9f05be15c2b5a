import { apiClient, type Person } from './api.ts';

/** Who visits (product specification, section 6). */
export const ROLES = ['guest', 'client', 'provider', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** Those who have an account on a product, signed up and verified, and what they have put there. */
export interface World {
  readonly people: Readonly<Record<Exclude<Role, 'guest'>, Person>>;
  /** The provider's ad. */
  readonly ad: { readonly id: string; readonly title: string; readonly state: string; readonly city: string };
  tokenOf(role: Role): string | undefined;
}

/** Whose address `startTestProduct` takes for the admin's. */
const ADMIN_EMAIL = 'admin@example.com';

/** Signs everybody up on a new product and posts the provider's ad. */
export async function populate(url: string): Promise<World> {
  const client = apiClient(url);
  const people = { client: await client.signUp('client'), provider: await client.signUp('provider'), admin: await client.signUp('client', { email: ADMIN_EMAIL }) };
  const place = { state: 'NV', city: 'Reno' };
  const title = 'An evening by the lake';
  const { id } = await client.postAd(people.provider.token, { ...place, title, name: 'Anna', phone: '+1 775 555 0100' });
  return { people, ad: { id, title, ...place }, tokenOf: (role) => (role === 'guest' ? undefined : people[role].token) };
}
