import type { ApiClient } from './api.ts';

/** Reads the list of ads page by page. Returns the title of each ad by its id. Throws if an ad occurs twice. */
export async function listAds(
  api: ApiClient,
  headers: Record<string, string> = {},
): Promise<ReadonlyMap<string, string>> {
  const ads = new Map<string, string>();
  let cursor: string | null = '';
  while (cursor !== null) {
    const { body } = await api.call(
      'GET',
      `/api/ads?limit=100${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
      { headers },
    );
    const page = body as { data: { id: string; title: string }[]; nextCursor: string | null };
    for (const { id, title } of page.data) {
      if (ads.has(id)) throw new Error(`Ad ${id} is listed twice`);
      ads.set(id, title);
    }
    cursor = page.nextCursor;
  }
  return ads;
}
