import { findCity } from '@alpenglow/domain';
import type { Request } from 'express';

/**
 * Converts the request body of an ad to the values of the domain. A numeric price becomes text, and the state and the
 * city get the spelling of our list of places. The schema removes fields that clients must not set, such as `verified`.
 */
export function normaliseAdInput(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const input: Record<string, unknown> = { ...body };
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

/** Returns the id that the client chose for its new ad, or null if the body contains no valid id. */
export function parseClientId(body: Readonly<Record<string, unknown>>): string | null {
  const { id } = body;
  const text = typeof id === 'number' ? String(id) : id;
  return typeof text === 'string' && CLIENT_ID.test(text) ? text : null;
}

/** Returns the request body after the handler `parseJsonBody` has parsed it. */
export function getBody(req: Request): Readonly<Record<string, unknown>> {
  return req.body as Readonly<Record<string, unknown>>;
}
