import { decodeUrlPart } from '@alpenglow/ui/query-string';

/** Returns the decoded segments of a path. A segment with an invalid encoding stays unchanged. */
export function parseSegments(pathname: string): readonly string[] {
  return pathname
    .split('/')
    .filter((segment) => segment !== '')
    .map(decodeUrlPart);
}

/**
 * Returns the value of each `{name}` in a pattern such as `/city/{state}/{city}`, or null if the path does not match.
 */
export function matchPattern(pattern: string, segments: readonly string[]): Readonly<Record<string, string>> | null {
  const parts = pattern.split('/').filter((part) => part !== '');
  if (parts.length !== segments.length) return null;
  const variables: Record<string, string> = {};
  for (const [index, part] of parts.entries()) {
    const segment = segments[index] ?? '';
    const name = /^\{(\w+)\}$/u.exec(part)?.[1];
    if (name !== undefined) variables[name] = segment;
    else if (part !== segment) return null;
  }
  return variables;
}
