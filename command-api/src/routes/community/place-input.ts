import { COUNTRIES, findCity, slugify } from '@alpenglow/domain';

/**
 * Replaces the country, the state and the city in a request body with the spelling of our list of places. A country or
 * state may be a code or a name, and a city may be a name or a slug. Upper and lower case are equal.
 */
export function normalisePlaceInput(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { country, state, city } = body;
  const knownCity = typeof state === 'string' && typeof city === 'string' ? findCity(city, state) : null;
  const knownCountry =
    typeof country === 'string'
      ? COUNTRIES.find(({ code, name }) => [code, slugify(name)].includes(slugify(country)))
      : undefined;
  return {
    ...body,
    ...(knownCountry && { country: knownCountry.code }),
    ...(knownCity && { state: knownCity.state.code, city: knownCity.city }),
  };
}
