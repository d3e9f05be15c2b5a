interface PageWithNames {
  readonly names: Readonly<Record<string, string>>;
}

/** Returns the display names in all loaded pages of a list, by account id. */
export function mergeNames({
  data,
}: {
  readonly data?: { readonly pages: readonly PageWithNames[] } | undefined;
}): Readonly<Record<string, string>> {
  return Object.fromEntries((data?.pages ?? []).flatMap(({ names }) => Object.entries(names)));
}
