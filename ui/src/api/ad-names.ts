/**
 * Matches JSON of a server with other names for properties of an ad, or with a path of a photo that is neither
 * absolute nor rooted.
 */
const IS_FOREIGN =
  /"(?:(?:created|updated|last_bumped)_at|is_(?:featured|active)|phone_number|social_media|(?:photos|images?)":\s*(?:\[\s*(?:"[^"]*"\s*,\s*)*)?"(?!https?:)\w)/u;

/**
 * Parses the JSON of a response. The snake_case names of another server are replaced by the names of this client, and
 * the paths of photos are completed. A value with the right name takes precedence. The responses of our server need no
 * changes, so they are only searched once. Throws if the text is not JSON.
 */
export function parseWithAdNames(json: string): unknown {
  return JSON.parse(json, IS_FOREIGN.test(json) ? reviveAd : undefined);
}

function reviveAd(this: Record<string, unknown>, name: string, value: unknown): unknown {
  const newName =
    name === 'phone_number' ? 'phone' : name.replaceAll(/_(\w)/gu, (_, letter: string) => letter.toUpperCase());
  if (newName === name) return /^(?:photos|images?)$/u.test(name) ? withUploadsPrefix(value) : value;
  if (!(newName in this)) this[newName] = value;
  // Removes the property with the other name.
  return undefined;
}

function withUploadsPrefix(paths: unknown): unknown {
  if (Array.isArray(paths)) return paths.map(withUploadsPrefix);
  // The history of an ad contains ids of photos, which are no paths.
  return typeof paths === 'string' ? paths.replace(/^(?!\/|https?:)(?=.*[./])/u, '/uploads/') : paths;
}
