const NONE: readonly string[] = [];

/** Parses a stored list of ids. Returns an empty list for other content, which another version may have stored. */
export function parseStoredIds(text: string | null): readonly string[] {
  if (text === null) return NONE;
  try {
    const ids: unknown = JSON.parse(text);
    return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : NONE;
  } catch {
    return NONE;
  }
}
