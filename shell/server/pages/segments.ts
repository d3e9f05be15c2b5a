/** The parts of a path, decoded; one that cannot be decoded stays as it is. */
export function segmentsOf(pathname: string): readonly string[] {
  return pathname
    .split('/')
    .filter((segment) => segment !== '')
    .map(decoded);
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** What stands for each `{name}` of a pattern such as `/city/{state}/{city}`; null where the path is another one. */
export function variablesOf(pattern: string, segments: readonly string[]): Readonly<Record<string, string>> | null {
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
