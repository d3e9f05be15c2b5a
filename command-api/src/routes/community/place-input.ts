import { COUNTRIES, findCity, slugOf } from '@alpenglow/domain';

/** A body with its place spelled as in our data: countries and states may be named by code or name, cities by name or slug, in any case. */
export function normalisePlaceInput(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { country, state, city } = body;
  const found = typeof state === 'string' && typeof city === 'string' ? findCity(city, state) : null;
  const inCountry =
    typeof country === 'string'
      ? COUNTRIES.find(({ code, name }) => [code, slugOf(name)].includes(slugOf(country)))
      : undefined;
  return {
    ...body,
    ...(inCountry && { country: inCountry.code }),
    ...(found && { state: found.state.code, city: found.city }),
  };
}
