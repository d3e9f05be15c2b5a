/** Returns the query string of the parameters, with its leading `?`. Omits parameters without a value. */
export function toQueryString(
  parameters: Readonly<Record<string, string | number | boolean | null | undefined>>,
): '' | `?${string}` {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined && value !== null && value !== '') search.set(name, String(value));
  return search.size === 0 ? '' : `?${search.toString()}`;
}

/** Decodes a part of a URL. Returns the part unchanged if its encoding is invalid. */
export function decodeUrlPart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The query parameter that leaves the long texts out of a list of ads. */
export const SHORT_LIST = 'details=false';

/** Adds a query parameter at the end of a path. */
export const withParameter = (path: string, parameter: string): string =>
  `${path}${path.includes('?') ? '&' : '?'}${parameter}`;

/** Removes a query parameter that `withParameter` has added. */
export const withoutParameter = (path: string, parameter: string): string =>
  path.endsWith(`?${parameter}`) || path.endsWith(`&${parameter}`) ? path.slice(0, -parameter.length - 1) : path;
