/** Returns the query string of the parameters, with its leading `?`. Omits parameters without a value. */
export function toQueryString(
  parameters: Readonly<Record<string, string | number | boolean | null | undefined>>,
): string {
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
