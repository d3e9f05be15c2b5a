import { AD_ID, DomainError, findCity } from '@alpenglow/domain';
import type { Request } from 'express';

/** The names the specification, section 3, allows beside ours. */
const SNAKE_CASE = { phone_number: 'phone', social_media: 'socialMedia' } as const;

/**
 * An ad body in the field names of the domain: snake_case names are mapped, `images` stands in for `photos`, a numeric price becomes
 * text, and a place is spelled as in our data. What the server decides itself (verified, isActive, …) is left for the schema to drop.
 */
export function normaliseAdInput(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const input: Record<string, unknown> = { ...body };
  for (const [theirs, ours] of Object.entries(SNAKE_CASE)) {
    if (input[ours] === undefined && input[theirs] !== undefined) input[ours] = input[theirs];
  }
  if (input['photos'] === undefined && input['images'] !== undefined) input['photos'] = input['images'];
  if (typeof input['price'] === 'number') input['price'] = String(input['price']);
  const { state, city } = input;
  if (typeof state === 'string' && typeof city === 'string') {
    const place = findCity(city, state);
    if (place) {
      input['state'] = place.state.code;
      input['city'] = place.city;
    }
  }
  return input;
}

const CLIENT_ID = /^[\w.:-]{1,64}$/u;

/** The id a client made up for its new ad (specification, section 3), where it is one. */
export function clientIdOf(body: Readonly<Record<string, unknown>>): string | null {
  const { id } = body;
  const text = typeof id === 'number' ? String(id) : id;
  return typeof text === 'string' && CLIENT_ID.test(text) ? text : null;
}

/** The ad a request's path names. Throws AD_NOT_FOUND for what cannot be an ad's id. */
export function adIdOf(req: Request): string {
  const id = req.params['id'];
  if (typeof id !== 'string' || !AD_ID.test(id)) throw new DomainError('AD_NOT_FOUND');
  return id;
}

/** The body `jsonBody` has parsed. */
export function bodyOf(req: Request): Readonly<Record<string, unknown>> {
  return req.body as Readonly<Record<string, unknown>>;
}
